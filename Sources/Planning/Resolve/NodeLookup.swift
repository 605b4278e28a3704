package import MeshCore

/// Finds the node that people mean by a name, a UUID or an address; the same rule for all commands.
///
/// Two nodes have one name if a device was replaced: the definition has a new UUID, and the old node is forgotten or
/// excluded. A command that only shows or asks uses the managed node, and mentions the other one. A command that
/// changes membership or records uses neither, and lists both.
package enum NodeLookup {
    /// The purpose of a lookup.
    package enum Use: Sendable {
        /// To show or ask the node.
        case looking
        /// To change, exclude or remove the node.
        case changing
    }

    /// A node of the database, or a device that may have become one.
    package struct Candidate: Hashable, Sendable {
        package var name: String
        package var uuid: DeviceUUID
        package var addresses: ClosedRange<UInt16>
        /// What distinguishes it from others with its name: `managed`, `excluded` …
        package var state: String
        /// Whether the definition contains it, as far as the database knows.
        package var isManaged: Bool

        /// The address of its primary element.
        package var address: String { Address(rawValue: addresses.lowerBound).description }

        /// Its text in a list of nodes with the same name: `0x0011 (excluded, UUID …)`.
        package var text: String { "\(address) (\(state), UUID \(uuid))" }
    }

    /// The result of a lookup.
    package enum Found: Sendable {
        case nobody
        /// This node; others with the same name are not meant.
        case one(Candidate, namesakes: [Candidate])
        /// Several nodes, without a way to tell which is meant.
        case several([Candidate])
    }

    /// Finds the node for a text. A name comes before a UUID, and a UUID before an address.
    ///
    /// - Parameter hasPending: whether to find devices that may have become nodes, too.
    package static func find(
        _ text: String,
        in network: MeshNetwork,
        for use: Use,
        hasPending: Bool = false
    ) -> Found {
        let candidates =
            network.nodes.indices.lazy.map { Candidate(network.nodes[$0]) }
            + (hasPending ? network.pendingProvisionings : []).map { Candidate($0) }
        let named = candidates.filter { $0.name == text }
        if named.count > 1 { return choose(among: Array(named), for: use) }
        if let only = named.first { return .one(only, namesakes: []) }
        if let uuid = DeviceUUID(text) {
            return candidates.first { $0.uuid == uuid }.map { .one($0, namesakes: []) } ?? .nobody
        }
        guard text.lowercased().hasPrefix("0x"), let address = UInt16(text.dropFirst(2), radix: 16) else {
            return .nobody
        }
        let addressed = candidates.filter { $0.addresses.contains(address) }
        if addressed.count > 1 { return choose(among: Array(addressed), for: use) }
        return addressed.first.map { .one($0, namesakes: []) } ?? .nobody
    }

    private static func choose(among candidates: [Candidate], for use: Use) -> Found {
        let managed = candidates.filter(\.isManaged)
        guard use == .looking, managed.count == 1, let only = managed.first else { return .several(candidates) }
        return .one(only, namesakes: candidates.filter { $0.uuid != only.uuid })
    }
}

extension NodeLookup.Candidate {
    init(_ node: Node) {
        name = node.name
        uuid = node.uuid
        addresses = node.addresses
        isManaged = node.isManaged && !node.isExcluded
        state =
            node.isExcluded
            ? "excluded"
            : node.unprovisionedSeenAt != nil ? "was reset" : node.isManaged ? "managed" : "not managed"
    }

    fileprivate init(_ pending: PendingProvisioning) {
        name = pending.name
        uuid = pending.uuid
        addresses = pending.addresses
        isManaged = false
        state = "may have become a node"
    }
}

/// The text by which a command names exactly one node: its name, or its address if others have the name.
struct NodeWords {
    private var counts: [String: Int] = [:]

    /// The words for the nodes of a network.
    ///
    /// - Parameter devices: the names of devices that a plan provisions, in addition to the nodes.
    init(_ network: MeshNetwork, devices: [String] = []) {
        for index in network.nodes.indices { counts[network.nodes[index].name, default: 0] += 1 }
        for pending in network.pendingProvisionings { counts[pending.name, default: 0] += 1 }
        for name in devices { counts[name, default: 0] += 1 }
    }

    /// The text for a command.
    func word(for node: Node) -> String {
        isUnique(node.name) ? node.name : node.unicastAddress.description
    }

    /// The text for people: the name, with the address if others have the name, too.
    func title(of node: Node) -> String {
        isUnique(node.name) ? node.name : "\(node.name) (\(node.unicastAddress))"
    }

    private func isUnique(_ name: String) -> Bool { (counts[name] ?? 0) < 2 }
}
