import DefinitionModel
import MeshCore

// Keys and groups of the network itself.

extension NetworkExamination {
    mutating func examineKeys() {
        if !netKeyIndexes.contains(.primary) {
            add(
                .error,
                "no-primary-subnet",
                "there is no primary subnet (NetKey index 0)",
                advice: "IV updates reach only its nodes; the primary NetKey must be imported again."
            )
        }
        repeated(network.netKeys.map { ($0.index.description, $0.name) }, "net-key-twice", "NetKey index")
        repeated(network.appKeys.map { ($0.index.description, $0.name) }, "app-key-twice", "AppKey index")
        sameValue(network.netKeys.map { ($0.key, "subnet.\($0.name)") })
        sameValue(network.appKeys.map { ($0.key, "key.\($0.name)") })
        for (key, name) in network.netKeys.map({ ($0.key, "subnet.\($0.name)") })
            + network.appKeys.map({ ($0.key, "key.\($0.name)") })
        where key.isFiller {
            add(
                .error,
                "filler-key",
                about: name,
                "\(name) is all zeros or all ones, which is no secret and hardly the key that nodes have",
                advice: "Import it from the tool that made it, or refresh it with \(command: .refreshKeys())."
            )
        }
        for key in network.appKeys where !netKeyIndexes.contains(key.boundNetKey) {
            add(
                .error,
                "key-without-subnet",
                about: "key.\(key.name)",
                "the application key \(key.name) is bound to subnet \(key.boundNetKey), which does not exist",
                advice: "\(command: .remove(resource: "key.\(key.name)")), and let the definition make a new one."
            )
        }
        for key in network.netKeys {
            if (key.phase != .normal) != (key.oldKey != nil) {
                add(
                    .error,
                    "phase-without-key",
                    about: "subnet.\(key.name)",
                    "the key refresh of subnet \(key.name) is in phase \(key.phase.rawValue), "
                        + (key.oldKey == nil ? "but the old key is missing" : "but an old key is there"),
                    advice: "Import the network from the tool that refreshes the key."
                )
            } else if key.phase != .normal {
                add(
                    .warning,
                    "key-refresh-open",
                    about: "subnet.\(key.name)",
                    "the key refresh of subnet \(key.name) is in phase \(key.phase.rawValue)",
                    advice: "Go on with \(command: .refreshKeys(subnet: key.name))."
                )
            }
        }
    }

    mutating func examineGroups() {
        repeated(network.groups.map { ($0.address.description, $0.name) }, "group-twice", "group address")
        for group in network.groups {
            if let parent = group.parent, !groupAddresses.contains(parent) {
                add(
                    .warning,
                    "group-without-parent",
                    about: "group.\(group.name)",
                    "the group \(group.name) lies in \(parent), which does not exist",
                    advice: "Name its parent in the definition, or leave it out there and apply."
                )
            }
            if case .group(let address) = group.address, !GroupAddress.assignable.contains(address.rawValue) {
                add(
                    .error,
                    "group-fixed",
                    about: "group.\(group.name)",
                    "the group \(group.name) has the fixed address \(address)",
                    advice: "Fixed groups need no name; \(command: .remove(resource: "group.\(group.name)"))."
                )
            }
        }
    }

    /// Checks the names, by which definitions and commands refer to items.
    mutating func examineNames() {
        examineNodeNames()
        repeated(network.netKeys.map { ($0.name, $0.index.description) }, "subnet-name-twice", "subnet name", .warning)
        repeated(network.appKeys.map { ($0.name, $0.index.description) }, "key-name-twice", "key name", .warning)
        repeated(network.groups.map { ($0.name, $0.address.description) }, "group-name-twice", "group name", .warning)
        repeated(network.nodes.map { ($0.uuid.description, $0.name) }, "node-twice", "device UUID")
    }

    /// Two nodes with the same name give a warning, with two exceptions for replaced nodes: an excluded node gives
    /// nothing, and an unmanaged node beside the managed one gives a note.
    private mutating func examineNodeNames() {
        var holders: [String: Node] = [:]
        for node in network.nodes where !node.isExcluded {
            guard let first = holders[node.name] else {
                holders[node.name] = node
                continue
            }
            guard first.isManaged != node.isManaged else {
                repeated(
                    [first, node].map { ($0.name, $0.uuid.description) },
                    "node-name-twice",
                    "node name",
                    .warning
                )
                continue
            }
            let (managed, other) = first.isManaged ? (first, node) : (node, first)
            holders[node.name] = managed
            add(
                .note,
                "node-name-twice",
                about: "node.\(other.uuid)",
                "\(other.unicastAddress), which is not managed, has the name of the node \(managed.name) at "
                    + "\(managed.unicastAddress)",
                advice:
                    """
                    If it was replaced: \(command: .refreshKeys(excluding: ["\(other.unicastAddress)"])) shuts it out, and \
                    \(command: .remove(resource: "node.\(other.uuid)")) takes out one that is gone for good.
                    """
            )
        }
    }

    private mutating func repeated(
        _ items: [(value: String, holder: String)],
        _ code: String,
        _ what: String,
        _ severity: ExaminationFinding.Severity = .error
    ) {
        var holders: [String: String] = [:]
        for item in items {
            guard let first = holders.updateValue(item.holder, forKey: item.value) else { continue }
            add(
                severity,
                code,
                "\(first) and \(item.holder) have the \(what) \(item.value)",
                advice: severity == .error
                    ? "One of them must go: \(command: .remove()) takes it by its address, index or UUID."
                    : "Give one of them another name: \(command: .rename) takes it by its address, index or UUID."
            )
        }
    }

    private mutating func sameValue(_ keys: [(key: KeyMaterial, name: String)]) {
        var holders: [KeyMaterial: String] = [:]
        for (key, name) in keys {
            guard let first = holders.updateValue(name, forKey: key) else { continue }
            add(
                .error,
                "same-key",
                about: name,
                "\(first) and \(name) have the same key",
                advice: """
                    Anyone with one key can read the messages under the other; refresh one of them with \
                    \(command: .refreshKeys()).
                    """
            )
        }
    }
}
