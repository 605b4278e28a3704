import DefinitionModel
import MeshCore
import Store
import SystemLayer

/// The machine-readable output of a command: one object per line, the first of type `version`.
///
/// Readers ignore unknown members and types. Nothing is removed within format 1.
struct JSONLines {
    /// The stream for the lines.
    var output: Output

    /// Writes the first line of a command's output.
    init(_ output: Output, command: String) {
        self.output = output
        write([
            "type": "version", "format": "1.0", "tool": "meshplan", "tool_version": meshplanVersion.json,
            "command": command.json,
        ])
    }

    /// Writes one line.
    func write(_ members: KeyValuePairs<String, JSONValue?>) {
        output.line(JSONValue.object(members).line)
    }

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
