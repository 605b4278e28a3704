/// A message that asks for a part of a page.
package protocol PagePartRequest: ConfigurationRequest, FoundationMessage where Status: PagePartStatus {
    var page: UInt8 { get }
    /// The offset of the first octet to send.
    var offset: UInt16 { get }
}

extension PagePartRequest {
    /// Whether the status starts at the requested offset. The page may differ: a node that lacks the page sends the
    /// next lower one that it has.
    package func isAnswered(by status: Status) -> Bool { status.offset == offset && status.page <= page }
}

/// A message with a part of a page.
package protocol PagePartStatus: ConfigurationMessage, FoundationMessage {
    var page: UInt8 { get }
    /// The offset of the first octet in the page.
    var offset: UInt16 { get }
    /// The number of octets of the whole page.
    var totalSize: UInt16 { get }
    /// The octets from the offset on, as many as fit into the message; none if the offset is past the end.
    var data: [UInt8] { get }

    init(page: UInt8, offset: UInt16, totalSize: UInt16, data: [UInt8])
}

extension PagePartStatus {
    /// A part that reaches past the end of the page is prohibited.
    fileprivate init(
        checking page: UInt8,
        _ offset: UInt16,
        _ totalSize: UInt16,
        _ data: [UInt8]
    ) throws(DecodeError) {
        guard data.isEmpty || Int(offset) + data.count <= Int(totalSize) else {
            throw .prohibited(field: "TotalSize", value: UInt64(totalSize))
        }
        self.init(page: page, offset: offset, totalSize: totalSize, data: data)
    }
}

/// Large Composition Data Get (Mesh Protocol 1.1).
package struct LargeCompositionDataGet: PagePartRequest {
    package typealias Status = LargeCompositionDataStatus
    package static let opcode: Opcode = 0x8074
    package static let layout = Layout(Self.init, .field("page", \.page, as: "number"), .field("offset", \.offset))
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
    package static let layout = Layout(
        Self.init(checking:_:_:_:),
        .field("page", \.page, as: "number"),
        .field("offset", \.offset),
        .field("total_size", \.totalSize),
        .octets("data", \.data, as: "data")
    )
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
    package static let layout = Layout(Self.init, .field("metadata_page", \.page), .field("offset", \.offset))
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
    package static let layout = Layout(
        Self.init(checking:_:_:_:),
        .field("metadata_page", \.page),
        .field("offset", \.offset),
        .field("total_size", \.totalSize),
        .octets("data", \.data, as: "data")
    )
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
