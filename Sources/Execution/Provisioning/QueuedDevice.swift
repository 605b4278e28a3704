import DefinitionModel
import MeshCore
import Planning

/// What the queue knows of a device that is to be provisioned.
struct QueuedDevice {
    /// How far the device is.
    enum State {
        /// Not heard since the last attempt.
        case listening
        /// Nothing is tried before the timer; advertisers that are heard meanwhile are remembered.
        case delayed
        /// Heard; waits for a free link.
        case ready
        /// Heard; waits for the person, whom another device needs.
        case waitingForPerson
        /// The owner was asked to connect.
        case starting(ProvisioningPath)
        case connecting(ProvisioningLink)
        case talking(ProvisioningLink, ProvisioningConversation)
    }

    let order: ProvisioningOrder
    /// Place in the order of arrival.
    let place: Int
    var state = State.listening
    /// The advertiser that was heard; used rather than the server.
    var advertiser: AdvertiserIdentifier?
    /// The Remote Provisioning Server through which to reach it.
    var server: UnicastAddress?
    let since: Instant
    /// How many attempts failed.
    var failures = 0
    var needsPerson = false
    /// Whether its candidate was passed on to be stored, and its data was not sent.
    var isStoring = false
    /// When something is due; nil if nothing is.
    var timer: Instant?

    var path: ProvisioningPath? { advertiser.map { .direct($0) } ?? server.map { .remote($0) } }

    /// Whether nodes are to listen for it, because the bearer has not heard it for this long.
    func isMissing(for patience: Duration, at now: Instant) -> Bool {
        guard case .listening = state else { return false }
        return switch order.route {
        case .any: since.advanced(by: patience) <= now
        case .direct: false
        case .remote, .node: true
        }
    }

    /// Whether a connection of the bearer may reach it.
    var mayBeDirect: Bool {
        switch order.route {
        case .any, .direct: true
        case .remote, .node: false
        }
    }

    func mayGo(through node: DeviceUUID) -> Bool {
        switch order.route {
        case .any, .remote: true
        case .direct: false
        case .node(let server): server == node
        }
    }

    /// Whether the other side of a failed session could now guess the static value. With our Random it can try, for
    /// as long as it likes, the values that people tend to choose. A genuine device does not fail at that point.
    func mayHaveRevealedValue(_ problem: ProvisioningProblem) -> Bool {
        guard case .talking(_, let conversation) = state else { return false }
        return conversation.authentication?.kind == .staticOOB && problem.stage == .verification
    }
}
