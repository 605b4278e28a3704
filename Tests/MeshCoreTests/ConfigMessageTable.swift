import Foundation
import MeshCore
import TestSupport
import Testing

/// The messages of the Configuration models in `config-messages.json`.
struct ConfigMessageTable {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let opcode: UInt32
        /// Whether parameters of that length exist.
        let allowsLength: @Sendable (Int) -> Bool
        let response: String?
        let examples: [Example]

        /// The name of the Swift type.
        var typeName: String { name.replacing(" ", with: "") }
        var testDescription: String { name }
    }

    struct Example: Sendable {
        let payload: [UInt8]
        /// The values by name, nested names joined with a dot.
        let values: [String: String]
    }

    struct StatusCode: Sendable {
        let code: UInt8
        let name: String
    }

    let rows: [Row]
    let statusCodes: [StatusCode]

    /// Read once; a table that cannot be read ends the test run.
    static let shared: ConfigMessageTable = {
        do {
            return try ConfigMessageTable()
        } catch {
            preconditionFailure("config-messages.json: \(error)")
        }
    }()

    private init() throws {
        let url = try #require(Bundle.module.url(forResource: "Resources/config-messages", withExtension: "json"))
        let root = try #require(JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
        let messages = try #require(root["messages"] as? [[String: Any]])
        rows = try messages.filter { $0["since"] as? String == "1.0.1" }.map(Self.row)
        statusCodes = try #require(root["statusCodeTable"] as? [[String: String]]).map { entry in
            StatusCode(
                code: try #require(UInt8(entry["code"] ?? "", radix: 16)),
                name: try #require(entry["name"]).replacing(" (1.1)", with: "")
            )
        }
    }

    private static func row(_ message: [String: Any]) throws -> Row {
        let name = try #require(message["name"] as? String)
        let examples = try #require(message["examples"] as? [[String: Any]]).map { example in
            Example(
                payload: hex(try #require(example["accessPayload"] as? String)),
                values: try flatten(try #require(example["parameters"] as? [String: Any]))
            )
        }
        return Row(
            name: name,
            opcode: try #require(UInt32(message["opcode"] as? String ?? "", radix: 16)),
            allowsLength: try lengths(of: try #require(message["parameters"] as? [[String: Any]])),
            response: message["response"] as? String,
            examples: examples
        )
    }

    private static func lengths(of parameters: [[String: Any]]) throws -> @Sendable (Int) -> Bool {
        var bits = 0
        var rest: @Sendable (Int) -> Bool = { $0 == 0 }
        for parameter in parameters {
            if let octets = parameter["bytes"] as? Int {
                bits += 8 * octets
            } else if let count = parameter["bits"] as? Int {
                bits += count
            } else {
                switch (parameter["size"] as? String, parameter["name"] as? String) {
                case ("2 or 4", _): rest = { $0 == 2 || $0 == 4 }
                case ("variable", "NetKeyIndexes"), ("variable", "AppKeyIndexes"): rest = { $0 % 3 != 1 && $0 >= 0 }
                case ("variable", "Addresses"): rest = { $0 % 2 == 0 && $0 >= 0 }
                case ("variable", "Data"): rest = { $0 >= 0 }
                default: Issue.record("parameter of unknown size: \(parameter)")
                }
            }
        }
        let fixed = bits / 8
        return { [rest] in rest($0 - fixed) }
    }

    private static func flatten(_ values: [String: Any]) throws -> [String: String] {
        var flat: [String: String] = [:]
        for (name, value) in values {
            switch value {
            case let nested as [String: Any]:
                for (inner, value) in try flatten(nested) { flat["\(name).\(inner)"] = value }
            case let list as [Int]: flat[name] = list.map(String.init).joined(separator: " ")
            case let number as Int: flat[name] = String(number)
            case let text as String: flat[name] = text
            default: Issue.record("value of unknown kind: \(name)")
            }
        }
        return flat
    }
}
