extension RadioProfile {
    /// A profile from earlier runs over the same network: the office, corrected by the median of their ratios.
    ///
    /// - Parameter ratios: the times of the latest runs, each divided by its estimate for an office; none is infinite.
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

    /// The name of a profile that was learned from earlier runs.
    package static let learnedName = "learned"

    /// The number of latest runs to learn from.
    package static let learningRuns = 5
}
