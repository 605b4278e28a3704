/// The layout of messages that ask for a part of a page: page (1), offset (2).
package protocol PagePartRequest: ConfigurationRequest, FieldMessage where Status: PagePartStatus {
    /// The number of the page.
    var page: UInt8 { get }
    /// The offset of the first octet to send.
    var offset: UInt16 { get }

    /// The message with those fields.
    init(page: UInt8, offset: UInt16)
}

extension PagePartRequest {
    /// Reads three octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(page: try reader.readUInt8(), offset: try reader.readUInt16LittleEndian())
    }

    package func write(to writer: inout ByteWriter) {
        writer.write(page)
        writer.writeLittleEndian(offset)
    }

    /// Whether the status starts at the requested offset. The page may differ: a node that lacks the page sends the
    /// next lower one that it has.
    package func isAnswered(by status: Status) -> Bool { status.offset == offset && status.page <= page }
}

/// The layout of messages with a part of a page: page (1), offset (2), octets of the whole page (2), the part.
package protocol PagePartStatus: ConfigurationMessage, FieldMessage {
    /// The number of the page.
    var page: UInt8 { get }
    /// The offset of the first octet in the page.
    var offset: UInt16 { get }
    /// The number of octets of the whole page.
    var totalSize: UInt16 { get }
    /// The octets from the offset on, as many as fit into the message; none if the offset is past the end.
    var data: [UInt8] { get }

    /// The message with those fields.
    init(page: UInt8, offset: UInt16, totalSize: UInt16, data: [UInt8])
}

extension PagePartStatus {
    /// Reads to the end. A part that reaches past the end of the page is prohibited.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        let page = try reader.readUInt8()
        let offset = try reader.readUInt16LittleEndian()
        let totalSize = try reader.readUInt16LittleEndian()
        let data = Array(reader.readRest())
        guard data.isEmpty || Int(offset) + data.count <= Int(totalSize) else {
            throw .prohibited(field: "TotalSize", value: UInt64(totalSize))
        }
        self.init(page: page, offset: offset, totalSize: totalSize, data: data)
    }

    package func write(to writer: inout ByteWriter) {
        writer.write(page)
        writer.writeLittleEndian(offset)
        writer.writeLittleEndian(totalSize)
        writer.write(data)
    }
}

/// Large Composition Data Get (Mesh Protocol 1.1).
package struct LargeCompositionDataGet: PagePartRequest {
    package typealias Status = LargeCompositionDataStatus
    package static let opcode: Opcode = 0x8074
    package var page: UInt8
    package var offset: UInt16

    package init(page: UInt8, offset: UInt16) {
        self.page = page
        self.offset = offset
    }
}

/// Large Composition Data Status (Mesh Protocol 1.1).
package struct LargeCompositionDataStatus: PagePartStatus {
    package static let opcode: Opcode = 0x8075
    package var page: UInt8
    package var offset: UInt16
    package var totalSize: UInt16
    package var data: [UInt8]

    package init(page: UInt8, offset: UInt16, totalSize: UInt16, data: [UInt8]) {
        self.page = page
        self.offset = offset
        self.totalSize = totalSize
        self.data = data
    }
}

/// Models Metadata Get (Mesh Protocol 1.1).
package struct ModelsMetadataGet: PagePartRequest {
    package typealias Status = ModelsMetadataStatus
    package static let opcode: Opcode = 0x8076
    package var page: UInt8
    package var offset: UInt16

    package init(page: UInt8, offset: UInt16) {
        self.page = page
        self.offset = offset
    }
}

/// Models Metadata Status (Mesh Protocol 1.1).
package struct ModelsMetadataStatus: PagePartStatus {
    package static let opcode: Opcode = 0x8077
    package var page: UInt8
    package var offset: UInt16
    package var totalSize: UInt16
    package var data: [UInt8]

    package init(page: UInt8, offset: UInt16, totalSize: UInt16, data: [UInt8]) {
        self.page = page
        self.offset = offset
        self.totalSize = totalSize
        self.data = data
    }
}
