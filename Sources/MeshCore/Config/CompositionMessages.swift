/// Config Composition Data Get (Mesh Protocol 4.3.2.4): asks for a page. A node that does not have it sends the next
/// lower page that it has.
package struct ConfigCompositionDataGet: ConfigurationRequest, FieldMessage {
    package typealias Status = ConfigCompositionDataStatus
    package static let opcode: Opcode = 0x8008
    /// The highest page wanted; 0xFF for the highest of the node.
    package var page: UInt8

    package init(page: UInt8) {
        self.page = page
    }

    /// Reads one octet.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        page = try reader.readUInt8()
    }

    package func write(to writer: inout ByteWriter) {
        writer.write(page)
    }

    /// A node answers with the page asked for or a lower one.
    package func isAnswered(by status: ConfigCompositionDataStatus) -> Bool {
        status.page <= page
    }
}

/// Config Composition Data Status (Mesh Protocol 4.3.2.5).
package struct ConfigCompositionDataStatus: ConfigurationMessage, FieldMessage {
    package static let opcode: Opcode = 0x02
    /// The number of the page.
    package var page: UInt8
    /// The octets of the page.
    package var data: [UInt8]

    package init(page: UInt8, data: [UInt8]) {
        self.page = page
        self.data = data
    }

    /// Reads one octet; the rest is the page.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        page = try reader.readUInt8()
        data = Array(reader.readRest())
    }

    /// Appends the number of the page and its octets.
    package func write(to writer: inout ByteWriter) {
        writer.write(page)
        writer.write(data)
    }

    /// The decoded page; nil if it is not page 0. A model that an element names twice counts once.
    ///
    /// - Throws: ``DecodeError`` if page 0 is malformed.
    package func composition() throws(DecodeError) -> Composition? {
        page == 0 ? try Composition.told(page0: data).0 : nil
    }
}
