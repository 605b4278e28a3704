/// Decides which IV indexes heard in beacons are taken over (Mesh Protocol 3.11.5 and 3.11.6).
package struct IVIndexMonitor: Hashable, Sendable {
    /// What a beacon does to the known state.
    package enum Verdict: Hashable, Sendable {
        /// It says what is known.
        case unchanged
        /// The state becomes that of the beacon; sequence numbers restart with the new transmit index.
        case changed(IVIndex)
        /// It is not taken over.
        case ignored(Refusal)
    }

    /// Why a beacon is not taken over.
    package enum Refusal: Hashable, Sendable {
        /// It is behind: its IV index is lower, or it announces an update that has ended.
        case older
        /// It is further ahead than ``recoveryLimit``.
        case tooFarAhead
        /// It is of a secondary subnet, which must not raise the IV index of a member of the primary one.
        case secondarySubnet
        /// The known state is to last for ``minimumStay``, until then.
        case tooSoon(until: Instant)
        /// The IV index was recovered within ``recoveryInterval``, which ends then.
        case recoveredLately(until: Instant)
    }

    /// How sure the known state is.
    package enum Certainty: Hashable, Sendable {
        /// It is only a supposition, as after an import, for databases do not tell the IV index: nothing is to be sent
        /// under it, and the first authentic beacon corrects it, however far ahead or behind.
        case supposed
        /// Somebody said so who ought to know, and no node of the network has confirmed it yet. It is used. The first
        /// authentic beacon corrects it as long as nothing was sent under it; then it is like one that is known, for
        /// sequence numbers that were used under it must not be used again.
        case stated(isUsed: Bool)
        /// It was provisioned, or a node of the network said so.
        case known
    }

    /// When the state was reached, on the clock of whoever asks; nil where it is not known, which allows any change.
    package struct Times: Hashable, Sendable {
        /// When the known state began.
        package var changedAt: Instant?
        /// When the IV index was last recovered.
        package var recoveredAt: Instant?

        package init(changedAt: Instant? = nil, recoveredAt: Instant? = nil) {
            self.changedAt = changedAt
            self.recoveredAt = recoveredAt
        }
    }

    /// What is known.
    package private(set) var current: IVIndex
    /// How sure that is.
    package private(set) var certainty: Certainty
    /// Since when.
    package private(set) var times: Times

    /// A state that was provisioned, stated or stored.
    ///
    /// - Parameter times: when it was reached, which has to outlive restarts for the limits to hold.
    package init(_ current: IVIndex, certainty: Certainty = .known, times: Times = Times()) {
        self.current = current
        self.certainty = certainty
        self.times = times
    }

    /// Whether it is more than a supposition, so that messages may be sent under it.
    package var isKnown: Bool { certainty != .supposed }

    /// Whether an authentic beacon is right in any case, because nothing depends on what is known.
    private var isCorrectable: Bool { certainty == .supposed || certainty == .stated(isUsed: false) }

    /// The furthest a beacon may be ahead (3.11.6).
    package static let recoveryLimit: UInt32 = 42
    /// The shortest stay in normal operation and in an update (3.11.5).
    package static let minimumStay = Duration.seconds(96 * 3600)
    /// An update ends before it has lasted that long (3.11.5).
    package static let longestUpdate = Duration.seconds(144 * 3600)
    /// The shortest time between two recoveries (3.11.6).
    package static let recoveryInterval = Duration.seconds(192 * 3600)

    /// What an authentic beacon would do.
    ///
    /// - Parameters:
    ///   - announced: what it says.
    ///   - mayRaise: false for a beacon of a secondary subnet heard by a member of the primary subnet, which must not
    ///     raise the index.
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

    /// Notes that somebody of the network said what was supposed, stated or known.
    ///
    /// - Returns: whether it was only stated until now, which is to be stored as confirmed.
    package mutating func confirm() -> Bool {
        let wasStated = if case .stated = certainty { true } else { false }
        certainty = .known
        return wasStated
    }

    /// Notes that a message is sent under the present state.
    package mutating func use() {
        if case .stated = certainty { certainty = .stated(isUsed: true) }
    }

    /// Takes over what ``verdict(_:mayRaise:at:)`` returned as changed.
    package mutating func change(to announced: IVIndex, at now: Instant) {
        guard !isCorrectable else {
            // When the network came to it is not known.
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
    /// Whether the way to a state that is not behind this one is a step of the IV Update procedure (Mesh Protocol
    /// 3.11.5). Every other one is a recovery (3.11.6).
    package func isUpdate(to next: IVIndex) -> Bool {
        if next.value == value { return true }
        return next.value > value && next.value - value == 1 && !isUpdateInProgress && next.isUpdateInProgress
    }

    /// Whether two participants take each other's messages: each accepts its own IV index and the one before
    /// (Mesh Protocol 3.11.5).
    package func isUnderstood(with other: IVIndex) -> Bool {
        func accepts(_ receiver: IVIndex, _ sender: IVIndex) -> Bool {
            let sent = sender.transmitValue
            return sent == receiver.value || receiver.value > 0 && sent == receiver.value - 1
        }
        return accepts(self, other) && accepts(other, self)
    }
}
