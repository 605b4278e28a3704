import MeshCore

/// The types by their names, read once.
enum TypeTable {
    static let types: [String: FieldType] = {
        var types: [String: FieldType] = [:]
        for line in TableLines(MessageTypeTable.text + "\n" + PropertyTypeTable.text) {
            let words = line.pieces(between: " ")
            let name = String(words[0])
            let type = TableLines.value(line) { () throws(NotationError) in
                try FieldType(name: name, notation: words.dropFirst().joined(separator: " "))
            }
            precondition(types.updateValue(type, forKey: name) == nil, "\(name) is described twice")
        }
        return types
    }()
}

/// The lines of a table without comments and empty lines.
struct TableLines: Sequence {
    private let lines: [Substring]

    init(_ text: String) {
        lines = text[...].pieces(between: "\n").filter { $0.utf8.first != UInt8(ascii: "#") }
    }

    func makeIterator() -> IndexingIterator<[Substring]> { lines.makeIterator() }

    /// What a line of one of our own tables says. A fault in it is a programming error and traps; any test sees it.
    static func value<Value>(_ line: Substring, _ read: () throws(NotationError) -> Value) -> Value {
        do throws(NotationError) {
            return try read()
        } catch {
            preconditionFailure("\(line): \(error)")
        }
    }
}

extension Substring {
    /// The pieces between a sign of ASCII, without empty ones. It looks at octets: the tables are read when a program
    /// starts, and finding the characters of a text takes ten times as long.
    func pieces(between sign: Unicode.Scalar) -> [Substring] {
        utf8.split(separator: UInt8(ascii: sign)).map { Substring($0) }
    }

    /// The columns between strokes, also empty ones.
    var columns: [Substring] {
        utf8.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false).map { Substring($0) }
    }
}

/// The notation of the fields of messages and properties.
enum PartNotation {
    /// The forms in `property [ access value ] / property`.
    ///
    /// - Parameter types: The types that a field may name besides layouts such as `u8`.
    /// - Throws: ``NotationError`` if a type is unknown, brackets do not match, or a field does not begin at an octet.
    static func forms(
        _ text: some StringProtocol,
        types: [String: FieldType] = TypeTable.types
    ) throws(NotationError) -> [[MessageDescription.Part]] {
        var tokens = Substring(text).pieces(between: " ").map(String.init)[...]
        var forms: [[MessageDescription.Part]] = []
        repeat {
            forms.append(try parts(&tokens, until: nil, types))
            guard let next = tokens.popFirst() else { break }
            guard next == "/" else { throw NotationError("\(next) has no beginning") }
        } while true
        for form in forms {
            _ = try size(of: form, from: 0)
            try checkNames(of: form)
        }
        return forms
    }

    private static func parts(
        _ tokens: inout ArraySlice<String>,
        until end: String?,
        _ types: [String: FieldType]
    ) throws(NotationError) -> [MessageDescription.Part] {
        var parts: [MessageDescription.Part] = []
        while let token = tokens.first {
            if token == end || (end == nil && ["/", "]", ")"].contains(token)) { return parts }
            tokens.removeFirst()
            if token == "[" {
                parts.append(.optional(try group(&tokens, "]", types)))
            } else if token.hasSuffix("*(") {
                let name = String(token.dropLast(2))
                try check(name: name)
                parts.append(.records(name: name, try group(&tokens, ")", types)))
            } else if token.hasPrefix("_") {
                guard let bits = Int(token.dropFirst()), (1...32).contains(bits) else {
                    throw NotationError("\(token) is no count of reserved bits")
                }
                parts.append(.reserved(bits: bits))
            } else {
                parts.append(try field(token, types))
            }
        }
        guard end == nil else { throw NotationError("\(end ?? "") is missing") }
        return parts
    }

    /// What stands between brackets, the closing one included.
    private static func group(
        _ tokens: inout ArraySlice<String>,
        _ end: String,
        _ types: [String: FieldType]
    ) throws(NotationError) -> [MessageDescription.Part] {
        // Nothing nests deeper, so that no text makes the stack overflow.
        if let opening = tokens.first(where: { $0 == end || $0 == "[" || $0.hasSuffix("*(") }), opening != end {
            throw NotationError("a group stands in a group")
        }
        let inner = try parts(&tokens, until: end, types)
        tokens.removeFirst()
        // Records without a field would repeat for ever.
        guard !inner.isEmpty else { throw NotationError("a group is empty") }
        return inner
    }

    private static func check(name: String) throws(NotationError) {
        let isName = name.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
        }
        guard isName, !name.isEmpty, !name.hasPrefix("reserved") else {
            throw NotationError("\(name) is no name of a field: write lower-case letters, digits and _")
        }
    }

    /// `lightness`, `target:lightness`, `faults*:fault`, `trigger:u1=0`.
    private static func field(
        _ token: String,
        _ types: [String: FieldType]
    ) throws(NotationError) -> MessageDescription.Part {
        let halves = token.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        var name = String(halves[0])
        var typeName = halves.count == 2 ? halves[1] : Substring(name.map { $0 == "_" ? "-" : $0 })
        let isList = name.hasSuffix("*")
        if isList { name.removeLast() }
        var fixed: Int64?
        if let equals = typeName.firstIndex(of: "=") {
            let digits = typeName[typeName.index(after: equals)...]
            fixed = digits.hasPrefix("0x") ? Int64(digits.dropFirst(2), radix: 16) : Int64(digits)
            guard fixed != nil else { throw NotationError("\(digits) is no number") }
            typeName = typeName[..<equals]
        }
        let type: FieldType
        if let known = types[String(typeName)] {
            type = known
        } else {
            guard FieldType.Layout(notation: typeName) != nil else { throw NotationError("no type \(typeName)") }
            type = try FieldType(notation: typeName)
        }
        try check(name: name)
        if let fixed {
            guard type.representable?.contains(fixed) == true, !isList else {
                throw NotationError("\(name) cannot have the fixed value \(fixed)")
            }
        }
        let field = MessageDescription.Field(name: name, type: type, fixed: fixed)
        return isList ? .list(field) : .field(field)
    }

    /// Checks that no two fields of a form, or of its records, have one name.
    private static func checkNames(of form: [MessageDescription.Part]) throws(NotationError) {
        var seen: Set<String> = []
        for part in form {
            var names = part.fields.map(\.name)
            if case .records(let name, let inner) = part {
                try checkNames(of: inner)
                names = [name]
            }
            for name in names where !seen.insert(name).inserted {
                throw NotationError("\(name) occurs twice")
            }
        }
    }

    /// Checks that whole octets begin at octets, and that what takes all octets that are left is last.
    ///
    /// - Returns: The number of bits after `start`, modulo 8.
    private static func size(of parts: [MessageDescription.Part], from start: Int) throws(NotationError) -> Int {
        var position = start
        for (index, part) in parts.enumerated() {
            switch part {
            case .reserved(let bits): position += bits
            case .field(let field):
                if case .unsigned(let bits) = field.type.layout {
                    position += bits
                } else if case .signed(let bits) = field.type.layout {
                    position += bits
                } else {
                    guard position % 8 == 0 else { throw NotationError("\(field.name) does not begin at an octet") }
                    guard !field.type.layout.takesAll || index == parts.count - 1 else {
                        throw NotationError("\(field.name) takes all octets, but fields follow")
                    }
                }
            case .optional(let inner), .records(_, let inner):
                guard index == parts.count - 1 else { throw NotationError("fields follow what may be missing") }
                guard position % 8 == 0, try size(of: inner, from: 0) == 0 else {
                    throw NotationError("a group does not end at an octet")
                }
            case .list(let field):
                guard index == parts.count - 1, position % 8 == 0, field.type.layout.isNumber,
                    let bits = field.type.bits, bits % 8 == 0
                else {
                    throw NotationError("the list \(field.name) is not last, or no number of whole octets")
                }
            }
        }
        guard position % 8 == 0 else { throw NotationError("the fields do not end at an octet") }
        return 0
    }
}
