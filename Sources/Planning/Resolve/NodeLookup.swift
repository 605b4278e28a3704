package import MeshCore

/// Finds the node that people mean by a name, a UUID or an address; one rule for all commands.
///
/// Two nodes have one name where a device was replaced: the line of the definition has a new UUID, and the old node is
/// forgotten or excluded. A command that only looks or asks takes the one that is managed then, and says that there is
/// another one. A command that changes who belongs to the network, or what is recorded, takes neither and lists both.
package enum NodeLookup {
    /// What a node is looked for.
    package enum Use: Sendable {
        /// To be shown or asked.
        case looking
        /// To be changed, left out or taken out.
        case changing
    }

    /// A node of the database, or a device that may have become one.
    package struct Candidate: Hashable, Sendable {
        /// Its name in the database.
        package var name: String
        /// Its identity.
        package var uuid: DeviceUUID
        /// The addresses of its elements.
        package var addresses: ClosedRange<UInt16>
        /// What sets it apart from others of its name: `managed`, `excluded` …
        package var state: String
        /// Whether it is one that the definition has, as far as the database tells.
        package var isManaged: Bool

        /// The address of its primary element.
        package var address: String { Address(rawValue: addresses.lowerBound).description }

        /// How it is listed beside others of its name: `0x0011 (excluded, UUID …)`.
        package var text: String { "\(address) (\(state), UUID \(uuid))" }
    }

    /// Whom a text means.
    package enum Found: Sendable {
        /// Nobody.
        case nobody
        /// This one; others of the same name are not meant.
        case one(Candidate, namesakes: [Candidate])
        /// Several, of which nobody can tell which is meant.
        case several([Candidate])
    }

    /// Finds whom a text means: a name counts before a UUID, and that before an address.
    ///
    /// - Parameter hasPending: Whether devices that may have become nodes can be meant, too.
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

/// What to type so that a command means one node and no other: its name, or its address where others have the name.
struct NodeWords {
    private var counts: [String: Int] = [:]

    /// The words for the nodes of a network.
    ///
    /// - Parameter devices: the names of devices that a plan makes nodes beside those that there are.
    init(_ network: MeshNetwork, devices: [String] = []) {
        for place in network.nodes.indices { counts[network.nodes[place].name, default: 0] += 1 }
        for pending in network.pendingProvisionings { counts[pending.name, default: 0] += 1 }
        for name in devices { counts[name, default: 0] += 1 }
    }

    /// What a command takes.
    func word(for node: Node) -> String {
        isUnique(node.name) ? node.name : node.unicastAddress.description
    }

    /// What people read: the name, with the address where others have it, too.
    func title(of node: Node) -> String {
        isUnique(node.name) ? node.name : "\(node.name) (\(node.unicastAddress))"
    }

    private func isUnique(_ name: String) -> Bool { (counts[name] ?? 0) < 2 }
}
