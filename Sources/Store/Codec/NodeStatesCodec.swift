import MeshCore

/// The part of a node's row that holds its states, its bridging table and its pages, in sorted lists.
enum NodeStatesCodec {
    static func encode(_ node: Node, into writer: inout ByteWriter) {
        writer.writeList(node.states) { $0.write(to: &$1) }
        if let table = node.bridgingTable { writer.writeList(table) { $0.write(to: &$1) } }
        for pages in [node.compositionPages, node.modelsMetadata] {
            guard let pages else { continue }
            writer.writeList(pages.sorted { $0.key < $1.key }) { page, writer in
                writer.write(page.key)
                writer.writeOctets(page.value)
            }
        }
    }

    static func readStates(_ reader: inout ByteReader) throws(DecodeError) -> [FoundationState] {
        let states = try reader.readList(size: 2) { (reader: inout ByteReader) throws(DecodeError) in
            try FoundationState(reading: &reader)
        }
        try requireAscending(states.map(\.kind), "states")
        return states
    }

    static func readBridgingTable(_ reader: inout ByteReader) throws(DecodeError) -> [BridgingTableEntry] {
        let table = try reader.readList(size: 8) { (reader: inout ByteReader) throws(DecodeError) in
            try BridgingTableEntry(reading: &reader)
        }
        try requireAscending(table, "bridging table")
        return table
    }

    static func readPages(_ reader: inout ByteReader) throws(DecodeError) -> [UInt8: [UInt8]] {
        let pages = try reader.readList(size: 2) { (reader: inout ByteReader) throws(DecodeError) in
            (try reader.readUInt8(), try reader.readOctets())
        }
        try requireAscending(pages.map(\.0), "pages")
        return Dictionary(uniqueKeysWithValues: pages)
    }

    private static func requireAscending<Item: Comparable>(_ items: [Item], _ name: String) throws(DecodeError) {
        for (position, pair) in zip(items, items.dropFirst()).enumerated() where pair.0 >= pair.1 {
            throw .prohibited(field: "order of \(name)", value: UInt64(position))
        }
    }

    /// The form of versions 1 and 2: destination 2 | seconds 4 | TTL 1 | NetKey index 2 | features 2.
    static func readHeartbeatPublication(_ reader: inout ByteReader) throws(DecodeError) -> FoundationState {
        let destination = Address(rawValue: try reader.readUInt16())
        let seconds = try reader.readUInt32()
        // The database format accepted 65,536 as the longest period.
        guard let periodLog = HeartbeatPeriodLog(seconds: min(seconds, 65_535)) else {
            throw .prohibited(field: "heartbeat period", value: UInt64(seconds))
        }
        let ttl = try reader.readUInt8()
        guard ttl <= 0x7F else { throw .prohibited(field: "heartbeat TTL", value: UInt64(ttl)) }
        let netKeyIndex = try reader.readKeyIndex(NetKeyIndex.self)
        return .heartbeatPublication(
            HeartbeatPublication(
                destination: destination,
                countLog: nil,
                periodLog: periodLog,
                ttl: ttl,
                features: FeatureSet(rawValue: try reader.readUInt16()),
                netKeyIndex: netKeyIndex
            )
        )
    }

    /// The form of versions 1 and 2: source 2 | destination 2.
    static func readHeartbeatSubscription(_ reader: inout ByteReader) throws(DecodeError) -> FoundationState {
        let source = try reader.readUInt16()
        guard source == 0 || UnicastAddress(rawValue: source) != nil else {
            throw .prohibited(field: "heartbeat source", value: UInt64(source))
        }
        return .heartbeatSubscription(
            HeartbeatSubscription(
                source: UnicastAddress(rawValue: source),
                destination: Address(rawValue: try reader.readUInt16()),
                periodLog: nil
            )
        )
    }
}
