import Foundation
import MeshCore
import SystemLayer

@testable import Store

/// Reads a configuration database as strictly as the strictest tool does: every member of Mesh CDB Profile 1.0.1 is there
/// and has its form, and what refers to something finds it.
struct StrictCDBReader {
    /// What is wrong, with JSON pointers.
    private(set) var problems: [String] = []
    private var isPartial = false

    static func problems(of bytes: [UInt8]) throws -> [String] {
        var reader = StrictCDBReader()
        let root = try JSONParser.parse(bytes)
        reader.isPartial = root["partial"] == .bool(true)
        reader.check(root, "network", "")
        reader.checkReferences(root)
        return reader.problems
    }

    private indirect enum Form: Sendable {
        case text
        case exactly(String)
        case uuid
        case hex([Int], ClosedRange<Int>? = nil)
        case integer(ClosedRange<Int>)
        case step(ClosedRange<Int>, Int)
        case oneOf([Int])
        case word([String])
        case flag
        case date
        case list(Form, least: Int = 0)
        case object(String)
    }

    private struct Member: Sendable {
        var name: String
        var form: Form
        var isRequired = true
        var isRequiredIfWhole = false
    }

    private static func member(_ name: String, _ form: Form) -> Member { Member(name: name, form: form) }
    private static func optional(_ name: String, _ form: Form) -> Member {
        Member(name: name, form: form, isRequired: false)
    }

    private static let unicast = Form.hex([4], 0x0001...0x7FFF)
    private static let key = Form.hex([32])
    private static let index = Form.integer(0...4_095)
    private static func ranges(_ low: String, _ high: String, _ range: ClosedRange<Int>) -> [Member] {
        [member(low, .hex([4], range)), member(high, .hex([4], range))]
    }

    private static let objects: [String: [Member]] = [
        "network": [
            member("$schema", .exactly("http://json-schema.org/draft-04/schema#")),
            member("id", .exactly("https://www.bluetooth.com/specifications/specs/mesh-cdb-1-0-1-schema.json#")),
            member("version", .exactly("1.0.1")), member("meshUUID", .uuid), member("meshName", .text),
            member("timestamp", .date), member("partial", .flag), member("netKeys", .list(.object("netKey"), least: 1)),
            member("appKeys", .list(.object("appKey"))),
            member("provisioners", .list(.object("provisioner"), least: 1)), member("nodes", .list(.object("node"))),
            member("groups", .list(.object("group"))), member("scenes", .list(.object("scene"))),
            optional("networkExclusions", .list(.object("exclusion"))),
        ],
        "netKey": [
            member("name", .text), member("index", index), member("key", key), optional("oldKey", key),
            member("phase", .integer(0...2)), member("minSecurity", .word(["secure", "insecure"])),
            member("timestamp", .date),
        ],
        "appKey": [
            member("name", .text), member("index", index), member("boundNetKey", index), member("key", key),
            optional("oldKey", key),
        ],
        "provisioner": [
            member("provisionerName", .text), member("UUID", .uuid),
            member("allocatedUnicastRange", .list(.object("unicastRange"))),
            member("allocatedGroupRange", .list(.object("groupRange"))),
            member("allocatedSceneRange", .list(.object("sceneRange"))),
        ],
        "unicastRange": ranges("lowAddress", "highAddress", 0x0001...0x7FFF),
        "groupRange": ranges("lowAddress", "highAddress", 0xC000...0xFEFF),
        "sceneRange": ranges("firstScene", "lastScene", 0x0001...0xFFFF),
        "node": [
            member("UUID", .uuid), member("unicastAddress", unicast),
            Member(name: "deviceKey", form: key, isRequired: false, isRequiredIfWhole: true),
            member("security", .word(["secure", "insecure"])), member("netKeys", .list(.object("nodeKey"))),
            member("appKeys", .list(.object("nodeKey"))), member("configComplete", .flag), member("name", .text),
            optional("cid", .hex([4])), optional("pid", .hex([4])), optional("vid", .hex([4])),
            optional("crpl", .hex([4])), optional("features", .object("features")),
            optional("secureNetworkBeacon", .flag), optional("defaultTTL", .integer(0...127)),
            optional("networkTransmit", .object("transmit")), optional("relayRetransmit", .object("transmit")),
            member("elements", .list(.object("element"))), member("excluded", .flag),
            optional("heartbeatPub", .object("heartbeatPub")), optional("heartbeatSub", .object("heartbeatSub")),
        ],
        "nodeKey": [member("index", index), member("updated", .flag)],
        "features": ["relay", "proxy", "friend", "lowPower"].map { optional($0, .integer(0...2)) },
        "transmit": [member("count", .integer(1...8)), member("interval", .step(10...320, 10))],
        "heartbeatPub": [
            member("address", .hex([4], 0x0001...0xFFFF)),
            member("period", .oneOf([0, 65_535] + (0...16).map { 1 << $0 })),
            member("ttl", .integer(0...127)), member("index", index),
            member("features", .list(.word(["relay", "proxy", "friend", "lowPower"]))),
        ],
        "heartbeatSub": [member("source", unicast), member("destination", .hex([4], 0x0001...0xFFFF))],
        "element": [
            member("index", .integer(0...255)), member("location", .hex([4])), optional("name", .text),
            member("models", .list(.object("model"))),
        ],
        "model": [
            member("modelId", .hex([4, 8])), member("subscribe", .list(.hex([4, 32]))), member("bind", .list(index)),
            optional("publish", .object("publish")),
        ],
        "publish": [
            member("address", .hex([4, 32])), member("index", index),
            member("ttl", .oneOf(Array(0...127) + [255])), member("period", .object("period")),
            member("credentials", .integer(0...1)), member("retransmit", .object("retransmit")),
        ],
        "period": [
            member("numberOfSteps", .integer(0...63)), member("resolution", .oneOf([100, 1_000, 10_000, 600_000])),
        ],
        "retransmit": [member("count", .integer(0...7)), member("interval", .step(50...1_600, 50))],
        "group": [
            member("name", .text), member("address", .hex([4, 32])), member("parentAddress", .hex([4, 32])),
        ],
        "scene": [
            member("name", .text), member("number", .hex([4], 0x0001...0xFFFF)), member("addresses", .list(unicast)),
        ],
        "exclusion": [member("ivIndex", .integer(0...Int(UInt32.max))), member("addresses", .list(unicast))],
    ]

    private mutating func check(_ value: JSONValue, _ name: String, _ pointer: String) {
        guard case .object = value else { return problems.append("\(pointer): no object") }
        for member in Self.objects[name] ?? [] {
            guard let value = value[member.name] else {
                if member.isRequired || member.isRequiredIfWhole && !isPartial {
                    problems.append("\(pointer)/\(member.name): missing")
                }
                continue
            }
            check(value, member.form, "\(pointer)/\(member.name)")
        }
    }

    private mutating func check(_ value: JSONValue, _ form: Form, _ pointer: String) {
        let text = value.text ?? ""
        let number = value.number
        let isRight: Bool
        switch form {
        case .text: isRight = text.contains { !$0.isWhitespace }
        case .exactly(let expected): isRight = text == expected
        case .uuid:
            isRight = text.wholeMatch(of: #/[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}/#) != nil
        case .hex(let counts, let range):
            isRight =
                counts.contains(text.count) && text.allSatisfy { $0.isHexDigit && !$0.isLowercase }
                && (range.map { $0.contains(Int(text, radix: 16) ?? -1) } ?? true)
        case .integer(let range): isRight = number.map(range.contains) ?? false
        case .step(let range, let step): isRight = number.map { range.contains($0) && $0 % step == 0 } ?? false
        case .oneOf(let numbers): isRight = number.map(numbers.contains) ?? false
        case .word(let words): isRight = words.contains(text)
        case .flag: isRight = value == .bool(true) || value == .bool(false)
        case .date: isRight = ISO8601DateFormatter().date(from: text) != nil
        case .list(let form, let least):
            guard case .array(let list) = value, list.count >= least else {
                return problems.append("\(pointer): no list of \(least) or more")
            }
            for (index, item) in list.enumerated() { check(item, form, "\(pointer)/\(index)") }
            return
        case .object(let name): return check(value, name, pointer)
        }
        if !isRight { problems.append("\(pointer): \(value)") }
    }

    /// Keys and addresses that are spoken of exist.
    private mutating func checkReferences(_ root: JSONValue) {
        let netKeys = Set(root.items("netKeys").map { $0["index"]?.number })
        let appKeys = Set(root.items("appKeys").map { $0["index"]?.number })
        for key in root.items("appKeys") where !netKeys.contains(key["boundNetKey"]?.number) {
            problems.append("/appKeys: bound to no NetKey")
        }
        for node in root.items("nodes") {
            let name = node["name"]?.text ?? ""
            let known = Set(node.items("netKeys").map { $0["index"]?.number })
            let usable = Set(node.items("appKeys").map { $0["index"]?.number })
            if !known.isSubset(of: netKeys) || !usable.isSubset(of: appKeys) {
                problems.append("\(name): unknown keys")
            }
            if let heartbeat = node["heartbeatPub"], !known.contains(heartbeat["index"]?.number) {
                problems.append("\(name): the key of its heartbeats is not its own")
            }
            for model in node.items("elements").flatMap({ $0.items("models") }) {
                if !Set(model.items("bind").map(\.number)).isSubset(of: usable) {
                    problems.append("\(name): unknown bind")
                }
                if let publish = model["publish"], !usable.contains(publish["index"]?.number) {
                    problems.append("\(name): publishes with an unknown key")
                }
            }
        }
    }
}

extension JSONValue {
    fileprivate subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }

    fileprivate var number: Int? { if case .number(let text) = self { Int(text) } else { nil } }

    fileprivate func items(_ name: String) -> [JSONValue] {
        guard case .array(let items)? = self[name] else { return [] }
        return items
    }
}
