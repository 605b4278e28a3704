import DefinitionModel
import MeshCore

extension Resolver {
    /// Fills in the orders: how devices are provisioned, into which subnet, and at which fixed address.
    mutating func resolveOrders(_ defaults: DefaultsSelection) {
        let declared = DeclaredProvisioning(definition, defaults)
        var bound = Dictionary(network.appKeys.map { ($0.index, $0.boundNetKey) }) { first, _ in first }
        for key in state.applicationKeys { bound[key.index] = key.boundNetKey }
        let lowest = (network.netKeys.map(\.index) + state.subnets.map(\.index)).min() ?? .primary
        var addresses: UnicastAddressPool?
        let isNeeded = state.nodes.contains { if case .device = $0.origin { true } else { false } }
        let kinds = isNeeded ? DeviceKinds(definition, network.nodes) : nil
        let nodes = definition.nodes
        let hasAddresses = !ownRanges.isEmpty
        let profiles = isNeeded ? definition.profilePlaces : [:]
        for number in nodes.indices {
            guard let index = desiredNumbers[number], case .device(var order, let device) = state.nodes[index].origin
            else { continue }
            order.netKeyIndex = state.nodes[index].subnetOfProvisioning(bound) ?? lowest
            order.isProtected = state.nodes[index].isProtected
            order.removalPolicy = state.nodes[index].removalPolicy
            order.isReplacement = device.replaced != nil
            let settings = declared.settings(of: number)
            declared.fill(&order, settings)
            order.product = definition.product(ofNodeAt: number, profiles: profiles)
            order.productKnowsHMAC = order.product.flatMap { definition.products[$0]?.knowsHMAC } ?? false
            if let route = settings?.route {
                order.route = self.route(route, of: nodes[number])
                if order.route.server != nil { order.serverName = route.value.server }
            }
            if let address = nodes[number].address {
                order.address = address.value
                var pool = addresses ?? UnicastAddressPool(network)
                if let problem = claim(address.value, for: nodes[number], device: device, in: &pool) {
                    let hint = Advice(problem.hint)
                    report(nodes[number], at: address.location, length: 6, problem.message, hint: hint)
                }
                addresses = pool
            } else if !hasAddresses {
                diagnostics.report("no unicast range", at: nodes[number].name.location) { [name = nodes[number].name] in
                    Diagnostic(
                        .error,
                        "there is no address for node `\(name.value)`",
                        at: name.location,
                        length: name.value.count,
                        resource: "node." + name.value,
                        hint: "Our provisioner has no range of unicast addresses; give an address with `address:`"
                    )
                }
            }
            state.nodes[index].origin = .device(order, device)
            if let reservation = kinds?.reservation(forNodeAt: number, device: device, in: network),
                !reservation.isEmpty
            {
                state.reservations.append(reservation)
            }
        }
    }

    /// The route to a device, with its node identified. Reports a node whose composition shows that it cannot serve as
    /// a route.
    private mutating func route(
        _ route: Located<ProvisioningRoute<String>>,
        of node: NodeDefinition
    ) -> ProvisioningRoute<DeviceUUID> {
        let resolved = route.value.named { name in nodeNumbers[name].map { definition.nodes[$0].uuid.value } }
        guard let name = route.value.server, let number = nodeNumbers[name] else { return resolved ?? .any }
        guard case .recorded(let position)? = placements[number], network.nodes[position].isCompositionKnown,
            !network.nodes[position].hasRemoteProvisioningServer
        else { return resolved ?? .any }
        diagnostics.report("no server", at: route.location) { [definition, network, placements] in
            let servers = zip(definition.nodes, placements).lazy.filter { _, placement in
                guard case .recorded(let position)? = placement else { return false }
                return network.nodes[position].hasRemoteProvisioningServer
            }
            let names = servers.prefix(8).map { "`\($0.0.name.value)`" }
            return Diagnostic(
                .error,
                "node `\(name)` has no Remote Provisioning Server, which is needed to provision `\(node.name.value)`",
                at: route.location,
                length: name.count,
                resource: "node." + node.name.value,
                hint: names.isEmpty
                    ? "No node of the definition is known to have one; leave `via` out"
                    : "Nodes that have one: " + names.joined(separator: ", ")
            )
        }
        return resolved ?? .any
    }

    /// Takes a fixed address for a device; returns what is wrong if that is not possible.
    ///
    /// The number of a device's elements is known only if it was a node before, was about to become one, or if a file
    /// describes its product.
    private func claim(
        _ address: UnicastAddress,
        for node: NodeDefinition,
        device: DesiredNode.Device,
        in pool: inout UnicastAddressPool
    ) -> (message: String, hint: String)? {
        let name = node.name.value
        if let attempt = device.pending, attempt.address != address {
            return (
                "an earlier attempt may have given node `\(name)` the address \(attempt.address), not \(address)",
                "Leave the address out, or write \(attempt.address), until apply has found out the result"
            )
        }
        let count =
            device.pending.map { Int($0.elementCount) } ?? device.replaced.map { network.nodes[$0].elements.count }
            ?? definition.describedProduct(of: node, profiles: profilePlaces)?.composition.elements.count ?? 1
        do throws(AddressConflict) {
            try pool.reserve(address, count: max(count, 1), for: node.uuid.value)
            return nil
        } catch {
            return text(of: error, at: address, name: name, device: device)
        }
    }

    private func text(
        of conflict: AddressConflict,
        at address: UnicastAddress,
        name: String,
        device: DesiredNode.Device
    ) -> (message: String, hint: String) {
        let subject =
            conflict.address.rawValue == address.rawValue
            ? "address \(address) of node `\(name)`"
            : "address \(conflict.address), which belongs to node `\(name)` at \(address),"
        let hint = "Leave the address out, or give one that is free"
        switch conflict.reason {
        case .notUnicast: return ("\(subject) is not a unicast address", hint)
        case .node(_, name: let other): return ("\(subject) is taken by node `\(other)`", hint)
        case .pending(_, name: let other):
            return ("\(subject) is reserved for `\(other)`, whose provisioning may have succeeded", hint)
        case .reserved(let uuid):
            let other = definition.nodes.first { $0.uuid.value == uuid }?.name.value ?? uuid.description
            return ("\(subject) is that of node `\(other)`", "Each node has addresses of its own")
        case .excluded(until: let index):
            let own = device.replaced.map { network.nodes[$0].addresses.contains(conflict.address.rawValue) } ?? false
            return (
                "\(subject) was in use by \(own ? "it before its reset" : "a node that is gone") and cannot be "
                    + "assigned before IV index \(index) (now \(network.ivIndex.value))",
                hint
            )
        case .otherProvisioner(name: let other): return ("\(subject) is in the range of provisioner `\(other)`", hint)
        case .outsideOurRanges:
            let ranges = ownRanges.map { "\(Address(rawValue: $0.lowerBound)) to \(Address(rawValue: $0.upperBound))" }
            return (
                "\(subject) is not in the range of meshplan's provisioner",
                ranges.isEmpty
                    ? "Our provisioner has no range of unicast addresses"
                    : "It gives out \(ranges.joined(separator: ", "))"
            )
        }
    }

    private var ownRanges: [ClosedRange<UInt16>] {
        network.provisioners.first { $0.uuid == network.ownProvisioner }?.unicastRanges ?? []
    }
}

extension DesiredNode {
    /// The subnet that a device is provisioned into: the lowest of those it will have; nil if it asks for none.
    fileprivate func subnetOfProvisioning(_ bound: [AppKeyIndex: NetKeyIndex]) -> NetKeyIndex? {
        var lowest = settings.subnets?.value.min()
        var last: AppKeyIndex?
        func need(_ key: AppKeyIndex) {
            // The models of a node mostly have one key.
            guard key != last else { return }
            last = key
            if let subnet = bound[key] { lowest = min(lowest ?? subnet, subnet) }
        }
        for key in settings.applicationKeys?.value ?? [] { need(key) }
        for index in models.indices {
            for key in models[index].bindings?.value ?? [] { need(key) }
            // Without a key of its own, a publication has one of the bindings.
            if let key = models[index].publication?.value?.key { need(key) }
        }
        if let lowest { return lowest }
        return rules.compactMap { $0.publicationKey.flatMap { bound[$0] } }.min()
    }
}

extension ModelRule {
    /// The AppKey that a model needs for the rule; nil if the rule names none.
    var publicationKey: AppKeyIndex? {
        if case .publish(let publication) = effect { return publication.key }
        return nil
    }
}
