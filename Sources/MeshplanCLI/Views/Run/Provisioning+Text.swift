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
