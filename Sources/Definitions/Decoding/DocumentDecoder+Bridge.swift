import DefinitionModel
import MeshCore

/// Subnet bridges.
extension DocumentDecoder {
    /// `on`, `off`, or `{ state: on, table: […] }`.
    mutating func decodeSubnetBridge(_ field: MappingEntry, into settings: inout NodeSettings) {
        guard tree.nodes[field.value].kind == .mapping else {
            guard let isOn = scalar(field.value, "on, off or a mapping", Words.boolean) else { return }
            settings.states.append(Located(.subnetBridge(isOn.value), at: isOn.location))
            return
        }
        for part in fields(field.value, .subnetBridge, "`subnet_bridge`", blamed: field.key) ?? [] {
            switch part.keyword {
            case .state:
                guard let isOn = scalar(part.value, "on or off", Words.boolean) else { continue }
                settings.states.append(Located(.subnetBridge(isOn.value), at: isOn.location))
            case .table:
                guard let entries = list(part.value, "a list of entries") else { continue }
                let table = entries.compactMap { decodeBridge($0) }
                // If an entry cannot be read, the others must not pass for the whole table.
                guard table.count == entries.count else { continue }
                settings.bridgingTable = Located(table, at: location(part.key))
            default: break
            }
        }
    }

    private mutating func decodeBridge(_ node: Int) -> BridgeDefinition? {
        guard let fields = fields(node, .bridge, "an entry of the table", blamed: node) else { return nil }
        var subnets: [Located<String>]?
        var addresses: [Located<PublishTarget>]?
        var directions: Located<BridgingDirections>?
        for field in fields {
            switch field.keyword {
            case .subnets:
                subnets = pair(field.value, "two subnets") { $0.scalar($1, "the name of a subnet", Words.name) }
            case .addresses:
                addresses = pair(field.value, "two addresses") {
                    $0.scalar($1, "a node, group or address", Words.publishTarget)
                }
            case .direction: directions = scalar(field.value, "a direction", Self.directions)
            default: break
            }
        }
        guard let subnets, let addresses, let directions else { return nil }
        if subnets[0].value == subnets[1].value {
            report(
                "a bridge joins two different subnets",
                at: node,
                hint: "messages within \(quoted(subnets[0].value)) need no bridge"
            )
            return nil
        }
        return BridgeDefinition(
            subnets: subnets,
            addresses: addresses,
            directions: directions.value,
            location: location(node)
        )
    }

    private mutating func pair<Value>(
        _ node: Int,
        _ expected: String,
        _ decode: (inout DocumentDecoder, Int) -> Value?
    ) -> [Value]? {
        guard let entries = list(node, expected) else { return nil }
        var values: [Value] = []
        for entry in entries {
            guard let value = decode(&self, entry) else { return nil }
            values.append(value)
        }
        guard values.count == 2 else {
            report("\(expected) are expected here, not \(values.count)", at: node)
            return nil
        }
        return values
    }

    private static func directions(_ text: String) throws(ScalarProblem) -> BridgingDirections {
        switch text {
        case "both": return .bothWays
        case "one_way": return .oneWay
        default:
            throw ScalarProblem(
                "\(quoted(text)) is not a direction",
                hint: "write one_way for messages from the first address to the second, or both"
            )
        }
    }
}
