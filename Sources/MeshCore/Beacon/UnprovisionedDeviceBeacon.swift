/// The beacon of a device without a network (Mesh Protocol 3.10.2): type 0x00, Device UUID (16), OOB information (2,
/// big-endian), and a URI hash (4) or nothing.
package struct UnprovisionedDeviceBeacon: Hashable, Sendable {
    package static let type: UInt8 = 0x00

    package var uuid: DeviceUUID
    /// Where to find out-of-band data, a bit field; see ``OutOfBandInformation``.
    package var oobInformation: UInt16
    /// The first 32 bits of s1 of the URI that the device advertises; nil if it advertises none.
    package var uriHash: UInt32?

    package init(uuid: DeviceUUID, oobInformation: UInt16, uriHash: UInt32? = nil) {
        self.uuid = uuid
        self.oobInformation = oobInformation
        self.uriHash = uriHash
    }

    /// Reads a beacon.
    package init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes)
        let type = try reader.readUInt8()
        guard type == UnprovisionedDeviceBeacon.type else { throw .unknownType(UInt64(type)) }
        uuid = try reader.readDeviceUUID()
        oobInformation = try reader.readUInt16()
        uriHash = reader.isAtEnd ? nil : try reader.readUInt32()
        try reader.expectEnd()
    }

    /// The 19 or 23 octets.
    package var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 23)
        writer.write(UnprovisionedDeviceBeacon.type)
        writer.write(uuid.rawValue.bytes)
        writer.write(oobInformation)
        if let uriHash { writer.write(uriHash) }
        return writer.bytes
    }

    /// The hash of a URI as it stands in advertising data, beginning with the code of the scheme.
    package static func hash(ofURI bytes: [UInt8]) -> UInt32 {
        UInt32(truncatingIfNeeded: KeyDerivation.s1(bytes).high >> 32)
    }
}
