import MeshCore
import Planning
import Store

/// A request on its way, by what it is for.
enum Job {
    /// It belongs to a step.
    case step(StepRequest)
    /// It reads back what an earlier run asked for.
    case doubt(DoubtRequest)
    /// It asks a device that may be a node for its composition; nil if that makes no sense.
    case candidate(DeviceUUID, Question<Composition?>)
    /// It asks some node something, so that a proxy is found who tells the IV index.
    case ivIndex(DeviceUUID, Question<Void>)
    /// It asks a Remote Provisioning Server to scan, or for its link, so that there is a proxy for that. What the server
    /// answers comes with everything else that it says.
    case server(DeviceUUID, Question<Void>)
    /// It has a node advertise its Node Identity, so that it can be connected to; the answer is whether it does.
    case identity(DeviceUUID, Question<Bool>)
    /// It asks a node whose reset has succeeded by its own account whether it is one still.
    case afterReset(DeviceUUID, Question<Void>)

    /// Who is asked.
    var node: DeviceUUID {
        switch self {
        case .step(let request): request.node
        case .doubt(let request): request.node
        case .candidate(let node, _), .ivIndex(let node, _), .server(let node, _), .identity(let node, _),
            .afterReset(let node, _):
            node
        }
    }

    /// What is asked.
    var inquiry: ConfigurationInquiry {
        switch self {
        case .step(let request): request.inquiry
        case .doubt(let request): request.inquiry
        case .candidate(_, let question): question.inquiry
        case .ivIndex(_, let question), .server(_, let question), .afterReset(_, let question): question.inquiry
        case .identity(_, let question): question.inquiry
        }
    }

    /// What is asked for or read back; nil for a question that belongs to no action.
    var action: ConfigurationAction? {
        switch self {
        case .step(let request): request.action
        case .doubt(let request): request.action
        case .candidate, .ivIndex, .server, .identity, .afterReset: nil
        }
    }

    /// The step that waits for it, if one does.
    var step: Int? {
        switch self {
        case .step(let request): request.step
        case .doubt(let request): request.step
        case .candidate, .ivIndex, .server, .identity, .afterReset: nil
        }
    }

    /// Whether nothing waits for it but the knowledge of what became of an earlier request.
    var isOptional: Bool {
        switch self {
        case .doubt(let request): request.step == nil
        case .candidate, .afterReset: true
        case .step, .ivIndex, .server, .identity: false
        }
    }

    /// Whether it has been asked for, so that it may have happened: a reset, which the device itself shows then.
    var mayHaveReset: Bool {
        switch self {
        case .step(let request): request.action == .resetNode && request.mayHaveArrived
        case .doubt(let request): request.action == .resetNode
        case .candidate, .ivIndex, .server, .identity, .afterReset: false
        }
    }
}

/// What a node is asked for a step.
struct StepRequest {
    /// How far it has come with a step.
    enum Phase {
        /// Reads what the request is made of.
        case prelude
        /// Asks for the change.
        case request
        /// Reads back what came of the request.
        case readBack
        /// Asks whether the node answers anything at all, since it did not tell what became of the request.
        case probe
    }

    let node: DeviceUUID
    let step: Int
    var action: ConfigurationAction
    var phase: Phase
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
    /// What the node said to the change, where it is asked since what it has instead.
    var refusal: ConfigStatusCode?

    /// What the journal says if it is given up.
    var resultIfLeft: JournalResult { mayHaveArrived ? .unknown : .skipped }
}

/// What a node is asked to find out what became of a request of an earlier run.
struct DoubtRequest {
    /// How far it has come with a doubt.
    enum Phase {
        /// Reads the request back.
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
