/// Names one open link of a bearer; never reused within a bearer's life.
package struct LinkIdentifier: RawRepresentable, Hashable, Comparable, Sendable {
    /// Counts up from 0.
    package let rawValue: UInt32

    /// The link with that number.
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Opening order.
    package static func < (left: LinkIdentifier, right: LinkIdentifier) -> Bool { left.rawValue < right.rawValue }
}

/// What a bearer has to tell.
package enum BearerEvent: Hashable, Sendable {
    /// One packet as it was notified on Data Out: the Proxy PDU header with its SAR bits, then data.
    case received(LinkIdentifier, [UInt8])
    /// The link is gone; nothing more comes from it.
    case closed(LinkIdentifier, reason: String)
}

/// Why a bearer cannot do what was asked.
package struct BearerError: Error, Hashable, Sendable {
    /// What went wrong, a sentence without a full stop.
    package var message: String
    /// How to mend it, if anything can be said.
    package var hint: String?

    /// An error with that text.
    package init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}

/// What carries Proxy PDUs: a GATT connection, a socket to a gateway, the simulator (Mesh Protocol 6).
///
/// A bearer owns the running clock too, because waiting for a packet and waiting for time are one wait: the
/// simulator makes time pass inside ``next(until:)``, a socket sleeps in `poll`. One thread drives a bearer and the
/// protocol machines above it, so neither needs a lock and the same run gives the same result.
package protocol Bearer: AnyObject {
    /// The present instant of the bearer's clock.
    var now: Instant { get }

    /// Opens a link to a proxy node.
    ///
    /// - Returns: the link and the largest packet, header included, that it can write at once (ATT_MTU - 3).
    /// - Throws: if no proxy can be reached.
    func open() throws(BearerError) -> (link: LinkIdentifier, maximumPacketSize: Int)

    /// Writes one packet to Data In of a link; to a link that is closed it does nothing, for its event is on the way.
    func send(_ packet: [UInt8], on link: LinkIdentifier) throws(BearerError)

    /// Waits for the next event, at most until `deadline`.
    ///
    /// - Returns: nil at the deadline, and possibly earlier when a signal arrived; the caller looks at the clock.
    func next(until deadline: Instant) throws(BearerError) -> BearerEvent?

    /// Closes a link; closing twice does nothing.
    func close(_ link: LinkIdentifier)
}
