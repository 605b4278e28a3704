internal import MeshCore

/// What the definition and the database know of whom a scan hears.
struct ScanNames {
    /// What is known of a device that can be provisioned.
    enum Standing: Hashable {
        /// There is neither a definition nor a database that could know it.
        case unasked
        /// Neither knows it.
        case new
        /// The definition names it: apply provisions it.
        case defined
        /// An earlier attempt to provision it may have succeeded.
        case pending
        /// The database has it as a node at that address, so it was reset.
        case node(UnicastAddress)
    }

    private var definedNames: [DeviceUUID: String] = [:]
    private var nodes: [DeviceUUID: Node] = [:]
    private var nodesByAddress: [UnicastAddress: Node] = [:]
    private var pending: [DeviceUUID: String] = [:]
    private let names: NetworkNames?
    private let isAsked: Bool

    /// The names in a definition and a database, each as far as there is one.
    init(definition: Definition?, network: MeshNetwork?) {
        for node in definition?.nodes ?? [] { definedNames[node.uuid.value] = node.name.value }
        for node in network?.nodes ?? [] {
            nodes[node.uuid] = node
            nodesByAddress[node.unicastAddress] = node
        }
        for record in network?.pendingProvisionings ?? [] { pending[record.uuid] = record.name }
        names = network.map { NetworkNames($0) }
        isAsked = definition != nil || network != nil
    }

    /// What a device is called: by the definition first, for its name is the one that is to be.
    func name(of uuid: DeviceUUID) -> String? { definedNames[uuid] ?? nodes[uuid]?.name ?? pending[uuid] }

    /// What is known of a device that can be provisioned.
    func standing(of uuid: DeviceUUID) -> Standing {
        if let node = nodes[uuid] { return .node(node.unicastAddress) }
        if pending[uuid] != nil { return .pending }
        if definedNames[uuid] != nil { return .defined }
        return isAsked ? .new : .unasked
    }

    /// The node with a primary address.
    func node(at address: UnicastAddress) -> Node? { nodesByAddress[address] }

    /// The primary address of a node.
    func address(of uuid: DeviceUUID) -> UnicastAddress? { nodes[uuid]?.unicastAddress }

    /// What the node with a primary address is called.
    func name(at address: UnicastAddress) -> String? {
        nodesByAddress[address].map { definedNames[$0.uuid] ?? $0.name }
    }

    /// What a subnet is called.
    func name(of subnet: NetKeyIndex) -> String { names?.text(subnet) ?? "NetKey \(subnet)" }
}
