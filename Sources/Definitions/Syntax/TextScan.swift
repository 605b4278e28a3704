import MeshCore

/// Finds what no definition may contain. It runs before the YAML parser, so that each problem has an exact place.
enum TextScan {
    /// Something that makes a file unreadable.
    struct Problem: Hashable, Error {
        var message: String
        var hint: String?
        /// The line, from 1.
        var line: UInt32
        /// The column in characters, from 1.
        var column: UInt32
        /// Whether the file is not text at all, so that showing a line of it makes no sense.
        var isForeign = false
    }

    /// The length of a UTF-8 byte order mark at the start of the file: 3 or 0.
    static func byteOrderMarkLength(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF ? 3 : 0
    }

    /// The first problem: UTF-16, octets that are not UTF-8 (RFC 3629), NUL and other control characters (YAML 1.1,
    /// 5.1), or line breaks other than LF and CR LF.
    static func firstProblem(_ bytes: UnsafeBufferPointer<UInt8>) -> Problem? {
        if isUTF16(bytes) {
            return Problem(
                message: "the file is UTF-16, not UTF-8",
                hint: "save the file as UTF-8",
                line: 1,
                column: 1,
                isForeign: true
            )
        }
        var offset = byteOrderMarkLength(bytes)
        while offset < bytes.count {
            offset = plainEnd(bytes, from: offset)
            guard offset < bytes.count else { break }
            let byte = bytes[offset]
            if isPlain(byte) {
                offset += 1
                continue
            }
            if byte == 0x0D, offset + 1 < bytes.count, bytes[offset + 1] == 0x0A {
                offset += 2
                continue
            }
            let (scalar, length) = decode(bytes, at: offset)
            if let (message, hint) = complaint(about: scalar, byte: byte, offset: offset) {
                if isBinary(bytes) {
                    return Problem(
                        message: "the file is not text",
                        hint: "check the path: all files of a definition are text in UTF-8",
                        line: 1,
                        column: 1,
                        isForeign: true
                    )
                }
                let (line, column) = place(of: offset, in: bytes)
                return Problem(message: message, hint: hint, line: line, column: column)
            }
            offset += length
        }
        return nil
    }

    /// Whether the file begins with the mark of UTF-16, or like ASCII text in UTF-16: every other octet is zero.
    private static func isUTF16(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count >= 2 else { return false }
        if (bytes[0], bytes[1]) == (0xFE, 0xFF) || (bytes[0], bytes[1]) == (0xFF, 0xFE) { return true }
        let start = bytes.prefix(min(64, bytes.count & ~1))
        guard start.count >= 4 else { return false }
        let isZeroFirst = bytes[0] == 0
        return start.indices.allSatisfy { (bytes[$0] == 0) == ($0.isMultiple(of: 2) == isZeroFirst) }
    }

    /// Whether the beginning of a file has so many control characters that it cannot be text.
    private static func isBinary(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let start = bytes.prefix(4096)
        let controls = start.count { $0 < 0x20 && !(0x09...0x0D).contains($0) || $0 == 0x7F }
        return controls >= 16 && controls > start.count / 20
    }

    /// The line and column of an octet, in characters from 1.
    static func place(of offset: Int, in bytes: UnsafeBufferPointer<UInt8>) -> (line: UInt32, column: UInt32) {
        var line: UInt32 = 1
        var column: UInt32 = 1
        for byte in bytes[byteOrderMarkLength(bytes)..<max(offset, byteOrderMarkLength(bytes))] {
            if byte == 0x0A {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return (line, column)
    }

    /// The end of a stretch of plain octets; the next other octet is there or later. It reads eight at a time, since
    /// nearly all octets are plain.
    private static func plainEnd(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let raw = UnsafeRawBufferPointer(bytes)
        let (ones, highBits) = (0x0101_0101_0101_0101 as UInt64, 0x8080_8080_8080_8080 as UInt64)
        var offset = start
        while offset + 8 <= raw.count {
            var word = raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            // Line feeds occur on every line. They become `*`: 0x0A | 0x20.
            let others = word ^ (ones &* 0x0A)
            let lineFeeds = ~(((others & ~highBits) &+ ~highBits) | others) & highBits
            word |= lineFeeds >> 2
            // The high bit is set in an octet above 0x7E or below 0x20. It may also be set in the octet above such a
            // one.
            let tooHigh = word | (word &+ ones)
            let tooLow = (word &- (ones &* 0x20)) & ~word
            guard (tooHigh | tooLow) & highBits == 0 else { break }
            offset += 8
        }
        return offset
    }

    /// Whether it is printable ASCII, a tab or a line feed.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 ? byte < 0x7F : byte == 0x0A || byte == 0x09
    }

    private static func complaint(about scalar: UInt32?, byte: UInt8, offset: Int) -> (String, String?)? {
        guard let scalar else {
            return ("octet 0x\(byte.hexadecimal) at offset \(offset) is not UTF-8", "save the file as UTF-8")
        }
        switch scalar {
        case 0: return ("NUL at offset \(offset)", "the file may be damaged, or not text at all")
        case 0x0D:
            return ("a carriage return without a line feed", "end lines with LF or CR LF")
        case 0x85, 0x2028, 0x2029:
            return ("the invisible line break U+\(UInt16(scalar).hexadecimal)", "end lines with LF or CR LF")
        case 0xA0...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD, 0x10000...: return nil
        default:
            let digits = scalar > 0xFFFF ? scalar.hexadecimal : UInt16(scalar).hexadecimal
            return ("the invisible character U+\(digits)", "delete it")
        }
    }

    /// The Unicode scalar that starts at `offset` and its length; nil and 1 if the octets are not UTF-8.
    private static func decode(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> (UInt32?, Int) {
        let first = bytes[offset]
        let (length, smallest, bits): (Int, UInt32, UInt8) =
            switch first {
            case ..<0x80: (1, 0, first)
            case 0xC2...0xDF: (2, 0x80, first & 0x1F)
            case 0xE0...0xEF: (3, 0x800, first & 0x0F)
            case 0xF0...0xF4: (4, 0x10000, first & 0x07)
            default: (0, 0, 0)
            }
        guard length > 0, offset + length <= bytes.count else { return (nil, 1) }
        var scalar = UInt32(bits)
        for byte in bytes[(offset + 1)..<(offset + length)] {
            guard byte & 0xC0 == 0x80 else { return (nil, 1) }
            scalar = scalar << 6 | UInt32(byte & 0x3F)
        }
        guard scalar >= smallest, scalar <= 0x10FFFF, !(0xD800...0xDFFF).contains(scalar) else { return (nil, 1) }
        return (scalar, length)
    }
}
