import MeshCore

/// The body of the row of a drift: `version 1 | what differs, each with the time since when 8 | the node's body as it
/// is recorded, without a DeviceKey`. Integers are big-endian.
///
/// What differs is a number and its subject: a key index 2, a model (`element 1 | kind 1 | identifier 2 or 4`, with bit
/// 0 of the kind set for a vendor model), an address, a kind of state, an entry of a bridging table, or
/// a model and the name of a state.
enum NodeDriftCodec {
    static let version: UInt8 = 1

    static func encode(_ drift: NodeDrift) -> [UInt8] {
        var writer = ByteWriter(capacity: 256)
        writer.write(version)
        writer.writeList(drift.since.sorted { $0.key < $1.key }) { entry, writer in
            write(entry.key, into: &writer)
            writer.writeTime(entry.value)
        }
        writer.write(NodeCodec.encode(drift.recorded))
        return writer.bytes
    }

    static func decode(_ bytes: [UInt8]) throws(DecodeError) -> NodeDrift {
        var reader = ByteReader(bytes)
        try reader.expectVersion(version)
        let entries = try reader.readList(size: 9) { (reader: inout ByteReader) throws(DecodeError) in
            (try resource(&reader), try reader.readTime())
        }
        var since: [NodeResource: Timestamp] = [:]
        for (resource, time) in entries where since.updateValue(time, forKey: resource) != nil {
            throw .prohibited(field: "drift", value: UInt64(since.count))
        }
        return NodeDrift(recorded: try NodeCodec.decode(Array(reader.readRest())), since: since)
    }

    private static func write(_ resource: NodeResource, into writer: inout ByteWriter) {
        switch resource {
        case .netKey(let index):
            writer.write(UInt8(0))
            writer.write(index.rawValue)
        case .appKey(let index):
            writer.write(UInt8(1))
            writer.write(index.rawValue)
        case .binding(let model, let key):
            writer.write(UInt8(2))
            writer.write(model)
            writer.write(key.rawValue)
        case .subscription(let model, let address):
            writer.write(UInt8(3))
            writer.write(model)
            writer.write(address)
        case .publication(let model):
            writer.write(UInt8(4))
            writer.write(model)
        case .defaultTTL: writer.write(UInt8(5))
        case .secureNetworkBeacon: writer.write(UInt8(6))
        case .networkTransmit: writer.write(UInt8(7))
        case .friend: writer.write(UInt8(8))
        case .relay: writer.write(UInt8(9))
        case .relayRetransmit: writer.write(UInt8(10))
        case .proxy: writer.write(UInt8(11))
        case .state(let kind):
            writer.write(UInt8(12))
            kind.write(to: &writer)
        case .bridging(let entry):
            writer.write(UInt8(13))
            entry.write(to: &writer)
        case .modelState(let model, let name):
            writer.write(UInt8(14))
            writer.write(model)
            writer.writeString(name)
        }
    }

    private static func resource(_ reader: inout ByteReader) throws(DecodeError) -> NodeResource {
        switch try reader.readUInt8() {
        case 0: return .netKey(try reader.readKeyIndex(NetKeyIndex.self))
        case 1: return .appKey(try reader.readKeyIndex(AppKeyIndex.self))
        case 2:
            let model = try reader.readModelAddress()
            return .binding(model, try reader.readKeyIndex(AppKeyIndex.self))
        case 3:
            let model = try reader.readModelAddress()
            return .subscription(model, try reader.readSubscriptionAddress())
        case 4: return .publication(try reader.readModelAddress())
        case 5: return .defaultTTL
        case 6: return .secureNetworkBeacon
        case 7: return .networkTransmit
        case 8: return .friend
        case 9: return .relay
        case 10: return .relayRetransmit
        case 11: return .proxy
        case 12: return .state(try FoundationState.Kind(reading: &reader))
        case 13: return .bridging(try BridgingTableEntry(reading: &reader))
        case 14:
            let model = try reader.readModelAddress()
            return .modelState(model, try reader.readString())
        case let other: throw .prohibited(field: "drifted resource", value: UInt64(other))
        }
    }
}
