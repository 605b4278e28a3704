/// Which times a clock may show. A machine without one that runs on, such as a Raspberry Pi, begins in 1970.
extension MeshNetwork {
    /// 2020-01-01, before which no clock was right that this program has read.
    private static let earliest = Timestamp(rawValue: 1_577_836_800)
    /// How far clocks of machines that share a database may differ.
    private static let tolerance: Int64 = 3_600

    /// The latest time that is known to have passed, as far as the network tells.
    package var latestKnownTime: Timestamp {
        let times =
            [ivIndexChangedAt, ivIndexRecoveredAt, ivIndexStatedAt] + nodes.map(\.observedAt)
        return times.compactMap(\.self).max().map { max($0, Self.earliest) } ?? Self.earliest
    }

    /// Whether a clock may be right that shows `now`. Nobody is given the time of another, and no time limit counts
    /// from it.
    package func isCredible(_ now: Timestamp) -> Bool {
        now.rawValue >= max(Self.earliest.rawValue, latestKnownTime.rawValue - Self.tolerance)
    }
}
