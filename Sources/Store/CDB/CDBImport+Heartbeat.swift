internal import MeshCore

/// Heartbeat publication and subscription.
extension CDBImport {
    mutating func heartbeatPublication(
        _ object: inout CDBObject,
        _ path: String,
        _ netKeys: [NodeKey<NetKeyIndex>]
    ) throws(StoreError) -> HeartbeatPublication? {
        guard let value = object.take("heartbeatPub") else { return nil }
        var inner = try CDBObject(value, at: object.pointer(to: "heartbeatPub"))
        let address = Address(rawValue: try inner.required("address", try inner.hexadecimal16("address")))
        guard address.kind != .virtual else { throw inner.invalid("address", "a virtual address is not possible here") }
        let period = try inner.integer("period", in: 0...65_536) ?? 0
        guard period == 0 || period == 65_535 || period & (period - 1) == 0 else {
            throw inner.invalid("period", "a power of two or 65535 is expected, not \(period)")
        }
        let index: NetKeyIndex = try keyIndex("index", in: &inner)
        guard address == .unassigned || netKeys.contains(where: { $0.index == index }) else {
            throw inner.invalid("index", "the node does not have network key \(index)")
        }
        let publication = HeartbeatPublication(
            address: address,
            periodSeconds: UInt32(truncatingIfNeeded: period),
            ttl: UInt8(truncatingIfNeeded: try inner.integer("ttl", in: 0...127) ?? 0),
            netKeyIndex: index,
            features: try featureSet("features", in: &inner)
        )
        extras.keep(inner.rest, at: "\(path)/heartbeatPub")
        return publication
    }

    private func featureSet(_ name: String, in object: inout CDBObject) throws(StoreError) -> FeatureSet {
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
    ) throws(StoreError) -> HeartbeatSubscription? {
        guard let value = object.take("heartbeatSub") else { return nil }
        var inner = try CDBObject(value, at: object.pointer(to: "heartbeatSub"))
        let source = Address(rawValue: try inner.required("source", try inner.hexadecimal16("source")))
        let destination = Address(rawValue: try inner.required("destination", try inner.hexadecimal16("destination")))
        guard source.kind == .unicast || source == .unassigned else {
            throw inner.invalid("source", "a unicast address is expected, not \(source.rawValue.hexadecimal)")
        }
        guard destination.kind != .virtual else {
            throw inner.invalid("destination", "a virtual address is not possible here")
        }
        extras.keep(inner.rest, at: "\(path)/heartbeatSub")
        return HeartbeatSubscription(source: source, destination: destination)
    }
}
