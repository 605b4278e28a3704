/// Decides which IV indexes from beacons are adopted (Mesh Protocol 3.11.5 and 3.11.6).
package struct IVIndexMonitor: Hashable, Sendable {
    /// The effect of a beacon on the known state.
    package enum Verdict: Hashable, Sendable {
        /// The beacon confirms the known state.
        case unchanged
        /// The beacon's state replaces the known one. Sequence numbers start again with the new transmit index.
        case changed(IVIndex)
        /// The beacon's state is not adopted.
        case ignored(Refusal)
    }

    /// Why a beacon's state is not adopted.
    package enum Refusal: Hashable, Sendable {
        /// It is older: its IV index is lower, or it announces an update that has ended.
        case older
        /// It is more than ``recoveryLimit`` ahead.
        case tooFarAhead
        /// It comes from a secondary subnet, which must not raise the IV index of a member of the primary one.
        case secondarySubnet
        /// The known state must last for ``minimumStay``, until then.
        case tooSoon(until: Instant)
        /// The IV index was recovered less than ``recoveryInterval`` ago; that interval ends then.
        case recoveredLately(until: Instant)
    }

    /// How certain the known state is.
    package enum Certainty: Hashable, Sendable {
        /// It is only assumed, as after an import, because databases do not contain the IV index. Nothing may be sent
        /// with it, and the first authentic beacon corrects it, however far ahead or behind.
        case supposed
        /// A person stated it, and no node of the network has confirmed it. It is in use. As long as nothing was sent
        /// with it, the first authentic beacon corrects it. Afterwards it counts as known, because sequence numbers
        /// that were used with it must not be used again.
        case stated(isUsed: Bool)
        /// Provisioning gave it, or a node of the network confirmed it.
        case known
    }

    /// When the state began, on the caller's clock; nil if unknown, which allows any change.
    package struct Times: Hashable, Sendable {
        /// When the known state began.
        package var changedAt: Instant?
        package var recoveredAt: Instant?

        package init(changedAt: Instant? = nil, recoveredAt: Instant? = nil) {
            self.changedAt = changedAt
            self.recoveredAt = recoveredAt
        }
    }

    /// The known state.
    package private(set) var current: IVIndex
    package private(set) var certainty: Certainty
    package private(set) var times: Times

    /// A state from provisioning, a person or storage.
    ///
    /// - Parameter times: when it began; keep them across restarts, or the limits do not hold.
    package init(_ current: IVIndex, certainty: Certainty = .known, times: Times = Times()) {
        self.current = current
        self.certainty = certainty
        self.times = times
    }

    /// Whether the state is more than an assumption, so that messages may be sent with it.
    package var isKnown: Bool { certainty != .supposed }

    /// Whether any authentic beacon corrects the state, because nothing depends on it.
    private var isCorrectable: Bool { certainty == .supposed || certainty == .stated(isUsed: false) }

    /// The furthest that a beacon may be ahead (3.11.6).
    package static let recoveryLimit: UInt32 = 42
    /// The shortest stay in normal operation and in an update (3.11.5).
    package static let minimumStay = Duration.seconds(96 * 3600)
    /// An update must end before this time (3.11.5).
    package static let longestUpdate = Duration.seconds(144 * 3600)
    /// The shortest time between two recoveries (3.11.6).
    package static let recoveryInterval = Duration.seconds(192 * 3600)

    /// The effect that an authentic beacon would have.
    ///
    /// - Parameters:
    ///   - announced: the state in the beacon.
    ///   - mayRaise: whether the beacon may raise the index. That is not so for a beacon of a secondary subnet if the
    ///     receiver belongs to the primary one.
    package func verdict(_ announced: IVIndex, mayRaise: Bool, at now: Instant) -> Verdict {
        if isCorrectable, mayRaise { return announced == current ? .unchanged : .changed(announced) }
        guard announced.value >= current.value else { return .ignored(.older) }
        let ahead = announced.value - current.value
        if ahead > 0, !mayRaise { return .ignored(.secondarySubnet) }
        guard ahead <= IVIndexMonitor.recoveryLimit else { return .ignored(.tooFarAhead) }
        if announced == current { return .unchanged }
        if ahead == 0, announced.isUpdateInProgress { return .ignored(.older) }
        if current.isUpdate(to: announced) {
            let end = times.changedAt?.advanced(by: IVIndexMonitor.minimumStay)
            if let end, now < end { return .ignored(.tooSoon(until: end)) }
        } else {
            let end = times.recoveredAt?.advanced(by: IVIndexMonitor.recoveryInterval)
            if let end, now < end { return .ignored(.recoveredLately(until: end)) }
        }
        return .changed(announced)
    }

    /// Records that a node of the network confirmed the current state.
    ///
    /// - Returns: whether the state was only stated before; the confirmation then has to be stored.
    package mutating func confirm() -> Bool {
        let wasStated = if case .stated = certainty { true } else { false }
        certainty = .known
        return wasStated
    }

    /// Records that a message is sent with the current state.
    package mutating func use() {
        if case .stated = certainty { certainty = .stated(isUsed: true) }
    }

    /// Adopts a state for which ``verdict(_:mayRaise:at:)`` returned ``Verdict/changed(_:)``.
    package mutating func change(to announced: IVIndex, at now: Instant) {
        guard !isCorrectable else {
            // When the network reached it is unknown.
            self = IVIndexMonitor(announced)
            return
        }
        if !current.isUpdate(to: announced) { times.recoveredAt = now }
        times.changedAt = now
        current = announced
        certainty = .known
    }
}

extension IVIndex {
    /// Whether the change to a state that is not older is a step of the IV Update procedure (Mesh Protocol 3.11.5).
    /// Every other change is a recovery (3.11.6).
    package func isUpdate(to next: IVIndex) -> Bool {
        if next.value == value { return true }
        return next.value > value && next.value - value == 1 && !isUpdateInProgress && next.isUpdateInProgress
    }

    /// Whether two participants accept each other's messages. Each accepts its own IV index and the one before (Mesh
    /// Protocol 3.11.5).
    package func isUnderstood(with other: IVIndex) -> Bool {
        func accepts(_ receiver: IVIndex, _ sender: IVIndex) -> Bool {
            let sent = sender.transmitValue
            return sent == receiver.value || receiver.value > 0 && sent == receiver.value - 1
        }
        return accepts(self, other) && accepts(other, self)
    }
}
