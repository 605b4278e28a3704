import MeshCore
import TestSupport
import Testing

@testable import TLS

/// A pairing whose certificates are valid from 2026-01-01 to 2036-01-01.
struct Pairing {
    static let begin = Timestamp(rawValue: 1_767_225_600)
    static let end = Timestamp(rawValue: 2_082_758_400)
    /// A moment between both.
    static let now = Timestamp(rawValue: 1_795_000_000)

    let authority: CertificateAuthority
    let gateway: TLSIdentity
    let client: TLSIdentity

    init(_ name: String = "basement") throws {
        authority = try CertificateAuthority(
            name: "pairing \(name)",
            validity: .init(
                from: Timestamp(rawValue: Self.begin.rawValue - 86_400 * 365),
                until: Timestamp(rawValue: Self.end.rawValue + 86_400 * 365)
            )
        )
        gateway = try TLSIdentity(pem: authority.issue(.server, name: name, validity: Self.validity))
        client = try TLSIdentity(pem: authority.issue(.client, name: "office", validity: Self.validity))
    }

    static var validity: CertificateAuthority.Validity { .init(from: begin, until: end) }

    /// Both ends, not yet connected.
    func sessions(
        denied: Set<[UInt8]> = [],
        clientClock: Timestamp = now,
        gatewayClock: Timestamp = now
    ) throws
        -> Wire
    {
        Wire(
            client: try TLSSession(TLSContext(client, role: .client), at: clientClock),
            gateway: try TLSSession(TLSContext(gateway, role: .server, denied: denied), at: gatewayClock)
        )
    }
}

/// Two sessions and what goes between them.
final class Wire {
    let client: TLSSession
    let gateway: TLSSession
    /// What each side has thrown.
    private(set) var clientError: TLSError?
    private(set) var gatewayError: TLSError?
    /// What each side has read.
    var clientRead: [UInt8] = []
    var gatewayRead: [UInt8] = []

    init(client: TLSSession, gateway: TLSSession) {
        self.client = client
        self.gateway = gateway
    }

    /// Carries what both say until nobody says any more.
    ///
    /// - Parameter piece: how many octets arrive at a time.
    func run(piece: () -> Int = { 65_536 }) {
        while true {
            let toGateway = client.takeOutgoing()
            let toClient = gateway.takeOutgoing()
            if toGateway.isEmpty, toClient.isEmpty { return }
            deliver(toGateway, to: gateway, piece, &gatewayRead, &gatewayError)
            deliver(toClient, to: client, piece, &clientRead, &clientError)
        }
    }

    private func deliver(
        _ octets: [UInt8],
        to session: TLSSession,
        _ piece: () -> Int,
        _ read: inout [UInt8],
        _ error: inout TLSError?
    ) {
        var rest = octets[...]
        while !rest.isEmpty, error == nil {
            let part = rest.prefix(piece())
            rest = rest.dropFirst(part.count)
            do throws(TLSError) { try session.receive(part) } catch let thrown { error = thrown }
            read += session.read()
        }
    }
}

/// The error that a call throws.
func thrown(_ body: () throws -> Void) -> TLSError? {
    do {
        try body()
        return nil
    } catch {
        return error as? TLSError
    }
}
