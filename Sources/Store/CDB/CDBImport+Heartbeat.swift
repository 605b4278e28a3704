internal import MeshCore

/// Heartbeat publication and subscription; the format has neither the count of the one nor the period of the other.
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
        guard let periodLog = HeartbeatPeriodLog(seconds: UInt32(min(period, 65_535))) else {
            throw inner.invalid("period", "a power of two or 65535 is expected, not \(period)")
        }
        if period == 65_536 { repair(inner.pointer(to: "period"), "65536 taken as 65535, the longest there is") }
        let index: NetKeyIndex = try keyIndex("index", in: &inner)
        guard address == .unassigned || netKeys.contains(where: { $0.index == index }) else {
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
        return HeartbeatSubscription(
            source: UnicastAddress(rawValue: source.rawValue),
            destination: destination,
            periodLog: nil
        )
    }
}
