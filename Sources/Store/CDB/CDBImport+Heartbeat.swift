import MeshCore
import SystemLayer

/// Heartbeat publication and subscription. The format has no count for the publication and no period for the
/// subscription.
extension CDBImport {
    mutating func heartbeatPublication(
        _ object: inout CDBObject,
        _ path: String,
        _ netKeys: [NodeKey<NetKeyIndex>]
    ) throws(CDBRefusal) -> HeartbeatPublication? {
        guard let value = object.take("heartbeatPub") else { return nil }
        var inner = try CDBObject(value, at: object.pointer(to: "heartbeatPub"))
        let address = Address(rawValue: try inner.required("address", try hexadecimal16("address", in: &inner)))
        guard address.kind != .virtual else { throw inner.invalid("address", "a virtual address is not possible here") }
        let period = try inner.integer("period", in: 0...65_536) ?? 0
        guard let periodLog = HeartbeatPeriodLog(seconds: UInt32(min(period, 65_535))) else {
            throw inner.invalid("period", "a power of two or 65535 is expected, not \(period)")
        }
        if period == 65_536 { repair(inner.pointer(to: "period"), "65536 taken as 65535, the longest there is") }
        let index: NetKeyIndex = try keyIndex("index", in: &inner)
        guard address == .unassigned || !refusals.isEmpty || netKeys.contains(where: { $0.index == index }) else {
            throw inner.invalid("index", "the node does not have network key \(index)")
        }
        let publication = HeartbeatPublication(
            destination: address,
            countLog: nil,
            periodLog: periodLog,
            ttl: UInt8(truncatingIfNeeded: try inner.integer("ttl", in: 0...127) ?? 0),
            features: try featureSet("features", in: &inner),
            netKeyIndex: index
        )
        keep(inner, at: "\(path)/heartbeatPub")
        return publication
    }

    private func featureSet(_ name: String, in object: inout CDBObject) throws(CDBRefusal) -> FeatureSet {
        var features: FeatureSet = []
        for (index, value) in try object.list(name).enumerated() {
            guard case .string(let text) = value, let feature = CDBExport.features.first(where: { $0.0 == text }) else {
                throw CDBObject.invalid(
                    "\(object.pointer(to: name))/\(index)",
                    "\"relay\", \"proxy\", \"friend\" or \"lowPower\" is expected"
                )
            }
            features.insert(feature.1)
        }
        return features
    }

    mutating func heartbeatSubscription(
        _ object: inout CDBObject,
        _ path: String
    ) throws(CDBRefusal) -> HeartbeatSubscription? {
        guard var value = object.take("heartbeatSub") else { return nil }
        let pointer = object.pointer(to: "heartbeatSub")
        if case .array(let items) = value {
            guard items.count <= 1 else {
                throw CDBObject.invalid(pointer, "\(items.count) subscriptions, of which a node can have one")
            }
            repair(pointer, items.isEmpty ? "an empty list; taken as none" : "a list; taken as what is in it")
            guard let first = items.first else { return nil }
            value = first
        }
        var inner = try CDBObject(value, at: pointer)
        let source = Address(rawValue: try inner.required("source", try hexadecimal16("source", in: &inner)))
        let destination = Address(
            rawValue: try inner.required("destination", try hexadecimal16("destination", in: &inner))
        )
        guard source.kind == .unicast || source == .unassigned else {
            throw inner.invalid("source", "a unicast address is expected, not \(source.rawValue.hexadecimal)")
        }
        guard destination.kind != .virtual else {
            throw inner.invalid("destination", "a virtual address is not possible here")
        }
        keep(inner, at: "\(path)/heartbeatSub")
        return HeartbeatSubscription(
            source: UnicastAddress(rawValue: source.rawValue),
            destination: destination,
            periodLog: nil
        )
    }
}
