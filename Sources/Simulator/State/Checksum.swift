/// CRC-32 as in ISO-HDLC and zlib (polynomial 0x04C11DB7 reflected, start and end inverted).
package enum Checksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    package static func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { value, byte in
            value >> 8 ^ table[Int(UInt8(truncatingIfNeeded: value) ^ byte)]
        }
    }
}
