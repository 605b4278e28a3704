internal import DefinitionModel
import MeshCore
import Planning

/// What is known of a device in the queue.
extension ProvisioningQueue {
    enum State {
        /// Not heard since the last attempt.
        case listening
        /// Nothing is tried before the timer; who advertised meanwhile is remembered.
        case delayed
        /// Heard; waits for a link to be free.
        case ready
        /// Heard; waits for the person whom another device needs.
        case waitingForPerson
        /// The owner was asked to connect.
        case starting(ProvisioningPath)
        case connecting(ProvisioningLink)
        case talking(ProvisioningLink, ProvisioningConversation)
    }

    struct Entry {
        let order: ProvisioningOrder
        /// Place in the order of arrival.
        let place: Int
        var state = State.listening
        /// Who was heard advertising it; comes before the server.
        var advertiser: AdvertiserIdentifier?
        /// The Remote Provisioning Server that is to reach it.
        var server: UnicastAddress?
        /// When it was taken in.
        let since: Instant
        /// Attempts that failed.
        var failures = 0
        var needsPerson = false
        /// Whether the candidate was handed out to be stored, and its data has not left.
        var isStoring = false
        /// When something is due; nil if nothing is.
        var timer: Instant?

        var path: ProvisioningPath? { advertiser.map { .direct($0) } ?? server.map { .remote($0) } }

        /// Whether nodes are to listen for it, which the bearer was to hear for so long.
        func isMissing(for patience: Duration, at now: Instant) -> Bool {
            guard case .listening = state else { return false }
            return switch order.route {
            case .any: since.advanced(by: patience) <= now
            case .direct: false
            case .remote, .node: true
            }
        }

        /// Whether it may be reached over a connection of the bearer.
        var mayBeDirect: Bool {
            switch order.route {
            case .any, .direct: true
            case .remote, .node: false
            }
        }

        /// Whether it may be reached through a node.
        func mayGo(through node: DeviceUUID) -> Bool {
            switch order.route {
            case .any, .remote: true
            case .direct: false
            case .node(let server): server == node
            }
        }

        /// Whether whoever is at the other end may know the static value now, had it been guessed: with our Random it
        /// can be sought at leisure among the values that somebody would choose. The right one does not fail there.
        func mayHaveRevealedValue(_ problem: ProvisioningProblem) -> Bool {
            guard case .talking(_, let conversation) = state else { return false }
            return conversation.method == .staticOOB && problem.stage == .verification
        }
    }
}
