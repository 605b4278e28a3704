import MeshCore

/// The body of the row of a pending reprovisioning, version 1. Integers are big-endian.
///
/// `version 1 | uuid 16 | procedure 1 | address 2 | element count 1 | attempted 8 | DeviceKey 16`.
enum PendingReprovisionCodec {
    static let version: UInt8 = 1

    static func encode(_ pending: PendingReprovision) -> [UInt8] {
        var writer = ByteWriter(capacity: 48)
        writer.write(version)
        writer.write(pending.uuid.rawValue)
        writer.write(pending.procedure.rawValue)
        writer.write(pending.address.rawValue)
        writer.write(pending.elementCount)
        writer.writeTime(pending.attemptedAt)
        writer.write(pending.deviceKey.octets)
        return writer.bytes
    }

    static func decode(_ bytes: [UInt8]) throws(DecodeError) -> PendingReprovision {
        var reader = ByteReader(bytes)
        try reader.expectVersion(version)
        let uuid = try reader.readDeviceUUID()
        let procedure: NodeProvisioningProcedure = try reader.readCase("procedure of a reprovisioning")
        let address = try reader.readUnicastAddress()
        let elementCount = try reader.readUInt8()
        let attempted = try reader.readTime()
        let key = KeyMaterial(try reader.readOctets16())
        try reader.expectEnd()
        return PendingReprovision(
            uuid: uuid,
            procedure: procedure,
            deviceKey: key,
            address: address,
            elementCount: elementCount,
            attemptedAt: attempted
        )
    }
}
