import MeshCore

/// Notes about a key refresh that is about to be carried out.
struct KeyRefreshNotes {
    private let subnet: NetKey
    private let excluded: Set<DeviceUUID>
    private let participants: Int
    private let network: MeshNetwork
    private let words: NodeWords

    init(_ subnet: NetKey, excluded: Set<DeviceUUID>, participants: Int, in network: MeshNetwork) {
        self.subnet = subnet
        self.excluded = excluded
        self.participants = participants
        self.network = network
        words = NodeWords(network)
    }

    /// The notes, one or two sentences each.
    var all: [Advice] {
        let words =
            [order, primary, otherProvisioners, leftOut].compactMap(\.self) + excludedNodes
            + [stillDeclared].compactMap(\.self)
        return words.map { Advice($0) } + resetNodes
    }

    private var order: String {
        guard participants > 0 else { return "No node of the subnet is left to be told: nothing will be sent." }
        let count = participants == 1 ? "the 1 node of the subnet" : "all \(participants) nodes of the subnet"
        let stages =
            subnet.phase == .usingNewKeys
            ? "No node forgets the old keys before \(count) send with the new ones."
            : "No node sends with the new keys before \(count) have them, and none forgets the old ones before all send "
                + "with the new ones."
        return stages + " A node that does not answer holds this up; the same command goes on from there."
    }

    private var primary: String? {
        guard subnet.index == .primary else { return nil }
        return
            "Subnet \(subnet.name) is the primary one: the messages that configure nodes go over it, and its members "
            + "decide on the IV index."
    }

    private var otherProvisioners: String? {
        let others = network.provisioners.filter { $0.uuid != network.ownProvisioner }.map(\.uuid)
        let names = network.nodes.filter { others.contains($0.uuid) && !$0.isExcluded && $0.knows(subnet.index) }
            .filter { !excluded.contains($0.uuid) }.map(\.name)
        guard !names.isEmpty else { return nil }
        return "Other provisioners get the new keys with an exported database: \(names.joined(separator: ", "))."
    }

    private var leftOut: String? {
        let count = network.nodes.count { $0.isExcluded && $0.knows(subnet.index) }
        guard count > 0 else { return nil }
        return count == 1
            ? "1 node that was excluded before is left out." : "\(count) nodes that were excluded before are left out."
    }

    /// What the user must do with the definition's lines for excluded nodes.
    private var stillDeclared: String? {
        let names = network.nodes.filter { excluded.contains($0.uuid) && $0.isManaged && !$0.isExcluded }
            .map { words.title(of: $0) }
        guard let first = names.first else { return nil }
        let advice =
            names.count == 1
            ? "\(first), remove it before the next plan, or replace its UUID with that of the new device"
            : "\(first) and \(names.count - 1) more, remove them before the next plan, or replace their UUIDs with "
                + "those of the new devices"
        return "If the definition still has \(advice): an excluded node cannot be configured."
    }

    private var excludedNodes: [String] {
        network.nodes.filter { excluded.contains($0.uuid) }.flatMap { node -> [String] in
            var notes: [String] = []
            let hasNewKey = node.netKeys.contains { $0.index == subnet.index && $0.isUpdated }
            if subnet.phase != .normal, hasNewKey {
                notes.append(
                    "\(words.title(of: node)) has got the new key already, so this refresh does not shut it out: run it once more "
                        + "when it is finished."
                )
            }
            let others = network.netKeys.filter { $0.index != subnet.index && node.knows($0.index) }.map(\.name)
            if !others.isEmpty {
                notes.append(
                    "\(words.title(of: node)) still knows \(others.count == 1 ? "subnet" : "subnets") "
                        + "\(others.joined(separator: ", ")): refresh "
                        + (others.count == 1 ? "its keys, too." : "their keys, too.")
                )
            }
            return notes
        }
    }

    private var resetNodes: [Advice] {
        let names = network.nodes.filter { node in
            node.unprovisionedSeenAt != nil && !node.isExcluded && !excluded.contains(node.uuid)
                && node.knows(subnet.index)
        }.map { words.title(of: $0) }
        guard !names.isEmpty else { return [] }
        return [
            """
            Seen unprovisioned, so they are not asked: \(names.joined(separator: ", ")). \(command: .apply) provisions \
            them again, with the keys in use then.
            """
        ]
    }
}
