package import MeshCore

/// Passes everything on to another bearer, and reports what goes over it. A ``ClientDriver`` over it reports its
/// requests, too.
package final class ObservedBearer: Bearer {
    private let bearer: any Bearer
    /// Receives each report, with the time on the bearer's clock.
    let report: (MeshReport, Instant) -> Void

    /// Reports what goes over a bearer.
    ///
    /// - Parameter report: receives each report, with the time on the bearer's clock.
    package init(_ bearer: any Bearer, reporting report: @escaping (MeshReport, Instant) -> Void) {
        self.bearer = bearer
        self.report = report
    }

    package var now: Instant { bearer.now }
    package var maximumLinks: Int { bearer.maximumLinks }
    package var deafness: BearerError? { bearer.deafness }

    package func connect(to target: LinkTarget) throws(BearerError) -> LinkIdentifier {
        try bearer.connect(to: target)
    }

    package func send(_ packet: [UInt8], on link: LinkIdentifier) throws(BearerError) {
        try bearer.send(packet, on: link)
        report(.packetSent(link, Self.type(of: packet), octets: packet.count), bearer.now)
    }

    package func next(until deadline: Instant) throws(BearerError) -> BearerEvent? {
        let event = try bearer.next(until: deadline)
        if case .received(let link, let packet) = event {
            report(.packetReceived(link, Self.type(of: packet), octets: packet.count), bearer.now)
        }
        return event
    }

    package func close(_ link: LinkIdentifier) { bearer.close(link) }

    package func scan(_ isOn: Bool) throws(BearerError) { try bearer.scan(isOn) }

    /// The type in the header of a Proxy PDU (Mesh Protocol 6.3.1); nil if it has none.
    private static func type(of packet: [UInt8]) -> ProxyPDU.MessageType? {
        packet.first.flatMap { ProxyPDU.MessageType(rawValue: $0 & 0x3F) }
    }
}
