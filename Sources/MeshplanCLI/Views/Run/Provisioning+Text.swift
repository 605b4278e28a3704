import Execution
import MeshCore

extension ProvisioningProgress {
    /// The activity, for people; nil if it is not worth telling.
    ///
    /// - Parameter name: the name of a node for people.
    func text(_ name: (DeviceUUID) -> String) -> String? {
        switch self {
        case .listening: nil
        case .findingOut: "checking whether it is already a node"
        case .connecting: "connecting"
        case .connectingThrough(let node): "connecting through \(name(node))"
        case .waitingForPerson: "waiting for a person at the device"
        case .session(let stage): stage.activity
        }
    }

    /// The activity, for machines.
    var identifier: String {
        switch self {
        case .listening: "listening"
        case .findingOut: "finding_out"
        case .connecting, .connectingThrough: "connecting"
        case .waitingForPerson: "waiting_for_person"
        case .session(let stage): stage.identifier
        }
    }

    /// The node that will carry the session, if the event names one.
    var carrier: DeviceUUID? {
        if case .connectingThrough(let node) = self { node } else { nil }
    }
}

extension ProvisioningStage {
    /// The stage, for machines.
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
    /// The remedy, with the files and command line options that can help.
    var hint: String {
        guard case .provisioning(.policy(let policy)) = self else { return advice.worded }
        switch policy {
        case .noMethod(let refusals):
            // A value that is looked for would prove too little as well.
            guard !refusals.contains(where: { $0.cause.isTooWeak || [.usedUp, .givenAway].contains($0.cause) }) else {
                return advice.worded
            }
            let missing = refusals.filter { $0.cause == .notAtHand }.map(\.kind)
            var ways: [String] = []
            if missing.contains(.staticOOB) {
                ways.append("give its static value with --secrets FILE, or name where it is in the definition")
            }
            if missing.contains(.outputOOB) || missing.contains(.inputOOB) {
                ways.append("apply on a terminal, where somebody sees the device")
            }
            return ways.isEmpty ? advice.worded : ways.joined(separator: ", or ").asSentence
        case .publicKeyMissing:
            return "Give its public key with --secrets FILE, or name its file in the definition."
        case .algorithm, .publicKeyNotOffered: return advice.worded
        }
    }
}
