import MeshCore

/// The body of the row that says which models share subscription lists, version 1.
enum ListSharingCodec {
    static let version: UInt8 = 1

    static func encode(_ sharings: [ListSharing]) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(version)
        writer.writeList(sharings) { sharing, writer in
            writer.write(sharing.product)
            writer.write(sharing.element)
            writer.write(sharing.first)
            writer.write(sharing.second)
            writer.write(sharing.isShared)
        }
        return writer.bytes
    }

    static func decode(_ bytes: [UInt8]) throws(DecodeError) -> [ListSharing] {
        var reader = ByteReader(bytes)
        try reader.expectVersion(version)
        let sharings = try reader.readList(size: 16) { (reader: inout ByteReader) throws(DecodeError) in
            let product = try reader.readProduct()
            let element = try reader.readUInt8()
            let (first, second) = (try reader.readModel(), try reader.readModel())
            return ListSharing(product: product, element: element, first, second, isShared: try reader.readFlag())
        }
        try reader.expectEnd()
        return sharings
    }
}
