import MeshCore

/// The body of the row of a pending provisioning, version 1. Integers are big-endian.
///
/// `version 1 | uuid 16 | name | address 2 | element count 1 | NetKey index 2 | securely 1 | attempted 8 |
/// DeviceKeys 16 each | authentication? 4`.
enum PendingProvisioningCodec {
    static let version: UInt8 = 1

    static func encode(_ pending: PendingProvisioning) -> [UInt8] {
        var writer = ByteWriter(capacity: 128)
        writer.write(version)
        writer.write(pending.uuid.rawValue)
        writer.writeString(pending.name)
        writer.write(pending.address.rawValue)
        writer.write(pending.elementCount)
        writer.write(pending.netKeyIndex.rawValue)
        writer.write(pending.isSecurelyProvisioned)
        writer.writeTime(pending.attemptedAt)
        writer.writeList(pending.deviceKeys) { $1.write($0.octets) }
        writer.write(pending.authentication != nil)
        if let authentication = pending.authentication { AuthenticationCodec.encode(authentication, into: &writer) }
        return writer.bytes
    }

    static func decode(_ bytes: [UInt8]) throws(DecodeError) -> PendingProvisioning {
        var reader = ByteReader(bytes)
        try reader.expectVersion(version)
        let uuid = try reader.readDeviceUUID()
        let name = try reader.readString()
        let address = try reader.readUnicastAddress()
        let elementCount = try reader.readUInt8()
        let netKeyIndex = try reader.readKeyIndex(NetKeyIndex.self)
        let isSecure = try reader.readFlag()
        let attempted = try reader.readTime()
        let keys = try reader.readList(size: 16) { (reader: inout ByteReader) throws(DecodeError) in
            KeyMaterial(try reader.readOctets16())
        }
        let authentication = try reader.readFlag() ? try AuthenticationCodec.decode(&reader) : nil
        try reader.expectEnd()
        return PendingProvisioning(
            uuid: uuid,
            name: name,
            address: address,
            elementCount: elementCount,
            deviceKeys: keys,
            netKeyIndex: netKeyIndex,
            isSecurelyProvisioned: isSecure,
            authentication: authentication,
            attemptedAt: attempted
        )
    }
}

/// The body of the row of a retired node: `version 1 | reason 1 | retired 8 | the rest of the node's body`. The version
/// is that of the node's body; a change of the octets before it raises it, too.
enum RetiredNodeCodec {
    static func encode(_ retired: RetiredNode) -> [UInt8] {
        let node = NodeCodec.encode(retired.node)
        var writer = ByteWriter(capacity: node.count + 9)
        writer.write(node.prefix(1))
        writer.write(retired.reason.rawValue)
        writer.writeTime(retired.retiredAt)
        writer.write(node.dropFirst())
        return writer.bytes
    }

    static func decode(_ bytes: [UInt8]) throws(DecodeError) -> RetiredNode {
        var reader = ByteReader(bytes)
        let version = try reader.readUInt8()
        guard version == NodeCodec.version else { throw .unknownType(UInt64(version)) }
        let reason: RetiredNode.Reason = try reader.readCase("reason of retirement")
        let retired = try reader.readTime()
        let node = try NodeCodec.decode([version] + reader.read(reader.remaining))
        return RetiredNode(node: node, reason: reason, retiredAt: retired)
    }
}
