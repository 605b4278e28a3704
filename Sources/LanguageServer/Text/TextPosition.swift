import SystemLayer

/// A place in a text as the protocol counts: lines from 0, and columns from 0 in the units of a ``PositionEncoding``.
struct TextPosition: Hashable, Comparable {
    /// The line, from 0.
    var line: Int
    /// The units before it on its line.
    var character: Int

    /// In reading order.
    static func < (left: TextPosition, right: TextPosition) -> Bool {
        (left.line, left.character) < (right.line, right.character)
    }

    /// The position in parameters; nil if it is none.
    init?(_ value: JSONValue?) {
        guard let line = value?["line"]?.whole, let character = value?["character"]?.whole, line >= 0, character >= 0
        else { return nil }
        self.init(line: line, character: character)
    }

    init(line: Int, character: Int) {
        self.line = line
        self.character = character
    }

    var json: JSONValue { .object(["line": .integer(line), "character": .integer(character)]) }
}

/// The units of columns that server and client agree on.
enum PositionEncoding: String {
    /// Octets of UTF-8.
    case utf8 = "utf-8"
    /// Units of UTF-16: two for a character outside of the basic plane. Every client can do it.
    case utf16 = "utf-16"

    /// The units of one character whose first octet in UTF-8 is given; 0 for octets that continue one.
    func units(ofLead byte: UInt8) -> Int {
        switch self {
        case .utf8: 1
        case .utf16: byte & 0xC0 == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1
        }
    }
}
