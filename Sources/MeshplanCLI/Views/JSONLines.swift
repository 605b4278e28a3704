import Basics
import DefinitionModel
import MeshCore
import Planning
import Store
import SystemLayer

/// The machine-readable output of a command: one object per line, the first of type `version`.
///
/// Readers ignore unknown members and types. Nothing is removed within format 1.
struct JSONLines {
    var output: Output
    /// What another process gets to know that has asked for the command; nil if none has.
    let report: CommandReport?
    /// The calendar time of an event, in milliseconds since 1970.
    private let clock: () -> Int64
    /// The names of nodes that events name by their UUIDs.
    private let names = JSONNames()

    /// Writes the first line of a command's output.
    ///
    /// - Parameter clock: the calendar time, in milliseconds since 1970.
    init(_ output: Output, command: String, report: CommandReport? = nil, clock: @escaping () -> Int64) {
        self.output = output
        self.report = report
        self.clock = clock
        write([
            "type": "version", "format": "1.0", "tool": "meshplan", "tool_version": programVersion.json,
            "command": command.json,
        ])
    }

    func write(_ members: KeyValuePairs<String, JSONValue?>) {
        output.line(JSONValue.object(members).line)
    }

    /// Writes the line that sums a command up.
    func write(summary members: KeyValuePairs<String, JSONValue?>) {
        report?.summary = .object(members)
        write(members)
    }

    /// Writes the line that sums up what has happened, with the time at its end.
    func event(summary members: KeyValuePairs<String, JSONValue?>) {
        report?.summary = .object(members)
        event(members)
    }

    /// Writes the line of something that happens, with the time at its end. Beside the UUID of a node stands its name,
    /// if it is known.
    func event(_ members: KeyValuePairs<String, JSONValue?>) {
        event(members.compactMap { name, value in value.map { JSONMember(name, $0) } })
    }

    /// The same; a time that the members have stays.
    func event(_ members: [JSONMember]) {
        var line: [JSONMember] = []
        let hasName = members.contains { $0.name == "node" }
        for member in members {
            if let node = self.names[member.value] {
                if member.name == "node_uuid", !hasName { line.append(JSONMember("node", node.json)) }
                if member.name == "through_uuid" { line.append(JSONMember("through", node.json)) }
            }
            line.append(member)
        }
        if !members.contains(where: { $0.name == "time" }) {
            line.append(JSONMember("time", Timestamp.text(milliseconds: clock()).json))
        }
        output.line(JSONValue.object(line).line)
    }

    /// Learns the names of the nodes of a network; those of a definition replace them.
    func learn(_ network: MeshNetwork) { for node in network.nodes { names.learn(node.name, of: node.uuid) } }

    /// Learns the names of the nodes of a plan.
    func learn(_ plan: Plan) { for node in plan.nodes { names.learn(node.name, of: node.uuid) } }

    /// Writes one line for each diagnostic, in the order in which text shows them.
    func write(_ diagnostics: [Diagnostic], files: SourceFiles) {
        for diagnostic in files.instances.folded(diagnostics).arranged() {
            write([
                "type": "diagnostic",
                "severity": ["note", "warning", "error"][diagnostic.severity.rawValue],
                "message": diagnostic.message.json,
                "file": diagnostic.location.map { files.path(of: $0).json },
                "line": diagnostic.location.map { .integer(Int($0.line)) },
                "column": diagnostic.location.map { .integer(Int($0.column)) },
                "length": diagnostic.location.map { _ in .integer(diagnostic.length) },
                "resource": diagnostic.resource?.json,
                "hint": diagnostic.hint?.worded.json,
                "related": diagnostic.related.isEmpty
                    ? nil
                    : .array(
                        diagnostic.related.map {
                            .object([
                                "message": $0.message.json,
                                "file": files.path(of: $0.location).json,
                                "line": .integer(Int($0.location.line)),
                                "column": .integer(Int($0.location.column)),
                            ])
                        }
                    ),
            ])
        }
    }
}

/// The names of nodes by their UUIDs as JSON tells them.
private final class JSONNames {
    private var names: [String: String] = [:]

    subscript(uuid: JSONValue) -> String? {
        if case .string(let text) = uuid { names[text] } else { nil }
    }

    func learn(_ name: String, of uuid: DeviceUUID) {
        if !name.isEmpty { names[uuid.description] = name }
    }
}
