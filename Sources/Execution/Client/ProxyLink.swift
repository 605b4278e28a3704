import MeshCore

/// The life of the one proxy link that a client uses: opening, waiting for a beacon, setting the filter, ready, lost
/// and opened again (Mesh Protocol 6.3 to 6.7).
///
/// It decides and keeps time; packets, keys and the bearer are its owner's.
struct ProxyLink {
    /// What its owner is to do.
    enum Action: Hashable, Sendable {
        /// Open a link, then call ``connecting(_:)`` or ``openFailed(_:at:)``.
        case open
        /// Close that link; nothing that still comes from it counts.
        case close(LinkIdentifier)
        /// Set the proxy's filter to an empty accept list.
        case setFilterType
        /// Add the client's address to the proxy's filter.
        case addAddresses
        /// The link carries messages from now on.
        case ready
        /// The link is gone; it is opened again at that instant, nil if never.
        case lost(LinkFailure, reopening: Instant?)
    }

    /// Where it stands.
    private enum Phase: Hashable {
        case idle
        case opening
        case waiting(until: Instant)
        case beacon(deadline: Instant)
        case filterType(deadline: Instant, attempt: Int)
        case addresses(deadline: Instant, attempt: Int)
        case ready
        case exhausted
    }

    private let policy: LinkPolicy
    private var phase = Phase.idle
    /// The open link.
    private(set) var identifier: LinkIdentifier?
    /// The link that is not open yet.
    private(set) var connecting: LinkIdentifier?
    /// Attempts since a link last proved its worth.
    private var failures = 0
    private var heardForeignBeacon = false

    /// No link yet.
    init(policy: LinkPolicy) {
        self.policy = policy
    }

    /// Whether messages can be sent.
    var isReady: Bool { phase == .ready }

    /// When ``advance(to:)`` wants to be called.
    var nextDeadline: Instant? {
        switch phase {
        case .waiting(let deadline), .beacon(let deadline), .filterType(let deadline, _), .addresses(let deadline, _):
            deadline
        case .idle, .opening, .ready, .exhausted: nil
        }
    }

    /// A link is wanted; does something only if there is none on its way.
    mutating func demand() -> [Action] {
        switch phase {
        case .idle, .exhausted:
            if phase == .exhausted { failures = 0 }
            phase = .opening
            return [.open]
        default: return []
        }
    }

    /// The bearer connects.
    mutating func connecting(_ link: LinkIdentifier) {
        connecting = link
    }

    /// A link was opened.
    mutating func opened(_ link: LinkIdentifier, at now: Instant) {
        identifier = link
        connecting = nil
        heardForeignBeacon = false
        phase = .beacon(deadline: now.advanced(by: policy.beaconTimeout))
    }

    /// A link could not be opened.
    mutating func openFailed(_ error: BearerError, at now: Instant) -> [Action] {
        connecting = nil
        return fail(LinkFailure(reason: error.message, hint: error.hint), at: now)
    }

    /// The bearer says that a link is gone, or did not come about.
    mutating func closed(_ link: LinkIdentifier, _ error: BearerError, at now: Instant) -> [Action] {
        guard link == identifier || link == connecting else { return [] }
        identifier = nil
        connecting = nil
        return fail(LinkFailure(reason: error.message, hint: error.hint), at: now)
    }

    /// A beacon came that is authentic under a known NetKey.
    mutating func authenticBeacon(at now: Instant) -> [Action] {
        guard case .beacon = phase else { return [] }
        phase = .filterType(deadline: now.advanced(by: policy.filterTimeout), attempt: 1)
        return [.setFilterType]
    }

    /// A beacon came that no known NetKey made.
    mutating func foreignBeacon() {
        heardForeignBeacon = true
    }

    /// A beacon came whose IV index ours cannot be brought to.
    mutating func unusableIVIndex(_ announced: IVIndex, known: IVIndex, at now: Instant) -> [Action] {
        abandon(
            LinkFailure(
                reason: "the proxy uses IV index \(announced.value), which cannot be reached from our \(known.value)",
                hint: "check that the database belongs to this network and is not an old copy"
            ),
            at: now
        )
    }

    /// A Filter Status came.
    mutating func filterStatus(isAcceptList: Bool, count: Int, at now: Instant) -> [Action] {
        switch phase {
        case .filterType where isAcceptList:
            phase = .addresses(deadline: now.advanced(by: policy.filterTimeout), attempt: 1)
            return [.addAddresses]
        case .addresses where isAcceptList && count > 0:
            phase = .ready
            return [.ready]
        default: return []
        }
    }

    /// An answer came over the link, so it does what links are for.
    mutating func proved() {
        failures = 0
    }

    /// The link broke a rule of the protocol and cannot be trusted to recover.
    mutating func abandon(_ failure: LinkFailure, at now: Instant) -> [Action] {
        guard let link = identifier else { return [] }
        identifier = nil
        return [.close(link)] + fail(failure, at: now)
    }

    /// Time has passed.
    mutating func advance(to now: Instant) -> [Action] {
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        switch phase {
        case .waiting:
            phase = .opening
            return [.open]
        case .beacon:
            let reason = "the proxy sent no beacon of this network within \(policy.beaconTimeout.components.seconds) s"
            let hint =
                heardForeignBeacon
                ? "it sent beacons of another network: check that the database holds the network's present keys"
                : "check that the proxy node belongs to this network and that its secure network beacon is on"
            return abandon(LinkFailure(reason: reason, hint: hint), at: now)
        case .filterType(_, let attempt) where attempt < policy.filterAttempts:
            phase = .filterType(deadline: now.advanced(by: policy.filterTimeout), attempt: attempt + 1)
            return [.setFilterType]
        case .addresses(_, let attempt) where attempt < policy.filterAttempts:
            phase = .addresses(deadline: now.advanced(by: policy.filterTimeout), attempt: attempt + 1)
            return [.addAddresses]
        case .filterType, .addresses:
            return abandon(
                LinkFailure(
                    reason: "the proxy does not answer to its filter being set",
                    hint: "another device may use our address with higher sequence numbers"
                ),
                at: now
            )
        case .idle, .opening, .ready, .exhausted: return []
        }
    }

    /// Closes the link for good.
    mutating func shutDown() -> [Action] {
        phase = .idle
        guard let link = identifier ?? connecting else { return [] }
        identifier = nil
        connecting = nil
        return [.close(link)]
    }

    private mutating func fail(_ failure: LinkFailure, at now: Instant) -> [Action] {
        failures += 1
        guard failures < policy.maximumAttempts else {
            phase = .exhausted
            return [.lost(failure, reopening: nil)]
        }
        let instant = now.advanced(by: policy.delay(afterFailures: failures))
        phase = .waiting(until: instant)
        return [.lost(failure, reopening: instant)]
    }
}

/// Why a proxy link ended or did not come about.
package struct LinkFailure: Error, Hashable, Sendable {
    /// What happened, a sentence without a full stop.
    package var reason: String
    /// What helps, if anything can be said.
    package var hint: String?
}
