extension RadioProfile {
    /// What earlier runs over the same network say: the office, corrected by the median of how much longer or shorter
    /// than that they took.
    ///
    /// - Parameter ratios: what the latest runs took, each divided by the estimate for an office; none is infinite.
    /// - Returns: nil if there is no run to learn from.
    package static func learned(from ratios: [Double]) -> RadioProfile? {
        let usable = ratios.filter { $0.isFinite && $0 > 0 }.sorted()
        guard !usable.isEmpty else { return nil }
        let middle = usable.count / 2
        var profile = office
        profile.name = learnedName
        profile.correction = usable.count % 2 == 1 ? usable[middle] : (usable[middle - 1] + usable[middle]) / 2
        return profile
    }

    /// What a profile is called that was learned from earlier runs.
    package static let learnedName = "learned"

    /// How many of the latest runs are learned from.
    package static let learningRuns = 5
}
