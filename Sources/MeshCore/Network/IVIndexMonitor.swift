/// Decides which IV indexes heard in beacons are taken over (Mesh Protocol 3.11.5 and 3.11.6).
package struct IVIndexMonitor: Hashable, Sendable {
    /// What a beacon does to the known state.
    package enum Verdict: Hashable, Sendable {
        /// It says what is known.
        case unchanged
        /// The state becomes that of the beacon; sequence numbers restart with the new transmit index.
        case changed(IVIndex)
        /// It is older, too far ahead, or comes too soon.
        case ignored
    }

    /// What is known.
    package private(set) var current: IVIndex
    /// Whether it is more than a supposition.
    package private(set) var isKnown: Bool
    private var changedAt: Instant?
    private var recoveredAt: Instant?

    /// A state that was provisioned or stored; how long ago it was reached is not known, which allows any change.
    ///
    /// - Parameter isKnown: false if it is only a supposition, as after an import, for databases do not tell the IV index.
    ///   The first authentic beacon corrects it then, however far ahead.
    package init(_ current: IVIndex, isKnown: Bool = true) {
        self.current = current
        self.isKnown = isKnown
    }

    /// The furthest a beacon may be ahead (3.11.6).
    static let recoveryLimit: UInt32 = 42
    /// The shortest stay in normal operation and in an update (3.11.5).
    static let minimumStay = Duration.seconds(96 * 3600)
    /// The shortest time between two recoveries (3.11.6).
    static let recoveryInterval = Duration.seconds(192 * 3600)

    /// What an authentic beacon would do.
    ///
    /// - Parameters:
    ///   - announced: what it says.
    ///   - mayRaise: false for a beacon of a secondary subnet heard by a member of the primary subnet, which must not
    ///     raise the index.
    package func verdict(_ announced: IVIndex, mayRaise: Bool, at now: Instant) -> Verdict {
        if !isKnown, mayRaise { return announced == current ? .unchanged : .changed(announced) }
        guard announced.value >= current.value else { return .ignored }
        let ahead = announced.value - current.value
        switch (ahead, current.isUpdateInProgress, announced.isUpdateInProgress) {
        case (0, false, false), (0, true, true): return .unchanged
        case (0, false, true): return .ignored
        case (0, true, false):
            return hasStayed(since: changedAt, IVIndexMonitor.minimumStay, now) ? .changed(announced) : .ignored
        case (1, false, true) where mayRaise:
            return hasStayed(since: changedAt, IVIndexMonitor.minimumStay, now) ? .changed(announced) : .ignored
        case (1...IVIndexMonitor.recoveryLimit, _, _) where mayRaise:
            return hasStayed(since: recoveredAt, IVIndexMonitor.recoveryInterval, now) ? .changed(announced) : .ignored
        default: return .ignored
        }
    }

    /// Notes that a beacon said what was supposed or known.
    package mutating func confirm() {
        isKnown = true
    }

    /// Takes over what ``verdict(_:mayRaise:at:)`` returned as changed.
    package mutating func change(to announced: IVIndex, at now: Instant) {
        guard isKnown else {
            // When the network came to it is not known.
            self = IVIndexMonitor(announced)
            return
        }
        let ahead = announced.value.subtractingReportingOverflow(current.value).partialValue
        let isUpdate = ahead == 0 || ahead == 1 && !current.isUpdateInProgress && announced.isUpdateInProgress
        if !isUpdate { recoveredAt = now }
        changedAt = now
        current = announced
    }

    private func hasStayed(since start: Instant?, _ limit: Duration, _ now: Instant) -> Bool {
        guard let start else { return true }
        return start.advanced(by: limit) <= now
    }
}
