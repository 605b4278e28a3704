import MeshCore
import TestSupport
import Testing

@testable import TLS

@Suite("Who is refused, and what both sides are told")
struct PeerVerificationTests {
    private func wire(_ client: TLSIdentity, _ gateway: TLSIdentity) throws -> Wire {
        Wire(
            client: try TLSSession(TLSContext(unchecked: client, role: .client), at: Pairing.now),
            gateway: try TLSSession(TLSContext(unchecked: gateway, role: .server), at: Pairing.now)
        )
    }

    @Test("a gateway of another pairing")
    func otherGateway() throws {
        let (ours, other) = (try Pairing("basement"), try Pairing("attic"))
        let wire = try wire(ours.client, other.gateway)
        wire.run()
        let error = try #require(wire.clientError)
        #expect(error.kind == .unknownAuthority)
        #expect(
            error.message
                == "the certificate “attic” of the gateway is of another pairing: it is signed by “pairing attic”, "
                + "not by the authority of our file"
        )
        let told = try #require(wire.gatewayError)
        #expect(told.kind == .refused)
        #expect(
            told.message
                == "the client does not know the authority of our certificate “attic”: it is of another pairing"
        )
        #expect(!wire.gateway.isEstablished && wire.gateway.peer == nil && wire.client.peer == nil)
    }

    @Test("a pairing of the same name, made anew")
    func renewed() throws {
        let (old, new) = (try Pairing(), try Pairing())
        let wire = try wire(old.client, new.gateway)
        wire.run()
        #expect(wire.clientError?.kind == .unknownAuthority && wire.gatewayError?.kind == .refused)
    }

    @Test("a client of another pairing that knows the gateway's authority")
    func otherClient() throws {
        let (ours, other) = (try Pairing("basement"), try Pairing("attic"))
        let gateway = try TLSSession(TLSContext(ours.gateway, role: .server), at: Pairing.now)
        let error = try ForeignClient().connect(to: gateway, as: other.client)
        #expect(error?.kind == .unknownAuthority)
        #expect(error?.message.hasPrefix("the certificate “office” of the client is of another pairing") == true)
        #expect(!gateway.isEstablished)
    }

    @Test("clocks outside the time of the certificates, on either side")
    func clocks() throws {
        let pairing = try Pairing()
        let late = Pairing.end
        let early = Timestamp(rawValue: Pairing.begin.rawValue - 1)

        let expired = try pairing.sessions(clientClock: late)
        expired.run()
        #expect(expired.clientError?.kind == .expired)
        #expect(
            expired.clientError?.message
                == "the certificate “basement” of the gateway was valid until 2036-01-01, and the clock here says 2036-01-01"
        )
        #expect(expired.gatewayError?.message.contains("has expired; it is valid until 2036-01-01") == true)

        let behind = try pairing.sessions(gatewayClock: early)
        behind.run()
        #expect(behind.gatewayError?.kind == .notYetValid)
        #expect(
            behind.gatewayError?.message
                == "the certificate “office” of the client is valid from 2026-01-01 on, and the clock here says 2025-12-31"
        )
        let told = try #require(behind.clientError)
        #expect(told.kind == .refused && told.hint?.contains("Is the clock of the gateway right?") == true, "\(told)")

        let ahead = try pairing.sessions(gatewayClock: late)
        ahead.run()
        #expect(ahead.gatewayError?.kind == .expired)
        #expect(ahead.clientError?.hint == "Is the clock of the gateway right?")

        let last = Timestamp(rawValue: Pairing.end.rawValue - 1)
        for (clientClock, gatewayClock) in [(Pairing.begin, last), (last, Pairing.begin)] {
            let good = try pairing.sessions(clientClock: clientClock, gatewayClock: gatewayClock)
            good.run()
            #expect(good.clientError == nil && good.gatewayError == nil)
        }
    }

    @Test("an authority that is over, before the certificates that it has signed")
    func authorityExpired() throws {
        let short = CertificateAuthority.Validity(from: Pairing.begin, until: Pairing.now)
        let authority = try CertificateAuthority(name: "pairing", validity: short)
        let wire = try wire(
            TLSIdentity(pem: authority.issue(.client, name: "office", validity: short)),
            TLSIdentity(pem: authority.issue(.server, name: "basement", validity: short))
        )
        wire.run()
        #expect(wire.clientError?.kind == .expired)
        #expect(
            wire.clientError?.message.hasPrefix("the authority “pairing” of the pairing was valid until 2026-11-18")
                == true
        )
    }

    @Test("a client's file that poses as the gateway, and a gateway's file as a client")
    func swapped() throws {
        let pairing = try Pairing()
        let posing = try wire(pairing.client, pairing.client)
        posing.run()
        #expect(posing.clientError?.kind == .wrongUse, "\(posing.clientError as Any)")
        #expect(posing.clientError?.message.contains("is not for a gateway") == true)
        #expect(posing.gatewayError?.hint == "A gateway takes NAME.gateway.pem.", "\(posing.gatewayError as Any)")
        let reverse = try wire(pairing.gateway, pairing.gateway)
        reverse.run()
        #expect(reverse.gatewayError?.kind == .wrongUse)
        #expect(reverse.clientError?.message.contains("is not for a client") == true)
        // And in one's own hands it is told before.
        #expect(thrown { _ = try TLSContext(pairing.client, role: .server) }?.kind == .wrongUse)
        #expect(
            thrown { _ = try TLSContext(pairing.gateway, role: .client) }?.message
                == "the file is for a gateway, not for a client"
        )
    }

    @Test("a client that is denied")
    func denied() throws {
        let pairing = try Pairing()
        let wire = try pairing.sessions(denied: [pairing.client.certificate.fingerprint])
        wire.run()
        #expect(wire.gatewayError?.kind == .denied)
        #expect(wire.clientError?.message == "the gateway denies our certificate “office”")
        let another = try pairing.sessions(denied: [pairing.gateway.certificate.fingerprint])
        another.run()
        #expect(another.gatewayError == nil && another.gateway.isEstablished)
    }

    @Test("a client without a certificate, without our protocol or without TLS 1.3")
    func foreignClients() throws {
        let pairing = try Pairing()
        let cases: [(ForeignClient, TLSError.Kind, String)] = [
            (ForeignClient(sendsCertificate: false), .noCertificate, "the client shows no certificate"),
            (
                ForeignClient(namesProtocol: false), .otherProtocol,
                "the client speaks TLS, but is not a meshplan client"
            ),
            (ForeignClient(protocolName: "h2"), .otherProtocol, "the client speaks TLS, but is not a meshplan client"),
            (ForeignClient(isOld: true), .version, "the client does not speak TLS 1.3"),
        ]
        for (client, kind, message) in cases {
            let gateway = try TLSSession(TLSContext(pairing.gateway, role: .server), at: Pairing.now)
            let error = try client.connect(to: gateway, as: pairing.client)
            #expect(error?.kind == kind && error?.message == message, "\(error as Any)")
            #expect(!gateway.isEstablished && gateway.peer == nil)
        }
        let gateway = try TLSSession(TLSContext(pairing.gateway, role: .server), at: Pairing.now)
        #expect(try ForeignClient().connect(to: gateway, as: pairing.client) == nil)
        #expect(gateway.isEstablished)
    }

    @Test("a gateway that speaks an older version, or another protocol")
    func foreignGateways() throws {
        let pairing = try Pairing()
        let old = try TLSSession(TLSContext(pairing.client, role: .client), at: Pairing.now)
        let version = try ForeignGateway(isOld: true).accept(old, as: pairing.gateway)
        #expect(version?.kind == .version && version?.message == "the gateway does not speak TLS 1.3")
        let other = try TLSSession(TLSContext(pairing.client, role: .client), at: Pairing.now)
        let silent = try ForeignGateway().accept(other, as: pairing.gateway)
        #expect(silent?.kind == .otherProtocol, "\(silent as Any)")
        #expect(!old.isEstablished && !other.isEstablished)
    }

    @Test(
        "who speaks no TLS at all, at the second octet",
        arguments: ["GET / HTTP/1.1\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "\u{0}\u{0}\u{0}\u{5}hello", "\u{16}\u{16}"]
    )
    func plain(text: String) throws {
        let wire = try Pairing().sessions()
        let client = try #require(thrown { try wire.client.receive(Array(text.utf8)) })
        #expect(client.kind == .notTLS && client.message == "the gateway does not speak TLS")
        #expect(client.hint?.contains("Is it a gateway without certificates") == true)
        let gateway = try #require(thrown { for octet in text.utf8.prefix(2) { try wire.gateway.receive([octet]) } })
        #expect(gateway.kind == .notTLS && gateway.message == "the client does not speak TLS")
    }
}
