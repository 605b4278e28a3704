internal import MeshCore

/// Nodes without their elements.
extension CDBImport {
    mutating func nodes(_ object: inout CDBObject, netKeys: [NetKey]) throws(StoreError) -> [Node] {
        let pointer = object.pointer(to: "nodes")
        let items = try object.list("nodes")
        let nodes = try objects(items, at: pointer) { reader, object throws(StoreError) in
            try reader.node(&object)
        }
        let sorted = nodes.enumerated().sorted { $0.element.unicastAddress < $1.element.unicastAddress }
        for (left, right) in zip(sorted, sorted.dropFirst())
        where left.element.addresses.upperBound >= right.element.unicastAddress.rawValue {
            throw CDBObject.invalid(
                "\(pointer)/\(right.offset)/unicastAddress",
                "\(right.element.unicastAddress.rawValue.hexadecimal) belongs to an element of \(pointer)/\(left.offset)"
            )
        }
        return sorted.map(\.element)
    }

    private mutating func node(_ object: inout CDBObject) throws(StoreError) -> Node {
        let given = try self.uuid("UUID", in: &object)
        let value = try object.required("unicastAddress", object.take("unicastAddress"))
        let address = try CDBObject.unicast(value, at: object.pointer(to: "unicastAddress"))
        let uuid = identity(of: given, at: address, object)
        let path = "nodes/\(uuid)"
        object.path = path
        let name = try self.name(in: &object, or: "Node \(address.rawValue.hexadecimal)")
        var node = Node(uuid: uuid, name: name, unicastAddress: address, deviceKey: try object.key("deviceKey"))
        if node.deviceKey == nil, !isPartial {
            repair(object.pointer(to: "deviceKey"), "missing; the node cannot be configured")
        }
        node.isSecurelyProvisioned = try isSecure("security", in: &object)
        node.isConfigComplete = try object.bool("configComplete") ?? false
        node.isExcluded = try isExcluded(&object)
        node.product = try product(&object)
        node.features = try features(&object, path)
        node.netKeys = try nodeKeys("netKeys", &object, path)
        node.appKeys = try nodeKeys("appKeys", &object, path)
        node.secureNetworkBeacon = try object.bool("secureNetworkBeacon")
        node.defaultTTL = try defaultTTL(&object)
        node.networkTransmit = try transmit("networkTransmit", &object, path)
        node.relayRetransmit = try transmit("relayRetransmit", &object, path)
        if let heartbeat = try heartbeatPublication(&object, path, node.netKeys) {
            node.record(.heartbeatPublication(heartbeat))
        }
        if let heartbeat = try heartbeatSubscription(&object, path) {
            node.record(.heartbeatSubscription(heartbeat))
        }
        node.elements = try elements(&object, path)
        guard node.elements.count <= Int(UnicastAddress.last.rawValue - address.rawValue) + 1 else {
            throw object.invalid("elements", "the addresses of \(node.elements.count) elements go beyond 7FFF")
        }
        return node
    }

    /// The UUID of a node, or one made of it and the node's address where another node has it already: no two devices
    /// have the same, and both nodes answer at addresses of their own.
    private mutating func identity(of given: DeviceUUID, at address: UnicastAddress, _ object: CDBObject) -> DeviceUUID
    {
        guard let first = nodePointers[given] else {
            nodePointers[given] = object.pointer
            return given
        }
        var made = given
        var number: UInt8 = 0
        while nodePointers[made] != nil {
            let octets = given.rawValue.bytes + [UInt8(address.rawValue >> 8), UInt8(address.rawValue & 0xFF), number]
            made = DeviceUUID(custom: KeyDerivation.s1(octets))
            number &+= 1
        }
        nodePointers[made] = object.pointer
        repair(
            object.pointer(to: "UUID"),
            "the same as in \(first), which no two devices have; \(made) made in its place"
        )
        return made
    }

    private mutating func isExcluded(_ object: inout CDBObject) throws(StoreError) -> Bool {
        if let excluded = try object.bool("excluded") { return excluded }
        guard let blacklisted = try object.bool("blacklisted") else { return false }
        repair(object.pointer(to: "blacklisted"), "taken as \"excluded\"")
        return blacklisted
    }

    /// The four identifiers; where only some are there, they stay as they are.
    private func product(_ object: inout CDBObject) throws(StoreError) -> Node.Product? {
        guard ["cid", "pid", "vid", "crpl"].allSatisfy(object.has) else { return nil }
        return Node.Product(
            company: try object.required("cid", try object.hexadecimal16("cid")),
            product: try object.required("pid", try object.hexadecimal16("pid")),
            version: try object.required("vid", try object.hexadecimal16("vid")),
            replayListSize: try object.required("crpl", try object.hexadecimal16("crpl"))
        )
    }

    private mutating func features(_ object: inout CDBObject, _ path: String) throws(StoreError) -> Node.Features {
        guard let value = object.take("features") else { return Node.Features() }
        var inner = try CDBObject(value, at: object.pointer(to: "features"))
        func state(_ name: String) throws(StoreError) -> FeatureState? {
            try inner.integer(name, in: 0...2).flatMap { FeatureState(rawValue: UInt8(truncatingIfNeeded: $0)) }
        }
        let features = Node.Features(
            relay: try state("relay"),
            proxy: try state("proxy"),
            friend: try state("friend"),
            lowPower: try state("lowPower")
        )
        extras.keep(inner.rest, at: "\(path)/features")
        return features
    }

    private mutating func nodeKeys<Index: KeyIndex>(
        _ name: String,
        _ object: inout CDBObject,
        _ path: String
    ) throws(StoreError) -> [NodeKey<Index>] {
        let pointer = object.pointer(to: name)
        let items = try object.list(name)
        let keys: [NodeKey<Index>] = try objects(items, at: pointer) { reader, object throws(StoreError) in
            let index: Index = try reader.keyIndex("index", in: &object)
            object.path = "\(path)/\(name)/\(index)"
            return NodeKey(index: index, isUpdated: try object.bool("updated") ?? false)
        }
        try refuseDuplicates(keys.map(\.index), at: pointer, "index")
        return keys.sorted { $0.index < $1.index }
    }

    private mutating func defaultTTL(_ object: inout CDBObject) throws(StoreError) -> UInt8? {
        let ttl = try object.integer("defaultTTL", in: 0...127)
        guard ttl == 1 else { return ttl.map { UInt8(truncatingIfNeeded: $0) } }
        repair(object.pointer(to: "defaultTTL"), "1 is prohibited; taken as unknown")
        return nil
    }

    /// Transmissions 1...8 and milliseconds; some programs write 0 for unknown, or steps instead of milliseconds.
    private mutating func transmit(
        _ name: String,
        _ object: inout CDBObject,
        _ path: String
    ) throws(StoreError) -> TransmitParameters? {
        guard let value = object.take(name) else { return nil }
        var inner = try CDBObject(value, at: object.pointer(to: name))
        let count = try inner.required("count", try inner.integer("count", in: 0...8))
        let interval = try inner.required("interval", try inner.integer("interval", in: 0...320))
        guard count > 0, interval > 0 else {
            repair(inner.pointer, "count \(count), interval \(interval); taken as unknown")
            return nil
        }
        var steps = interval / 10 - 1
        if interval % 10 != 0 {
            guard interval < 32 else {
                throw inner.invalid("interval", "a multiple of 10 from 10 to 320 is expected, not \(interval)")
            }
            repair(inner.pointer(to: "interval"), "\(interval) taken as steps, that is \((interval + 1) * 10) ms")
            steps = interval
        }
        extras.keep(inner.rest, at: "\(path)/\(name)")
        return TransmitParameters(count: UInt8(truncatingIfNeeded: count - 1), steps: UInt8(truncatingIfNeeded: steps))
    }
}
