internal import MeshCore
internal import Store

/// The machine-readable form of a command's output: one object a line, the first of type `version`.
///
/// Readers ignore members and types that they do not know; within format 1 nothing is taken away.
struct JSONLines {
    /// Where the lines go.
    var output: Output

    /// Begins the output of a command.
    init(_ output: Output, command: String) {
        self.output = output
        write([
            "type": "version", "format": "1.0", "tool": "meshplan", "tool_version": meshplanVersion.json,
            "command": command.json,
        ])
    }

    /// One line.
    func write(_ members: KeyValuePairs<String, JSONValue?>) {
        output.line(JSONValue.object(members).line)
    }

    /// One line for each diagnostic, in the order they are shown in.
    func write(_ diagnostics: [Diagnostic], files: SourceFiles) {
        for diagnostic in diagnostics.arranged() {
            write([
                "type": "diagnostic",
                "severity": ["note", "warning", "error"][diagnostic.severity.rawValue],
                "message": diagnostic.message.json,
                "file": diagnostic.location.map { files.path(of: $0).json },
                "line": diagnostic.location.map { .integer(Int($0.line)) },
                "column": diagnostic.location.map { .integer(Int($0.column)) },
                "length": diagnostic.location.map { _ in .integer(diagnostic.length) },
                "resource": diagnostic.resource?.json,
                "hint": diagnostic.hint?.json,
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
