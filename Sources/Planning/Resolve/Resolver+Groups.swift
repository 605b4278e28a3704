import DefinitionModel
import MeshCore

extension Resolver {
    mutating func resolveGroups() {
        let places = placeGroups()
        for (group, address) in zip(definition.groups, places) {
            guard let address else {
                failedNames.insert("group." + group.name.value)
                continue
            }
            groups[group.name.value] = address
        }
        let recorded = Dictionary(network.groups.map { ($0.address, $0) }) { first, _ in first }
        for group in definition.groups {
            guard let address = groups[group.name.value] else { continue }
            let old = recorded[address]
            var parent = old?.parent
            if let name = group.parent { parent = self.group(name) }
            var desired = Group(name: group.name.value, address: address, parent: parent)
            desired.isManaged = true
            desired.isProtected = group.isProtected?.value ?? old?.isProtected ?? false
            state.groups.append(DesiredGroup(group: desired, recorded: old))
        }
    }

    /// The address of each group of the definition; nil if a diagnostic says why there is none.
    private mutating func placeGroups() -> [SubscriptionAddress?] {
        let recorded = Set(network.groups.map(\.address))
        let namesakes = Dictionary(grouping: network.groups, by: \.name)
        let previousNames = definition.previousNames(of: .group)
        var places: [SubscriptionAddress?] = definition.groups.map { $0.address?.value }
        var claims: [SubscriptionAddress: Located<String>] = [:]
        for group in definition.groups {
            guard let address = group.address else { continue }
            guard let other = claims.updateValue(group.name, forKey: address.value) else { continue }
            report(
                group,
                at: address.location,
                "group `\(group.name.value)` has the address of group `\(other.value)`",
                hint: "Each group has an address of its own"
            )
        }
        var unplaced: [Int] = []
        for (position, group) in definition.groups.enumerated() {
            let candidates = previousNames.withEarlierNames(of: group.name.value) { name in
                (namesakes[name] ?? []).map(\.address).filter { claims[$0] == nil }
            }
            if let address = group.address {
                if case .group(.allNodes) = address.value {
                    report(
                        group,
                        at: address.location,
                        "every node hears \(GroupAddress.allNodes) anyway; it cannot be a group",
                        hint: "Publish to `all-nodes`"
                    )
                }
                guard !recorded.contains(address.value), let candidate = candidates.first else { continue }
                report(
                    group,
                    at: address.location,
                    "group `\(group.name.value)` has the address \(candidate) in the database, not \(address.value)",
                    hint: "Leave the address out, or give the group with the new address another name"
                )
            } else if candidates.count > 1 {
                report(
                    group,
                    at: group.name.location,
                    "the database has \(candidates.count) groups with the name `\(group.name.value)`",
                    hint: "Say which with `address:`, one of \(candidates.map(\.description).joined(separator: ", "))"
                )
            } else if let address = candidates.first {
                claims[address] = group.name
                places[position] = address
            } else {
                unplaced.append(position)
            }
        }
        if !unplaced.isEmpty { allocate(unplaced, places: &places, claimed: Set(claims.keys)) }
        return places
    }

    /// Gives each group the smallest address in this provisioner's ranges that nothing uses and no other provisioner
    /// assigns.
    private mutating func allocate(
        _ positions: [Int],
        places: inout [SubscriptionAddress?],
        claimed: Set<SubscriptionAddress>
    ) {
        let used = claimed.union(addressesInUse())
        let own = network.provisioners.first { $0.uuid == network.ownProvisioner }?.groupRanges ?? []
        let foreign = network.provisioners.filter { $0.uuid != network.ownProvisioner }.flatMap(\.groupRanges)
        let ranges = own.filter { $0.overlaps(GroupAddress.assignable) }.map { $0.clamped(to: GroupAddress.assignable) }
            .sorted { $0.lowerBound < $1.lowerBound }
        var candidates = ranges.lazy.joined().compactMap { GroupAddress(rawValue: $0) }
            .filter { address in
                !used.contains(.group(address)) && !foreign.contains { $0.contains(address.rawValue) }
            }.makeIterator()
        var last: GroupAddress?
        for position in positions {
            var candidate = candidates.next()
            // Overlapping ranges would offer an address twice.
            while let address = candidate, let given = last, address <= given { candidate = candidates.next() }
            if let address = candidate {
                places[position] = .group(address)
                last = address
            } else {
                let group = definition.groups[position]
                report(
                    group,
                    at: group.name.location,
                    "there is no free address for group `\(group.name.value)`",
                    hint: own.isEmpty
                        ? "Our provisioner has no range of group addresses; give an address with `address:`"
                        : "The provisioner's ranges are used up; give an address with `address:`"
                )
            }
        }
    }

    /// The addresses of the database's groups, and addresses that some node hears or sends to without such a group.
    private func addressesInUse() -> Set<SubscriptionAddress> {
        var used = Set(network.groups.map(\.address))
        for node in network.nodes {
            for element in node.elements {
                for model in element.models {
                    used.formUnion(model.subscriptions)
                    if case .group(let address) = model.publication?.address { used.insert(.group(address)) }
                }
            }
        }
        return used
    }

    /// The group with that name, or a fixed group.
    mutating func group(_ name: Located<String>) -> SubscriptionAddress? {
        if let address = groups[name.value] { return address }
        if let fixed = GroupAddress(fixedName: name.value), fixed.canBeSubscribedTo { return .group(fixed) }
        reportUnknown("group", name, prefix: "group.")
        return nil
    }

    private mutating func report(
        _ group: GroupDefinition,
        at location: SourceLocation,
        _ message: String,
        hint: String
    ) {
        diagnostics.report(
            Diagnostic(.error, message, at: location, resource: "group." + group.name.value, hint: hint)
        )
    }
}
