import MeshCore

/// How a device proved who it is, 4 octets: algorithm, method, public key out of band, level.
enum AuthenticationCodec {
    static func encode(_ authentication: NodeAuthentication, into writer: inout ByteWriter) {
        writer.write(authentication.algorithm.rawValue)
        writer.write(authentication.kind.rawValue)
        writer.write(authentication.isPublicKeyOutOfBand)
        writer.write(authentication.assurance.code)
    }

    static func decode(_ reader: inout ByteReader) throws(DecodeError) -> NodeAuthentication {
        let algorithm = try reader.readUInt8()
        let kind = try reader.readUInt8()
        let isOutOfBand = try reader.readFlag()
        let level = try reader.readUInt8()
        guard let algorithm = ProvisioningAlgorithm(rawValue: algorithm),
            let kind = AuthenticationMethod.Kind(rawValue: kind),
            let assurance = ProvisioningAssurance.allCases.first(where: { $0.code == level })
        else { throw .prohibited(field: "authentication", value: UInt64(algorithm)) }
        return NodeAuthentication(
            algorithm: algorithm,
            kind: kind,
            isPublicKeyOutOfBand: isOutOfBand,
            assurance: assurance
        )
    }
}
