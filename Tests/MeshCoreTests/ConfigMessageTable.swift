import Foundation
import MeshCore
import TestSupport
import Testing

/// The messages in `config-messages.json` of the Configuration models and of the foundation models of 1.1 that are
/// spoken to with the DeviceKey, without Directed Forwarding.
struct ConfigMessageTable {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let opcode: UInt32
        /// Whether parameters of that length exist.
        let allowsLength: @Sendable (Int) -> Bool
        let response: String?
        let examples: [Example]

        /// The name of the Swift type.
        var typeName: String { Self.typeName(of: name) }
        var testDescription: String { name }

        /// The name of the Swift type for a message of that name.
        static func typeName(of name: String) -> String { name.filter { $0 != " " && $0 != "-" } }
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
        rows = try messages.filter { message in
            let opcode = try #require(UInt32(message["opcode"] as? String ?? "", radix: 16))
            return message["since"] as? String == "1.0.1" || (0x804F...0x807A).contains(opcode)
                || (0x80B1...0x80BC).contains(opcode)
        }.map(Self.row)
        statusCodes = try #require(root["statusCodeTable"] as? [[String: String]]).map { entry in
            StatusCode(
                code: try #require(UInt8(entry["code"] ?? "", radix: 16)),
                name: try #require(entry["name"]).replacing(" (1.1)", with: "")
            )
        }
    }

    private static func row(_ message: [String: Any]) throws -> Row {
        let name = try #require(message["name"] as? String)
        var examples = try (message["examples"] as? [[String: Any]] ?? []).map { example in
            Example(
                payload: hex(try #require(example["accessPayload"] as? String)),
                values: try flatten(try #require(example["parameters"] as? [String: Any]))
            )
        }
        examples += (ownExamples[name] ?? []).map { Example(payload: hex($0), values: [:]) }
        return Row(
            name: name,
            opcode: try #require(UInt32(message["opcode"] as? String ?? "", radix: 16)),
            allowsLength: try ownLengths[name]
                ?? lengths(of: try #require(message["parameters"] as? [[String: Any]])),
            response: message["response"] as? String,
            examples: examples
        )
    }

    /// For messages of which the table has no example, written after its layouts.
    private static let ownExamples = [
        "Opcodes Aggregator Status": ["8073 00 0112 08 800e07ff 00", "8073 02 0112", "8073 00 0112 0201" + "00"],
        "Large Composition Data Status": ["8075 00 0000 0500 0c001a0001", "8075 80 0a00 0500"],
        "Models Metadata Status": ["8077 00 0300 0500 aabb", "8077 01 0000 0000"],
        "Solicitation PDU RPL Items Clear Unacknowledged": ["8079 0224", "8079 0324 05"],
        "Remote Provisioning Scan Report": [
            "8055 c4 70cf7c9732a345b691494810d2e9cbf4 2000", "8055 c4 70cf7c9732a345b691494810d2e9cbf4 2000 a3c5ef12",
        ],
        "Remote Provisioning Extended Scan Start": [
            "8056 01 09", "8056 03 09240a 70cf7c9732a345b691494810d2e9cbf4 05",
        ],
        "Remote Provisioning Extended Scan Report": [
            "8057 03 70cf7c9732a345b691494810d2e9cbf4", "8057 00 70cf7c9732a345b691494810d2e9cbf4 2000",
            "8057 00 70cf7c9732a345b691494810d2e9cbf4 2000 05096c616d70 020a04",
        ],
        "Remote Provisioning Link Report": ["805c 00 02", "805c 06 00 02"],
        "Remote Provisioning PDU Send": ["805d 01 0005", "805d 02 020000000000"],
        "Remote Provisioning PDU Report": ["805f 01 0101000300010000000000", "805f 05 08"],
        "Solicitation PDU RPL Items Status": ["807a 0224", "807a 0324 05"],
    ]

    /// For messages whose layout has more than one part of variable length.
    private static let ownLengths: [String: @Sendable (Int) -> Bool] = [
        "Remote Provisioning Extended Scan Start": { (2...17).contains($0) || (19...34).contains($0) },
        "Remote Provisioning Extended Scan Report": { $0 == 17 || $0 >= 19 },
    ]

    private static func lengths(of parameters: [[String: Any]]) throws -> @Sendable (Int) -> Bool {
        var bits = 0
        var rest: @Sendable (Int) -> Bool = { $0 == 0 }
        for parameter in parameters {
            if parameter["optional"] as? Bool == true {
                let octets = try #require(parameter["bytes"] as? Int)
                rest = { $0 == 0 || $0 == octets }
            } else if let octets = parameter["bytes"] as? Int {
                bits += 8 * octets
            } else if let count = parameter["bits"] as? Int {
                bits += count
            } else {
                switch (parameter["size"] as? String, parameter["name"] as? String) {
                case ("2 or 4", _): rest = { $0 == 2 || $0 == 4 }
                case ("variable", "NetKeyIndexes"), ("variable", "AppKeyIndexes"): rest = { $0 % 3 != 1 && $0 >= 0 }
                case ("variable", "Addresses"): rest = { $0 % 2 == 0 && $0 >= 0 }
                case ("variable", "ProvisioningPDU"): rest = { $0 >= 1 }
                case ("16 or 17 or 1", _): rest = { [1, 16, 17].contains($0) }
                case ("variable", "Data"), ("variable", "Items"), ("variable", "StatusItems"): rest = { $0 >= 0 }
                case ("variable", "Pairs"): rest = { $0 % 3 == 0 && $0 >= 0 }
                case ("variable", "Entries"): rest = { $0 % 5 == 0 && $0 >= 0 }
                case ("2 or 3", _): rest = { $0 == 2 || $0 == 3 }
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
