import MeshCore
import SystemLayer

/// Nodes without their elements.
extension CDBImport {
    mutating func nodes(_ object: inout CDBObject) throws(CDBRefusal) -> [Node] {
        let pointer = object.pointer(to: "nodes")
        let items = try list("nodes", in: &object)
        let nodes = objects(items, at: pointer) { reader, object throws(CDBRefusal) in
            try reader.node(&object)
        }
        let sorted = nodes.enumerated().sorted { $0.element.unicastAddress < $1.element.unicastAddress }
        for (left, right) in zip(sorted, sorted.dropFirst())
        where refusals.isEmpty && left.element.addresses.upperBound >= right.element.unicastAddress.rawValue {
            throw CDBObject.invalid(
                "\(pointer)/\(right.offset)/unicastAddress",
                "\(right.element.unicastAddress.rawValue.hexadecimal) belongs to an element of \(pointer)/\(left.offset)"
            )
        }
        return sorted.map(\.element)
    }

    private mutating func node(_ object: inout CDBObject) throws(CDBRefusal) -> Node {
        let given = try self.uuid("UUID", in: &object)
        let value = try object.required("unicastAddress", object.take("unicastAddress"))
        let address = try unicast(value, at: object.pointer(to: "unicastAddress"))
        let uuid = try identity(of: given, at: address, object)
        let path = "nodes/\(uuid)"
        object.path = path
        let name = try self.name(in: &object, or: "Node \(address.rawValue.hexadecimal)")
        var node = Node(uuid: uuid, name: name, unicastAddress: address, deviceKey: try key("deviceKey", in: &object))
        if node.deviceKey == nil, !isPartial {
            missing("deviceKey", in: &object, "the node cannot be configured")
        }
        node.isSecurelyProvisioned = try isSecure("security", in: &object)
        node.isConfigComplete = try flag("configComplete", in: &object)
        node.isExcluded = try isExcluded(&object)
        node.product = try product(&object)
        node.features = try features(&object, path)
        node.elements = try elements(&object, path, of: address)
        guard node.elements.count <= Int(UnicastAddress.last.rawValue - address.rawValue) + 1 else {
            throw object.invalid("elements", "the addresses of \(node.elements.count) elements go beyond 7FFF")
        }
        try readKeys(of: &node, &object, path)
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
        return node
    }

    /// The UUID of a node. If another node has it already, one made of it and the node's address: no two devices share
    /// a UUID, and both nodes answer at their own addresses.
    private mutating func identity(
        of given: DeviceUUID,
        at address: UnicastAddress,
        _ object: CDBObject
    ) throws(CDBRefusal) -> DeviceUUID {
        guard let first = nodePointers[given] else {
            nodePointers[given] = object.pointer
            return given
        }
        let octets = given.rawValue.bytes + [UInt8(address.rawValue >> 8), UInt8(address.rawValue & 0xFF), 0]
        let made = DeviceUUID(custom: KeyDerivation.s1(octets))
        guard nodePointers.updateValue(object.pointer, forKey: made) == nil else {
            throw object.invalid("UUID", "the same as in \(first), and so is the address of another such node")
        }
        repair(
            object.pointer(to: "UUID"),
            "the same as in \(first), but no two devices share one; replaced by \(made)",
            isImportant: true
        )
        return made
    }

    private mutating func isExcluded(_ object: inout CDBObject) throws(CDBRefusal) -> Bool {
        if let excluded = try object.bool("excluded") { return excluded }
        guard let blacklisted = try object.bool("blacklisted") else {
            missing("excluded", in: &object, "taken as false")
            return false
        }
        repair(object.pointer(to: "blacklisted"), "taken as \"excluded\"")
        return blacklisted
    }

    private mutating func flag(_ name: String, in object: inout CDBObject) throws(CDBRefusal) -> Bool {
        if let flag = try object.bool(name) { return flag }
        missing(name, in: &object, "taken as false")
        return false
    }

    /// The four identifiers. If only some are there, they stay with the object in a form that others read.
    private mutating func product(_ object: inout CDBObject) throws(CDBRefusal) -> Node.Product? {
        let names = ["cid", "pid", "vid", "crpl"]
        let present = names.filter(object.has)
        guard present.count == names.count else {
            var copy = object
            for name in present {
                guard let number = try hexadecimal16(name, in: &copy) else { continue }
                object.replace(name, with: .string(number.hexadecimal))
            }
            if !present.isEmpty {
                let missing = names.filter { !present.contains($0) }
                remarks.append(
                    .init(
                        pointer: object.pointer,
                        text:
                            "\(present.joined(separator: ", ")) without \(missing.joined(separator: ", ")): what the node is "
                            + "counts as unknown until it is asked"
                    )
                )
            }
            return nil
        }
        return Node.Product(
            company: try object.required("cid", try hexadecimal16("cid", in: &object)),
            product: try object.required("pid", try hexadecimal16("pid", in: &object)),
            version: try object.required("vid", try hexadecimal16("vid", in: &object)),
            replayListSize: try object.required("crpl", try hexadecimal16("crpl", in: &object))
        )
    }

    private mutating func features(_ object: inout CDBObject, _ path: String) throws(CDBRefusal) -> Node.Features {
        guard let value = object.take("features") else { return Node.Features() }
        var inner = try CDBObject(value, at: object.pointer(to: "features"))
        func state(_ name: String) throws(CDBRefusal) -> FeatureState? {
            try inner.integer(name, in: 0...2).flatMap { FeatureState(rawValue: UInt8(truncatingIfNeeded: $0)) }
        }
        var relay = try state("relay")
        if relay != nil, survey.isWritten(by: [.siliconLabs]) != false {
            repair(inner.pointer(to: "relay"), "made of what the node's proxy supports; taken as unknown")
            relay = nil
        }
        let features = Node.Features(
            relay: relay,
            proxy: try state("proxy"),
            friend: try state("friend"),
            lowPower: try state("lowPower")
        )
        keep(inner, at: "\(path)/features")
        return features
    }

    private mutating func defaultTTL(_ object: inout CDBObject) throws(CDBRefusal) -> UInt8? {
        let ttl = try object.integer("defaultTTL", in: 0...127)
        guard ttl == 1 else { return ttl.map { UInt8(truncatingIfNeeded: $0) } }
        repair(object.pointer(to: "defaultTTL"), "1 is prohibited; taken as unknown")
        return nil
    }
}
