import ArgumentParser
import Planning
import Simulator
import Store

/// The options for the radio that is simulated, and assumed for estimates.
struct RadioOptions: ParsableArguments, RadioChoice {
    @Option(
        help: ArgumentHelp(
            """
            The radio assumed for estimates: \(RadioProfile.named.map(\.name).joined(separator: ", ")) or learned. \
            With --via simulator, also the simulated radio. (default: ideal with --via simulator, else learned from \
            earlier runs if there are any, else office)
            """,
            valueName: "name",
            visibility: .hidden
        )
    )
    var radio: String?

    /// The name of the profile learned from earlier runs.
    static let learned = RadioProfile.learnedName
    /// All names that the option takes.
    static var names: [String] { RadioProfile.named.map(\.name) + [learned] }

    func validate() throws {
        guard let radio, radio != Self.learned, !RadioProfile.named.contains(where: { $0.name == radio }) else {
            return
        }
        throw ValidationError("There is no radio `\(radio)`; there are \(Self.names.joined(separator: ", ")).")
    }

    /// The estimator for the chosen profile, or for the simulated radio.
    ///
    /// - Parameters:
    ///   - connections: links at once; nil for the usual number.
    ///   - simulation: the behaviour of the simulator; nil if none is used.
    /// - Throws: ``Failure`` if the learned profile is asked for and nothing was learned yet; otherwise the errors of
    ///   reading the database.
    func estimator(
        _ database: MeshDatabase,
        connections: Int? = nil,
        window: Int? = nil,
        simulation: SimulationSetup? = nil
    ) throws -> PlanEstimator {
        PlanEstimator(
            profile: try profile(database, simulation),
            connections: connections ?? Self.usualConnections,
            window: window ?? WindowPolicy().maximum
        )
    }

    /// The usual number of links at once. Bluetooth controllers of small computers have between 5 and 10 connections.
    static let usualConnections = 4

    private func profile(_ database: MeshDatabase, _ simulation: SimulationSetup?) throws -> RadioProfile {
        if let simulation, radio != Self.learned { return simulation.profile }
        if let named = RadioProfile.named.first(where: { $0.name == radio }) { return named }
        let timings = try database.timings(ofLast: RadioProfile.learningRuns)
        let ratios = timings.map { Double($0.milliseconds) / Double(max($0.estimatedMilliseconds, 1)) }
        if let learned = RadioProfile.learned(from: ratios) { return learned }
        guard radio == nil else {
            throw Failure(
                .failure,
                "nothing can be learned yet: no run of at least \(PlanEstimator.leastMessagesToLearnFrom) messages has "
                    + "been completed",
                hint: "omit --radio, or name a profile"
            )
        }
        return .office
    }
}

extension PlanEstimator {
    /// The estimator for a network as the database knows it: its relays, and the nodes with requests in doubt.
    func fitting(_ snapshot: Snapshot) -> PlanEstimator {
        var estimator = relaying(in: snapshot.network)
        estimator.inDoubt = Set(snapshot.unresolved.map(\.node))
        return estimator
    }
}

/// The options for the simulated radio of commands that estimate nothing.
struct SimulatedRadioOptions: ParsableArguments, RadioChoice {
    @Option(
        help: ArgumentHelp(
            "The simulated radio: \(WorldSettings.profileNames.joined(separator: ", ")). (default: ideal)",
            valueName: "name"
        )
    )
    var radio: String?

    func validate() throws {
        guard let radio, WorldSettings.profile(named: radio) == nil else { return }
        throw ValidationError(
            "There is no radio `\(radio)`; there are \(WorldSettings.profileNames.joined(separator: ", "))."
        )
    }

    /// Refuses a radio without a simulator.
    ///
    /// - Parameter via: the values of `--via`.
    func check(for via: [String]) throws(ValidationError) {
        guard radio != nil, via != ["simulator"] else { return }
        throw ValidationError("--radio needs --via simulator; a separate simulator process takes it itself.")
    }
}

/// Options that may name a radio.
protocol RadioChoice {
    /// The value of `--radio`; nil if none was chosen.
    var radio: String? { get }
}
