extension Node {
    /// The known value of a state; nil while unknown.
    package func state(_ kind: FoundationState.Kind) -> FoundationState? {
        states.first { $0.kind == kind }
    }

    /// Whether the primary element has a model, as far as the composition is known.
    package func hasPrimary(_ model: ModelIdentifier) -> Bool {
        elements.first?.models.contains { $0.identifier == model } ?? false
    }

    /// Takes over a value that holds on the node. What it leaves open stays as it is known; a running Node Identity
    /// stops by itself, so what is known of the state then is nothing.
    package mutating func record(_ state: FoundationState) {
        let kind = state.kind
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

    /// Takes over a value that the node reports, unless what is recorded explains it.
    package mutating func recordReport(_ report: FoundationState) {
        if state(report.kind)?.allows(report) == true { return }
        record(report)
    }

    /// Nothing is known of a state any more.
    package mutating func forgetState(_ kind: FoundationState.Kind) {
        states.removeAll { $0.kind == kind }
    }

    /// What deleting a NetKey takes along of these states: those of the subnet, a heartbeat publication that it secures
    /// (Mesh Protocol 4.4.1.2), and the entries that join the subnet with another (1.1, 4.4.9).
    package mutating func forgetStates(of subnet: NetKeyIndex) {
        states.removeAll { $0.kind.subnet == subnet }
        if case .heartbeatPublication(let heartbeat) = state(.heartbeatPublication), !heartbeat.isOff,
            heartbeat.netKeyIndex == subnet
        {
            forgetState(.heartbeatPublication)
        }
        bridgingTable?.removeAll { $0.subnets.first == subnet || $0.subnets.second == subnet }
    }

    /// Records that an entry is in the bridging table; one about the same addresses has its direction now.
    package mutating func recordBridging(_ entry: BridgingTableEntry) {
        removeBridging(entry)
        var table = bridgingTable ?? []
        table.insert(entry, at: table.firstIndex { $0 > entry } ?? table.endIndex)
        bridgingTable = table
    }

    /// Records that no entry about the same addresses is in the bridging table.
    package mutating func removeBridging(_ entry: BridgingTableEntry) {
        bridgingTable?.removeAll { $0.isAbout(entry) }
    }

    /// Records that no entry in the bridging table joins the first of the subnets with the second.
    package mutating func removeBridging(between subnets: NetKeyIndexPair) {
        bridgingTable?.removeAll { $0.subnets == subnets }
    }
}
