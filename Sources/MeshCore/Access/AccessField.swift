/// A value that is a field of access messages, integers least significant octet first (Mesh Protocol 3.1.1.2).
package protocol AccessField: Sendable {
    /// Reads the field from the front of `reader`.
    ///
    /// - Throws: ``DecodeError`` if octets are missing or the value is prohibited.
    init(reading reader: inout ByteReader) throws(DecodeError)

    /// Appends the field's octets.
    func write(to writer: inout ByteWriter)

    /// The field in the notation of the catalogue's tables, with `$` for its name: `$:key-index`.
    static var notation: String { get }
}

extension AccessField {
    /// The notation of a field with that name, and with that type if one is given.
    static func notation(named name: String, _ type: String? = nil) -> String {
        let notation = type.map { "$:\($0)" } ?? notation
        return notation.split(separator: "$", omittingEmptySubsequences: false).joined(separator: name)
    }

    /// The notation of a list of such fields that goes up to the end.
    static func listNotation(named name: String) -> String {
        notation.hasPrefix("$:") ? "\(name)*\(notation.dropFirst())" : "\(name)*( \(notation) )"
    }
}

extension AccessField where Self: RawRepresentable, RawValue == UInt8 {
    /// Reads one octet; values that the type does not have are prohibited.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        let octet = try reader.readUInt8()
        guard let value = Self(rawValue: octet) else {
            throw .prohibited(field: "\(Self.self)", value: UInt64(octet))
        }
        self = value
    }

    package func write(to writer: inout ByteWriter) {
        writer.write(rawValue)
    }

    /// An octet without further meaning in the catalogue.
    package static var notation: String { "$:u8" }
}

extension FeatureState: AccessField {
    package static let notation = "$:feature-state"
}

extension KeyRefreshPhase: AccessField {
    package static let notation = "$:key-refresh-phase"
}

extension UInt8: AccessField {
    package static let notation = "$:u8"

    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self = try reader.readUInt8()
    }

    package func write(to writer: inout ByteWriter) {
        writer.write(self)
    }
}

extension UInt16: AccessField {
    package static let notation = "$:u16"

    /// Reads two octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self = try reader.readUInt16LittleEndian()
    }

    package func write(to writer: inout ByteWriter) {
        writer.writeLittleEndian(self)
    }
}

extension Bool: AccessField {
    package static let notation = "$:feature-set"

    /// Reads one octet, 0x00 off or 0x01 on; others are prohibited.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        let octet = try reader.readUInt8()
        guard octet <= 1 else { throw .prohibited(field: "on or off", value: UInt64(octet)) }
        self = octet == 1
    }

    /// Appends 0x00 or 0x01.
    package func write(to writer: inout ByteWriter) {
        writer.write(self ? UInt8(1) : UInt8(0))
    }
}

extension Address: AccessField {
    package static let notation = "$:address"

    /// Reads two octets; any address.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(rawValue: try reader.readUInt16LittleEndian())
    }

    package func write(to writer: inout ByteWriter) {
        writer.writeLittleEndian(rawValue)
    }
}

extension UnicastAddress: AccessField {
    package static let notation = "$:address"

    /// Reads two octets; addresses that are not unicast are prohibited.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        let bits = try reader.readUInt16LittleEndian()
        guard let unicast = UnicastAddress(rawValue: bits) else {
            throw .prohibited(field: "unicast address", value: UInt64(bits))
        }
        self = unicast
    }

    package func write(to writer: inout ByteWriter) {
        writer.writeLittleEndian(rawValue)
    }
}

extension LabelUUID: AccessField {
    package static let notation = "$:uuid"

    /// Reads 16 octets in their natural order.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(rawValue: try reader.readOctets16())
    }

    /// Appends 16 octets in their natural order.
    package func write(to writer: inout ByteWriter) {
        writer.write(rawValue.bytes)
    }
}

extension KeyMaterial: AccessField {
    package static let notation = "$:key"

    /// Reads 16 octets in their natural order.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(try reader.readOctets16())
    }

    /// Appends 16 octets in their natural order.
    package func write(to writer: inout ByteWriter) {
        writer.write(octets.bytes)
    }
}

extension ModelIdentifier: AccessField {
    package static let notation = "$:model"

    /// Reads a model that is the last field: two octets left are a SIG model, four are company and vendor model.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        if reader.remaining == SIGModelIdentifier.size {
            self = try SIGModelIdentifier(reading: &reader).identifier
        } else {
            self = try VendorModelIdentifier(reading: &reader).identifier
        }
    }

    /// Appends two octets for a SIG model, four for a vendor model.
    package func write(to writer: inout ByteWriter) {
        if let company { writer.writeLittleEndian(company) }
        writer.writeLittleEndian(model)
    }
}

extension TransmitParameters: AccessField {
    package static let notation = "$_count:u3 $_interval:transmit-interval"

    /// Reads one octet; every value is valid.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(octet: try reader.readUInt8())
    }

    package func write(to writer: inout ByteWriter) {
        writer.write(octet)
    }
}
