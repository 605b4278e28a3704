/// The distinct texts of all documents of a run. Each is kept once and has a number.
///
/// In a large definition the same few hundred texts fill most of the file, so storing and comparing numbers makes
/// reading fast and small. Hashing is seeded by the process, so nobody can prepare colliding texts.
struct SymbolTable {
    private var bytes: [UInt8] = []
    /// The start of each symbol in ``bytes``, and the end of the last one.
    private var starts: [UInt32] = [0]
    /// The symbols' texts as `String`, made on first use.
    private var strings: [String?] = []
    /// Whether each symbol's text holds `$(`.
    private var references: [Bool] = []
    /// Open addressing: symbol + 1, or 0 for free. The count is a power of two.
    private var slots: [UInt32] = Array(repeating: 0, count: 1024)

    /// Different in every process.
    private let seed: UInt64

    init() {
        seed = UInt64(truncatingIfNeeded: Hasher().finalize())
    }

    var count: Int { strings.count }

    /// The symbol of a text. The same text always has the same symbol. Symbols count from 0 in the order of appearance.
    mutating func intern(_ text: UnsafeBufferPointer<UInt8>) -> UInt32 {
        if (count + 1) * 2 > slots.count { grow() }
        var slot = place(of: text)
        while slots[slot] != 0 {
            let symbol = slots[slot] - 1
            if isText(of: symbol, equalTo: text) { return symbol }
            slot = (slot + 1) & (slots.count - 1)
        }
        let symbol = UInt32(count)
        slots[slot] = symbol + 1
        bytes.append(contentsOf: text)
        starts.append(UInt32(bytes.count))
        strings.append(nil)
        references.append(Self.holdsReference(text))
        return symbol
    }

    mutating func intern(_ text: String) -> UInt32 {
        var text = text
        return text.withUTF8 { intern($0) }
    }

    mutating func text(_ symbol: UInt32) -> String {
        if let string = strings[Int(symbol)] { return string }
        let string = String(decoding: bytes[range(of: symbol)], as: UTF8.self)
        strings[Int(symbol)] = string
        return string
    }

    /// Whether a symbol's text holds `$(`, so that it may stand for something else.
    func hasReference(_ symbol: UInt32) -> Bool { references[Int(symbol)] }

    private static func holdsReference(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let dollar = text.firstIndex(of: UInt8(ascii: "$")) else { return false }
        var index = dollar
        while index + 1 < text.count {
            if text[index] == UInt8(ascii: "$"), text[index + 1] == UInt8(ascii: "(") { return true }
            index += 1
        }
        return false
    }

    /// The octets of a symbol's text.
    func octets(_ symbol: UInt32) -> ArraySlice<UInt8> { bytes[range(of: symbol)] }

    private func range(of symbol: UInt32) -> Range<Int> {
        Int(starts[Int(symbol)])..<Int(starts[Int(symbol) + 1])
    }

    private func place(of text: UnsafeBufferPointer<UInt8>) -> Int {
        var hash = seed ^ UInt64(text.count)
        let bytes = UnsafeRawBufferPointer(text)
        var offset = 0
        while offset + 8 <= bytes.count {
            hash = mix(hash ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < bytes.count {
            rest = rest << 8 | UInt64(bytes[offset])
            offset += 1
        }
        return Int(truncatingIfNeeded: mix(hash ^ rest)) & (slots.count - 1)
    }

    /// Multiplies by a number that depends on the seed, to 128 bits, and folds the halves.
    private func mix(_ value: UInt64) -> UInt64 {
        let product = (value ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: seed | 1)
        return product.high ^ product.low
    }

    private func isText(of symbol: UInt32, equalTo text: UnsafeBufferPointer<UInt8>) -> Bool {
        let range = range(of: symbol)
        guard range.count == text.count else { return false }
        return bytes.withUnsafeBytes { bytes in
            let (known, text) = (UnsafeRawBufferPointer(rebasing: bytes[range]), UnsafeRawBufferPointer(text))
            var offset = 0
            while offset + 8 <= text.count {
                let word = known.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                if word != text.loadUnaligned(fromByteOffset: offset, as: UInt64.self) { return false }
                offset += 8
            }
            while offset < text.count {
                if known[offset] != text[offset] { return false }
                offset += 1
            }
            return true
        }
    }

    private mutating func grow() {
        slots = Array(repeating: 0, count: slots.count * 2)
        for symbol in 0..<UInt32(count) {
            var slot = bytes.withUnsafeBufferPointer { place(of: UnsafeBufferPointer(rebasing: $0[range(of: symbol)])) }
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = symbol + 1
        }
    }
}
