package import MeshCore

extension ConfigurationAction {
    private static let encodingVersion: UInt8 = 1

    /// The action as octets, for journals: a version (1), then as in a plan file. It holds no key.
    package var encoded: [UInt8] {
        var writer = PlanWriter()
        writer.bytes.write(Self.encodingVersion)
        writer.write(self)
        return writer.bytes.bytes
    }

    /// The action that was encoded.
    ///
    /// - Throws: ``DecodeError`` if the octets are not exactly what ``encoded`` makes of some action.
    package init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = PlanReader(bytes)
        let version = try reader.bytes.readUInt8()
        guard version == Self.encodingVersion else { throw .unknownType(UInt64(version)) }
        self = try reader.action()
        try reader.bytes.expectEnd()
    }
}
