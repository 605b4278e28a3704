import MeshCore
import Planning
import Simulator

/// How a simulation behaves, according to the options of a command.
struct SimulationSetup {
    /// The chosen radio; nil if none was chosen.
    private let chosen: String?
    let options: SimulatorOptions

    /// Takes the radio only if the simulator knows it; estimates know more.
    init(_ options: SimulatorOptions, _ radio: some RadioChoice) {
        self.options = options
        chosen = radio.radio.flatMap { WorldSettings.profile(named: $0) == nil ? nil : $0 }
    }

    private var radio: String { chosen ?? "ideal" }

    var settings: WorldSettings {
        var settings = WorldSettings.profile(named: radio) ?? .ideal
        if let hops = options.hops { settings.topology = .hops(hops) }
        if let loss = options.loss { settings.copyLoss = loss }
        return settings
    }

    /// The seed of random events.
    var seed: UInt64 { options.seed ?? 1 }

    /// The same radio for estimates.
    var profile: RadioProfile {
        var profile = RadioProfile.named.first { $0.name == radio } ?? .ideal
        if let hops = options.hops { profile.hops = Double(hops) }
        if let loss = options.loss, let named = WorldSettings.profile(named: radio), named.copyLoss < 1 {
            // The share lost through strangers stays; the option replaces only the share lost on the way.
            let survival = (1 - profile.copyLoss) / (1 - named.copyLoss)
            profile.copyLoss = 1 - (1 - loss) * survival
        }
        return profile
    }

    /// A note if the state of the simulator spreads its nodes over another number of hops than the options say. Nil if
    /// they agree, or if no option says anything.
    func contradiction(keptHops: UInt8?) -> String? {
        guard let keptHops, case .hops(let asked) = settings.topology, asked != Int(keptHops) else { return nil }
        let option = options.hops.map { "--hops \($0)" } ?? chosen.map { "the \(asked) of --radio \($0)" }
        guard let option else { return nil }
        return "The simulator keeps its nodes where they were, over \(keptHops == 1 ? "1 hop" : "\(keptHops) hops"): "
            + "\(option) takes effect after meshplan sim reset."
    }
}
