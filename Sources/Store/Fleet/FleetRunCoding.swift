import MeshCore
import SystemLayer

/// The JSON of the columns that the server need not understand. Members that a later version adds are ignored.
struct FleetFields {
    private let members: [JSONMember]

    /// The members of an object; none for any other text.
    init(_ text: String) {
        if case .object(let members)? = try? JSONParser.parse(Array(text.utf8)) {
            self.members = members
        } else {
            members = []
        }
    }

    private func value(_ name: String) -> JSONValue? { members.first { $0.name == name }?.value }

    /// A text; nil if there is none.
    func text(_ name: String) -> String? { if case .string(let text)? = value(name) { text } else { nil } }

    /// A whole number; nil if there is none.
    func number<Number: FixedWidthInteger>(_ name: String) -> Number? {
        if case .number(let text)? = value(name) { Number(text) } else { nil }
    }

    /// Whether a member is `true`.
    func isTrue(_ name: String) -> Bool { value(name) == .bool(true) }

    /// A list of whole numbers; empty if there is none.
    func numbers(_ name: String) -> [UInt64] {
        guard case .array(let items)? = value(name) else { return [] }
        return items.compactMap { if case .number(let text) = $0 { UInt64(text) } else { nil } }
    }

    /// A list of texts; empty if there is none.
    func list(_ name: String) -> [String] {
        guard case .array(let items)? = value(name) else { return [] }
        return items.compactMap { if case .string(let text) = $0 { text } else { nil } }
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

    init(stored text: String) {
        let fields = FleetFields(text)
        user = fields.text("user") ?? ""
        host = fields.text("host") ?? ""
        began = Timestamp(rawValue: fields.number("began") ?? 0)
        command = fields.text("command") ?? ""
        words = fields.list("words")
        via = fields.list("via")
        devices = fields.list("devices")
        extra = fields.list("extra")
        gates = fields.list("gates")
        takesBack = fields.text("takes_back")
        if let path = fields.text("plans"), let digest = fields.text("plans_digest") {
            plans = Plans(path: path, digest: digest)
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

    init(stored text: String) {
        let fields = FleetFields(text)
        digest = fields.text("digest")
        begun = fields.list("begun")
        target = fields.number("target")
        isRestoring = fields.isTrue("restoring")
        serialBefore = fields.number("serial_before")
        serialAfter = fields.number("serial_after")
        entries = fields.numbers("entries")
        summary = fields.text("summary") ?? ""
    }
}
