package import MeshCore

/// Passes everything on to another bearer, and tells what crosses it. A ``ClientDriver`` over one that reports tells of
/// its requests, too.
package final class TappedBearer: Bearer {
    /// What crosses a link.
    package enum Crossing {
        case sent([UInt8])
        case received([UInt8])
        /// Nothing more: the link is closed.
        case closed
    }

    private let bearer: any Bearer
    private let tap: (Crossing, LinkIdentifier, Instant) -> Void
    /// Receives each report, with the time on the bearer's clock; nil if nobody wants reports.
    let report: ((MeshReport, Instant) -> Void)?

    /// Tells of each packet.
    ///
    /// - Parameter tap: receives what crosses which link, with the time on the bearer's clock.
    package init(_ bearer: any Bearer, tap: @escaping (Crossing, LinkIdentifier, Instant) -> Void) {
        self.bearer = bearer
        self.tap = tap
        report = nil
    }

    /// Reports what goes over a bearer.
    ///
    /// - Parameter report: receives each report, with the time on the bearer's clock.
    package init(_ bearer: any Bearer, reporting report: @escaping (MeshReport, Instant) -> Void) {
        self.bearer = bearer
        self.report = report
        tap = { crossing, link, now in
            switch crossing {
            case .sent(let packet): report(.packetSent(link, Self.type(of: packet), octets: packet.count), now)
            case .received(let packet): report(.packetReceived(link, Self.type(of: packet), octets: packet.count), now)
            case .closed: break
            }
        }
    }

    package var now: Instant { bearer.now }
    package var maximumLinks: Int { bearer.maximumLinks }
    package var deafness: BearerError? { bearer.deafness }

    package func connect(to target: LinkTarget) throws(BearerError) -> LinkIdentifier {
        try bearer.connect(to: target)
    }

    package func send(_ packet: [UInt8], on link: LinkIdentifier) throws(BearerError) {
        // What is refused was never on the air.
        try bearer.send(packet, on: link)
        tap(.sent(packet), link, now)
    }

    package func next(until deadline: Instant) throws(BearerError) -> BearerEvent? {
        let event = try bearer.next(until: deadline)
        switch event {
        case .received(let link, let packet): tap(.received(packet), link, now)
        case .closed(let link, _): tap(.closed, link, now)
        case .opened, .heard, nil: break
        }
        return event
    }

    package func close(_ link: LinkIdentifier) {
        bearer.close(link)
        tap(.closed, link, now)
    }

    package func scan(_ isOn: Bool) throws(BearerError) { try bearer.scan(isOn) }

    /// The type in the header of a Proxy PDU (Mesh Protocol 6.3.1); nil if it has none.
    private static func type(of packet: [UInt8]) -> ProxyPDU.MessageType? {
        packet.first.flatMap { ProxyPDU.MessageType(rawValue: $0 & 0x3F) }
    }
}
