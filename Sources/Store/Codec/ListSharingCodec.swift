import MeshCore

/// The body of the row that says which models share subscription lists, version 1.
enum ListSharingCodec {
    static let version: UInt8 = 1

    static func encode(_ sharings: [ListSharing]) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(version)
        writer.writeList(sharings) { sharing, writer in
            let product = sharing.product
            for value in [product.company, product.product, product.version, product.replayListSize] {
                writer.write(value)
            }
            writer.write(sharing.element)
            writer.write(tagged: sharing.first)
            writer.write(tagged: sharing.second)
            writer.write(sharing.isShared)
        }
        return writer.bytes
    }

    static func decode(_ bytes: [UInt8]) throws(DecodeError) -> [ListSharing] {
        var reader = ByteReader(bytes)
        let found = try reader.readUInt8()
        guard found == version else { throw .unknownType(UInt64(found)) }
        let sharings = try reader.readList(size: 16) { (reader: inout ByteReader) throws(DecodeError) in
            let product = Node.Product(
                company: try reader.readUInt16(),
                product: try reader.readUInt16(),
                version: try reader.readUInt16(),
                replayListSize: try reader.readUInt16()
            )
            let element = try reader.readUInt8()
            let (first, second) = (try reader.readTaggedModel(), try reader.readTaggedModel())
            return ListSharing(product: product, element: element, first, second, isShared: try reader.readBool())
        }
        try reader.expectEnd()
        return sharings
    }
}
