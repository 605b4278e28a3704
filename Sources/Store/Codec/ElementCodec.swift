internal import MeshCore

/// An element within a node's row: `name? | location 2 | models`, and a model: `kind 1 | identifier 2 or 4 |
/// bindings | subscriptions | publication?`. Bit 0 of the kind is set for a vendor model, bit 1 if a publication
/// follows: `address 2 or 18 | AppKey index 2, bit 15 friendship credentials | TTL 1 | period 1 | retransmit 1`.
enum ElementCodec {
    static func encode(_ element: Element, into writer: inout ByteWriter) {
        writer.write(element.name != nil)
        if let name = element.name { writer.writeString(name) }
        writer.write(element.location)
        writer.writeList(element.models) { encode($0, into: &$1) }
    }

    static func decode(_ reader: inout ByteReader) throws(DecodeError) -> Element {
        let name = try reader.readBool() ? try reader.readString() : nil
        let location = try reader.readUInt16()
        let models = try reader.readList(size: 5) { (reader: inout ByteReader) throws(DecodeError) in
            try decodeModel(&reader)
        }
        return Element(name: name, location: location, models: models)
    }

    private static func encode(_ model: Model, into writer: inout ByteWriter) {
        writer.write(UInt8(model.identifier.isVendor ? 1 : 0) | (model.publication == nil ? 0 : 2))
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
    }

    private static func decodeModel(_ reader: inout ByteReader) throws(DecodeError) -> Model {
        let kind = try reader.readUInt8()
        guard kind < 4 else { throw .prohibited(field: "model kind", value: UInt64(kind)) }
        let identifier: ModelIdentifier =
            kind & 1 == 1
            ? .vendor(company: try reader.readUInt16(), model: try reader.readUInt16()) : .sig(try reader.readUInt16())
        var model = Model(identifier: identifier)
        model.bindings = try reader.readList(size: 2) { (reader: inout ByteReader) throws(DecodeError) in
            try reader.readKeyIndex(AppKeyIndex.self)
        }
        model.subscriptions = try reader.readList(size: 2) { (reader: inout ByteReader) throws(DecodeError) in
            try reader.readSubscriptionAddress()
        }
        if kind & 2 == 2 { model.publication = try decodePublication(&reader) }
        return model
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
