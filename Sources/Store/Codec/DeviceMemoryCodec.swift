import MeshCore

/// The body of the row of what is remembered of a device: `version 1 | uuid 16 | key 16 | knows HMAC 1 | fingerprints
/// 16 each`.
enum DeviceMemoryCodec {
    static let version: UInt8 = 1

    static func encode(_ memory: DeviceMemory) -> [UInt8] {
        var writer = ByteWriter(capacity: 64)
        writer.write(version)
        writer.write(memory.uuid.rawValue)
        writer.write(memory.key.octets)
        writer.write(memory.knowsHMAC)
        writer.writeList(memory.usedValues) { $1.write($0) }
        return writer.bytes
    }

    static func decode(_ bytes: [UInt8]) throws(DecodeError) -> DeviceMemory {
        var reader = ByteReader(bytes)
        try reader.expectVersion(version)
        let uuid = try reader.readDeviceUUID()
        let key = KeyMaterial(try reader.readOctets16())
        let knowsHMAC = try reader.readFlag()
        let values = try reader.readList(size: 16) { (reader: inout ByteReader) throws(DecodeError) in
            try reader.readOctets16()
        }
        try reader.expectEnd()
        return DeviceMemory(uuid: uuid, key: key, knowsHMAC: knowsHMAC, usedValues: values)
    }
}
