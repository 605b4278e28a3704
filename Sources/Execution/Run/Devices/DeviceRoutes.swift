import DefinitionModel
import MeshCore
import Planning

/// By which routes devices may be reached at present: what the bearer and the nodes that listen can do.
struct DeviceRoutes {
    /// The nodes that listen for devices.
    let search: RemoteSearch
    /// Why the bearer cannot scan.
    let scanError: BearerError?
    let isLinkReady: Bool
    let mayBeLinked: Bool

    /// Whether nothing can find a device, now that the bearer cannot scan.
    func isLost(_ order: ProvisioningOrder) -> Bool {
        switch order.route {
        case .any: search.isEmpty
        case .direct: true
        case .remote, .node: false
        }
    }

    /// Whether a server may still find a device that was not heard, within bounds.
    ///
    /// - Parameters:
    ///   - arrival: since when the device is looked for.
    ///   - patience: how long a search takes.
    ///   - isAnyUnderWay: whether any device is being provisioned.
    ///   - isMoreUnderWay: whether anything else is in progress, which may bring another server, and is bounded.
    func isSought(
        _ order: ProvisioningOrder,
        since arrival: Instant,
        patience: Duration,
        isAnyUnderWay: Bool,
        isMoreUnderWay: Bool,
        in network: NetworkRecord,
        at now: Instant
    ) -> Bool {
        guard mayBeLinked else { return false }
        let isInTime = { (start: Instant) in now < start.advanced(by: patience) }
        switch order.route {
        case .direct: return false
        case .any: return !search.isEmpty && isInTime(arrival) && (search.isUnfinished || isAnyUnderWay)
        case .remote:
            if isAnyUnderWay || isMoreUnderWay { return true }
            return isInTime(max(arrival, search.grownAt)) && search.isUnfinished
        case .node(let node):
            guard let address = network.node(node)?.unicastAddress, let isUnfinished = search.isUnfinished(address)
            else { return false }
            return isAnyUnderWay || isUnfinished && isInTime(max(arrival, search.grownAt))
        }
    }

    /// Who listened for a device without hearing it.
    func listener(for order: ProvisioningOrder?, _ ledger: RunLedger) -> DeviceListener {
        switch order?.route {
        case nil, .any: return .anybody
        case .direct: return .bearer
        case .remote: return search.isEmpty ? .nobody : .nodes
        case .node(let server):
            let name = ledger.network.name(of: server)
            guard let node = ledger.network.node(server), !ledger.unreachable.contains(server),
                !search.isRefusing(node.unicastAddress)
            else { return .silentNode(server, name: name) }
            return .node(server, name: name)
        }
    }
}

extension ProvisioningOrder {
    /// What keeps a device from being provisioned through the node that its route names; nil if nothing does at
    /// present.
    func serverProblem(in network: NetworkRecord) -> ProvisioningProblem? {
        guard let server = route.server else { return nil }
        guard let node = network.node(server), !node.isExcluded else {
            return .server(.absent, name: network.name(of: server))
        }
        if node.isCompositionKnown, !node.hasRemoteProvisioningServer { return .server(.noModel, name: node.name) }
        guard node.deviceKey != nil, !network.subnets(of: node).isEmpty else {
            return .server(.noKey, name: node.name)
        }
        return node.isCompositionKnown ? nil : .server(.unknownComposition, name: node.name)
    }
}
