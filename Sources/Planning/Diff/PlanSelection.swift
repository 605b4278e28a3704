package import DefinitionModel
package import MeshCore

/// The nodes that a plan is limited to. Criteria of different kinds must all apply. Of one kind any criterion may
/// apply, except for tags, which must all apply. In all names `*` stands for any characters.
package struct PlanSelection: Hashable, Sendable {
    /// Names of nodes, or their UUIDs or addresses.
    package var nodes: [String]
    /// Names of groups: selects nodes with a model that subscribes or publishes to one, now or after the plan.
    package var groups: [String]
    /// Names of subnets: selects nodes in one, now or after the plan.
    package var subnets: [String]
    /// Tags and values, which may contain `*`: selects nodes with that tag in the definition.
    package var tags: [Tag]
    /// Names of nodes to leave out, whatever else selects them.
    package var excluded: [String]

    /// A tag and its value.
    package struct Tag: Hashable, Sendable {
        package var name: String
        /// Its value; `*` stands for any characters.
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    package init(
        nodes: [String] = [],
        groups: [String] = [],
        subnets: [String] = [],
        tags: [Tag] = [],
        excluded: [String] = []
    ) {
        self.nodes = nodes
        self.groups = groups
        self.subnets = subnets
        self.tags = tags
        self.excluded = excluded
    }

    /// Whether it selects all nodes.
    package var isEmpty: Bool {
        nodes.isEmpty && groups.isEmpty && subnets.isEmpty && tags.isEmpty && excluded.isEmpty
    }
}

extension PlanSelection {
    /// An error for each criterion that matches nothing, with a suggestion.
    package func problems(definition: Definition, network: MeshNetwork) -> [Diagnostic] {
        // To list the names of large networks takes a while.
        guard !isEmpty else { return [] }
        var problems: [Diagnostic] = []
        func report(_ message: String, _ word: String, _ allowed: [String], _ title: String) {
            problems.append(
                Diagnostic(.error, message, hint: Suggestion.hint(for: word, among: Set(allowed), are: title))
            )
        }
        let mentioned = Set(definition.nodes.lazy.map(\.uuid.value))
        let names =
            definition.nodes.map(\.name.value)
            + network.managedNodes(but: mentioned).map(\.name)
        let known = network.nodes.filter { mentioned.contains($0.uuid) || $0.isManaged }
        let identities = Set(
            definition.nodes.map { $0.uuid.value.description.lowercased() }
                + known.flatMap { [$0.uuid.description.lowercased(), $0.unicastAddress.description.lowercased()] }
        )
        for pattern in nodes + excluded {
            let glob = Glob(pattern)
            if names.contains(where: { glob.matches($0) }) || identities.contains(pattern.lowercased()) { continue }
            report("`\(pattern)` names no managed node", pattern, names, "nodes are")
        }
        let groupNames = definition.groups.map(\.name.value) + network.groups.map(\.name)
        let addresses = network.groups.map { $0.address.description.lowercased() }
        for name in groups {
            let glob = Glob(name)
            if addresses.contains(name.lowercased()) || groupNames.contains(where: { glob.matches($0) }) { continue }
            report("`\(name)` names no group", name, groupNames, "groups are")
        }
        let subnetNames = definition.subnets.map(\.name.value) + network.netKeys.map(\.name)
        for name in subnets {
            let glob = Glob(name)
            if subnetNames.contains(where: { glob.matches($0) }) { continue }
            report("`\(name)` names no subnet", name, subnetNames, "subnets are")
        }
        for tag in tags {
            let glob = Glob(tag.value)
            let values = definition.nodes.compactMap { $0.tags[tag.name]?.value }
            if values.contains(where: { glob.matches($0) }) { continue }
            let text = "`\(tag.name)=\(tag.value)` is the tag of no node"
            if values.isEmpty {
                report(text, tag.name, definition.nodes.flatMap { Array($0.tags.keys) }, "tags in use")
            } else {
                report(text, tag.value, values, "values in use")
            }
        }
        return problems
    }

    /// The selected nodes, among those of the definition and those that leave it; nil for all.
    func selected(definition: Definition, desired: DesiredState, network: MeshNetwork) -> Set<DeviceUUID>? {
        guard !isEmpty else { return nil }
        let mentioned = Set(definition.nodes.lazy.map(\.uuid.value))
        let outside = network.managedNodes(but: mentioned)
        let candidates =
            definition.nodes.map { ($0.uuid.value, $0.name.value, $0.tags) }
            + outside.map { ($0.uuid, $0.name, [:]) }
        let included = nodes.map { NodePattern($0) }
        let left = excluded.map { NodePattern($0) }
        let places = network.nodePlaces
        let tagged = tags.map { ($0.name, Glob($0.value)) }
        var selected: Set<DeviceUUID> = []
        for (uuid, name, tags) in candidates {
            let address = places[uuid].map { network.nodes[$0].unicastAddress }
            guard included.isEmpty || included.contains(where: { $0.matches(name, uuid, address) }),
                !left.contains(where: { $0.matches(name, uuid, address) }),
                tagged.allSatisfy({ tag, glob in tags[tag].map { glob.matches($0.value) } ?? false })
            else { continue }
            selected.insert(uuid)
        }
        for part in [PlanSelection(groups: groups), PlanSelection(subnets: subnets)] where !part.isEmpty {
            let members = MembershipFilter(part, desired: desired, network: network)
            var found: Set<DeviceUUID> = []
            for node in desired.nodes where members.matches(node, in: network) {
                found.insert(node.uuid(in: network))
            }
            for node in outside where members.matches(node) { found.insert(node.uuid) }
            selected.formIntersection(found)
        }
        return selected
    }
}

/// A name with wildcards, a UUID or an address.
private struct NodePattern {
    private let glob: Glob
    private let uuid: DeviceUUID?
    private let address: String

    init(_ text: String) {
        glob = Glob(text)
        uuid = DeviceUUID(text)
        address = text.lowercased()
    }

    func matches(_ name: String, _ uuid: DeviceUUID, _ address: UnicastAddress?) -> Bool {
        glob.matches(name) || self.uuid == uuid || address?.description.lowercased() == self.address
    }
}

extension DesiredNode {
    func uuid(in network: MeshNetwork) -> DeviceUUID {
        switch origin {
        case .recorded(let position): network.nodes[position].uuid
        case .device(let order, _): order.uuid
        case .node(let node): node.uuid
        }
    }
}

extension MeshNetwork {
    /// The managed nodes that the definition does not mention, without this provisioner's own node.
    fileprivate func managedNodes(but mentioned: Set<DeviceUUID>) -> [Node] {
        nodes.filter { $0.isManaged && $0.uuid != ownProvisioner && !mentioned.contains($0.uuid) }
    }
}
