extension Node {
    /// The known value of a state; nil if unknown.
    package func state(_ kind: FoundationState.Kind) -> FoundationState? {
        states.first { $0.kind == kind }
    }

    /// Whether the primary element has a model, as far as the composition is known.
    package func hasPrimary(_ model: ModelIdentifier) -> Bool {
        elements.first?.models.contains { $0.identifier == model } ?? false
    }

    /// Records a value that the node has. A part that it leaves open keeps its known value. A running Node Identity
    /// stops by itself, so it makes the state unknown.
    package mutating func record(_ state: FoundationState) {
        let kind = state.kind
        if kind == .heartbeatPublication { heartbeatToRestore = nil }
        let place = states.firstIndex { $0.kind >= kind } ?? states.endIndex
        let isKnown = place < states.endIndex && states[place].kind == kind
        switch state {
        case .nodeIdentity(_, .running), .privateNodeIdentity(_, .running):
            if isKnown { states.remove(at: place) }
        default:
            if isKnown {
                states[place] = state.completed(by: states[place])
            } else {
                states.insert(state, at: place)
            }
        }
    }

    /// Records a value that the node reports, unless the recorded value explains it.
    package mutating func recordReport(_ report: FoundationState) {
        if state(report.kind)?.allows(report) == true { return }
        record(report)
    }

    /// Makes a state unknown.
    package mutating func forgetState(_ kind: FoundationState.Kind) {
        if kind == .heartbeatPublication { heartbeatToRestore = nil }
        states.removeAll { $0.kind == kind }
    }

    /// Forgets the states that go with a deleted NetKey: those of the subnet, a heartbeat publication that it secures
    /// (Mesh Protocol 4.4.1.2), and the bridging entries with the subnet (1.1, 4.4.9).
    package mutating func forgetStates(of subnet: NetKeyIndex) {
        states.removeAll { $0.kind.subnet == subnet }
        if case .heartbeatPublication(let heartbeat) = state(.heartbeatPublication), !heartbeat.isOff,
            heartbeat.netKeyIndex == subnet
        {
            forgetState(.heartbeatPublication)
        }
        bridgingTable?.removeAll { $0.subnets.first == subnet || $0.subnets.second == subnet }
    }

    /// Records an entry of the bridging table. It replaces an entry about the same addresses.
    package mutating func recordBridging(_ entry: BridgingTableEntry) {
        removeBridging(entry)
        var table = bridgingTable ?? []
        table.insert(entry, at: table.firstIndex { $0 > entry } ?? table.endIndex)
        bridgingTable = table
    }

    /// Records that the bridging table has no entry about the same addresses.
    package mutating func removeBridging(_ entry: BridgingTableEntry) {
        bridgingTable?.removeAll { $0.isAbout(entry) }
    }

    /// Records that the bridging table has no entry from the first to the second of the subnets.
    package mutating func removeBridging(between subnets: NetKeyIndexPair) {
        bridgingTable?.removeAll { $0.subnets == subnets }
    }
}
