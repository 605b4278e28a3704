/// Reads integers and octet strings from the front of untrusted bytes.
///
/// Every read is checked: a read past the end throws and never traps.
package struct ByteReader: Sendable {
    private var bytes: ArraySlice<UInt8>
    private let start: Int

    /// Reads from all of `bytes`.
    package init(_ bytes: [UInt8]) {
        self.init(bytes[...])
    }

    /// Reads from `bytes`; ``offset`` counts from its first octet.
    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        start = bytes.startIndex
    }

    /// The number of octets not yet read.
    package var remaining: Int { bytes.count }

    /// The number of octets read so far, which is the offset of the next one.
    package var offset: Int { bytes.startIndex - start }

    package var isAtEnd: Bool { bytes.isEmpty }

    /// Reads one octet.
    package mutating func readUInt8() throws(DecodeError) -> UInt8 {
        guard let byte = bytes.popFirst() else { throw .truncated(offset: offset, needed: 1) }
        return byte
    }

    /// Reads two octets, most significant first, as in network headers (section 3.1.1.1).
    package mutating func readUInt16() throws(DecodeError) -> UInt16 {
        UInt16(truncatingIfNeeded: try readBigEndian(2))
    }

    /// Reads three octets, most significant first.
    package mutating func readUInt24() throws(DecodeError) -> UInt32 {
        UInt32(truncatingIfNeeded: try readBigEndian(3))
    }

    /// Reads four octets, most significant first.
    package mutating func readUInt32() throws(DecodeError) -> UInt32 {
        UInt32(truncatingIfNeeded: try readBigEndian(4))
    }

    /// Reads eight octets, most significant first.
    package mutating func readUInt64() throws(DecodeError) -> UInt64 {
        try readBigEndian(8)
    }

    /// Reads two octets, least significant first, as in access messages (section 3.1.1.2).
    package mutating func readUInt16LittleEndian() throws(DecodeError) -> UInt16 {
        UInt16(truncatingIfNeeded: try readLittleEndian(2))
    }

    /// Reads three octets, least significant first.
    package mutating func readUInt24LittleEndian() throws(DecodeError) -> UInt32 {
        UInt32(truncatingIfNeeded: try readLittleEndian(3))
    }

    /// Reads the next `count` octets as they are.
    package mutating func read(_ count: Int) throws(DecodeError) -> ArraySlice<UInt8> {
        guard count >= 0, bytes.count >= count else { throw .truncated(offset: offset, needed: count) }
        let head = bytes.prefix(count)
        bytes = bytes.dropFirst(count)
        return head
    }

    /// Reads all remaining octets.
    package mutating func readRest() -> ArraySlice<UInt8> {
        let rest = bytes
        bytes = bytes.suffix(0)
        return rest
    }

    /// Refuses octets after the end of a message.
    package func expectEnd() throws(DecodeError) {
        guard bytes.isEmpty else { throw .trailing(offset: offset, count: bytes.count) }
    }

    private mutating func readBigEndian(_ count: Int) throws(DecodeError) -> UInt64 {
        var value: UInt64 = 0
        for byte in try read(count) { value = value << 8 | UInt64(byte) }
        return value
    }

    private mutating func readLittleEndian(_ count: Int) throws(DecodeError) -> UInt64 {
        var value: UInt64 = 0
        for byte in try read(count).reversed() { value = value << 8 | UInt64(byte) }
        return value
    }
}
