/// How patient a client is with a Remote Provisioning Server.
package struct RemoteProvisioningLinkPolicy: Hashable, Sendable {
    /// The time until an unanswered message is sent again for the first time. It doubles each time.
    package var initialTimeout: Duration = .seconds(3)
    /// The longest time until a repetition.
    package var maximumTimeout: Duration = .seconds(8)
    /// How often the server is asked whether the link still exists, while there is nothing else to send.
    package var pollInterval: Duration = .seconds(10)
    /// How long the server may be silent before the client gives up. This is longer than the 30 s that a PDU may take
    /// to the device (Mesh Protocol 5.3.2).
    package var silenceLimit: Duration = .seconds(40)
    /// How long a device may take to answer when the server opens a link to it, even if the server would wait longer.
    package var openingLimit: Duration = .seconds(20)
    /// How much longer than its timeout the server may take to open a link.
    package var openingGrace: Duration = .seconds(10)
    /// How often the server is asked about a PDU before the PDU is repeated, if it does not tell.
    package var questions: Int = 2
    /// When a PDU is repeated although the server says that it is still sending it. This is longer than the 30 s that
    /// it may take (Mesh Protocol 5.3.2).
    package var outboundLimit: Duration = .seconds(35)
    /// How long to wait for an answer when closing the link.
    package var closingLimit: Duration = .seconds(20)

    /// The usual patience.
    package init() {}
}

/// Why a link has ended, from the client's point of view.
package enum RemoteProvisioningLinkEnd: Error, Hashable, Sendable {
    /// The client closed it. Without the server's confirmation, the procedure of a Node Provisioning Protocol Interface
    /// may or may not have taken effect.
    case closedByClient(isConfirmed: Bool)
    /// The server refused to open it.
    case refused(RemoteProvisioningStatusCode)
    /// The server did not open it in time and gave no reason.
    case notOpened
    /// The server reported that opening failed, or that the link is closed.
    case reported(RemoteProvisioningStatusCode, ProvisioningBearerCloseReason?)
    /// The server no longer has the link; its report of that was lost.
    case vanished
    /// The server does not answer.
    case silent
    /// A PDU from the device was lost after the server had it. The PDU with that number is missing.
    case pduMissing(number: UInt8)
    /// Server and client disagree about the number of the next PDU, as if somebody else used the link, too.
    case outOfStep
}

extension RemoteProvisioningLinkEnd: CustomStringConvertible {
    /// What happened, for people; a clause without a full stop.
    package var description: String {
        switch self {
        case .closedByClient(isConfirmed: true): "the link was closed"
        case .closedByClient(isConfirmed: false): "the link was closed, but the node that carries it did not confirm it"
        case .refused(let status):
            "the node through which the link should pass refused it with \(status): \(status.meaning)"
        case .notOpened: "the node through which the link should pass did not open it in time"
        case .reported(let status, let reason):
            "\(status.meaning) (\(status)\(reason.map { ", \($0.name)" } ?? ""))"
        case .vanished: "the node that carried the link has closed it"
        case .silent: "the node that carries the link does not answer"
        case .pduMissing(let number): "message \(number) of the device was lost on the way"
        case .outOfStep: "the node that carries the link expects a message with another number"
        }
    }

    /// What helps, a clause without a full stop.
    package var advice: String {
        switch self {
        case .closedByClient: "try again"
        case .refused(.linkCannotOpen), .refused(.invalidState), .refused(.limitedResources):
            "make sure that nobody else provisions through that node, wait a minute and try again"
        case .refused: "provision through another node"
        case .notOpened, .reported(.linkOpenFailed, _):
            "make sure that the device has power and is near the node, and that nobody else is provisioning it"
        case .reported, .vanished, .pduMissing, .outOfStep:
            "try again, or provision through a node nearer to the device"
        case .silent: "make sure that the node has power and can be reached, or provision through another node"
        }
    }
}
