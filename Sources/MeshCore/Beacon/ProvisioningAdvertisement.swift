/// The service data with which a device without a network advertises that it can be provisioned over GATT, Mesh
/// Provisioning Service 0x1827 (Mesh Protocol 7.1.2.2.1): Device UUID (16), OOB information (2). The latter is
/// little-endian as in all service data, unlike in the beacon.
package struct ProvisioningAdvertisement: Hashable, Sendable {
    package var uuid: DeviceUUID
    /// Where to find out-of-band data, a bit field; see ``OutOfBandInformation``.
    package var oobInformation: UInt16

    package init(uuid: DeviceUUID, oobInformation: UInt16) {
        self.uuid = uuid
        self.oobInformation = oobInformation
    }

    /// Reads service data of 18 octets.
    package init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes)
        uuid = try reader.readDeviceUUID()
        oobInformation = try reader.readUInt16LittleEndian()
        try reader.expectEnd()
    }

    /// The 18 octets.
    package var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 18)
        writer.write(uuid.rawValue.bytes)
        writer.writeLittleEndian(oobInformation)
        return writer.bytes
    }
}
