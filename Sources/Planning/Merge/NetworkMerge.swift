package import MeshCore

/// Brings together what two provisioners know of one network, three-way: what only one of them has changed since the base
/// is taken from that one, and what both have changed otherwise is a conflict.
///
/// Of their state only what the configuration database format can express is looked at, so that a document of another tool
/// takes nothing away; what it cannot – ownership, what was observed when, states beyond it – stays ours.
package struct NetworkMerge {
    /// One of the two.
    package enum Side: String, CaseIterable, Sendable {
        /// Our database.
        case ours
        /// What is merged into it.
        case theirs
    }

    /// What both have changed otherwise.
    package struct Conflict: Hashable, Sendable {
        /// What it is about, like `node.lamp-1`.
        package var resource: String
        /// What of it, in words.
        package var field: String
        /// What we have, nil if it is secret or takes too much room.
        package var ours: String?
        /// What they have, likewise.
        package var theirs: String?
        /// Whether both sides agree and yet cannot hold together, so that neither side's word settles it.
        package var isContradiction = false
    }

    /// What the merge brings into our database.
    package struct Change: Hashable, Sendable {
        /// How.
        package enum Kind: String, Sendable {
            /// It was not there.
            case added
            /// It is otherwise.
            case changed
            /// It goes; a node's DeviceKey is kept.
            case removed
        }

        /// How.
        package var kind: Kind
        /// What it is about, like `node.lamp-1`.
        package var resource: String
        /// What of it, nil for all.
        package var field: String?
    }

    /// The network as both together know it; where there are conflicts as the preferred side has it, or else as we do.
    package private(set) var network: MeshNetwork
    /// What neither side settles, in the order of the record.
    package private(set) var conflicts: [Conflict] = []
    /// What is otherwise than before in our database, in the order of the record.
    package private(set) var changes: [Change] = []
    /// Nodes of ours under the DeviceKeys that the merge takes from them.
    var replaced: [Node] = []
    private let preferred: Side?

    /// Merges.
    ///
    /// - Parameters:
    ///   - theirs: what the other one knows.
    ///   - ours: what our database knows.
    ///   - base: what both knew once; nil if nobody remembers, and then everything that differs is a conflict.
    ///   - preferred: whose word counts in conflicts.
    ///   - now: when nodes that go are retired.
    package init(
        of theirs: MeshNetwork,
        into ours: MeshNetwork,
        base: MeshNetwork?,
        preferring preferred: Side? = nil,
        at now: Timestamp
    ) {
        network = ours
        self.preferred = preferred
        // Whoever has never heard of our provisioner has not removed it.
        var base = base
        base?.provisioners.removeAll { $0.uuid == ours.ownProvisioner }
        base?.nodes.removeAll { $0.uuid == ours.ownProvisioner }
        network.name = pick("name", of: "network", base?.name, ours.name, theirs.name) { $0 }
        network.netKeys = keyed(base?.netKeys, ours.netKeys, theirs.netKeys, "subnet") { base, our, their, merge in
            merge.netKey(base, our, their)
        }
        network.appKeys = keyed(base?.appKeys, ours.appKeys, theirs.appKeys, "key") { base, our, their, merge in
            merge.appKey(base, our, their)
        }
        network.groups = keyed(base?.groups, ours.groups, theirs.groups, "group") { base, our, their, merge in
            merge.group(base, our, their)
        }
        network.provisioners = keyed(base?.provisioners, ours.provisioners, theirs.provisioners, "provisioner") {
            base,
            our,
            their,
            merge in
            merge.provisioner(base, our, their)
        }
        network.scenes = keyed(base?.scenes, ours.scenes, theirs.scenes, "scene") { base, our, their, merge in
            merge.scene(base, our, their)
        }
        let nodes = keyed(base?.nodes, ours.nodes, theirs.nodes, "node") { base, our, their, merge in
            merge.node(base, our, their)
        }
        let kept = Set(nodes.map(\.uuid))
        for node in ours.nodes where !kept.contains(node.uuid) { network.retire(node.uuid, reason: .excluded, at: now) }
        network.nodes = nodes.sorted { ($0.unicastAddress, $0.uuid) < ($1.unicastAddress, $1.uuid) }
        let held = Set(network.nodes.flatMap(\.addresses))
        for node in replaced {
            network.retiredNodes.append(RetiredNode(node: node, reason: .replaced, retiredAt: now))
            network.exclude(node.addresses.filter { !held.contains($0) })
        }
        for exclusion in theirs.exclusions {
            let before = network.exclusions
            network.exclude(exclusion)
            if network.exclusions != before { note(.changed, "network", "excluded addresses") }
        }
        findContradictions(beside: ours, at: now)
    }

    /// What would be wrong of the merged network and is not of ours: two nodes with one address, say.
    private mutating func findContradictions(beside ours: MeshNetwork, at now: Timestamp) {
        let known = Set(NetworkExamination.findings(in: ours, at: now))
        let isDangling = known.contains { $0.code == "dangling" }
        for finding in NetworkExamination.findings(in: network, at: now) where !known.contains(finding) {
            // Two of one name, and references to what the merge takes away, are no errors on air, but nobody wants them.
            let isUnwanted = finding.code.hasSuffix("name-twice") || (finding.code == "dangling" && !isDangling)
            guard finding.severity == .error || isUnwanted else { continue }
            conflicts.append(
                Conflict(
                    resource: finding.resource ?? "network",
                    field: finding.message,
                    ours: nil,
                    theirs: nil,
                    isContradiction: true
                )
            )
        }
    }

    // MARK: What all kinds of resources have in common

    /// A value of a resource that is in both.
    mutating func pick<Value: Equatable>(
        _ field: String,
        of resource: String,
        _ base: Value?,
        _ ours: Value,
        _ theirs: Value,
        text: (Value) -> String? = { _ in nil }
    ) -> Value {
        if ours == theirs || base == theirs { return ours }
        if base != ours {
            conflicts.append(Conflict(resource: resource, field: field, ours: text(ours), theirs: text(theirs)))
            if preferred != .theirs { return ours }
        }
        changes.append(Change(kind: .changed, resource: resource, field: field))
        return theirs
    }

    /// A list in which the order does not matter: additions and removals of both sides hold.
    mutating func pick<Value: Hashable & Comparable>(
        list field: String,
        of resource: String,
        _ base: [Value]?,
        _ ours: [Value],
        _ theirs: [Value]
    ) -> [Value] {
        guard ours != theirs else { return ours }
        guard let base else { return pick(field, of: resource, nil, ours, theirs) }
        let (before, our, their) = (Set(base), Set(ours), Set(theirs))
        let merged = our.union(their).subtracting(before.subtracting(our)).subtracting(before.subtracting(their))
        if merged != our { changes.append(Change(kind: .changed, resource: resource, field: field)) }
        return merged == our ? ours : merged.sorted()
    }

    /// Takes note of something that they know and we did not.
    mutating func note(_ kind: Change.Kind, _ resource: String, _ field: String) {
        changes.append(Change(kind: kind, resource: resource, field: field))
    }

    /// Resources that are known by something that never changes.
    private mutating func keyed<Item: Mergeable>(
        _ base: [Item]?,
        _ ours: [Item],
        _ theirs: [Item],
        _ kind: String,
        merge: (Item?, Item, Item, inout NetworkMerge) -> Item
    ) -> [Item] {
        let before = Dictionary((base ?? []).map { ($0.identity, $0) }, uniquingKeysWith: { first, _ in first })
        let their = Dictionary(theirs.map { ($0.identity, $0) }, uniquingKeysWith: { first, _ in first })
        var merged: [Item] = []
        for item in ours {
            let (old, other) = (before[item.identity], their[item.identity])
            let resource = "\(kind).\(item.mergeName)"
            if let other {
                merged.append(merge(old, item, other, &self))
            } else if let old {
                let isChanged = old.shared != item.shared
                if isChanged {
                    conflicts.append(
                        Conflict(resource: resource, field: "is there", ours: "changed", theirs: "removed")
                    )
                }
                if isChanged && preferred != .theirs {
                    merged.append(item)
                } else {
                    changes.append(Change(kind: .removed, resource: resource, field: nil))
                }
            } else {
                merged.append(item)
            }
        }
        let our = Set(ours.map(\.identity))
        for item in theirs where !our.contains(item.identity) {
            let resource = "\(kind).\(item.mergeName)"
            if let old = before[item.identity] {
                guard old.shared != item.shared else { continue }
                conflicts.append(Conflict(resource: resource, field: "is there", ours: "removed", theirs: "changed"))
                guard preferred == .theirs else { continue }
            }
            changes.append(Change(kind: .added, resource: resource, field: nil))
            merged.append(item.shared)
        }
        return merged.sorted { $0.identity < $1.identity }
    }
}

/// What a merge compares item by item.
protocol Mergeable: Equatable {
    associatedtype Identity: Hashable & Comparable
    /// What it is known by; never changes.
    var identity: Identity { get }
    /// What it is called.
    var mergeName: String { get }
    /// It without what only our database knows.
    var shared: Self { get }
}

extension MeshNetwork {
    /// Addresses that another one has excluded stay excluded.
    fileprivate mutating func exclude(_ exclusion: NetworkExclusion) {
        if let place = exclusions.firstIndex(where: { $0.ivIndex == exclusion.ivIndex }) {
            exclusions[place].addresses = Set(exclusions[place].addresses).union(exclusion.addresses).sorted()
        } else {
            exclusions.append(exclusion)
            exclusions.sort { $0.ivIndex < $1.ivIndex }
        }
    }
}
