import MeshCore

/// Puts a network together from its rows, in any order.
struct SnapshotBuilder {
    private var network: MeshNetwork?
    private var nodes: [Node] = []
    private var pending: [PendingProvisioning] = []
    private var reprovisions: [DeviceUUID: PendingReprovision] = [:]
    private var retired: [(key: [UInt8], node: RetiredNode)] = []
    private var drifts: [DeviceUUID: NodeDrift] = [:]
    private var memories: [DeviceUUID: DeviceMemory] = [:]
    private var capacities: [ListCapacity] = []
    private var listSharings: [ListSharing] = []

    /// Takes a row of the state. Other rows, and what imports brought along, are ignored.
    mutating func add(_ name: RowName, _ bytes: [UInt8]) throws(DecodeError) {
        switch name.kind {
        case .network: network = try NetworkCodec.decode(bytes)
        case .node: nodes.append(try NodeCodec.decode(bytes))
        case .pendingProvisioning: pending.append(try PendingProvisioningCodec.decode(bytes))
        case .pendingReprovision:
            let reprovision = try PendingReprovisionCodec.decode(bytes)
            reprovisions[reprovision.uuid] = reprovision
        case .retiredNode: retired.append((name.key, try RetiredNodeCodec.decode(bytes)))
        case .drift:
            let drift = try NodeDriftCodec.decode(bytes)
            drifts[drift.recorded.uuid] = drift
        case .deviceMemory:
            let memory = try DeviceMemoryCodec.decode(bytes)
            memories[memory.uuid] = memory
        case .capacities: capacities = try CapacityCodec.decode(bytes)
        case .listSharings: listSharings = try ListSharingCodec.decode(bytes)
        default: break
        }
    }

    /// The network; nil if its own row was missing.
    func finished() -> MeshNetwork? {
        guard var network else { return nil }
        network.nodes = nodes.sorted { ($0.unicastAddress, $0.uuid) < ($1.unicastAddress, $1.uuid) }
        network.pendingProvisionings = pending.sorted { $0.uuid < $1.uuid }
        network.pendingReprovisions = reprovisions
        network.retiredNodes = retired.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.node)
        network.drifts = drifts
        network.deviceMemories = memories
        network.capacities = capacities
        network.listSharings = listSharings
        return network
    }
}
