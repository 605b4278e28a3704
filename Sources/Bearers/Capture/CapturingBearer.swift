package import MeshCore

/// Passes everything on to another bearer, and writes down each packet that crosses it.
package final class CapturingBearer: Bearer {
    private let bearer: any Bearer
    private var capture: PacketCapture
    private let write: ([UInt8]) -> Void

    /// Captures the packets of a bearer.
    ///
    /// - Parameters:
    ///   - bearer: carries the packets.
    ///   - time: the calendar time, microseconds since 1970.
    ///   - write: appends octets to the file. The file's header is written by the caller.
    package init(_ bearer: any Bearer, time: UInt64, write: @escaping ([UInt8]) -> Void) {
        self.bearer = bearer
        capture = PacketCapture(now: time, at: bearer.now)
        self.write = write
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
        note(capture.sent(packet, on: link, at: bearer.now))
    }

    package func next(until deadline: Instant) throws(BearerError) -> BearerEvent? {
        let event = try bearer.next(until: deadline)
        switch event {
        case .received(let link, let packet): note(capture.received(packet, on: link, at: bearer.now))
        case .closed(let link, _): capture.closed(link)
        case .opened, .heard, nil: break
        }
        return event
    }

    package func close(_ link: LinkIdentifier) {
        bearer.close(link)
        capture.closed(link)
    }

    package func scan(_ isOn: Bool) throws(BearerError) { try bearer.scan(isOn) }

    private func note(_ octets: [UInt8]) {
        if !octets.isEmpty { write(octets) }
    }
}
