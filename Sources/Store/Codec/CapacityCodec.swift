import MeshCore

/// The body of the row that says how much room lists have, version 1.
enum CapacityCodec {
    static let version: UInt8 = 1

    static func encode(_ capacities: [ListCapacity]) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(version)
        writer.writeList(capacities) { capacity, writer in
            let product = capacity.product
            for value in [product.company, product.product, product.version, product.replayListSize] {
                writer.write(value)
            }
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
        let found = try reader.readUInt8()
        guard found == version else { throw .unknownType(UInt64(found)) }
        let capacities = try reader.readList(size: 13) { (reader: inout ByteReader) throws(DecodeError) in
            let product = Node.Product(
                company: try reader.readUInt16(),
                product: try reader.readUInt16(),
                version: try reader.readUInt16(),
                replayListSize: try reader.readUInt16()
            )
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
        case 2: return .bindings(element: try reader.readUInt8(), model: try reader.readTaggedModel())
        case 3: return .subscriptions(element: try reader.readUInt8(), model: try reader.readTaggedModel())
        case let other: throw .prohibited(field: "list", value: UInt64(other))
        }
    }

    private static func write(_ code: UInt8, _ element: UInt8, _ model: ModelIdentifier, to writer: inout ByteWriter) {
        writer.write(code)
        writer.write(element)
        writer.write(tagged: model)
    }
}

extension ByteWriter {
    /// A flag that says whether the model has a company, the company if so, and its 16 bits.
    mutating func write(tagged model: ModelIdentifier) {
        write(model.company != nil)
        if let company = model.company { write(company) }
        write(model.model)
    }
}

extension ByteReader {
    /// A model that ``ByteWriter/write(tagged:)`` wrote.
    mutating func readTaggedModel() throws(DecodeError) -> ModelIdentifier {
        try readBool() ? .vendor(company: try readUInt16(), model: try readUInt16()) : .sig(try readUInt16())
    }
}
