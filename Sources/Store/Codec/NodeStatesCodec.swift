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
}
