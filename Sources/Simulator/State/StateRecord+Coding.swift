import MeshCore

// The body of a record: its kind, then fields of fixed size, most significant octet first. Lists and texts have a
// 16-bit count before them. Optional fields have an octet 0 or 1 before them. Values of access messages are encoded as
// in those messages.

extension ByteWriter {
    mutating func write(_ record: StateRecord) {
        switch record {
        case .node(let node):
            write(UInt8(1))
            write(node)
        case .ivIndex(let node, let ivIndex):
            write(UInt8(2))
            write(node.rawValue.bytes)
            write(ivIndex.value)
            write(ivIndex.isUpdateInProgress)
        case .replay(let node, let stream, let sequence):
            write(UInt8(3))
            write(node.rawValue.bytes)
            write(stream)
            write(sequence)
        case .reservation(let stream, let end):
            write(UInt8(4))
            write(stream)
            write(end)
        case .used(let stream, let range):
            write(UInt8(5))
            write(stream)
            write(range.lowerBound)
            write(range.upperBound)
        case .root(let node):
            write(UInt8(6))
            write(node.rawValue.bytes)
        case .provisioned(let node, let ivIndex):
            write(UInt8(7))
            write(ivIndex.value)
            write(ivIndex.isUpdateInProgress)
            write(node)
        case .reprovisioned(let node, let ivIndex, let candidate):
            write(UInt8(8))
            write(ivIndex.value)
            write(ivIndex.isUpdateInProgress)
            write(candidate)
            write(node)
        case .quirks(let node, let quirks):
            write(UInt8(9))
            write(node.rawValue.bytes)
            write(list: quirks.map(\.name).sorted()) { $0.write(text: $1) }
        case .place(let node, let place):
            write(UInt8(10))
            write(node.rawValue.bytes)
            write(place.level)
            write(place.bearing)
        case .hops(let hops):
            write(UInt8(11))
            write(hops)
        case .models(let node, let models):
            write(UInt8(12))
            write(node.rawValue.bytes)
            write(models)
        }
    }

    mutating func write(_ stream: SequenceStream) {
        write(stream.source.rawValue)
        write(stream.ivIndex)
    }

    mutating func write(text: String) {
        let octets = text.utf8.prefix(0xFFFF)
        write(UInt16(octets.count))
        write(octets)
    }

    mutating func write(_ key: KeyMaterial?) {
        write(key != nil)
        write((key?.octets ?? Octets16(high: 0, low: 0)).bytes)
    }

    mutating func write<Item>(list: [Item], item: (inout ByteWriter, Item) -> Void) {
        let written = list.prefix(0xFFFF)
        write(UInt16(written.count))
        for value in written { item(&self, value) }
    }
}

extension ByteReader {
    mutating func readStateRecord() throws(DecodeError) -> StateRecord {
        let kind = try readUInt8()
        switch kind {
        case 1:
            return .node(try readNodeState())
        case 2:
            return .ivIndex(
                try readDeviceUUID(),
                IVIndex(value: try readUInt32(), isUpdateInProgress: try readFlag())
            )
        case 3:
            return .replay(try readDeviceUUID(), try readStream(), try readUInt32())
        case 4:
            return .reservation(try readStream(), end: try readUInt32())
        case 5:
            let stream = try readStream()
            let first = try readUInt32()
            let last = try readUInt32()
            guard first <= last else { throw .prohibited(field: "range of sequence numbers", value: UInt64(first)) }
            return .used(stream, first...last)
        case 6:
            return .root(try readDeviceUUID())
        case 7:
            let ivIndex = IVIndex(value: try readUInt32(), isUpdateInProgress: try readFlag())
            return .provisioned(try readNodeState(), ivIndex)
        case 8:
            let ivIndex = IVIndex(value: try readUInt32(), isUpdateInProgress: try readFlag())
            let candidate = try readOptionalKey()
            return .reprovisioned(try readNodeState(), ivIndex, candidate: candidate)
        case 9:
            let node = try readDeviceUUID()
            let quirks = try readList { (reader) throws(DecodeError) in
                guard let quirk = DeviceQuirk(name: try reader.readText()) else {
                    throw .prohibited(field: "quirk", value: 0)
                }
                return quirk
            }
            return .quirks(node, Set(quirks))
        case 10:
            return .place(
                try readDeviceUUID(),
                RadioPlace(level: try readUInt8(), bearing: try readUInt16())
            )
        case 11:
            return .hops(try readUInt8())
        case 12:
            return .models(try readDeviceUUID(), try readStoredModels())
        default:
            throw .unknownType(UInt64(kind))
        }
    }

    mutating func readStream() throws(DecodeError) -> SequenceStream {
        SequenceStream(source: try readUnicastAddress(), ivIndex: try readUInt32())
    }

    mutating func readText() throws(DecodeError) -> String {
        String(decoding: try read(Int(try readUInt16())), as: UTF8.self)
    }

    mutating func readOptionalKey() throws(DecodeError) -> KeyMaterial? {
        let isPresent = try readFlag()
        let key = KeyMaterial(try readOctets16())
        return isPresent ? key : nil
    }

    mutating func readList<Item>(
        _ item: (inout ByteReader) throws(DecodeError) -> Item
    ) throws(DecodeError) -> [Item] {
        var list: [Item] = []
        for _ in 0..<(try readUInt16()) { list.append(try item(&self)) }
        return list
    }
}
