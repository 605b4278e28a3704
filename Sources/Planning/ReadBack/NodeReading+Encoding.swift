import MeshCore

/// A reading in plan files and journals: a number, then its parameters. The numbers never change their meaning.
extension PlanWriter {
    mutating func write(_ reading: NodeReading) {
        switch reading {
        case .composition: bytes.write(UInt8(0))
        case .netKeys: bytes.write(UInt8(1))
        case .appKeys(let index):
            bytes.write(UInt8(2))
            bytes.write(index.rawValue)
        case .bindings(let model):
            bytes.write(UInt8(3))
            write(model)
        case .subscriptions(let model):
            bytes.write(UInt8(4))
            write(model)
        case .publication(let model):
            bytes.write(UInt8(5))
            write(model)
        case .defaultTTL: bytes.write(UInt8(6))
        case .secureNetworkBeacon: bytes.write(UInt8(7))
        case .networkTransmit: bytes.write(UInt8(8))
        case .friend: bytes.write(UInt8(9))
        case .relay: bytes.write(UInt8(10))
        case .proxy: bytes.write(UInt8(11))
        case .state(let kind):
            bytes.write(UInt8(12))
            kind.write(to: &bytes)
        case .bridgedSubnets(let position):
            bytes.write(UInt8(13))
            bytes.write(position)
        case .bridgingTable(let pair, let position):
            bytes.write(UInt8(14))
            bytes.write(pair.first.rawValue)
            bytes.write(pair.second.rawValue)
            bytes.write(position)
        case .page(.composition(let page)):
            bytes.write(UInt8(15))
            bytes.write(page)
        case .page(.largeComposition(let page, let offset)):
            bytes.write(UInt8(16))
            bytes.write(page)
            bytes.write(offset)
        case .page(.modelsMetadata(let page, let offset)):
            bytes.write(UInt8(17))
            bytes.write(page)
            bytes.write(offset)
        case .modelState(let model, let form, let key):
            bytes.write(UInt8(18))
            write(model)
            write(form)
            bytes.write(key.rawValue)
        }
    }
}

extension PlanReader {
    mutating func reading() throws(DecodeError) -> NodeReading {
        switch try bytes.readUInt8() {
        case 0: return .composition
        case 1: return .netKeys
        case 2: return .appKeys(try keyIndex())
        case 3: return .bindings(try model())
        case 4: return .subscriptions(try model())
        case 5: return .publication(try model())
        case 6: return .defaultTTL
        case 7: return .secureNetworkBeacon
        case 8: return .networkTransmit
        case 9: return .friend
        case 10: return .relay
        case 11: return .proxy
        case 12: return .state(try FoundationState.Kind(reading: &bytes))
        case 13: return .bridgedSubnets(from: try bytes.readUInt8())
        case 14:
            let pair = NetKeyIndexPair(first: try keyIndex(), second: try keyIndex())
            return .bridgingTable(pair, from: try bytes.readUInt16())
        case 15: return .page(.composition(page: try bytes.readUInt8()))
        case 16: return .page(.largeComposition(page: try bytes.readUInt8(), offset: try bytes.readUInt16()))
        case 17: return .page(.modelsMetadata(page: try bytes.readUInt8(), offset: try bytes.readUInt16()))
        case 18:
            let model = try model()
            let form = try modelStateForm()
            return .modelState(model, form, try keyIndex())
        case let other: throw .prohibited(field: "reading", value: UInt64(other))
        }
    }
}
