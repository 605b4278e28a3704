internal import MeshCore

extension Resolver {
    /// Finds the definition's nodes in the database.
    mutating func placeNodes() {
        var positions: [DeviceUUID: Int] = [:]
        positions.reserveCapacity(network.nodes.count)
        for position in network.nodes.indices { positions[network.nodes[position].uuid] = position }
        nodeNumbers.reserveCapacity(definition.nodes.count)
        nodePositions.reserveCapacity(definition.nodes.count)
        var claims = [Int?](repeating: nil, count: network.nodes.count)
        for (number, node) in definition.nodes.enumerated() {
            nodeNumbers[node.name.value] = number
            var position = positions[node.uuid.value]
            if let place = position, !accepts(node, at: place, claims: &claims, number: number) { position = nil }
            if positions[node.uuid.value] == nil {
                report(
                    node,
                    at: node.uuid.location,
                    length: 32,
                    "node `\(node.name.value)` is not in the mesh database",
                    hint: "Provision it and import the database that knows it, or take it out of the definition"
                )
            }
            nodePositions.append(position)
        }
    }

    private mutating func accepts(_ node: NodeDefinition, at position: Int, claims: inout [Int?], number: Int) -> Bool {
        let recorded = network.nodes[position]
        if let other = claims[position] {
            let first = definition.nodes[other].name
            report(
                node,
                at: node.uuid.location,
                length: 32,
                "node `\(node.name.value)` has the UUID of node `\(first.value)`",
                hint: "The UUID is the identity of a device",
                related: [Diagnostic.Related(message: "`\(first.value)` is here", location: first.location)]
            )
            return false
        }
        claims[position] = number
        if recorded.uuid == network.ownProvisioner {
            report(
                node,
                at: node.name.location,
                length: node.name.value.count,
                "node `\(node.name.value)` is our own provisioner, which cannot be managed",
                hint: "It sends the messages; take it out of the definition"
            )
            return false
        }
        if recorded.isExcluded {
            report(
                node,
                at: node.name.location,
                length: node.name.value.count,
                "node `\(node.name.value)` is excluded from the network",
                hint: "Take it out of the definition, or provision it anew"
            )
            return false
        }
        if let address = node.address, address.value != recorded.unicastAddress {
            report(
                node,
                at: address.location,
                length: 6,
                "node `\(node.name.value)` has address \(recorded.unicastAddress), not \(address.value)",
                hint: "The address of a node changes only when it is provisioned anew; "
                    + "write \(recorded.unicastAddress) or leave the address out"
            )
        }
        return true
    }

    /// Merges profiles and nodes.
    mutating func resolveSettings() {
        var profiles: [String: SettingsTemplate] = [:]
        for profile in definition.profiles {
            profiles[profile.name.value] = template(of: profile.settings)
        }
        state.nodes.reserveCapacity(definition.nodes.count)
        for (number, node) in definition.nodes.enumerated() {
            var own = template(of: node.settings)
            if let name = node.profile {
                if let profile = profiles[name.value] {
                    own = own.merged(over: profile)
                } else {
                    reportUnknown("profile", name, prefix: "profile.")
                }
            }
            guard let position = nodePositions[number] else { continue }
            desiredNumbers[number] = state.nodes.count
            state.nodes.append(
                DesiredNode(
                    position: position,
                    name: node.name,
                    isProtected: node.isProtected?.value ?? network.nodes[position].isProtected,
                    removalPolicy: node.removalPolicy?.value ?? .forget,
                    settings: own.settings,
                    models: own.models
                )
            )
        }
    }

    mutating func report(
        _ node: NodeDefinition,
        _ severity: Diagnostic.Severity = .error,
        at location: SourceLocation,
        length: Int = 1,
        _ message: String,
        hint: String,
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
