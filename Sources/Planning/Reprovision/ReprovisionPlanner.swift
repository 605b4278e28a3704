package import DefinitionModel
package import MeshCore

/// A request for one procedure of the Node Provisioning Protocol Interface on one node.
package struct ReprovisionRequest: Hashable, Sendable {
    package var node: DeviceUUID
    package var procedure: NodeProvisioningProcedure
    /// The new address of its primary element; nil for any free one. Only for the Node Address Refresh.
    package var address: UnicastAddress?

    package init(node: DeviceUUID, procedure: NodeProvisioningProcedure, address: UnicastAddress? = nil) {
        self.node = node
        self.procedure = procedure
        self.address = address
    }
}

/// Plans a reprovisioning of a node over its Node Provisioning Protocol Interface, or says why that is not possible
/// (Mesh Protocol 1.1, 3.11.8). It is pure and deterministic, and takes linear time in the nodes.
package struct ReprovisionPlanner {
    private let network: MeshNetwork
    private let definition: Definition?
    /// Elements that were heard. Nobody may use their sequence numbers again.
    private let heard: Set<UInt16>

    /// A planner for a network.
    ///
    /// - Parameters:
    ///   - definition: the source of provisioning settings of nodes and of fixed addresses.
    ///   - heard: the sources in the replay protection list.
    package init(_ network: MeshNetwork, definition: Definition?, heard: some Sequence<UnicastAddress>) {
        self.network = network
        self.definition = definition
        self.heard = Set(heard.map(\.rawValue))
    }

    /// Plans a reprovisioning.
    ///
    /// - Throws: ``ReprovisionRefusal`` if the node cannot be reprovisioned this way.
    package func plan(_ request: ReprovisionRequest) throws(ReprovisionRefusal) -> ReprovisionPlan {
        guard let node = network.nodes.first(where: { $0.uuid == request.node }) else {
            throw ReprovisionRefusal(
                "there is no such node",
                hint: "\(command: .showNetwork) lists the nodes",
                isUsage: true
            )
        }
        try check(node)
        let subnet = try subnet(of: node)
        var plan = ReprovisionPlan(
            node: node.uuid,
            name: node.name,
            procedure: request.procedure,
            before: node.addresses,
            after: node.addresses,
            netKeyIndex: subnet,
            provisioning: order(for: node, subnet)
        )
        switch request.procedure {
        case .deviceKeyRefresh: break
        case .nodeCompositionRefresh:
            if let count = elementCountToBe(node), count != node.elements.count {
                throw .elementCount(count, of: node)
            }
        case .nodeAddressRefresh:
            plan.after = try addresses(for: node, request.address)
            plan.references = references(to: node)
        }
        return plan
    }

    // MARK: The node

    private func check(_ node: Node) throws(ReprovisionRefusal) {
        let name = node.name
        guard node.uuid != network.ownProvisioner, !network.provisioners.contains(where: { $0.uuid == node.uuid })
        else {
            throw ReprovisionRefusal(
                "`\(name)` is a provisioner, which cannot be reprovisioned over the air",
                isUsage: true
            )
        }
        if node.isExcluded {
            throw ReprovisionRefusal("`\(name)` is excluded from the network", hint: "Provision it again.")
        }
        if node.unprovisionedSeenAt != nil {
            throw ReprovisionRefusal(
                "`\(name)` was reset and is no longer a node",
                hint: "\(command: .apply) provisions it."
            )
        }
        if network.pendingReprovisions[node.uuid] != nil {
            throw ReprovisionRefusal(
                "the result of the last reprovisioning of `\(name)` is still unknown",
                hint: "Switch the node on and run the command again, which finds out first."
            )
        }
        guard node.deviceKey != nil else {
            throw ReprovisionRefusal(
                "the database has no device key of `\(name)`, so nothing can be sent to it",
                hint: "Import a database that holds it."
            )
        }
        guard node.isCompositionKnown else {
            throw ReprovisionRefusal(
                "the composition of `\(name)` is not known",
                hint: "Name it in the definition; \(command: .apply) reads it."
            )
        }
        guard node.elements[0].models.contains(where: { $0.identifier == .remoteProvisioningServer }) else {
            throw ReprovisionRefusal(
                "`\(name)` has no Remote Provisioning Server on its primary element, which reprovisioning needs",
                hint: "Reset it and provision it again: remove its line with `on_remove: reset`, then add it again."
            )
        }
    }

    /// A subnet of the node without a key refresh. In a reprovisioning, the node may have another key, or be in another
    /// phase, than the database says.
    private func subnet(of node: Node) throws(ReprovisionRefusal) -> NetKeyIndex {
        let known = node.netKeys.filter { key in network.netKeys.contains { $0.index == key.index } }
        guard !known.isEmpty else {
            throw ReprovisionRefusal("`\(node.name)` has no network key that the database has")
        }
        let quiet = known.first { key in
            key.progress == .none && network.netKeys.contains { $0.index == key.index && $0.phase == .normal }
        }
        guard let quiet else {
            throw ReprovisionRefusal(
                "a key refresh is under way in every subnet of `\(node.name)`",
                hint: "Finish it with \(command: .refreshKeys()), then run the command again."
            )
        }
        return quiet.index
    }

    /// How many elements the node will have according to its Composition Data page 128; nil if that page was not read.
    private func elementCountToBe(_ node: Node) -> Int? {
        guard let page = node.compositionPages?[128], let next = try? Composition(page0: page) else { return nil }
        return next.elements.isEmpty ? nil : next.elements.count
    }

    // MARK: The addresses

    private func addresses(
        for node: Node,
        _ requested: UnicastAddress?
    ) throws(ReprovisionRefusal) -> ClosedRange<UInt16> {
        let declared = definition?.nodes.first { $0.uuid.value == node.uuid }?.address?.value
        if let declared, let problem = contradiction(of: declared, to: requested, for: node) { throw problem }
        let count = elementCountToBe(node) ?? node.elements.count
        var pool = UnicastAddressPool(network)
        let held = Set(network.nodes.flatMap(\.addresses))
        pool.exclude(heard.subtracting(held).sorted(), leftBy: node.uuid)
        guard let address = requested ?? declared else {
            guard let free = pool.reserveBlock(of: count, for: node.uuid) else {
                throw ReprovisionRefusal(
                    "the ranges of meshplan's provisioner have no \(count) consecutive free addresses left",
                    hint: "Free addresses, or give the provisioner a larger range."
                )
            }
            return free.rawValue...free.rawValue + UInt16(count - 1)
        }
        if let conflict = pool.conflict(at: address, count: count, for: node.uuid) {
            throw ReprovisionRefusal(
                "\(count == 1 ? "its element" : "its \(count) elements") cannot begin at \(address): "
                    + clause(of: conflict, node),
                hint: "Name an address with room for all elements, or leave it out to have one chosen.",
                isUsage: true
            )
        }
        return address.rawValue...address.rawValue + UInt16(count - 1)
    }

    /// Why the request contradicts the address that a definition fixes.
    private func contradiction(
        of declared: UnicastAddress,
        to requested: UnicastAddress?,
        for node: Node
    ) -> ReprovisionRefusal? {
        if let requested {
            guard declared != requested else { return nil }
            return ReprovisionRefusal(
                "the definition fixes the address of `\(node.name)` as \(declared), not \(requested)",
                hint: "Write `address: \(requested)` in the definition, or leave the address out there.",
                isUsage: true
            )
        }
        guard declared == node.unicastAddress else { return nil }
        return ReprovisionRefusal(
            "the definition fixes the address of `\(node.name)` as \(declared), but reprovisioning is to change it",
            hint: "Write its new address in the definition, or leave the address out there.",
            isUsage: true
        )
    }

    private func clause(of conflict: AddressConflict, _ node: Node) -> String {
        let address = conflict.address
        switch conflict.reason {
        case .notUnicast: return "\(address) is not a unicast address"
        case .node(_, let name): return "\(address) is taken by node `\(name)`"
        case .pending(_, let name): return "\(address) is reserved for `\(name)`, which may already use it"
        case .reserved: return "\(address) is set aside for another device"
        case .excluded(until: let index):
            return node.addresses.contains(address.rawValue)
                ? "\(address) is its own, and the new addresses must not overlap those that it has"
                : "\(address) was in use before and cannot be assigned before IV index \(index)"
        case .otherProvisioner(let name): return "\(address) is in the range of provisioner `\(name)`"
        case .outsideOurRanges: return "\(address) is not in the range of meshplan's provisioner"
        }
    }

    // MARK: What names the node

    private func references(to node: Node) -> ReprovisionReferences {
        let addresses = node.addresses
        func matches(_ address: UInt16) -> Bool { addresses.contains(address) }
        var references = ReprovisionReferences()
        for other in network.nodes where other.uuid != node.uuid && !other.isExcluded {
            let publishes = other.elements.contains { element in
                element.models.contains { model in
                    guard case .unicast(let target)? = model.publication?.address else { return false }
                    return matches(target.rawValue)
                }
            }
            if publishes { references.publishers.append(other.name) }
            let beats = other.states.contains { state in
                switch state {
                case .heartbeatPublication(let publication): matches(publication.destination.rawValue)
                case .heartbeatSubscription(let subscription):
                    subscription.source.map { matches($0.rawValue) } ?? false
                default: false
                }
            }
            if beats { references.heartbeats.append(other.name) }
            let bridges = (other.bridgingTable ?? []).contains { entry in
                matches(entry.addresses.first.rawValue) || matches(entry.addresses.second.rawValue)
            }
            if bridges { references.bridges.append(other.name) }
        }
        return references
    }

    // MARK: The session

    /// How to authenticate the node: as when it was a device.
    private func order(for node: Node, _ subnet: NetKeyIndex) -> ProvisioningOrder {
        var order = ProvisioningOrder(uuid: node.uuid, name: node.name, netKeyIndex: subnet)
        order.isProtected = node.isProtected
        order.removalPolicy = node.removalPolicy
        guard let definition, let number = definition.nodes.firstIndex(where: { $0.uuid.value == node.uuid }) else {
            return order
        }
        let defaults = DefaultsSelection(definition, nodes: NodeSelectorIndex(definition.nodes))
        let declared = DeclaredProvisioning(definition, defaults)
        declared.fill(&order, declared.settings(of: number))
        return order
    }
}

extension ReprovisionRefusal {
    /// The refusal if the number of elements would change, so that the node's addresses are too few or too many.
    package static func elementCount(_ count: Int, of node: Node) -> ReprovisionRefusal {
        ReprovisionRefusal(
            "`\(node.name)` will have \(count) elements instead of \(node.elements.count), for which it needs other addresses",
            hint: "Use \(command: .newAddresses), which takes on the new composition as well."
        )
    }
}
