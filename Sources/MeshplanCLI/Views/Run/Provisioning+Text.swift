internal import Execution
internal import MeshCore

extension ProvisioningProgress {
    /// What goes on, for people; nil for nothing worth telling.
    ///
    /// - Parameter name: what people call a node.
    func text(_ name: (DeviceUUID) -> String) -> String? {
        switch self {
        case .listening: nil
        case .findingOut: "finding out whether it is a node already"
        case .connecting: "connecting"
        case .connectingThrough(let node): "connecting through \(name(node))"
        case .waitingForPerson: "waiting for somebody to look at it"
        case .session(let stage): stage.activity
        }
    }

    /// What goes on, for machines.
    var identifier: String {
        switch self {
        case .listening: "listening"
        case .findingOut: "finding_out"
        case .connecting, .connectingThrough: "connecting"
        case .waitingForPerson: "waiting_for_person"
        case .session(let stage): stage.identifier
        }
    }

    /// The node that is to carry the session, where that is told.
    var carrier: DeviceUUID? {
        if case .connectingThrough(let node) = self { node } else { nil }
    }
}

extension ProvisioningStage {
    /// How far it has come, for machines.
    var identifier: String {
        switch self {
        case .notStarted: "not_started"
        case .invitation: "invitation"
        case .decision: "decision"
        case .publicKeyExchange: "public_key_exchange"
        case .outOfBandValue: "out_of_band_value"
        case .confirmation: "confirmation"
        case .verification: "verification"
        case .durability: "durability"
        case .completion: "completion"
        case .completed: "completed"
        case .failed: "failed"
        }
    }
}

extension StepFailure {
    /// What helps, with the files and options of the command line that could.
    var hint: String {
        guard case .provisioning(.policy(let policy)) = self else { return advice }
        switch policy {
        case .noMethod(let refusals):
            let missing = refusals.filter { $0.cause == .notAtHand }.map(\.kind)
            var ways: [String] = []
            if missing.contains(.staticOOB) {
                ways.append("give its static value with --secrets FILE, or name where it is in the definition")
            }
            if missing.contains(.outputOOB) || missing.contains(.inputOOB) {
                ways.append("apply on a terminal, where somebody sees the device")
            }
            return ways.isEmpty ? advice : ways.joined(separator: ", or ").asSentence
        case .publicKeyMissing:
            return "Give its public key with --secrets FILE, or name its file in the definition."
        case .algorithm, .publicKeyNotOffered: return advice
        }
    }
}
