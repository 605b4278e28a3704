/// Identifies one link of a bearer. A bearer never uses an identifier twice.
package struct LinkIdentifier: RawRepresentable, Hashable, Comparable, Sendable {
    /// A number that counts up from 0.
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// In the order of connecting.
    package static func < (left: LinkIdentifier, right: LinkIdentifier) -> Bool { left.rawValue < right.rawValue }
}

/// The destination of a link.
package enum LinkTarget: Hashable, Sendable {
    /// Any proxy node; the bearer takes the first that it finds.
    case anyProxy
    /// The proxy service (0x1828) of the advertiser with that identifier (Mesh Protocol 7.2).
    case proxy(AdvertiserIdentifier)
    /// The provisioning service (0x1827) of the advertiser with that identifier (Mesh Protocol 7.1).
    case provisioning(AdvertiserIdentifier)
}

/// What a bearer reports.
package enum BearerEvent: Hashable, Sendable {
    /// The link is open. Packets of at most that many octets, header included, can be written at once (ATT_MTU − 3).
    /// For links over Bluetooth the times of connecting are known.
    case opened(LinkIdentifier, maximumPacketSize: Int, GATTTimes? = nil)
    /// One packet that Data Out notified: the Proxy PDU header with its SAR bits, then data.
    case received(LinkIdentifier, [UInt8])
    /// The link is closed, or could not be opened. No event of it follows.
    case closed(LinkIdentifier, BearerError)
    /// An advertisement was heard. This comes only during a scan, repeatedly for each advertiser.
    case heard(Advertisement)
}

extension BearerEvent {
    /// The link of the event; nil for an advertisement.
    package var link: LinkIdentifier? {
        switch self {
        case .opened(let link, _, _), .received(let link, _), .closed(let link, _): link
        case .heard: nil
        }
    }
}

/// Why a bearer cannot do what it was asked to do.
package struct BearerError: Error, Hashable, Sendable {
    /// What went wrong, a sentence without a full stop.
    package var message: String
    /// How to mend it; nil if there is no advice.
    package var hint: Advice?
    /// Whether the only reason is that the user interrupted a wait.
    package var isInterruption = false

    package init(_ message: String, hint: Advice? = nil) {
        self.message = message
        self.hint = hint
    }

    /// An error with a hint of words alone.
    @_disfavoredOverload
    package init(_ message: String, hint: String?) {
        self.init(message, hint: hint.map { Advice($0) })
    }

    /// The error for a wait that the user interrupted.
    ///
    /// - Parameter what: the purpose of the wait, such as `connecting to HOST`.
    package static func interrupted(while what: String) -> BearerError {
        var error = BearerError("interrupted while \(what)")
        error.isInterruption = true
        return error
    }
}

/// Carries Proxy PDUs: over GATT connections, a socket to a gateway, or the simulator (Mesh Protocol 6).
///
/// A bearer also owns the clock, because waiting for a packet and waiting for time are one wait: the simulator makes
/// time pass inside ``next(until:)``, and a socket sleeps in `poll`. One thread drives a bearer and the protocol
/// machines above it, so neither needs a lock, and the same run gives the same result.
package protocol Bearer: AnyObject {
    /// The current instant of the bearer's clock.
    var now: Instant { get }

    /// How many links can be open at the same time, at least 1.
    var maximumLinks: Int { get }

    /// Why the bearer cannot hear anybody at the moment; nil if it works. Without this, silence would look like an
    /// empty building.
    var deafness: BearerError? { get }

    /// Starts to connect. ``BearerEvent/opened(_:maximumPacketSize:_:)`` or ``BearerEvent/closed(_:_:)`` follows.
    ///
    /// - Throws: ``BearerError`` if the bearer cannot begin to connect, for example because all links are in use, or if
    ///   the user interrupts it. No event follows.
    func connect(to target: LinkTarget) throws(BearerError) -> LinkIdentifier

    /// Writes one packet to Data In of an open link. Does nothing for a closed link, whose event will follow.
    ///
    /// - Throws: ``BearerError`` if the packet is empty or too large, or the bearer itself fails.
    func send(_ packet: [UInt8], on link: LinkIdentifier) throws(BearerError)

    /// Waits for the next event, at most until `deadline`.
    ///
    /// - Returns: nil at the deadline, or earlier if a signal arrived; the caller checks the clock.
    /// - Throws: ``BearerError`` if the bearer itself fails.
    func next(until deadline: Instant) throws(BearerError) -> BearerEvent?

    /// Closes a link or stops connecting. Closing it twice does nothing. No further event of the link follows.
    func close(_ link: LinkIdentifier)

    /// Starts or stops reporting advertisements. Doing either twice does nothing.
    ///
    /// - Throws: ``BearerError`` if the bearer cannot scan, or the user interrupts it.
    func scan(_ isOn: Bool) throws(BearerError)
}

extension Bearer {
    /// By default a bearer is not deaf.
    package var deafness: BearerError? { nil }
}
