internal import DefinitionModel
import MeshCore
import Planning

/// By which routes devices may be reached, and what happens to those that are not.
extension ExecutionRun {
    /// Whether a server may still find a device that was not heard, within bounds.
    func isSoughtRemotely(_ uuid: DeviceUUID) -> Bool {
        guard linkFailure == nil, let order = queue.order(of: uuid), let arrival = queue.arrival(of: uuid) else {
            return false
        }
        let isInTime = { (start: Instant) in
            self.bearer.now < start.advanced(by: self.options.provisioning.notHeardAfter * 4)
        }
        switch order.route {
        case .direct: return false
        case .any:
            return !servers.search.isEmpty && isInTime(arrival) && (servers.search.isUnfinished || queue.isAnyUnderWay)
        case .remote:
            // Anything else in progress may bring another server, and it is bounded.
            if queue.isAnyUnderWay || schedule.startedCount > provisionSteps.count { return true }
            return isInTime(max(arrival, servers.search.grownAt)) && servers.search.isUnfinished
        case .node(let node):
            guard let address = network.node(node)?.unicastAddress,
                let isUnfinished = servers.search.isUnfinished(address)
            else {
                return false
            }
            return queue.isAnyUnderWay || isUnfinished && isInTime(max(arrival, servers.search.grownAt))
        }
    }

    /// Whether nothing can find a device, now that the bearer cannot scan.
    func isLost(_ order: ProvisioningOrder) -> Bool {
        switch order.route {
        case .any: servers.search.isEmpty
        case .direct: true
        case .remote, .node: false
        }
    }

    /// What keeps a device from being provisioned through the node that its route names; nil if nothing does at
    /// present.
    func serverProblem(_ order: ProvisioningOrder) -> ProvisioningProblem? {
        guard let server = order.route.server else { return nil }
        guard let node = network.node(server), !node.isExcluded else {
            return .server(.absent, name: network.name(of: server))
        }
        if node.isCompositionKnown, !node.hasRemoteProvisioningServer { return .server(.noModel, name: node.name) }
        guard node.deviceKey != nil, !subnets(ofServer: node).isEmpty else {
            return .server(.noKey, name: node.name)
        }
        return node.isCompositionKnown ? nil : .server(.unknownComposition, name: node.name)
    }

    /// A device was not heard for as long as it made sense to listen.
    func giveUp(_ uuid: DeviceUUID) {
        guard let order = queue.order(of: uuid), let problem = serverProblem(order),
            network.header.pendingProvisioning(of: uuid) == nil, let step = provisionSteps.removeValue(forKey: uuid)
        else { return leavePending(uuid) }
        perform(queue.remove(uuid))
        endFindingOut(uuid)
        network.release(uuid)
        fail(step, .provisioning(problem))
    }

    /// Who listened for a device without hearing it.
    func listener(for order: ProvisioningOrder?) -> DeviceListener {
        switch order?.route {
        case nil, .any: return .anybody
        case .direct: return .bearer
        case .remote: return servers.search.isEmpty ? .nobody : .nodes
        case .node(let server):
            let name = network.name(of: server)
            guard let node = network.node(server), !unreachable.contains(server),
                !servers.search.isRefusing(node.unicastAddress)
            else { return .silentNode(server, name: name) }
            return .node(server, name: name)
        }
    }
}
