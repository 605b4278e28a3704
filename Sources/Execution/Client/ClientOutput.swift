package import MeshCore
package import Planning

/// What the owner of a ``MeshClient`` must do or know.
package enum ClientOutput {
    /// Let the bearer connect, then call ``MeshClient/connecting(_:to:at:)`` or ``MeshClient/connectFailed(_:_:at:)``.
    case connect(LinkTarget)
    /// Write a packet to a link.
    case send([UInt8], on: LinkIdentifier)
    /// Close a link.
    case closeLink(LinkIdentifier)
    /// Let the bearer scan, or stop needing the scan; others may still need it. If the bearer cannot scan, call
    /// ``MeshClient/scanFailed(at:)``.
    case scan(Bool)
    /// A link is ready: the address of the proxy node if it has told it, and how long it took.
    case linkUp(proxy: UnicastAddress?, LinkTimes)
    /// A link for one node alone is ready, see ``MeshClient/keepDirectLinks(to:at:)``.
    case directLinkUp(UnicastAddress, LinkTimes)
    /// A link for one node alone is gone or could not be made; its requests move to others. Nil if it was closed as
    /// unused.
    case directLinkDown(UnicastAddress, LinkFailure?)
    /// A link is gone or could not be made, or no proxy was found. After the delay the client looks for another if
    /// a request needs one. Nil if all attempts failed and there is no link: then requests wait, neither answered
    /// nor given up, until there is another request, a suitable proxy is heard, or the owner ends it.
    case linkDown(LinkFailure, retryIn: Duration?)
    /// A request was sent; `transmissions` counts from 1.
    case sent(RequestIdentifier, transmissions: Int)
    /// A request was answered, after this number of transmissions.
    case answered(RequestIdentifier, ConfigurationVerdict, transmissions: Int)
    /// The answer to a request departs from the specification in a known way. The answer itself follows.
    case quirk(RequestIdentifier, KnownQuirk)
    /// A request was given up at its deadline.
    case unanswered(RequestIdentifier)
    /// A request was given up because no proxy serves its subnets, although there are other proxies.
    case unreachable(RequestIdentifier, LinkFailure)
    /// Neither a request nor others can be sent.
    case unsendable(RequestIdentifier, StackError)
    /// A Remote Provisioning Server that the client listens to sent this access message.
    case said(UnicastAddress, [UInt8])
    /// Something was heard that the client watches for, see ``MeshClient/watch(_:at:)``.
    case watch(WatchEvent)
    /// A beacon brought another IV index, or the network has confirmed one that was only stated: store it. If it
    /// corrects one that was only supposed or stated, nobody knows when the network reached it.
    case ivIndexChanged(IVIndex, isCorrection: Bool)
    /// A beacon brought another key refresh phase: store it.
    case keyRefreshPhaseChanged(NetKeyIndex, KeyRefreshPhase)
}
