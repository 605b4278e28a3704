/// Whether there is room for links that serve one node alone.
extension LinkKeeper {
    /// How many links may serve one node alone: all but one, which is left for the mesh.
    var maximumDirectLinks: Int { policy.proxy == nil ? max(maximumLinks - 1, 0) : 0 }

    /// Whether a link for one node alone may be made, if necessary in place of an idle one. Otherwise links that the
    /// mesh needed only for a while would keep nodes waiting.
    var hasRoomForDirectLink: Bool {
        guard links.count(where: { $0.directNode != nil }) < maximumDirectLinks else { return false }
        return links.count < maximumLinks
            || links.count == maximumLinks && links.longestIdleMeshLink(besides: neededLinks) != nil
    }

    /// Whether a node that advertises itself soon gets a link of its own: there is room for one, or other nodes have
    /// such links, which end when those nodes are done.
    var mayLinkDirectly: Bool {
        !scan.isImpossible && maximumDirectLinks > 0
            && (hasRoomForDirectLink || links.contains { $0.directNode != nil && !$0.isLeaving })
    }
}
