import MeshCore
import Planning

/// A part of the mesh database that commands can name.
struct StateResource: Hashable {
    /// The kind of a resource.
    enum Kind: String, CaseIterable {
        case subnet
        case key
        case group
        case node
    }

    var kind: Kind
    var name: String
    /// Its identity on air: the index of a key, the address of a group, or the UUID of a node.
    var identity: String
    /// Its place in the network.
    var reference: Reference

    /// The place of a resource in the network.
    enum Reference: Hashable {
        /// A subnet, application key or group.
        case resource(NetworkResource)
        case node(DeviceUUID)
    }

    /// The form that commands take: `kind.name`.
    var address: String { "\(kind.rawValue).\(name)" }

    /// All resources of a network, in the order of indexes and addresses.
    static func all(of network: MeshNetwork) -> [StateResource] {
        network.netKeys.map {
            StateResource(.subnet, $0.name, $0.index.description, .resource(.netKey($0.index)))
        }
            + network.appKeys.map {
                StateResource(.key, $0.name, $0.index.description, .resource(.appKey($0.index)))
            }
            + network.groups.map {
                StateResource(.group, $0.name, $0.address.description, .resource(.group($0.address)))
            }
            + network.nodes.map { StateResource(.node, $0.name, $0.uuid.description, .node($0.uuid)) }
    }

    private init(_ kind: Kind, _ name: String, _ identity: String, _ reference: Reference) {
        self.kind = kind
        self.name = name
        self.identity = identity
        self.reference = reference
    }

    /// The resource that a command line names.
    ///
    /// - Throws: ``Failure`` if no resource matches, or more than one.
    static func find(
        _ address: String,
        in network: MeshNetwork,
        named networkName: String
    ) throws(Failure) -> StateResource {
        var found = all(of: network).filter { $0.address == address || "\($0.kind.rawValue).\($0.identity)" == address }
        let prefix = "\(Kind.node.rawValue)."
        if address.hasPrefix(prefix) {
            switch NodeLookup.find(String(address.dropFirst(prefix.count)), in: network, for: .changing) {
            case .nobody: break
            case .one(let node, _):
                if found.isEmpty { found = all(of: network).filter { $0.reference == .node(node.uuid) } }
            case .several(let nodes): throw NodeFinder.ambiguity(of: address, nodes)
            }
        }
        guard let only = found.first else {
            throw Failure(
                .usage,
                "there is no `\(address)` in the network `\(networkName)`",
                hint: "Use subnet.NAME, key.NAME, group.NAME or node.NAME; meshplan state list lists them."
            )
        }
        guard found.count == 1 else {
            throw Failure(
                .usage,
                "\(found.count) resources are named `\(address)`",
                hint: "Use one of: " + found.map { "\($0.kind.rawValue).\($0.identity)" }.joined(separator: ", ") + "."
            )
        }
        return only
    }
}
