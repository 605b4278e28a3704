/// Reads fields from the front of untrusted parameters, least significant bit of each octet first, as fields that
/// are no whole octets are packed (Mesh Protocol 3.1.1.2).
struct BitReader {
    private let bytes: ArraySlice<UInt8>
    /// The number of bits read so far.
    private(set) var position = 0

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// The offset of the octet with the next bit.
    var offset: Int { position / 8 }
    /// The number of octets of which no bit was read.
    var remaining: Int { bytes.count - (position + 7) / 8 }
    var isAtEnd: Bool { position == 8 * bytes.count }
    private var bitsLeft: Int { 8 * bytes.count - position }

    /// Reads up to 64 bits.
    mutating func bits(_ count: Int) throws(MessageDecodeError) -> UInt64 {
        guard bitsLeft >= count else {
            throw MessageDecodeError(offset: offset, reason: .truncated(needed: (count - bitsLeft + 7) / 8))
        }
        var value: UInt64 = 0
        var filled = 0
        while filled < count {
            let inOctet = position % 8
            let taken = min(8 - inOctet, count - filled)
            let octet = UInt64(bytes[bytes.startIndex + position / 8]) >> UInt64(inOctet)
            value |= (octet & ((1 << UInt64(taken)) - 1)) << UInt64(filled)
            filled += taken
            position += taken
        }
        return value
    }

    /// Reads whole octets. They begin at an octet: the tables see to it.
    mutating func octets(_ count: Int) throws(MessageDecodeError) -> [UInt8] {
        guard count >= 0, remaining >= count else {
            throw MessageDecodeError(offset: offset, reason: .truncated(needed: max(count, 0) - remaining))
        }
        let start = bytes.startIndex + (position + 7) / 8
        position = 8 * ((position + 7) / 8 + count)
        return Array(bytes[start..<start + count])
    }
}

/// Writes fields; the counterpart of ``BitReader``.
struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var used = 8

    /// Appends the low bits of a number, least significant first.
    mutating func write(_ value: UInt64, bits count: Int) {
        var value = value
        var left = count
        while left > 0 {
            if used == 8 {
                bytes.append(0)
                used = 0
            }
            let taken = min(8 - used, left)
            let part = value & ((1 << UInt64(taken)) - 1)
            bytes[bytes.count - 1] |= UInt8(part << UInt64(used))
            value >>= UInt64(taken)
            used += taken
            left -= taken
        }
    }

    /// Appends whole octets.
    mutating func write(_ octets: some Sequence<UInt8>) {
        bytes.append(contentsOf: octets)
        used = 8
    }
}
