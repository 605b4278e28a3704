/// A message about a model on an element.
package protocol ModelMessage: ConfigurationMessage {
    /// The address of the element.
    var elementAddress: UnicastAddress { get }
    /// The model on that element.
    var model: ModelIdentifier { get }
}

extension ModelMessage {
    /// The model on its element.
    package var subject: ConfigurationSubject {
        ConfigurationSubject(elementAddress: elementAddress, model: model)
    }
}

/// The layout of requests for a list: ElementAddress (2), ModelIdentifier (2 or 4, depending on the kind of model).
package protocol ModelListGet: ModelMessage, ConfigurationRequest, FieldMessage where Status: ModelList<Listed> {
    /// The kind of model.
    associatedtype Listed: ListedModelIdentifier
    /// The model.
    var listedModel: Listed { get }

    /// Asks for the model's list.
    init(elementAddress: UnicastAddress, listedModel: Listed)
}

extension ModelListGet {
    package var model: ModelIdentifier { listedModel.identifier }

    /// Asks for the model's list; nil if the other message serves this kind of model.
    package init?(elementAddress: UnicastAddress, model: ModelIdentifier) {
        guard let listedModel = Listed(model) else { return nil }
        self.init(elementAddress: elementAddress, listedModel: listedModel)
    }

    /// Reads four or six octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(elementAddress: try UnicastAddress(reading: &reader), listedModel: try Listed(reading: &reader))
    }

    package func write(to writer: inout ByteWriter) {
        elementAddress.write(to: &writer)
        listedModel.write(to: &writer)
    }
}

/// The layout of lists: Status (1), ElementAddress (2), ModelIdentifier (2 or 4), then the entries to the end.
package protocol ModelList<Listed>: ModelMessage, ConfigurationStatusMessage, FieldMessage {
    /// The kind of model.
    associatedtype Listed: ListedModelIdentifier
    /// An entry of the list.
    associatedtype Entry
    /// The model whose list it is.
    var listedModel: Listed { get }
    /// The model's entries; empty unless the status is success.
    var entries: [Entry] { get }

    /// The message with those fields.
    init(status: ConfigStatusCode, elementAddress: UnicastAddress, listedModel: Listed, entries: [Entry])

    /// Reads entries to the end.
    ///
    /// - Throws: ``DecodeError`` if an entry is truncated or prohibited.
    static func readEntries(from reader: inout ByteReader) throws(DecodeError) -> [Entry]

    /// Appends the entries.
    static func write(_ entries: [Entry], to writer: inout ByteWriter)
}

extension ModelList {
    package var model: ModelIdentifier { listedModel.identifier }

    /// Reads five or seven octets, then the entries.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(
            status: try ConfigStatusCode(reading: &reader),
            elementAddress: try UnicastAddress(reading: &reader),
            listedModel: try Listed(reading: &reader),
            entries: try Self.readEntries(from: &reader)
        )
    }

    /// Appends five or seven octets, then the entries.
    package func write(to writer: inout ByteWriter) {
        status.write(to: &writer)
        elementAddress.write(to: &writer)
        listedModel.write(to: &writer)
        Self.write(entries, to: &writer)
    }
}
