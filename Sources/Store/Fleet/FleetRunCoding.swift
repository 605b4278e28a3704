import MeshCore
import SystemLayer

/// The JSON of the columns that the server need not understand. Members that a later version adds are ignored; what is
/// there and is something else than expected is damage, never a request for less.
struct FleetFields {
    private let members: [JSONMember]
    private let place: String

    /// The members of an object.
    ///
    /// - Throws: ``StoreError`` if the text is none.
    init(_ text: String, of place: String) throws(StoreError) {
        guard case .object(let members)? = try? JSONParser.parse(Array(text.utf8)) else {
            throw .damaged("a row about a fleet's run", path: place)
        }
        self.members = members
        self.place = place
    }

    private func value<Value>(
        _ name: String,
        _ convert: (JSONValue) -> Value?
    ) throws(StoreError) -> Value? {
        guard let member = members.first(where: { $0.name == name }) else { return nil }
        guard let value = convert(member.value) else { throw .damaged("a row about a fleet's run", path: place) }
        return value
    }

    private static func text(_ value: JSONValue) -> String? { if case .string(let text) = value { text } else { nil } }

    private static func flag(_ value: JSONValue) -> Bool? { if case .bool(let flag) = value { flag } else { nil } }

    private static func number<Number: FixedWidthInteger>(_ value: JSONValue) -> Number? {
        if case .number(let text) = value { Number(text) } else { nil }
    }

    private static func list<Item>(_ value: JSONValue, _ convert: (JSONValue) -> Item?) -> [Item]? {
        guard case .array(let items) = value else { return nil }
        let converted = items.compactMap(convert)
        return converted.count == items.count ? converted : nil
    }

    /// A text; nil if there is none.
    func text(_ name: String) throws(StoreError) -> String? { try value(name, Self.text) }

    /// A whole number; nil if there is none.
    func number<Number: FixedWidthInteger>(_ name: String) throws(StoreError) -> Number? {
        try value(name) { Self.number($0) }
    }

    /// Whether a member is `true`.
    func isTrue(_ name: String) throws(StoreError) -> Bool {
        try value(name, Self.flag) ?? false
    }

    /// A list of whole numbers; empty if there is none.
    func numbers(_ name: String) throws(StoreError) -> [UInt64] {
        try value(name) { Self.list($0) { Self.number($0) } } ?? []
    }

    /// A list of texts; empty if there is none.
    func list(_ name: String) throws(StoreError) -> [String] {
        try value(name) { Self.list($0, Self.text) } ?? []
    }

    /// A text without which nothing makes sense.
    func required(_ name: String) throws(StoreError) -> String {
        guard let text = try text(name) else { throw .damaged("a row about a fleet's run", path: place) }
        return text
    }
}

extension FleetRunRecord.Request {
    /// The text of its column.
    var stored: String {
        var members = [
            JSONMember("user", .string(user)), JSONMember("host", .string(host)),
            JSONMember("began", .integer(began.rawValue)), JSONMember("command", .string(command)),
        ]
        for (name, list) in [
            ("words", words), ("via", via), ("devices", devices), ("extra", extra), ("gates", gates),
        ] where !list.isEmpty {
            members.append(JSONMember(name, .array(list.map { .string($0) })))
        }
        if let takesBack { members.append(JSONMember("takes_back", .string(takesBack))) }
        if let plans {
            members.append(JSONMember("plans", .string(plans.path)))
            members.append(JSONMember("plans_digest", .string(plans.digest)))
        }
        return JSONValue.object(members).line
    }

    init(stored fields: FleetFields) throws(StoreError) {
        self.init()
        user = try fields.text("user") ?? ""
        host = try fields.text("host") ?? ""
        began = Timestamp(rawValue: try fields.number("began") ?? 0)
        command = try fields.required("command")
        words = try fields.list("words")
        via = try fields.list("via")
        devices = try fields.list("devices")
        extra = try fields.list("extra")
        gates = try fields.list("gates")
        takesBack = try fields.text("takes_back")
        if let path = try fields.text("plans") {
            plans = Plans(path: path, digest: try fields.required("plans_digest"))
        }
    }
}

extension FleetJob.Notes {
    /// The text of its column.
    var stored: String {
        var members: [JSONMember] = []
        if let digest { members.append(JSONMember("digest", .string(digest))) }
        if !begun.isEmpty { members.append(JSONMember("begun", .array(begun.map { .string($0) }))) }
        if let target { members.append(JSONMember("target", .integer(target))) }
        if isRestoring { members.append(JSONMember("restoring", .bool(true))) }
        if let serialBefore { members.append(JSONMember("serial_before", .integer(serialBefore))) }
        if let serialAfter { members.append(JSONMember("serial_after", .integer(serialAfter))) }
        if !entries.isEmpty { members.append(JSONMember("entries", .array(entries.map { .integer($0) }))) }
        if !summary.isEmpty { members.append(JSONMember("summary", .string(summary))) }
        return JSONValue.object(members).line
    }

    init(stored fields: FleetFields) throws(StoreError) {
        self.init()
        digest = try fields.text("digest")
        begun = try fields.list("begun")
        target = try fields.number("target")
        isRestoring = try fields.isTrue("restoring")
        serialBefore = try fields.number("serial_before")
        serialAfter = try fields.number("serial_after")
        entries = try fields.numbers("entries")
        summary = try fields.text("summary") ?? ""
    }
}
