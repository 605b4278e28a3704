import Execution
import Planning

extension Recap.Ending {
    /// Why it ended too early, as words after a colon.
    var reason: String {
        switch self {
        case .completed: "it ended too early"
        case .interrupted: "it was interrupted"
        case .refused(.noOwnNode): "the network has no address of its own provisioner"
        case .refused(.sequenceNumbers): "too few sequence numbers are left"
        case .refused(.guarded(let guards)): "the plan is refused by \(guards.map(\.rawValue).joined(separator: ", "))"
        case .refused: "the plan does not fit the database"
        case .storeFailed(let reason), .linkFailed(let reason, hint: _), .sendingFailed(let reason): reason
        }
    }
}
