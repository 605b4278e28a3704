import MeshCore

extension ConfigurationServer {
    /// The Subnet Bridge and Bridging Table states. Requests with prohibited values are ignored.
    static let bridgeHandlers: [(Opcode, Handler)] = [
        on(SubnetBridgeGet.self) { _, _, state in
            SubnetBridgeStatus(isEnabled: state.foundation.isSubnetBridgeEnabled)
        },
        on(SubnetBridgeSet.self) { message, _, state in
            state.foundation.isSubnetBridgeEnabled = message.isEnabled
            return SubnetBridgeStatus(isEnabled: message.isEnabled)
        },
        on(BridgingTableAdd.self) { message, request, state throws(DecodeError) in
            let row = try BridgingTableEntry(message)
            let status = request.act(on: &state) { $0.bridge(row, limit: request.server.limits.bridgingTable) }
            let present = state.foundation.bridgingTable.first { $0.isAbout(row) }
            return BridgingTableStatus(
                status: status,
                directions: present?.addresses.directions,
                subnets: message.subnets,
                firstAddress: message.firstAddress,
                secondAddress: message.secondAddress
            )
        },
        on(BridgingTableRemove.self) { message, request, state throws(DecodeError) in
            try message.check()
            let status = request.act(on: &state) { $0.unbridge(message) }
            let present = state.foundation.bridgingTable.first {
                $0.subnets == message.subnets && $0.addresses.first.address == message.firstAddress
                    && $0.addresses.second == message.secondAddress
            }
            return BridgingTableStatus(
                status: status,
                directions: present?.addresses.directions,
                subnets: message.subnets,
                firstAddress: message.firstAddress,
                secondAddress: message.secondAddress
            )
        },
        on(BridgedSubnetsGet.self) { message, _, state in
            var seen: Set<NetKeyIndexPair> = []
            let pairs = state.foundation.bridgingTable.map(\.subnets).filter {
                message.filter.passes($0) && seen.insert($0).inserted
            }
            // Opcode (2), filter (2) and index (1) come before the pairs of 3 octets.
            let listed = pairs.dropFirst(Int(message.startIndex)).prefix((longestPayload - 5) / 3)
            return BridgedSubnetsList(filter: message.filter, startIndex: message.startIndex, pairs: Array(listed))
        },
        on(BridgingTableGet.self) { message, request, state throws(DecodeError) in
            try message.subnets.check()
            let status = request.refusal ?? (state.hasSubnets(message.subnets) ? .success : .invalidNetKeyIndex)
            let entries = state.foundation.bridgingTable.filter { $0.subnets == message.subnets }.map(\.addresses)
            // Opcode (2), status (1), pair (3) and index (2) come before the entries of 5 octets.
            let listed = entries.dropFirst(Int(message.startIndex)).prefix((longestPayload - 8) / 5)
            return BridgingTableList(
                status: status,
                subnets: message.subnets,
                startIndex: message.startIndex,
                entries: status == .success ? Array(listed) : []
            )
        },
        on(BridgingTableSizeGet.self) { _, request, _ in
            BridgingTableSizeStatus(entries: UInt16(clamping: request.server.limits.bridgingTable))
        },
    ]
}

extension NodeConfigurationState {
    fileprivate func hasSubnets(_ subnets: NetKeyIndexPair) -> Bool {
        netKey(subnets.first) != nil && netKey(subnets.second) != nil
    }

    /// Adds an entry, or changes the directions of an existing one (4.4.9.2.2).
    fileprivate mutating func bridge(_ row: BridgingTableEntry, limit: Int) -> ConfigStatusCode {
        guard hasSubnets(row.subnets) else { return .invalidNetKeyIndex }
        if let position = foundation.bridgingTable.firstIndex(where: { $0.isAbout(row) }) {
            foundation.bridgingTable[position].addresses.directions = row.addresses.directions
            return .success
        }
        guard foundation.bridgingTable.count < limit else { return .insufficientResources }
        foundation.bridgingTable.append(row)
        return .success
    }

    /// Removes the entries that match; an unassigned address matches any.
    fileprivate mutating func unbridge(_ request: BridgingTableRemove) -> ConfigStatusCode {
        guard hasSubnets(request.subnets) else { return .invalidNetKeyIndex }
        foundation.bridgingTable.removeAll { row in
            row.subnets == request.subnets
                && [.unassigned, row.addresses.first.address].contains(request.firstAddress)
                && [.unassigned, row.addresses.second].contains(request.secondAddress)
        }
        return .success
    }
}

extension BridgingTableEntry {
    /// The entry that a request asks for.
    ///
    /// - Throws: ``DecodeError/prohibited(field:value:)`` if both subnets are the same, if the first address is not
    ///   unicast, or if the second one is unassigned, all-nodes, equal to the first, or, for both directions, not
    ///   unicast (4.3.11.4).
    fileprivate init(_ request: BridgingTableAdd) throws(DecodeError) {
        try request.subnets.check()
        guard let first = UnicastAddress(rawValue: request.firstAddress.rawValue) else {
            throw .prohibited(field: "Address1", value: UInt64(request.firstAddress.rawValue))
        }
        let second = request.secondAddress
        let isPossible =
            switch second.kind {
            case .unassigned: false
            case .unicast: second != first.address
            case .group, .virtual: request.directions == .oneWay && second != GroupAddress.allNodes.address
            }
        guard isPossible else { throw .prohibited(field: "Address2", value: UInt64(second.rawValue)) }
        self.init(
            subnets: request.subnets,
            addresses: BridgedAddresses(first: first, second: second, directions: request.directions)
        )
    }
}

extension BridgingTableRemove {
    fileprivate func check() throws(DecodeError) {
        try subnets.check()
        guard [.unassigned, .unicast].contains(firstAddress.kind) else {
            throw .prohibited(field: "Address1", value: UInt64(firstAddress.rawValue))
        }
        let isSame = firstAddress.kind == .unicast && firstAddress == secondAddress
        guard !isSame, secondAddress != GroupAddress.allNodes.address else {
            throw .prohibited(field: "Address2", value: UInt64(secondAddress.rawValue))
        }
    }
}

extension NetKeyIndexPair {
    fileprivate func check() throws(DecodeError) {
        guard first != second else { throw .prohibited(field: "NetKeyIndex2", value: UInt64(second.rawValue)) }
    }
}

extension BridgedSubnetsFilter {
    fileprivate func passes(_ pair: NetKeyIndexPair) -> Bool {
        switch position {
        case .any: true
        case .first: pair.first == netKeyIndex
        case .second: pair.second == netKeyIndex
        case .either: pair.first == netKeyIndex || pair.second == netKeyIndex
        }
    }
}
