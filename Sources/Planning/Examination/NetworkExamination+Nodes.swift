import MeshCore

// What nodes have and refer to, and what is unfinished about them.

extension NetworkExamination {
    /// A node that was not read back for so many seconds may have changed.
    static var oldAge: Int64 { 90 * 86_400 }

    mutating func examineNodes() {
        var missing: [String: [String]] = [:]
        var withoutDeviceKey: [String] = []
        var fillers: [String] = []
        var unread: [String] = []
        var deviceKeys: [KeyMaterial: String] = [:]
        var held: Set<UInt16> = []
        for node in network.nodes { held.formUnion(node.addresses) }
        for node in network.nodes {
            let isOwn = node.uuid == network.ownProvisioner
            let isProvisioner = network.provisioners.contains { $0.uuid == node.uuid }
            if node.deviceKey == nil, node.isManaged || !isProvisioner { withoutDeviceKey.append(node.name) }
            if node.deviceKey?.isFiller == true {
                fillers.append(node.name)
            } else if let key = node.deviceKey, let first = deviceKeys.updateValue(node.name, forKey: key) {
                add(
                    .error,
                    "same-device-key",
                    about: "node.\(node.name)",
                    "\(first) and \(node.name) have the same device key",
                    advice: "One of them is recorded wrongly, or was copied: reset it and provision it again."
                )
            }
            if node.isManaged, !node.isCompositionKnown, !isOwn, !node.isExcluded { unread.append(node.name) }
            // The record of a node that was excluded or is no longer a node is outdated, as expected.
            guard !node.isExcluded, node.unprovisionedSeenAt == nil else { continue }
            for what in dangling(node, held) { missing[what, default: []].append(node.name) }
        }
        add(
            .error,
            "no-device-key",
            nodes: withoutDeviceKey,
            "without a device key in the database, so that nothing can be configured",
            advice: "Import them from the tool that provisioned them, or reset and provision them again."
        )
        add(
            .error,
            "filler-device-key",
            nodes: fillers,
            "with a device key of all zeros or all ones, which is none: they will not answer",
            advice: "Import their keys from the tool that provisioned them, or reset and provision them again."
        )
        add(
            .note,
            "composition-unknown",
            nodes: unread,
            "the composition was not read yet",
            advice: "\(command: .apply) reads it."
        )
        examineAuthentication()
        for (what, names) in missing.sorted(by: { $0.key < $1.key }) {
            add(
                .warning,
                "dangling",
                nodes: names,
                what,
                advice:
                    "\(command: .readBack()) tells what the nodes really have; the definition then says what they should."
            )
        }
    }

    /// What nodes and devices have proved, and which static values others may know.
    private mutating func examineAuthentication() {
        let nodes = Dictionary(network.nodes.map { ($0.uuid, $0) }) { first, _ in first }
        add(
            .note,
            "claimed-only",
            nodes: network.nodes.filter { $0.authentication?.assurance == .claimed }.map(\.name),
            "only claimed to be who they are: another device can answer as they did",
            advice: "What-is-safe in the manual says what that is worth, and what proves more."
        )
        let open = network.deviceMemories.values.filter { !$0.usedValues.isEmpty && nodes[$0.uuid] == nil }
        add(
            .warning,
            "value-given-away",
            nodes: open.map(\.uuid).sorted().map { uuid in
                network.pendingProvisioning(of: uuid)?.name ?? uuid.description
            },
            "whose static value was given away in a session that made no node",
            advice: """
                Get a new value from the maker, or the device's public key. Where the definition does not say \
                `require: authenticated`, \(command: .applyAgain) offers the value once more: then whoever answered can \
                pass for the device.
                """
        )
    }

    /// What a node refers to that does not exist, each once.
    private func dangling(_ node: Node, _ held: Set<UInt16>) -> Set<String> {
        var found: Set<String> = []
        for key in node.netKeys where !netKeyIndexes.contains(key.index) {
            found.insert("with NetKey \(key.index), which the database does not know")
        }
        for key in node.appKeys {
            guard let bound = appKeyBindings[key.index] else {
                found.insert("with AppKey \(key.index), which the database does not know")
                continue
            }
            if !node.knows(bound) {
                found.insert("with AppKey \(key.index) but without NetKey \(bound), to which it is bound")
            }
        }
        for element in node.elements {
            for model in element.models {
                for key in model.bindings where !node.knows(key) {
                    found.insert("with models bound to AppKey \(key), which the node does not have")
                }
                for address in model.subscriptions where !groupAddresses.contains(address) {
                    if case .group(let group) = address, !GroupAddress.assignable.contains(group.rawValue) { continue }
                    found.insert("with subscriptions to \(address), which is no group of the database")
                }
                guard let publication = model.publication else { continue }
                if !model.bindings.contains(publication.appKeyIndex) {
                    found.insert(
                        "with a publication under AppKey \(publication.appKeyIndex), to which the model is not bound"
                    )
                }
                switch publication.address {
                case .unicast(let unicast) where !held.contains(unicast.rawValue):
                    found.insert("with a publication to \(unicast), which no node has")
                case .group(let group)
                where GroupAddress.assignable.contains(group.rawValue) && !groupAddresses.contains(.group(group)):
                    found.insert("with a publication to \(group), which is no group of the database")
                case .virtual(let label) where !groupAddresses.contains(.virtual(label)):
                    found.insert("with a publication to \(label), which is no group of the database")
                default: break
                }
            }
        }
        return found
    }

    /// Checks for operations that were begun and not ended, and for old records.
    mutating func examineRecords() {
        add(
            .warning,
            "provisioning-open",
            nodes: network.pendingProvisionings.map(\.name),
            "unknown whether they were provisioned",
            advice: "\(command: .apply) finds out when it reaches them."
        )
        add(
            .warning,
            "refresh-open",
            nodes: network.nodes.filter { network.pendingReprovisions[$0.uuid] != nil }.map(\.name),
            "unknown whether the new device key or address took effect",
            advice: "\(command: .apply) or \(command: .reprovision) finds out when it reaches them."
        )
        add(
            .note,
            "drift",
            nodes: network.nodes.filter { network.drifts[$0.uuid] != nil }.map(\.name),
            "not as recorded",
            advice: "\(command: .showDrift) shows it, \(command: .apply) puts back what is declared."
        )
        let excluded = network.nodes.filter { node in
            node.isExcluded && node.netKeys.contains { netKeyIndexes.contains($0.index) }
        }
        add(
            .warning,
            "excluded-with-keys",
            nodes: excluded.map(\.name),
            "excluded, but with keys of the network",
            advice: "\(command: .refreshKeys()) gives all others new keys."
        )
        let reset = network.nodes.filter { $0.unprovisionedSeenAt != nil }
        add(
            .warning,
            "seen-unprovisioned",
            nodes: reset.map(\.name),
            "seen unprovisioned: reset by somebody",
            advice: "\(command: .apply) provisions them again; without their lines in the definition it forgets them."
        )
        let old = network.nodes.filter { node in
            guard node.isManaged, node.uuid != network.ownProvisioner, let last = node.observedAt else { return false }
            let (age, overflow) = now.rawValue.subtractingReportingOverflow(last.rawValue)
            return !overflow && age > Self.oldAge
        }
        add(
            .note,
            "not-seen",
            nodes: old.map(\.name),
            "not heard for 90 days or more",
            advice: "\(command: .readBack(notSeenForDays: 90)) asks them."
        )
    }
}
