internal import ArgumentParser
internal import Planning
internal import Store

/// What is assumed of the radio when the time of a plan is estimated.
struct RadioOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The radio that the time is estimated for: \(RadioProfile.named.map(\.name).joined(separator: ", ")) or learned. \
            (default: learned from earlier runs if there are any, else office)
            """,
            valueName: "profile"
        )
    )
    var radio: String?

    /// The name of what is learned from earlier runs.
    private static let learned = RadioProfile.learnedName

    func validate() throws {
        guard let radio, radio != Self.learned, !RadioProfile.named.contains(where: { $0.name == radio }) else {
            return
        }
        let names = RadioProfile.named.map(\.name) + [Self.learned]
        throw ValidationError("There is no radio `\(radio)`; there are \(names.joined(separator: ", ")).")
    }

    /// Estimates for the profile that is asked for.
    ///
    /// - Parameter connections: links at once; nil for as many as usual.
    /// - Throws: a ``Failure`` if nothing can be learned yet, and file trouble.
    func estimator(_ database: MeshDatabase, connections: Int? = nil, window: Int? = nil) throws -> PlanEstimator {
        var estimator = PlanEstimator(
            profile: try profile(database),
            connections: connections ?? Self.usualConnections,
            window: window ?? WindowPolicy().maximum
        )
        estimator.inDoubt = Set(try database.unresolvedIntents().map(\.node))
        return estimator
    }

    /// Bluetooth controllers of small computers have between 5 and 10 connections.
    static let usualConnections = 4

    private func profile(_ database: MeshDatabase) throws -> RadioProfile {
        if let named = RadioProfile.named.first(where: { $0.name == radio }) { return named }
        let timings = try database.runs().compactMap(\.timing).suffix(RadioProfile.learningRuns)
        let ratios = timings.map { Double($0.milliseconds) / Double(max($0.estimatedMilliseconds, 1)) }
        if let learned = RadioProfile.learned(from: ratios) { return learned }
        guard radio == nil else {
            throw Failure(
                .failure,
                "nothing can be learned yet: no run of at least \(PlanEstimator.leastMessagesToLearnFrom) messages has "
                    + "been completed",
                hint: "leave --radio out, or name a profile"
            )
        }
        return .office
    }
}
