/// How patient a client is with a Remote Provisioning Server.
package struct RemoteProvisioningLinkPolicy: Hashable, Sendable {
    /// After how long a message without an answer is sent again, the first time; doubled each time.
    package var initialTimeout: Duration = .seconds(3)
    /// The longest such time.
    package var maximumTimeout: Duration = .seconds(8)
    /// How often the server is asked whether the link is still there while nothing else is to be sent.
    package var pollInterval: Duration = .seconds(10)
    /// How long the server may say nothing before it is given up; longer than the 30 s for which a PDU may be on its
    /// way to the device (Mesh Protocol 5.3.2).
    package var silenceLimit: Duration = .seconds(40)
    /// How long a device may take to answer the server that opens a link to it, however long the server would wait.
    package var openingLimit: Duration = .seconds(20)
    /// How much longer than it was told the server may take to open a link.
    package var openingGrace: Duration = .seconds(10)
    /// How often the server is asked what has become of a PDU before that is sent again to one that does not say.
    package var questions: Int = 2
    /// After how long a PDU is sent again although the server says that it is still sending it; longer than the 30 s
    /// for which it may do so (Mesh Protocol 5.3.2).
    package var outboundLimit: Duration = .seconds(35)
    /// How long to wait for an answer when the link is to be closed.
    package var closingLimit: Duration = .seconds(20)

    /// The usual patience.
    package init() {}
}

/// Why there is no link any more, seen from the client.
package enum RemoteProvisioningLinkEnd: Error, Hashable, Sendable {
    /// The client closed it; whether the server said so. Without its word, what the Node Provisioning Protocol
    /// Interface does to the node may have happened or not.
    case closedByClient(isConfirmed: Bool)
    /// The server did not begin to open it.
    case refused(RemoteProvisioningStatusCode)
    /// The server opened no link in its time, and does not say why.
    case notOpened
    /// The server reported that it failed to open, or that it is closed.
    case reported(RemoteProvisioningStatusCode, ProvisioningBearerCloseReason?)
    /// The server has no link any more; its report of that was lost.
    case vanished
    /// The server says nothing.
    case silent
    /// A PDU from the device was lost on the way from the server; the one with that number is missing.
    case pduMissing(number: UInt8)
    /// Server and client do not agree which PDU is the next, as on a link that somebody else uses too.
    case outOfStep
}

extension RemoteProvisioningLinkEnd: CustomStringConvertible {
    /// What happened, for people, a clause without a full stop.
    package var description: String {
        switch self {
        case .closedByClient(isConfirmed: true): "the link was closed"
        case .closedByClient(isConfirmed: false): "the link was closed, but the node that carries it did not confirm it"
        case .refused(let status): "the node that is to carry the link refused it with \(status): \(status.meaning)"
        case .notOpened: "the node that is to carry the link did not open it in time"
        case .reported(let status, let reason):
            "\(status.meaning) (\(status)\(reason.map { ", \($0.name)" } ?? ""))"
        case .vanished: "the node that carried the link has closed it"
        case .silent: "the node that carries the link does not answer"
        case .pduMissing(let number): "message \(number) of the device was lost on the way"
        case .outOfStep: "the node that carries the link counts its messages otherwise"
        }
    }

    /// What helps, a clause without a full stop.
    package var advice: String {
        switch self {
        case .closedByClient: "try again"
        case .refused(.linkCannotOpen), .refused(.invalidState), .refused(.limitedResources):
            "see that nobody else provisions through that node, wait a minute and try again"
        case .refused: "provision through another node"
        case .notOpened, .reported(.linkOpenFailed, _):
            "see that the device has power and is near the node, and that nobody else is provisioning it"
        case .reported, .vanished, .pduMissing, .outOfStep:
            "try again, or provision through a node nearer to the device"
        case .silent: "see that the node has power and can be reached, or provision through another node"
        }
    }
}
