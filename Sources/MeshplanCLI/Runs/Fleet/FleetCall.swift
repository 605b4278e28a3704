import SystemLayer

/// A command for one network of a fleet, as one process asks another to carry it out: a line of JSON.
///
/// It may hold secrets, as the environment does, and is written into a pipe only.
struct FleetCall: Codable {
    /// What marks the line.
    var type = FleetCall.name
    /// The version of the line and of its answers. A process may be of another version of the program, which was
    /// replaced while this one works; then nothing is carried out.
    var format = FleetCall.version
    /// The absolute path of the folder in which the command works.
    var folder: String
    /// The command line, without the program's name.
    var arguments: [String]
    /// The environment variables.
    var environment: [String: String]
    /// In which form the lines are that the command prints; nil if nobody wants to see them.
    var details: Details?
    /// Whether a process may carry it out that has carried out others before. Such a command only reads and computes.
    var isShared = false

    /// The form of what a command prints.
    enum Details: String, Codable {
        case text, json
    }

    private enum CodingKeys: CodingKey {
        case type, format, folder, arguments, environment, details
    }

    private static let name = "fleet_call"
    fileprivate static let version: Int32 = 1

    /// The command as a line.
    var line: String { String(decoding: TypedJSON.encode(self), as: UTF8.self) }
}

extension FleetCall {
    /// Reads a line; nil if it is anything else, or of another version.
    init?(_ line: [UInt8]) {
        guard let call = try? TypedJSON.decode(FleetCall.self, from: line), call.type == Self.name,
            call.format == Self.version
        else { return nil }
        self = call
    }
}

/// A line of JSON with which a process answers a ``FleetCall``.
enum FleetAnswer: Hashable {
    /// A line that the command has printed.
    case line(String)
    /// What became of the command: the last line of the answer.
    case ended(FleetResult)

    private struct Line: Decodable {
        var type: String
        var line: String?
    }

    private struct Result: Decodable {
        var format, exitCode: Int32
        var isLast: Bool?
        var problems: [CommandReport.Problem]?
        var summary: CommandSummary?
    }

    /// Reads a line. A result that is not understood, as of another version, is a failure.
    ///
    /// - Returns: nil for a line that is something else, which is ignored.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let line = try? TypedJSON.decode(Line.self, from: bytes) else { return nil }
        switch line.type {
        case "fleet_line": self = .line(line.line ?? "")
        case "fleet_result":
            guard let found = try? TypedJSON.decode(Result.self, from: bytes), found.format == FleetCall.version,
                let status = ExitStatus(rawValue: found.exitCode)
            else {
                self = .ended(.ended(.failure, "another version of meshplan has carried out the command"))
                return
            }
            var result = FleetResult.ended(status)
            result.isLast = found.isLast ?? false
            result.problems = found.problems ?? []
            result.summary = found.summary
            result.printed = (try? JSONParser.parse(bytes))?["summary"]
            self = .ended(result)
        default: return nil
        }
    }

    /// A line that a command has printed, as a line of the answer.
    static func text(of line: String) -> String { JSONValue.object(["type": "fleet_line", "line": line.json]).line }

    /// The last line of the answer.
    static func text(_ status: Int32, _ report: CommandReport, isLast: Bool) -> String {
        JSONValue.object([
            "type": "fleet_result", "format": .integer(FleetCall.version), "exit_code": .integer(status),
            "is_last": isLast ? true : nil,
            "problems": report.problems.isEmpty
                ? nil : .array(report.problems.map { .object(["message": $0.message.json, "hint": $0.hint?.json]) }),
            "summary": report.summary,
        ])
        .line
    }
}
