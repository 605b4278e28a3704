package import MeshCore

extension ConfigurationAction {
    private static let encodingVersion: UInt8 = 1

    /// The action as octets, for journals: a version (1), then the same as in a plan file. It contains no key.
    package var encoded: [UInt8] {
        var writer = PlanWriter()
        writer.bytes.write(Self.encodingVersion)
        writer.write(self)
        return writer.bytes.bytes
    }

    /// Reads an encoded action.
    ///
    /// - Throws: ``DecodeError`` if the octets are not exactly the ``encoded`` form of some action.
    package init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = PlanReader(bytes)
        let version = try reader.bytes.readUInt8()
        guard version == Self.encodingVersion else { throw .unknownType(UInt64(version)) }
        self = try reader.action()
        try reader.bytes.expectEnd()
    }
}
