import MeshCore
import SystemLayer

/// One object of a document while it is read. Readers take members out; what is left over is unknown to them.
struct CDBObject {
    /// Where the object is, a JSON pointer.
    let pointer: String
    /// The identity of the object, for the extras; set as soon as it is known.
    var path = ""
    /// The members that nobody has taken yet, in their order.
    private(set) var rest: [JSONMember]
    /// Names of members that were asked for and are null.
    private(set) var nulls: [String] = []

    init(_ value: JSONValue, at pointer: String) throws(CDBRefusal) {
        guard case .object(let members) = value else {
            throw CDBObject.invalid(pointer, "an object is expected, not \(value.kind)")
        }
        self.pointer = pointer
        rest = members
    }

    static func invalid(_ pointer: String, _ message: String) -> CDBRefusal {
        CDBRefusal(pointer: pointer, reason: message)
    }

    /// Text of the document for a message, short enough for one line. Never use it for keys.
    static func shown(_ text: String) -> String {
        text.count > 40 ? "\"\(text.prefix(40))…\"" : "\"\(text)\""
    }

    func pointer(to name: String) -> String { "\(pointer)/\(name)" }

    func invalid(_ name: String, _ message: String) -> CDBRefusal {
        CDBObject.invalid(pointer(to: name), message)
    }

    /// Whether a member is there and not null.
    func has(_ name: String) -> Bool { rest.contains { $0.name == name && $0.value != .null } }

    /// Takes a member out; null counts as absent.
    mutating func take(_ name: String) -> JSONValue? {
        guard let index = rest.firstIndex(where: { $0.name == name }) else { return nil }
        let value = rest.remove(at: index).value
        guard value != .null else {
            nulls.append(name)
            return nil
        }
        return value
    }

    /// The value of a member, which stays in the object.
    func peek(_ name: String) -> JSONValue? { rest.first { $0.name == name && $0.value != .null }?.value }

    /// Gives a member another value, or removes it.
    mutating func replace(_ name: String, with value: JSONValue?) {
        guard let index = rest.firstIndex(where: { $0.name == name }) else { return }
        if let value { rest[index].value = value } else { rest.remove(at: index) }
    }

    /// Drops the remaining members, for an object that is left out.
    mutating func discard() {
        rest = []
        nulls = []
    }

    /// Drops the report that a member is null, for one that is reported as missing.
    mutating func forgetNull(_ name: String) { nulls.removeAll { $0 == name } }

    mutating func text(_ name: String) throws(CDBRefusal) -> String? {
        guard let value = take(name) else { return nil }
        guard case .string(let text) = value else { throw invalid(name, "a string is expected, not \(value.kind)") }
        return text
    }

    mutating func bool(_ name: String) throws(CDBRefusal) -> Bool? {
        guard let value = take(name) else { return nil }
        guard case .bool(let flag) = value else { throw invalid(name, "true or false is expected, not \(value.kind)") }
        return flag
    }

    /// An integer within `range`.
    mutating func integer(_ name: String, in range: ClosedRange<Int>) throws(CDBRefusal) -> Int? {
        guard let value = take(name) else { return nil }
        return try CDBObject.integer(value, in: range, at: pointer(to: name))
    }

    static func integer(_ value: JSONValue, in range: ClosedRange<Int>, at pointer: String) throws(CDBRefusal) -> Int {
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

    /// A list; empty if it is absent.
    mutating func list(_ name: String) throws(CDBRefusal) -> [JSONValue] {
        guard let value = take(name) else { return [] }
        guard case .array(let items) = value else { throw invalid(name, "an array is expected, not \(value.kind)") }
        return items
    }

    /// The value of a member that must be there.
    func required<Value>(_ name: String, _ value: Value?) throws(CDBRefusal) -> Value {
        guard let value else { throw invalid(name, "the member is missing") }
        return value
    }
}
