/// Builds octet strings; the counterpart of ``ByteReader``.
package struct ByteWriter: Sendable {
    /// The octets written so far.
    package private(set) var bytes: [UInt8] = []

    /// An empty writer with room for `capacity` octets.
    package init(capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    package mutating func write(_ value: UInt8) {
        bytes.append(value)
    }

    /// Appends two octets, most significant first.
    package mutating func write(_ value: UInt16) {
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    /// Appends the low 24 bits, most significant octet first.
    package mutating func writeUInt24(_ value: UInt32) {
        bytes.append(UInt8(truncatingIfNeeded: value >> 16))
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    /// Appends four octets, most significant first.
    package mutating func write(_ value: UInt32) {
        write(UInt16(truncatingIfNeeded: value >> 16))
        write(UInt16(truncatingIfNeeded: value))
    }

    /// Appends eight octets, most significant first.
    package mutating func write(_ value: UInt64) {
        write(UInt32(truncatingIfNeeded: value >> 32))
        write(UInt32(truncatingIfNeeded: value))
    }

    /// Appends two octets, least significant first.
    package mutating func writeLittleEndian(_ value: UInt16) {
        write(value.byteSwapped)
    }

    /// Appends the low 24 bits, least significant octet first.
    package mutating func writeUInt24LittleEndian(_ value: UInt32) {
        bytes.append(UInt8(truncatingIfNeeded: value))
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        bytes.append(UInt8(truncatingIfNeeded: value >> 16))
    }

    /// Appends four octets, least significant first.
    package mutating func writeLittleEndian(_ value: UInt32) {
        write(value.byteSwapped)
    }

    package mutating func write(_ octets: some Sequence<UInt8>) {
        bytes.append(contentsOf: octets)
    }
}
