// The nouns that rows of databases, files of simulators, plans and frames have in common, most significant octet first.

extension ByteWriter {
    /// Appends 0 or 1.
    package mutating func write(_ value: Bool) {
        write(UInt8(value ? 1 : 0))
    }

    package mutating func write(_ value: Octets16) {
        write(value.high)
        write(value.low)
    }
}

extension ByteReader {
    /// Reads 0 or 1; every other octet is prohibited, so that equal values have equal octets.
    package mutating func readFlag() throws(DecodeError) -> Bool {
        let value = try readUInt8()
        guard value <= 1 else { throw .prohibited(field: "flag", value: UInt64(value)) }
        return value == 1
    }

    package mutating func readOctets16() throws(DecodeError) -> Octets16 {
        Octets16(high: try readUInt64(), low: try readUInt64())
    }

    package mutating func readDeviceUUID() throws(DecodeError) -> DeviceUUID {
        DeviceUUID(rawValue: try readOctets16())
    }

    package mutating func readUnicastAddress() throws(DecodeError) -> UnicastAddress {
        let value = try readUInt16()
        guard let address = UnicastAddress(rawValue: value) else {
            throw .prohibited(field: "unicast address", value: UInt64(value))
        }
        return address
    }

    package mutating func readKeyIndex<Index: KeyIndex>(_: Index.Type) throws(DecodeError) -> Index {
        let value = try readUInt16()
        guard let index = Index(rawValue: value) else { throw .prohibited(field: "key index", value: UInt64(value)) }
        return index
    }

    /// Reads a value that is one octet; `field` names it in the error.
    package mutating func readCase<Value: RawRepresentable>(
        _ field: String,
        _: Value.Type = Value.self
    ) throws(DecodeError) -> Value where Value.RawValue == UInt8 {
        let octet = try readUInt8()
        guard let value = Value(rawValue: octet) else { throw .prohibited(field: field, value: UInt64(octet)) }
        return value
    }
}
