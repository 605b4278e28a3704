internal import MeshCore
internal import Planning
internal import Simulator

/// How a simulation is to behave, as the options of a command say it.
struct SimulationSetup {
    /// The radio that was asked for, nil if none was.
    private let chosen: String?
    /// Whether it was asked for by the name that the option had in version 0.1.
    let usesFormerName: Bool
    /// What else was asked for.
    let options: SimulatorOptions

    /// What options say.
    init(_ options: SimulatorOptions, _ radio: some RadioChoice) {
        self.options = options
        usesFormerName = radio.formerRadio != nil
        chosen = radio.simulated.flatMap { WorldSettings.profile(named: $0) == nil ? nil : $0 }
    }

    private var radio: String { chosen ?? "ideal" }

    /// What the radio is to be like.
    var settings: WorldSettings {
        var settings = WorldSettings.profile(named: radio) ?? .ideal
        if let hops = options.hops { settings.topology = .hops(hops) }
        if let loss = options.loss { settings.copyLoss = loss }
        return settings
    }

    /// What chance begins with.
    var seed: UInt64 { options.seed ?? 1 }

    /// The same for estimates.
    var profile: RadioProfile {
        var profile = RadioProfile.named.first { $0.name == radio } ?? .ideal
        if let hops = options.hops { profile.hops = Double(hops) }
        if let loss = options.loss, let named = WorldSettings.profile(named: radio), named.copyLoss < 1 {
            // What strangers spoil stays; only the share lost on the way is another one.
            let survival = (1 - profile.copyLoss) / (1 - named.copyLoss)
            profile.copyLoss = 1 - (1 - loss) * survival
        }
        return profile
    }

    /// What there is to say where a simulator's state spreads its nodes over other hops than what was asked for; nil if
    /// nothing was asked for, or that.
    func contradiction(keptHops: UInt8?) -> String? {
        guard let keptHops, case .hops(let asked) = settings.topology, asked != Int(keptHops) else { return nil }
        let option = options.hops.map { "--hops \($0)" } ?? chosen.map { "the \(asked) of --radio \($0)" }
        guard let option else { return nil }
        return "The simulator keeps its nodes where they were, over \(keptHops == 1 ? "1 hop" : "\(keptHops) hops"): "
            + "\(option) would count after meshplan sim reset."
    }
}
