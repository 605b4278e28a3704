package import MeshCore

/// What a simulated world keeps between runs. Holds secrets.
package struct SimulatorState: Hashable, Sendable {
    /// The newest message that a node accepted from a source.
    package struct ReplayEntry: Hashable, Sendable {
        package var ivIndex: UInt32
        package var sequence: UInt32
    }

    package var nodes: [DeviceUUID: NodeConfigurationState]
    /// The IV index of each node that has been told one.
    package var ivIndexes: [DeviceUUID: IVIndex]
    /// The replay protection lists: for each node, the newest message of each source.
    package var replay: [DeviceUUID: [UnicastAddress: ReplayEntry]]
    /// For each stream of a node, the first number that was certainly never used.
    package var reservations: [SequenceStream: UInt32]
    /// The sequence numbers that were heard.
    package var used: [SequenceStream: SequenceRanges]
    /// The devices whose present or last life as a node began in the simulator. For them this state counts, whatever a
    /// database says.
    package var provisioned: Set<DeviceUUID>
    /// The DeviceKeys that take over with the first message under them.
    package var deviceKeyCandidates: [DeviceUUID: KeyMaterial]
    /// How devices deviate from others.
    package var quirks: [DeviceUUID: Set<DeviceQuirk>]
    package var places: [DeviceUUID: RadioPlace]
    /// What the application models of nodes hold.
    package var models: [DeviceUUID: StoredModels]
    /// The number of hops that the nodes are spread over; nil before the first world.
    package var hops: UInt8?
    /// The node that hops are counted from; nil if not recorded.
    package var root: DeviceUUID?

    package init() {
        nodes = [:]
        ivIndexes = [:]
        replay = [:]
        reservations = [:]
        used = [:]
        provisioned = []
        deviceKeyCandidates = [:]
        quirks = [:]
        places = [:]
        models = [:]
    }

    /// Applies a record that is newer than all before.
    package mutating func apply(_ record: StateRecord) {
        switch record {
        case .node(let node):
            if let before = nodes[node.uuid],
                before.deviceKey != node.deviceKey || before.address != node.address
            {
                // A new life of the device begins: forget what it heard in the old one.
                replay[node.uuid] = nil
                ivIndexes[node.uuid] = nil
                deviceKeyCandidates[node.uuid] = nil
                models[node.uuid] = nil
            }
            if !node.isProvisioned { models[node.uuid] = nil }
            if !node.isProvisioned { deviceKeyCandidates[node.uuid] = nil }
            nodes[node.uuid] = node
        case .ivIndex(let node, let ivIndex):
            ivIndexes[node] = ivIndex
        case .replay(let node, let stream, let sequence):
            replay[node, default: [:]][stream.source] = ReplayEntry(ivIndex: stream.ivIndex, sequence: sequence)
        case .reservation(let stream, let end):
            reservations[stream] = max(reservations[stream, default: 0], end)
        case .used(let stream, let range):
            used[stream, default: SequenceRanges()].insert(range)
        case .place(let node, let place):
            places[node] = place
        case .hops(let hops):
            self.hops = hops
        case .models(let node, let models):
            self.models[node] = models.isEmpty ? nil : models
        case .root(let node):
            root = node
        case .quirks(let node, let quirks):
            self.quirks[node] = quirks.isEmpty ? nil : quirks
        case .provisioned(let node, let ivIndex):
            nodes[node.uuid] = node
            ivIndexes[node.uuid] = ivIndex
            replay[node.uuid] = nil
            deviceKeyCandidates[node.uuid] = nil
            models[node.uuid] = nil
            provisioned.insert(node.uuid)
            for stream in SequenceStream.all(of: node, under: ivIndex) { reservations[stream] = nil }
        case .reprovisioned(let node, let ivIndex, let candidate):
            if nodes[node.uuid]?.address != node.address {
                for stream in SequenceStream.all(of: node, under: ivIndex) { reservations[stream] = nil }
            }
            nodes[node.uuid] = node
            ivIndexes[node.uuid] = ivIndex
            deviceKeyCandidates[node.uuid] = candidate
            provisioned.insert(node.uuid)
        }
    }

    /// The shortest list of records with the same content, in an order that depends on nothing else.
    package var records: [StateRecord] {
        var records: [StateRecord] = []
        if let hops { records.append(.hops(hops)) }
        for (node, place) in places.sorted(by: { $0.key < $1.key }) { records.append(.place(node, place)) }
        if let root { records.append(.root(root)) }
        for (uuid, node) in nodes.sorted(by: { $0.key < $1.key }) {
            if provisioned.contains(uuid), let ivIndex = ivIndexes[uuid] {
                records.append(.provisioned(node, ivIndex))
                if let candidate = deviceKeyCandidates[uuid] {
                    records.append(.reprovisioned(node, ivIndex, candidate: candidate))
                }
            } else {
                records.append(.node(node))
            }
        }
        for (node, quirks) in quirks.sorted(by: { $0.key < $1.key }) { records.append(.quirks(node, quirks)) }
        for (node, models) in models.sorted(by: { $0.key < $1.key }) { records.append(.models(node, models)) }
        for (node, ivIndex) in ivIndexes.sorted(by: { $0.key < $1.key }) where !provisioned.contains(node) {
            records.append(.ivIndex(node, ivIndex))
        }
        for (node, list) in replay.sorted(by: { $0.key < $1.key }) {
            for (source, entry) in list.sorted(by: { $0.key < $1.key }) {
                let stream = SequenceStream(source: source, ivIndex: entry.ivIndex)
                records.append(.replay(node, stream, entry.sequence))
            }
        }
        for (stream, end) in reservations.sorted(by: { $0.key < $1.key }) {
            records.append(.reservation(stream, end: end))
        }
        for (stream, ranges) in used.sorted(by: { $0.key < $1.key }) {
            for range in ranges.ranges { records.append(.used(stream, range)) }
        }
        return records
    }

    /// A new state file that replaces one that has grown by appending.
    package var compacted: [UInt8] {
        StateFile.header + records.flatMap(StateFile.encode)
    }
}
