package import MeshCore

/// What happens between this program and the mesh, for logs and metrics. It tells who was asked what and for how long,
/// never the contents: messages may carry keys.
package enum MeshReport: Hashable, Sendable {
    /// A request to a node.
    package struct Request: Hashable, Sendable {
        /// The element that gets the messages.
        package let node: UnicastAddress
        package let opcode: Opcode
        /// The octets of the message, opcode included.
        package let octets: Int
    }

    /// What an answer says.
    package enum Answer: Hashable, Sendable {
        case expected
        case refused(ConfigStatusCode)
        /// Another value than the one that was set.
        case other
        /// Nothing that can be an answer.
        case odd
    }

    /// A request was sent; the attempts count from 1.
    case sent(Request, attempt: Int)
    /// A request was answered: after how many attempts, and how long after the first of them.
    case answered(Request, Answer, attempts: Int, after: Duration)
    /// A request was given up.
    case unanswered(Request, attempts: Int, after: Duration)
    /// A request was given up because no proxy serves the node's subnets.
    case unreachable(Request, reason: String)
    /// A request cannot be sent.
    case unsendable(Request, reason: String)
    /// A proxy is looked for by listening.
    case listening
    case connecting(LinkTarget)
    /// A link carries messages: the address of the proxy, if it has told it, and whether the link is for it alone.
    case linkUp(UnicastAddress?, isDirect: Bool, LinkTimes)
    /// A link is gone or could not be made. The delay is nil if there is no further attempt.
    case linkDown(reason: String, retryIn: Duration?)
    case ivIndex(IVIndex)
    /// A packet was written to a link: its type and its octets.
    case packetSent(LinkIdentifier, ProxyPDU.MessageType?, octets: Int)
    case packetReceived(LinkIdentifier, ProxyPDU.MessageType?, octets: Int)
}
