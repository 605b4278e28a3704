import DefinitionModel
import MeshCore
import Planning
import Store
import SystemLayer

/// Explanations as lines of JSON: the explained thing first, then a line for each value or use.
struct ExplanationJSON {
    /// The files that locations point into.
    var files: SourceFiles

    func write(_ node: NodeExplanation, to lines: JSONLines) {
        lines.write([
            "type": "explained_node", "name": node.name.json, "uuid": node.uuid?.description.json,
            "address": node.address?.description.json, "recorded": .bool(node.isRecorded),
            "where": place(node.location),
        ])
        let prefix = "node.\(node.name)."
        for value in node.values { lines.write(members(of: value, prefix: prefix)) }
        for value in node.undeclared {
            lines.write([
                "type": "undeclared_value", "address": (prefix + value.path).json, "recorded": value.value.json,
                "will_be_removed": .bool(value.isDropped),
            ])
        }
    }

    /// Writes all lines about a subnet, application key or group.
    func write(_ resource: ResourceExplanation, to lines: JSONLines) {
        lines.write(["type": "explained_resource", "address": resource.path.json, "where": place(resource.location)])
        for value in resource.values { lines.write(members(of: value, prefix: resource.path + ".")) }
        for reference in resource.references {
            lines.write(["type": "reference", "address": reference.path.json, "where": place(reference.location)])
        }
        for use in resource.uses {
            lines.write([
                "type": "use", "path": use.path.json, "source": source(use.source),
                "nodes": .array(use.nodes.map(\.json)),
            ])
        }
    }

    private func members(of value: ExplainedValue, prefix: String) -> KeyValuePairs<String, JSONValue?> {
        var recorded: String?
        var agrees: Bool?
        switch value.record {
        case .unknown: break
        case .agrees: (recorded, agrees) = (value.value, true)
        case .differs(let text): (recorded, agrees) = (text, false)
        }
        return [
            "type": "explained_value", "address": (prefix + value.path).json, "value": value.value?.json,
            "sources": .array(value.sources.map(source)),
            "overridden": value.overridden.isEmpty
                ? nil
                : .array(
                    value.overridden.map { .object(["value": $0.value?.json, "source": source($0.source)]) }
                ),
            "recorded": recorded?.json, "as_recorded": agrees.map { .bool($0) },
            "left_out": value.isLeftOut ? true : nil,
        ]
    }

    private func source(_ source: ValueSource) -> JSONValue {
        var by: String
        var name: String?
        var entry: Int?
        switch source.way {
        case .node: by = "node"
        case .profile(let profile): (by, name) = ("profile", profile)
        case .defaults(let number, let nodes): (by, name, entry) = ("defaults", nodes, number)
        case .subscriptions(let number): (by, entry) = ("subscriptions", number)
        case .publications(let number): (by, entry) = ("publications", number)
        case .schedules(let schedule): (by, name) = ("schedules", schedule)
        case .network: by = "declaration"
        case .builtIn: by = "built_in"
        case .database: by = "database"
        case .plan: by = "plan"
        }
        return .object([
            "by": by.json, "name": name?.json, "entry": entry.map { .integer($0) }, "needed_by": source.need?.json,
            "where": source.location.map(place),
        ])
    }

    private func place(_ location: SourceLocation) -> JSONValue {
        .object([
            "file": files.path(of: location).json, "line": .integer(Int(location.line)),
            "column": .integer(Int(location.column)), "instance": files.instances.title(of: location)?.json,
        ])
    }
}
