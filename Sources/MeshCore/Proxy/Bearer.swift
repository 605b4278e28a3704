/// Names one link of a bearer; never reused within a bearer's life.
package struct LinkIdentifier: RawRepresentable, Hashable, Comparable, Sendable {
    /// Counts up from 0.
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Connecting order.
    package static func < (left: LinkIdentifier, right: LinkIdentifier) -> Bool { left.rawValue < right.rawValue }
}

/// What a link is to lead to.
package enum LinkTarget: Hashable, Sendable {
    /// Some proxy node, whichever the bearer finds first.
    case anyProxy
    /// The proxy service (0x1828) of whoever advertised under that identifier (Mesh Protocol 7.2).
    case proxy(AdvertiserIdentifier)
    /// The provisioning service (0x1827) of whoever advertised under that identifier (Mesh Protocol 7.1).
    case provisioning(AdvertiserIdentifier)
}

/// What a bearer has to tell.
package enum BearerEvent: Hashable, Sendable {
    /// The link is open; packets of at most that many octets, header included, can be written at once (ATT_MTU - 3).
    /// How long that took is known of links over Bluetooth.
    case opened(LinkIdentifier, maximumPacketSize: Int, GATTTimes? = nil)
    /// One packet as it was notified on Data Out: the Proxy PDU header with its SAR bits, then data.
    case received(LinkIdentifier, [UInt8])
    /// The link is gone, or did not come about; nothing more comes from it.
    case closed(LinkIdentifier, BearerError)
    /// Something that advertises was heard; comes only while scanning, for each advertiser again and again.
    case heard(Advertisement)
}

extension BearerEvent {
    /// The link that the event is about, nil for what was heard.
    package var link: LinkIdentifier? {
        switch self {
        case .opened(let link, _, _), .received(let link, _), .closed(let link, _): link
        case .heard: nil
        }
    }
}

/// Why a bearer cannot do what was asked.
package struct BearerError: Error, Hashable, Sendable {
    /// What went wrong, a sentence without a full stop.
    package var message: String
    /// How to mend it, if anything can be said.
    package var hint: String?
    /// Whether nothing went wrong but that the user interrupted a wait.
    package var isInterruption = false

    package init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }

    /// The end of a wait that the user did not want to go on.
    ///
    /// - Parameter what: what was waited for, such as `connecting to HOST`.
    package static func interrupted(while what: String) -> BearerError {
        var error = BearerError("interrupted while \(what)")
        error.isInterruption = true
        return error
    }
}

/// What carries Proxy PDUs: GATT connections, a socket to a gateway, the simulator (Mesh Protocol 6).
///
/// A bearer owns the running clock too, because waiting for a packet and waiting for time are one wait: the
/// simulator makes time pass inside ``next(until:)``, a socket sleeps in `poll`. One thread drives a bearer and the
/// protocol machines above it, so neither needs a lock and the same run gives the same result.
package protocol Bearer: AnyObject {
    /// The present instant of the bearer's clock.
    var now: Instant { get }

    /// How many links can be open at once, at least 1.
    var maximumLinks: Int { get }

    /// Why nobody can be heard at present, whoever advertises; nil while the bearer is as it should be. Without it,
    /// silence would pass for an empty building.
    var deafness: BearerError? { get }

    /// Begins to connect; ``BearerEvent/opened(_:maximumPacketSize:_:)`` or ``BearerEvent/closed(_:_:)`` follows.
    ///
    /// - Throws: if the bearer can connect to nothing at all now; nothing follows then.
    func connect(to target: LinkTarget) throws(BearerError) -> LinkIdentifier

    /// Writes one packet to Data In of an open link; to a link that is closed it does nothing, for its event is on the
    /// way.
    func send(_ packet: [UInt8], on link: LinkIdentifier) throws(BearerError)

    /// Waits for the next event, at most until `deadline`.
    ///
    /// - Returns: nil at the deadline, and possibly earlier when a signal arrived; the caller looks at the clock.
    func next(until deadline: Instant) throws(BearerError) -> BearerEvent?

    /// Closes a link, or stops connecting; closing twice does nothing. No event of the link comes any more.
    func close(_ link: LinkIdentifier)

    /// Begins to report what advertises, or ceases to; doing either twice does nothing.
    ///
    /// - Throws: if the bearer cannot scan.
    func scan(_ isOn: Bool) throws(BearerError)
}

extension Bearer {
    /// A bearer that says nothing else hears all there is.
    package var deafness: BearerError? { nil }
}
