/// A model identifier of a fixed kind. Messages that list what a model has exist once for SIG models and once for
/// vendor models, because the length of the identifier cannot be told from the list that follows it.
package protocol ListedModelIdentifier: AccessField, Hashable, Sendable {
    static var isVendor: Bool { get }

    /// The same model as an identifier of either kind.
    var identifier: ModelIdentifier { get }

    /// The identifier of a model; nil if the model is of the other kind.
    init?(_ identifier: ModelIdentifier)
}

/// A model of the Bluetooth SIG.
package struct SIGModelIdentifier: ListedModelIdentifier {
    /// The 16-bit identifier.
    package let model: UInt16

    /// The number of octets in a message.
    package static let size = 2
    package static let isVendor = false
    package static let notation = "model:model-number"

    package init(model: UInt16) {
        self.model = model
    }

    /// Nil for a vendor model.
    package init?(_ identifier: ModelIdentifier) {
        guard !identifier.isVendor else { return nil }
        self.init(model: identifier.model)
    }

    package var identifier: ModelIdentifier { .sig(model) }

    /// Reads two octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(model: try reader.readUInt16LittleEndian())
    }

    package func write(to writer: inout ByteWriter) {
        writer.writeLittleEndian(model)
    }
}

/// A model of a company.
package struct VendorModelIdentifier: ListedModelIdentifier {
    package let company: UInt16
    /// The 16-bit identifier that the company assigned.
    package let model: UInt16
    package static let isVendor = true
    package static let notation = "company vendor_model:model-number"

    package init(company: UInt16, model: UInt16) {
        self.company = company
        self.model = model
    }

    /// Nil for a SIG model.
    package init?(_ identifier: ModelIdentifier) {
        guard let company = identifier.company else { return nil }
        self.init(company: company, model: identifier.model)
    }

    package var identifier: ModelIdentifier { .vendor(company: company, model: model) }

    /// Reads four octets, the company first.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(company: try reader.readUInt16LittleEndian(), model: try reader.readUInt16LittleEndian())
    }

    /// Appends four octets, the company first.
    package func write(to writer: inout ByteWriter) {
        writer.writeLittleEndian(company)
        writer.writeLittleEndian(model)
    }
}
