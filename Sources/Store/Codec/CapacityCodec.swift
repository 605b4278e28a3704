import MeshCore

/// The body of the row that says how much room lists have, version 1.
enum CapacityCodec {
    static let version: UInt8 = 1

    static func encode(_ capacities: [ListCapacity]) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(version)
        writer.writeList(capacities) { capacity, writer in
            writer.write(capacity.product)
            writer.write(UInt32(clamping: capacity.entries))
            switch capacity.list {
            case .netKeys: writer.write(UInt8(0))
            case .appKeys: writer.write(UInt8(1))
            case .bindings(let element, let model): write(2, element, model, to: &writer)
            case .subscriptions(let element, let model): write(3, element, model, to: &writer)
            }
        }
        return writer.bytes
    }

    static func decode(_ bytes: [UInt8]) throws(DecodeError) -> [ListCapacity] {
        var reader = ByteReader(bytes)
        try reader.expectVersion(version)
        let capacities = try reader.readList(size: 13) { (reader: inout ByteReader) throws(DecodeError) in
            let product = try reader.readProduct()
            let entries = Int(try reader.readUInt32())
            return ListCapacity(product: product, list: try list(&reader), entries: entries)
        }
        try reader.expectEnd()
        return capacities
    }

    private static func list(_ reader: inout ByteReader) throws(DecodeError) -> ListCapacity.List {
        switch try reader.readUInt8() {
        case 0: return .netKeys
        case 1: return .appKeys
        case 2: return .bindings(element: try reader.readUInt8(), model: try reader.readModel())
        case 3: return .subscriptions(element: try reader.readUInt8(), model: try reader.readModel())
        case let other: throw .prohibited(field: "list", value: UInt64(other))
        }
    }

    private static func write(_ code: UInt8, _ element: UInt8, _ model: ModelIdentifier, to writer: inout ByteWriter) {
        writer.write(code)
        writer.write(element)
        writer.write(model)
    }
}
