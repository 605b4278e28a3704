import MeshCore
import Planning
import Store

/// A request in progress, by its purpose.
enum Job {
    case step(StepRequest)
    /// Reads back the request of an earlier run.
    case doubt(DoubtRequest)
    /// Asks a device that may be a node for its composition; the answer is nil if the composition makes no sense.
    case candidate(DeviceUUID, Question<Composition?>)
    /// Asks a node anything, only to find a proxy that tells the IV index.
    case ivIndex(DeviceUUID, Question<Void>)
    /// Asks a Remote Provisioning Server to scan, or for its link, so that the client finds a proxy for that. The
    /// answer comes with everything else that the server says.
    case server(DeviceUUID, Question<Void>)
    /// Makes a node advertise its Node Identity, so that the run can connect to it; the answer is whether it does.
    case identity(DeviceUUID, Question<Bool>)
    /// Makes a node advertise its Node Identity, because another one must not stop being a proxy before it is heard.
    case heir(DeviceUUID, Question<Bool>)
    /// Asks a node anything, but not over a link to itself: either the heir, or another node over the heir's link. The
    /// answer shows that the mesh carries to the heir or from it.
    case meshOf(heir: DeviceUUID, asking: DeviceUUID, Question<Void>)
    /// Asks a node that claims to be reset whether it still is a node.
    case afterReset(DeviceUUID, Question<Void>)

    var node: DeviceUUID {
        switch self {
        case .step(let request): request.node
        case .doubt(let request): request.node
        case .candidate(let node, _), .ivIndex(let node, _), .server(let node, _), .identity(let node, _),
            .heir(let node, _), .meshOf(heir: _, asking: let node, _), .afterReset(let node, _):
            node
        }
    }

    /// The message that is sent, and how its answers are read.
    var inquiry: ConfigurationInquiry {
        switch self {
        case .step(let request): request.inquiry
        case .doubt(let request): request.inquiry
        case .candidate(_, let question): question.inquiry
        case .ivIndex(_, let question), .server(_, let question), .afterReset(_, let question): question.inquiry
        case .identity(_, let question), .heir(_, let question): question.inquiry
        case .meshOf(heir: _, asking: _, let question): question.inquiry
        }
    }

    /// The action that is requested or read back; nil for a question that belongs to no action.
    var action: ConfigurationAction? {
        switch self {
        case .step(let request): request.action
        case .doubt(let request): request.action
        case .candidate, .ivIndex, .server, .identity, .heir, .meshOf, .afterReset: nil
        }
    }

    /// The step that waits for the answer; nil if none does.
    var step: Int? {
        switch self {
        case .step(let request): request.step
        case .doubt(let request): request.step
        case .candidate, .ivIndex, .server, .identity, .heir, .meshOf, .afterReset: nil
        }
    }

    /// Whether nothing but the knowledge of an earlier request's outcome depends on it.
    var isOptional: Bool {
        switch self {
        case .doubt(let request): request.step == nil
        case .candidate, .heir, .meshOf, .afterReset: true
        case .step, .ivIndex, .server, .identity: false
        }
    }

    /// How long to wait for the answer; nil for the usual time.
    func deadline(_ policy: RetryPolicy) -> Duration? {
        switch self {
        case .step(let request): request.deadline(policy)
        case .doubt: policy.doubtDeadline
        case .afterReset: ResetWatches.askingTime
        case .candidate, .ivIndex, .server, .identity, .heir, .meshOf: policy.readBackDeadline
        }
    }

    /// Whether no link to the node itself may carry it.
    var isThroughMesh: Bool { if case .meshOf = self { true } else { false } }

    /// Whether it may have reset the device, which would then advertise as unprovisioned.
    var mayHaveReset: Bool {
        switch self {
        case .step(let request): request.action == .resetNode && request.mayHaveArrived
        case .doubt(let request): request.action == .resetNode
        case .candidate, .ivIndex, .server, .identity, .heir, .meshOf, .afterReset: false
        }
    }
}

/// A request to a node for a step.
struct StepRequest {
    /// The phase of a step.
    enum Phase {
        /// Reads a value that the request contains.
        case prelude
        case request
        case readBack
        /// Asks whether the node answers anything at all, because it did not tell the outcome of the request.
        case probe
    }

    let node: DeviceUUID
    let step: Int
    var action: ConfigurationAction
    var phase: Phase
    var inquiry: ConfigurationInquiry
    /// The readings that it combines in one message, if it does.
    var readings: [NodeReading] = []
    /// Whether its time limit is shorter than that of a first Get.
    var isBrief = false
    /// Whether the end of a publication was requested with the key that the publication uses.
    var hasNamedKey = false
    /// How often the change was requested, each time with its own deadline.
    var round = 1
    /// Whether the change was ever sent.
    var mayHaveArrived = false
    /// The node's refusal of the change, if it is being asked what it has instead.
    var refusal: ConfigStatusCode?

    /// How long to wait for the answer; nil for the usual time.
    func deadline(_ policy: RetryPolicy) -> Duration? {
        switch phase {
        case .probe: policy.doubtDeadline
        case .readBack where action == .resetNode: policy.doubtDeadline
        // The rest of that time is left for the question whether the node answers at all.
        case .readBack: max(policy.readBackDeadline - policy.doubtDeadline, .seconds(1))
        case .prelude: policy.readBackDeadline
        case .request where action == .resetNode: policy.resetDeadline
        case .request: readings.isEmpty && !isBrief ? nil : policy.readBackDeadline
        }
    }

    /// The result for the journal if the request is given up.
    var resultIfLeft: JournalResult { mayHaveArrived ? .unknown : .skipped }
}

/// A question to a node about the outcome of a request of an earlier run.
struct DoubtRequest {
    /// The phase of a doubt.
    enum Phase {
        case readBack
        /// Asks whether the node answers anything at all.
        case probe
    }

    let intent: JournalIntent
    let action: ConfigurationAction
    /// The step that waits for it; nil where the node has only doubts.
    let step: Int?
    var phase = Phase.readBack
    var inquiry: ConfigurationInquiry
    /// Whether the node has answered something else since the doubt was first asked about.
    var isKnownAlive = false

    var node: DeviceUUID { intent.node }
}
