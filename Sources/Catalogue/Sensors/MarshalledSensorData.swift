import MeshCore

/// One value of a Sensor Status: a property with its raw value (Mesh Model 4.2.14).
package struct MarshalledSensorData: Hashable, Sendable {
    package let property: UInt16
    /// The raw value, at most 127 octets; nil if the sensor has none, such as for a property it does not know.
    package let value: [UInt8]?
    /// Whether the header is the long one, although the short one would do.
    package let isLong: Bool

    /// A value. The short header is taken where it can hold the property and the length.
    package init(property: UInt16, value: [UInt8]?, isLong: Bool = false) {
        self.property = property
        self.value = value
        self.isLong = isLong || property > 0x7FF || !(1...16).contains(value?.count ?? 0)
    }

    /// Reads values up to the end. The length always comes from the header, never from a table of properties, which a
    /// node need not share.
    ///
    /// - Throws: ``MessageDecodeError`` with the offset if a header or a value ends too early.
    package static func decode(_ octets: [UInt8]) throws(MessageDecodeError) -> [MarshalledSensorData] {
        var reader = BitReader(octets[...])
        var readings: [MarshalledSensorData] = []
        while !reader.isAtEnd {
            let isLong = try reader.bits(1) == 1
            let length = Int(try reader.bits(isLong ? 7 : 4)) + 1
            let property = UInt16(try reader.bits(isLong ? 16 : 11))
            // 0x7F, that is 128, marks a value of length 0.
            let value = length == 128 ? nil : try reader.octets(length)
            readings.append(MarshalledSensorData(property: property, value: value, isLong: isLong))
        }
        return readings
    }

    /// The octets of header and value.
    ///
    /// - Throws: ``MessageEncodeError`` if the value has no octet or more than 127.
    func encoded(field: String) throws(MessageEncodeError) -> [UInt8] {
        guard let value else { return [0xFF, UInt8(property & 0xFF), UInt8(property >> 8)] }
        guard (1...127).contains(value.count) else { throw .value(field, "a sensor value has 1 to 127 octets") }
        var writer = BitWriter()
        writer.write(isLong ? 1 : 0, bits: 1)
        writer.write(UInt64(value.count - 1), bits: isLong ? 7 : 4)
        writer.write(UInt64(property), bits: isLong ? 16 : 11)
        writer.write(value)
        return writer.bytes
    }
}
