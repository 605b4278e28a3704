package import MeshCore

/// A three-way merge of what two provisioners know about one network. What only one of them has changed since the base
/// is taken from that one. What both have changed differently is a conflict.
///
/// Only what the configuration database format can express is compared, so that a document of another tool removes
/// nothing. Everything else stays as in this database: ownership, times of observation, and states beyond the format.
package struct NetworkMerge {
    /// One of the two sides.
    package enum Side: String, CaseIterable, Sendable {
        /// This database.
        case ours
        case theirs
    }

    /// Something that both sides have changed differently.
    package struct Conflict: Hashable, Sendable {
        /// The item, like `node.lamp-1`.
        package var resource: String
        /// The changed field, in words.
        package var field: String
        /// This database's value; nil if it is secret or too long.
        package var ours: String?
        /// The other side's value; nil if it is secret or too long.
        package var theirs: String?
        /// Whether both sides agree and still cannot be true together, so that preferring a side does not help.
        package var isContradiction = false
    }

    /// A change of this database by the merge.
    package struct Change: Hashable, Sendable {
        /// The kinds of change.
        package enum Kind: String, Sendable {
            case added
            /// The item has another value.
            case changed
            /// The item is removed; a node's DeviceKey is kept.
            case removed
        }

        package var kind: Kind
        /// The item, like `node.lamp-1`.
        package var resource: String
        /// The changed field; nil for the whole item.
        package var field: String?
    }

    /// The merged network. Conflicts have the value of the preferred side, or else this database's value.
    package private(set) var network: MeshNetwork
    /// What neither side decides, in the order of the record.
    package private(set) var conflicts: [Conflict] = []
    /// What changes in this database, in the order of the record.
    package private(set) var changes: [Change] = []
    /// Nodes of this database whose DeviceKeys the merge replaces by those of the other side.
    var replaced: [Node] = []
    private let preferred: Side?

    /// Merges.
    ///
    /// - Parameters:
    ///   - theirs: the other side's network.
    ///   - ours: this database's network.
    ///   - base: what both sides once had in common; nil if that is unknown, so that every difference is a conflict.
    ///   - preferred: the side that wins conflicts.
    ///   - now: when removed nodes are retired.
    package init(
        of theirs: MeshNetwork,
        into ours: MeshNetwork,
        base: MeshNetwork?,
        preferring preferred: Side? = nil,
        at now: Timestamp
    ) {
        network = ours
        self.preferred = preferred
        // A side that never knew this provisioner has not removed it.
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

    /// Finds what is wrong in the merged network and not in this database, such as two nodes with one address.
    private mutating func findContradictions(beside ours: MeshNetwork, at now: Timestamp) {
        let known = Set(NetworkExamination.findings(in: ours, at: now))
        let isDangling = known.contains { $0.code == "dangling" }
        for finding in NetworkExamination.findings(in: network, at: now) where !known.contains(finding) {
            // Two items with one name, and references to removed items, cause no errors on air, but nobody wants them.
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

    /// Picks a list whose order does not matter: it contains the additions and lacks the removals of both sides.
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

    /// Records a change of this database.
    mutating func note(_ kind: Change.Kind, _ resource: String, _ field: String) {
        changes.append(Change(kind: kind, resource: resource, field: field))
    }

    /// Merges items that have an identity which never changes.
    private mutating func keyed<Item: Mergeable>(
        _ base: [Item]?,
        _ ours: [Item],
        _ theirs: [Item],
        _ kind: String,
        merge: (Item?, Item, Item, inout NetworkMerge) -> Item
    ) -> [Item] {
        let before = Dictionary(firstOf: (base ?? []).map { ($0.identity, $0) })
        let their = Dictionary(firstOf: theirs.map { ($0.identity, $0) })
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

/// An item that a merge compares.
protocol Mergeable: Equatable {
    associatedtype Identity: Hashable & Comparable
    /// Identifies the item; it never changes.
    var identity: Identity { get }
    var mergeName: String { get }
    /// The item without what only this database knows.
    var shared: Self { get }
}

extension MeshNetwork {
    /// Addresses that the other side has excluded stay excluded.
    fileprivate mutating func exclude(_ exclusion: NetworkExclusion) {
        if let index = exclusions.firstIndex(where: { $0.ivIndex == exclusion.ivIndex }) {
            exclusions[index].addresses = Set(exclusions[index].addresses).union(exclusion.addresses).sorted()
        } else {
            exclusions.append(exclusion)
            exclusions.sort { $0.ivIndex < $1.ivIndex }
        }
    }
}
