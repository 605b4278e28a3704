import MeshCore
import Planning
import Store

extension ExecutionRun {
    /// What a request is for.
    enum Stage {
        /// Reads back a request of an earlier run.
        case doubt(JournalIntent)
        /// Asks a device that may be a node for its composition.
        case candidate
        /// Asks some node something, so that a proxy is found who tells the IV index.
        case ivIndex
        /// Asks a Remote Provisioning Server to scan, or for its link, so that there is a proxy for that.
        case server
        /// Has a node advertise its Node Identity, so that it can be connected to.
        case identity
        /// Reads what the request is made of.
        case prelude
        /// Asks for the change.
        case request
        /// Reads back what came of the request.
        case readBack
        /// Asks whether the node answers anything at all, since it did not tell what became of the request; of an
        /// earlier run if that is given.
        case probe(JournalIntent?)
        /// Asks a node whose reset has succeeded by its own account whether it is one still.
        case afterReset
    }

    /// A request on its way.
    struct Job {
        let node: DeviceUUID
        /// The step it is for; nil where the node has only in-doubt requests to be read back.
        let step: Int?
        var action: ConfigurationAction
        var stage: Stage
        var inquiry: ConfigurationInquiry
        /// What it asks for at once with others, if it does.
        var readings: [NodeReading] = []
        /// Whether it is not waited for as long as for a first Get.
        var isBrief = false
        /// Whether the end of a publication was asked for with the key that it uses.
        var hasNamedKey = false
        /// How often the change was asked for, each time with its own deadline.
        var round = 1
        /// Whether the change was ever sent.
        var mayHaveArrived = false
        /// Whether the node has answered something else since the doubt was first asked about.
        var isKnownAlive = false
        /// What the node said to the change, where it is asked since what it has instead.
        var refusal: ConfigStatusCode?

        /// Whether it reads back what an earlier run asked for.
        var isDoubt: Bool {
            switch stage {
            case .doubt, .probe(.some): true
            default: false
            }
        }
        /// Whether it asks if a node that was reset is one still.
        var isAfterReset: Bool { if case .afterReset = stage { true } else { false } }
        /// Whether nothing waits for it but the knowledge of what became of an earlier request.
        var isOptional: Bool { isCandidate || isAfterReset || isDoubt && step == nil }
        /// Whether it is only to find a proxy.
        var isForIVIndex: Bool { if case .ivIndex = stage { true } else { false } }
        /// Whether it is for a Remote Provisioning Server.
        var isForServer: Bool { if case .server = stage { true } else { false } }
        /// Whether it has a node advertise its identity.
        var isForIdentity: Bool { if case .identity = stage { true } else { false } }
        /// Whether it asks a device that may be a node.
        var isCandidate: Bool { if case .candidate = stage { true } else { false } }
    }
}
