/// What a model has a list of: the AppKeys bound to it, or the addresses that it subscribes to.
package protocol ModelListEntry: Hashable, Sendable {
    /// The opcodes of the requests and of the lists, for models of the Bluetooth SIG and of vendors.
    static var opcodes: (sigGet: Opcode, sigList: Opcode, vendorGet: Opcode, vendorList: Opcode) { get }

    /// The list in the notation of the catalogue.
    static var listNotation: String { get }

    /// Reads entries to the end.
    static func readList(from reader: inout ByteReader) throws(DecodeError) -> [Self]

    static func write(_ entries: [Self], to writer: inout ByteWriter)
}

extension AppKeyIndex: ModelListEntry {
    package static let opcodes: (sigGet: Opcode, sigList: Opcode, vendorGet: Opcode, vendorList: Opcode) =
        (0x804B, 0x804C, 0x804D, 0x804E)
    package static let listNotation = "app_key_indexes:key-indexes"

    /// Reads packed indexes; their order means nothing. Zephyr lists 0xFFFC, its index for the DeviceKey of any node,
    /// where a DeviceKey secures a model. Such a model has no AppKey.
    package static func readList(from reader: inout ByteReader) throws(DecodeError) -> [AppKeyIndex] {
        var peek = reader
        if reader.remaining == 2, try peek.readUInt16LittleEndian() >= 0xFFFC {
            reader = peek
            return []
        }
        return try reader.readKeyIndexList()
    }

    /// Appends the indexes, packed.
    package static func write(_ entries: [AppKeyIndex], to writer: inout ByteWriter) {
        writer.writeKeyIndexList(entries)
    }
}

extension Address: ModelListEntry {
    package static let opcodes: (sigGet: Opcode, sigList: Opcode, vendorGet: Opcode, vendorList: Opcode) =
        (0x8029, 0x802A, 0x802B, 0x802C)
    package static let listNotation = "addresses*:address"

    /// Reads addresses of two octets each; only group and virtual addresses are allowed.
    package static func readList(from reader: inout ByteReader) throws(DecodeError) -> [Address] {
        var addresses: [Address] = []
        addresses.reserveCapacity(reader.remaining / 2)
        while !reader.isAtEnd {
            let address = try Address(reading: &reader)
            guard address.kind == .group || address.kind == .virtual else {
                throw .prohibited(field: "subscription address", value: UInt64(address.rawValue))
            }
            addresses.append(address)
        }
        return addresses
    }

    /// Appends two octets for each address.
    package static func write(_ entries: [Address], to writer: inout ByteWriter) {
        for address in entries { address.write(to: &writer) }
    }
}

/// Asks for a list of a model: ElementAddress (2), ModelIdentifier (2 or 4, depending on the kind of model).
package struct ModelListGet<Listed: ListedModelIdentifier, Entry: ModelListEntry>: ModelMessage, ConfigurationRequest,
    FieldMessage
{
    package typealias Status = ModelList<Listed, Entry>
    package static var opcode: Opcode { Listed.isVendor ? Entry.opcodes.vendorGet : Entry.opcodes.sigGet }
    package static var notation: String { "element:address \(Listed.notation)" }
    package var elementAddress: UnicastAddress
    package var listedModel: Listed
    package var model: ModelIdentifier { listedModel.identifier }

    package init(elementAddress: UnicastAddress, listedModel: Listed) {
        self.elementAddress = elementAddress
        self.listedModel = listedModel
    }

    /// Asks for the model's list; nil if the other message serves this kind of model.
    package init?(elementAddress: UnicastAddress, model: ModelIdentifier) {
        guard let listedModel = Listed(model) else { return nil }
        self.init(elementAddress: elementAddress, listedModel: listedModel)
    }

    /// Reads four or six octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        elementAddress = try UnicastAddress(reading: &reader)
        listedModel = try Listed(reading: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        elementAddress.write(to: &writer)
        listedModel.write(to: &writer)
    }
}

/// A list of a model: Status (1), ElementAddress (2), ModelIdentifier (2 or 4), then the entries to the end.
package struct ModelList<Listed: ListedModelIdentifier, Entry: ModelListEntry>: ModelMessage,
    ConfigurationStatusMessage, FieldMessage
{
    package static var opcode: Opcode { Listed.isVendor ? Entry.opcodes.vendorList : Entry.opcodes.sigList }
    package static var notation: String {
        "status:config-status element:address \(Listed.notation) \(Entry.listNotation)"
    }
    package var status: ConfigStatusCode
    package var elementAddress: UnicastAddress
    package var listedModel: Listed
    /// The model's entries; empty unless the status is success. Virtual addresses come without their labels.
    package var entries: [Entry]
    package var model: ModelIdentifier { listedModel.identifier }

    package init(status: ConfigStatusCode, elementAddress: UnicastAddress, listedModel: Listed, entries: [Entry]) {
        self.status = status
        self.elementAddress = elementAddress
        self.listedModel = listedModel
        self.entries = entries
    }

    /// Reads five or seven octets, then the entries.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        status = try ConfigStatusCode(reading: &reader)
        elementAddress = try UnicastAddress(reading: &reader)
        listedModel = try Listed(reading: &reader)
        entries = try Entry.readList(from: &reader)
    }

    /// Appends five or seven octets, then the entries.
    package func write(to writer: inout ByteWriter) {
        status.write(to: &writer)
        elementAddress.write(to: &writer)
        listedModel.write(to: &writer)
        Entry.write(entries, to: &writer)
    }
}

/// Config SIG Model App Get (Mesh Protocol 4.3.2.49).
package typealias ConfigSIGModelAppGet = ModelListGet<SIGModelIdentifier, AppKeyIndex>
/// Config SIG Model App List (Mesh Protocol 4.3.2.50).
package typealias ConfigSIGModelAppList = ModelList<SIGModelIdentifier, AppKeyIndex>
/// Config Vendor Model App Get (Mesh Protocol 4.3.2.51).
package typealias ConfigVendorModelAppGet = ModelListGet<VendorModelIdentifier, AppKeyIndex>
/// Config Vendor Model App List (Mesh Protocol 4.3.2.52).
package typealias ConfigVendorModelAppList = ModelList<VendorModelIdentifier, AppKeyIndex>
/// Config SIG Model Subscription Get (Mesh Protocol 4.3.2.27).
package typealias ConfigSIGModelSubscriptionGet = ModelListGet<SIGModelIdentifier, Address>
/// Config SIG Model Subscription List (Mesh Protocol 4.3.2.28).
package typealias ConfigSIGModelSubscriptionList = ModelList<SIGModelIdentifier, Address>
/// Config Vendor Model Subscription Get (Mesh Protocol 4.3.2.29).
package typealias ConfigVendorModelSubscriptionGet = ModelListGet<VendorModelIdentifier, Address>
/// Config Vendor Model Subscription List (Mesh Protocol 4.3.2.30).
package typealias ConfigVendorModelSubscriptionList = ModelList<VendorModelIdentifier, Address>
