internal import MeshCore

/// One object of a document while it is read: members are taken out, and what is left nobody knows.
struct CDBObject {
    /// Where the object is, a JSON pointer.
    let pointer: String
    /// Which object it is, for the extras; set as soon as it is known.
    var path = ""
    /// The members not taken, in their order.
    private(set) var rest: [JSONMember]

    init(_ value: JSONValue, at pointer: String) throws(StoreError) {
        guard case .object(let members) = value else {
            throw CDBObject.invalid(pointer, "an object is expected, not \(value.kind)")
        }
        self.pointer = pointer
        rest = members
    }

    static func invalid(_ pointer: String, _ message: String) -> StoreError {
        StoreError(
            .invalidDocument,
            "\(pointer.isEmpty ? "the document" : pointer): \(message)",
            hint: "export the database again, or correct the file there"
        )
    }

    /// Text of the document in a message, short enough for one line. Never for keys.
    static func shown(_ text: String) -> String {
        text.count > 40 ? "\"\(text.prefix(40))…\"" : "\"\(text)\""
    }

    func pointer(to name: String) -> String { "\(pointer)/\(name)" }

    func invalid(_ name: String, _ message: String) -> StoreError {
        CDBObject.invalid(pointer(to: name), message)
    }

    /// Whether a member is there and not null.
    func has(_ name: String) -> Bool { rest.contains { $0.name == name && $0.value != .null } }

    /// Takes a member out; null counts as absent and stays.
    mutating func take(_ name: String) -> JSONValue? {
        guard let index = rest.firstIndex(where: { $0.name == name && $0.value != .null }) else { return nil }
        return rest.remove(at: index).value
    }

    mutating func text(_ name: String) throws(StoreError) -> String? {
        guard let value = take(name) else { return nil }
        guard case .string(let text) = value else { throw invalid(name, "a string is expected, not \(value.kind)") }
        return text
    }

    mutating func bool(_ name: String) throws(StoreError) -> Bool? {
        guard let value = take(name) else { return nil }
        guard case .bool(let flag) = value else { throw invalid(name, "true or false is expected, not \(value.kind)") }
        return flag
    }

    /// An integer within `range`.
    mutating func integer(_ name: String, in range: ClosedRange<Int>) throws(StoreError) -> Int? {
        guard let value = take(name) else { return nil }
        return try CDBObject.integer(value, in: range, at: pointer(to: name))
    }

    static func integer(_ value: JSONValue, in range: ClosedRange<Int>, at pointer: String) throws(StoreError) -> Int {
        guard case .number(let spelling) = value else {
            throw invalid(pointer, "a number is expected, not \(value.kind)")
        }
        guard let number = Int(spelling), range.contains(number) else {
            throw invalid(
                pointer,
                "an integer from \(range.lowerBound) to \(range.upperBound) is expected, not \(spelling.prefix(20))"
            )
        }
        return number
    }

    /// Four hexadecimal digits.
    mutating func hexadecimal16(_ name: String) throws(StoreError) -> UInt16? {
        guard let value = take(name) else { return nil }
        return try CDBObject.hexadecimal16(value, at: pointer(to: name))
    }

    static func hexadecimal16(_ value: JSONValue, at pointer: String) throws(StoreError) -> UInt16 {
        guard case .string(let text) = value else {
            throw invalid(pointer, "a string of 4 hexadecimal digits is expected, not \(value.kind)")
        }
        guard let bytes = Hexadecimal.decode(text), bytes.count == 2 else {
            throw invalid(pointer, "4 hexadecimal digits are expected, not \(shown(text))")
        }
        return UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    }

    static func unicast(_ value: JSONValue, at pointer: String) throws(StoreError) -> UnicastAddress {
        let number = try hexadecimal16(value, at: pointer)
        guard let address = UnicastAddress(rawValue: number) else {
            throw invalid(pointer, "a unicast address, 0001 to 7FFF, is expected, not \(number.hexadecimal)")
        }
        return address
    }

    /// A key: 32 hexadecimal digits, which no message repeats.
    mutating func key(_ name: String) throws(StoreError) -> KeyMaterial? {
        guard let text = try text(name) else { return nil }
        guard let bytes = Hexadecimal.decode(text), let key = KeyMaterial(bytes) else {
            throw invalid(name, "a key of 32 hexadecimal digits is expected")
        }
        return key
    }

    /// A list, empty if absent.
    mutating func list(_ name: String) throws(StoreError) -> [JSONValue] {
        guard let value = take(name) else { return [] }
        guard case .array(let items) = value else { throw invalid(name, "an array is expected, not \(value.kind)") }
        return items
    }

    /// Insists on a member.
    func required<Value>(_ name: String, _ value: Value?) throws(StoreError) -> Value {
        guard let value else { throw invalid(name, "the member is missing") }
        return value
    }
}
