/// A text with references: `lamp-$(room)-$(n)`. `$$(` stands for `$(` itself.
struct TextTemplate {
    /// A part of the text.
    enum Piece {
        case literal([UInt8])
        /// The value of the parameter or variable with this symbol.
        case reference(UInt32)
    }

    /// The parts in reading order.
    private(set) var pieces: [Piece] = []
    /// Whether a `$(` is followed by something else than a name and `)`.
    private(set) var isMalformed = false
    /// Whether it holds `$$(`.
    private(set) var holdsEscape = false

    /// The only parameter that it names, if it consists of that reference alone.
    var soleReference: UInt32? {
        if pieces.count == 1, case .reference(let name) = pieces[0] { name } else { nil }
    }

    /// Takes a text apart.
    init(_ text: [UInt8], symbols: inout SymbolTable) {
        let (dollar, open, close) = (UInt8(ascii: "$"), UInt8(ascii: "("), UInt8(ascii: ")"))
        var literal: [UInt8] = []
        var place = 0
        while place < text.count {
            let rest = text[place...]
            if rest.starts(with: [dollar, dollar, open]) {
                holdsEscape = true
                literal += [dollar, open]
                place += 3
                continue
            }
            guard rest.starts(with: [dollar, open]) else {
                literal.append(text[place])
                place += 1
                continue
            }
            guard let end = text[(place + 2)...].firstIndex(of: close), Self.isName(text[(place + 2)..<end]) else {
                isMalformed = true
                return
            }
            if !literal.isEmpty { pieces.append(.literal(literal)) }
            literal = []
            pieces.append(.reference(text[(place + 2)..<end].withUnsafeBufferPointer { symbols.intern($0) }))
            place = end + 1
        }
        if !literal.isEmpty { pieces.append(.literal(literal)) }
    }

    /// Whether a parameter may have that name: a letter, then letters, digits, `_` and `-`.
    static func isName(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first, isLetter(first) else { return false }
        return text.allSatisfy { byte in
            isLetter(byte) || Numbers.isDigit(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
