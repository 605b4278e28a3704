import MeshCore

/// An element within a node's row: `name? | location 2 | models`.
///
/// A model: `kind 1 | identifier 2 or 4 | bindings | subscriptions | publication? | managed bindings? | managed
/// subscriptions?`. In the kind, bit 0 marks a vendor model and bit 1 a publication: `address 2 or 18 | AppKey index 2,
/// bit 15 friendship credentials | TTL 1 | period 1 | retransmit 1`. Bit 2 says that the publication is managed. Bits 3
/// and 4 say which bindings are managed, bits 5 and 6 which subscriptions: 0 none, 1 all of them, 2 those listed at the
/// end. Bit 7 says that states follow after them.
enum ElementCodec {
    static func encode(_ element: Element, into writer: inout ByteWriter) {
        writer.write(element.name != nil)
        if let name = element.name { writer.writeString(name) }
        writer.write(element.location)
        writer.writeList(element.models) { encode($0, into: &$1) }
    }

    static func decode(_ reader: inout ByteReader) throws(DecodeError) -> Element {
        let name = try reader.readFlag() ? try reader.readString() : nil
        let location = try reader.readUInt16()
        let models = try reader.readList(size: 5) { (reader: inout ByteReader) throws(DecodeError) in
            try decodeModel(&reader)
        }
        return Element(name: name, location: location, models: models)
    }

    private static func encode(_ model: Model, into writer: inout ByteWriter) {
        let managedBindings = Share(of: model.managedBindings, in: model.bindings)
        let managedSubscriptions = Share(of: model.managedSubscriptions, in: model.subscriptions)
        var kind: UInt8 = model.identifier.isVendor ? 1 : 0
        if model.publication != nil { kind |= model.isPublicationManaged ? 6 : 2 }
        if !model.states.isEmpty { kind |= 0x80 }
        writer.write(kind | managedBindings.rawValue << 3 | managedSubscriptions.rawValue << 5)
        if let company = model.identifier.company { writer.write(company) }
        writer.write(model.identifier.model)
        writer.writeList(model.bindings) { $1.write($0.rawValue) }
        writer.writeList(model.subscriptions) { $1.write($0) }
        if let publication = model.publication {
            writer.write(publication.address)
            writer.write(publication.appKeyIndex.rawValue | (publication.usesFriendshipCredentials ? 0x8000 : 0))
            writer.write(publication.ttl)
            writer.write(publication.period.octet)
            writer.write(publication.retransmit.octet)
        }
        if managedBindings == .some { writer.writeList(model.managedBindings) { $1.write($0.rawValue) } }
        if managedSubscriptions == .some { writer.writeList(model.managedSubscriptions) { $1.write($0) } }
        if !model.states.isEmpty { ModelStateCodec.encode(model.states, into: &writer) }
    }

    /// How much of a list is managed.
    private enum Share: UInt8 {
        case none = 0
        case all = 1
        case some = 2

        init<Item: Equatable>(of managed: [Item], in list: [Item]) {
            self = managed.isEmpty ? .none : managed == list ? .all : .some
        }

        /// The share that the lower two bits encode.
        init(bits: UInt8) throws(DecodeError) {
            guard let share = Share(rawValue: bits & 3) else {
                throw .prohibited(field: "managed values of a model", value: UInt64(bits & 3))
            }
            self = share
        }
    }

    private static func decodeModel(_ reader: inout ByteReader) throws(DecodeError) -> Model {
        let kind = try reader.readUInt8()
        guard kind & 6 != 4 else { throw .prohibited(field: "model kind", value: UInt64(kind)) }
        let managedBindings = try Share(bits: kind >> 3)
        let managedSubscriptions = try Share(bits: kind >> 5)
        let identifier: ModelIdentifier =
            kind & 1 == 1
            ? .vendor(company: try reader.readUInt16(), model: try reader.readUInt16()) : .sig(try reader.readUInt16())
        var model = Model(identifier: identifier)
        model.bindings = try readBindings(&reader)
        model.subscriptions = try readSubscriptions(&reader)
        if kind & 2 == 2 { model.publication = try decodePublication(&reader) }
        model.isPublicationManaged = kind & 4 == 4
        switch managedBindings {
        case .none: break
        case .all: model.managedBindings = model.bindings
        case .some: model.managedBindings = try readBindings(&reader)
        }
        guard Share(of: model.managedBindings, in: model.bindings) == managedBindings else {
            throw .prohibited(field: "managed bindings", value: UInt64(model.managedBindings.count))
        }
        switch managedSubscriptions {
        case .none: break
        case .all: model.managedSubscriptions = model.subscriptions
        case .some: model.managedSubscriptions = try readSubscriptions(&reader)
        }
        guard Share(of: model.managedSubscriptions, in: model.subscriptions) == managedSubscriptions else {
            throw .prohibited(field: "managed subscriptions", value: UInt64(model.managedSubscriptions.count))
        }
        if kind & 0x80 != 0 { model.states = try ModelStateCodec.decode(&reader) }
        return model
    }

    private static func readBindings(_ reader: inout ByteReader) throws(DecodeError) -> [AppKeyIndex] {
        try reader.readList(size: 2) { (reader: inout ByteReader) throws(DecodeError) in
            try reader.readKeyIndex(AppKeyIndex.self)
        }
    }

    private static func readSubscriptions(_ reader: inout ByteReader) throws(DecodeError) -> [SubscriptionAddress] {
        try reader.readList(size: 2) { (reader: inout ByteReader) throws(DecodeError) in
            try reader.readSubscriptionAddress()
        }
    }

    private static func decodePublication(_ reader: inout ByteReader) throws(DecodeError) -> Publication {
        let address = try reader.readPublishAddress()
        let key = try reader.readUInt16()
        guard let index = AppKeyIndex(rawValue: key & 0x7FFF) else {
            throw .prohibited(field: "AppKey index", value: UInt64(key))
        }
        return Publication(
            address: address,
            appKeyIndex: index,
            usesFriendshipCredentials: key & 0x8000 != 0,
            ttl: try reader.readUInt8(),
            period: PublishPeriod(octet: try reader.readUInt8()),
            retransmit: PublishRetransmit(octet: try reader.readUInt8())
        )
    }
}
