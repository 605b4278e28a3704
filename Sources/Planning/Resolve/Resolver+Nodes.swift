import DefinitionModel
import MeshCore

extension Resolver {
    /// Finds the definition's nodes in the database.
    mutating func placeNodes() {
        let positions = network.nodePlaces
        nodeNumbers.reserveCapacity(definition.nodes.count)
        placements.reserveCapacity(definition.nodes.count)
        var claims = [Int?](repeating: nil, count: network.nodes.count)
        var claimedDevices: [DeviceUUID: Int] = [:]
        let pending = Dictionary(network.pendingProvisionings.map { ($0.uuid, $0) }) { first, _ in first }
        // A local copy, because access through `self` would copy each node.
        let nodes = definition.nodes
        for number in nodes.indices {
            nodeNumbers[nodes[number].name.value] = number
            let uuid = nodes[number].uuid.value
            if let position = positions[uuid] {
                let isReset = network.nodes[position].unprovisionedSeenAt != nil || pending[uuid] != nil
                let isAccepted = accepts(number, at: position, isReset: isReset, claims: &claims)
                let device = DesiredNode.Device(replaced: position, pending: pending[uuid])
                placements.append(!isAccepted ? nil : isReset ? .device(device) : .recorded(position))
            } else if let other = claimedDevices.updateValue(number, forKey: uuid) {
                reportSameDevice(nodes[number], as: nodes[other].name)
                placements.append(nil)
            } else {
                placements.append(.device(DesiredNode.Device(replaced: nil, pending: pending[uuid])))
            }
        }
        findSubstitutes()
    }

    /// Finds managed nodes whose name another device has in the definition now: that device takes their place.
    ///
    /// A node that is only renamed takes nobody's place. A device that has become a node under the name has, in a plan
    /// that was not carried out to its end.
    private mutating func findSubstitutes() {
        let nodes = definition.nodes
        var mentioned = Set<DeviceUUID>(minimumCapacity: nodes.count)
        for number in nodes.indices { mentioned.insert(nodes[number].uuid.value) }
        let recorded = network.nodes
        for position in recorded.indices where recorded[position].isManaged {
            let uuid = recorded[position].uuid
            guard !recorded[position].isExcluded, uuid != network.ownProvisioner, !mentioned.contains(uuid),
                let number = nodeNumbers[recorded[position].name], let placement = placements[number]
            else { continue }
            if case .recorded(let other) = placement, recorded[other].name != recorded[position].name { continue }
            state.substituted[position] = definition.nodes[number].uuid.value
        }
    }

    private mutating func reportSameDevice(_ node: NodeDefinition, as first: Located<String>) {
        report(
            node,
            at: node.uuid.location,
            length: 32,
            "node `\(node.name.value)` has the UUID of node `\(first.value)`",
            hint: "The UUID is the identity of a device",
            related: [Diagnostic.Related(message: "`\(first.value)` is here", location: first.location)]
        )
    }

    /// Whether a node of the definition can be that of the database at `position`; reports it if not.
    ///
    /// Both are looked at in place, because to copy them takes longer than all the checks.
    private mutating func accepts(_ number: Int, at position: Int, isReset: Bool, claims: inout [Int?]) -> Bool {
        if let other = claims[position] {
            reportSameDevice(definition.nodes[number], as: definition.nodes[other].name)
            return false
        }
        claims[position] = number
        if network.nodes[position].uuid == network.ownProvisioner {
            let node = definition.nodes[number]
            report(
                node,
                at: node.name.location,
                length: node.name.value.count,
                "node `\(node.name.value)` is meshplan's own provisioner, which cannot be managed",
                hint: "It sends the messages; take it out of the definition"
            )
            return false
        }
        // A device that was reset is no longer a node, whatever its old record says.
        if isReset { return true }
        if network.nodes[position].isExcluded {
            let node = definition.nodes[number]
            report(
                node,
                at: node.name.location,
                length: node.name.value.count,
                "node `\(node.name.value)` is excluded from the network",
                hint: "Take it out of the definition, or provision it anew"
            )
            return false
        }
        let recorded = network.nodes[position].unicastAddress
        if let address = definition.nodes[number].address, address.value != recorded {
            let node = definition.nodes[number]
            report(
                node,
                at: address.location,
                length: 6,
                "node `\(node.name.value)` has address \(recorded), not \(address.value)",
                hint: """
                    The address of a node changes only when it is provisioned anew, as by \(command: .giveAddresses); \
                    write \(recorded) or leave the address out
                    """
            )
        }
        return true
    }

    /// Merges nodes over their profiles, and those over the defaults.
    mutating func resolveSettings(_ selection: DefaultsSelection) {
        var bases = SettingsBases(
            defaults: definition.defaults.enumerated().map { template(of: $1, from: .defaults($0)) },
            profiles: definition.profiles.enumerated().map { template(of: $1.settings, from: .profile($0)) },
            selection: selection
        )
        state.nodes.reserveCapacity(definition.nodes.count)
        let nodes = definition.nodes
        for number in nodes.indices {
            var own = template(of: nodes[number].settings, from: .node)
            let profile = nodes[number].profile.flatMap { profilePlaces[$0.value] }
            if let name = nodes[number].profile, profile == nil {
                reportUnknown("profile", name, prefix: "profile.")
            }
            if let base = bases.base(of: number, profile: profile) { own = own.merged(over: base) }
            guard let placement = placements[number] else { continue }
            desiredNumbers[number] = state.nodes.count
            state.nodes.append(desired(number, placement, own))
        }
    }

    private mutating func desired(
        _ number: Int,
        _ placement: Placement,
        _ template: consuming SettingsTemplate
    ) -> DesiredNode {
        // The node is read field by field, because to copy it takes longer than all the rest.
        let (nodes, name) = (definition.nodes, definition.nodes[number].name)
        let recorded: Int?
        let origin: DesiredNode.Origin
        switch placement {
        case .recorded(let position):
            recorded = position
            origin = .recorded(position)
        case .device(let device):
            recorded = device.replaced
            // The subnet is known once the rules are.
            origin = .device(
                ProvisioningOrder(uuid: nodes[number].uuid.value, name: name.value, netKeyIndex: .primary),
                device
            )
        }
        template.models.collectScenes()
        var desired = DesiredNode(
            origin: origin,
            name: name,
            isProtected: nodes[number].isProtected?.value ?? recorded.map { network.nodes[$0].isProtected } ?? false,
            removalPolicy: nodes[number].removalPolicy?.value ?? .forget,
            settings: template.settings,
            models: template.models
        )
        if !definition.products.isEmpty, recorded.map({ !network.nodes[$0].isCompositionKnown }) ?? true {
            desired.described = definition.describedProduct(of: nodes[number], profiles: profilePlaces)
        }
        if !template.states.isEmpty { addDefaultStates(template.states, to: &desired) }
        return desired
    }

    mutating func report(
        _ node: NodeDefinition,
        _ severity: Diagnostic.Severity = .error,
        at location: SourceLocation,
        length: Int = 1,
        _ message: String,
        hint: Advice,
        related: [Diagnostic.Related] = []
    ) {
        diagnostics.report(
            Diagnostic(
                severity,
                message,
                at: location,
                length: length,
                resource: "node." + node.name.value,
                hint: hint,
                related: related
            )
        )
    }
}
