import DefinitionModel
import MeshCore

/// What the definition and the database know about nodes and devices that a scan hears.
struct ScanNames {
    /// What is known about a device that can be provisioned.
    enum Standing: Hashable {
        /// Unknown, because there is neither a definition nor a database.
        case unasked
        /// Neither the definition nor the database knows it.
        case new
        /// The definition names it, so that `apply` will provision it.
        case defined
        /// An earlier attempt to provision it may have succeeded.
        case pending
        /// The database has it as a node at that address, so it must have been reset.
        case node(UnicastAddress)
    }

    private var definedNames: [DeviceUUID: String] = [:]
    private var nodes: [DeviceUUID: Node] = [:]
    private var nodesByAddress: [UnicastAddress: Node] = [:]
    private var pending: [DeviceUUID: String] = [:]
    private let names: NetworkNames?
    private let isAsked: Bool

    /// Collects names from a definition and a database; each may be missing.
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

    /// The name of a device. The definition comes first, since it has the name for the future.
    func name(of uuid: DeviceUUID) -> String? { definedNames[uuid] ?? nodes[uuid]?.name ?? pending[uuid] }

    /// What is known about a device that can be provisioned.
    func standing(of uuid: DeviceUUID) -> Standing {
        if let node = nodes[uuid] { return .node(node.unicastAddress) }
        if pending[uuid] != nil { return .pending }
        if definedNames[uuid] != nil { return .defined }
        return isAsked ? .new : .unasked
    }

    func node(at address: UnicastAddress) -> Node? { nodesByAddress[address] }

    func address(of uuid: DeviceUUID) -> UnicastAddress? { nodes[uuid]?.unicastAddress }

    func name(at address: UnicastAddress) -> String? {
        nodesByAddress[address].map { definedNames[$0.uuid] ?? $0.name }
    }

    func name(of subnet: NetKeyIndex) -> String { names?.text(subnet) ?? "NetKey \(subnet)" }
}
