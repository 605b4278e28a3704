/// A value that is a field of access messages, integers least significant octet first (Mesh Protocol 3.1.1.2).
package protocol AccessField {
    /// Reads the field from the front of `reader`.
    ///
    /// - Throws: ``DecodeError`` if octets are missing or the value is prohibited.
    init(reading reader: inout ByteReader) throws(DecodeError)

    /// Appends the field's octets.
    func write(to writer: inout ByteWriter)
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
}

extension FeatureState: AccessField {}
extension KeyRefreshPhase: AccessField {}

extension Bool: AccessField {
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
    /// Reads two octets; any address.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(rawValue: try reader.readUInt16LittleEndian())
    }

    package func write(to writer: inout ByteWriter) {
        writer.writeLittleEndian(rawValue)
    }
}

extension UnicastAddress: AccessField {
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
    /// Reads 16 octets in their natural order.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(rawValue: try Octets16(reading: &reader))
    }

    /// Appends 16 octets in their natural order.
    package func write(to writer: inout ByteWriter) {
        writer.write(rawValue.bytes)
    }
}

extension KeyMaterial: AccessField {
    /// Reads 16 octets in their natural order.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(try Octets16(reading: &reader))
    }

    /// Appends 16 octets in their natural order.
    package func write(to writer: inout ByteWriter) {
        writer.write(octets.bytes)
    }
}

extension Octets16 {
    fileprivate init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(high: try reader.readUInt64(), low: try reader.readUInt64())
    }
}

extension ModelIdentifier: AccessField {
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
    /// Reads one octet; every value is valid.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(octet: try reader.readUInt8())
    }

    package func write(to writer: inout ByteWriter) {
        writer.write(octet)
    }
}
