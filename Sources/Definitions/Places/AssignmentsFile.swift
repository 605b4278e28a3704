package import DefinitionModel
package import MeshCore

/// The file that says which device is at which place of a network: `NETWORK.assignments`, beside the definition and in
/// git with it. It holds no secrets.
///
/// Each line is a place and the UUID of its device, and the lines are sorted, so that git merges the work of two people
/// line by line. It is no YAML, because a mapping with a line twice would be no mapping; here, both lines can be named.
/// The network is in the file's name, because a line must not depend on another one.
package struct AssignmentsFile: Hashable, Sendable {
    /// One line of the file.
    package struct Assignment: Hashable, Sendable {
        package var place: Located<String>
        package var device: Located<DeviceUUID>
    }

    /// The ending of the file's name.
    package static let ending = ".assignments"

    /// The lines, in reading order. A repeated line counts once.
    package private(set) var assignments: [Assignment] = []

    package static func name(ofNetwork network: String) -> String { network + ending }

    /// The network of the file at a path; nil if it is no file of this kind.
    package static func network(ofFile path: String) -> String? {
        let name = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
        guard name.hasSuffix(ending) else { return nil }
        let network = String(name.dropLast(ending.count))
        return Name.isValid(network) ? network : nil
    }

    /// The text of a file with these assignments, by place.
    package static func text(of assignments: [String: DeviceUUID]) -> String {
        let lines = assignments.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { "\($0.key) \($0.value.description.lowercased())\n" }
        return "# Which device is at which place. meshplan writes this file; commit it with the definition.\n"
            + lines.joined()
    }

    /// Reads one file alone.
    ///
    /// - Returns: its assignments, and all problems, arranged for display.
    package static func read(files: SourceFiles) -> (file: AssignmentsFile, diagnostics: [Diagnostic]) {
        let limits = ReadingLimits()
        var diagnostics = DiagnosticCollector(limit: limits.diagnostics)
        let bytes = files.files.first?.bytes ?? []
        let file = AssignmentsFile(bytes, file: 0, limits: limits, into: &diagnostics)
        return (file, diagnostics.finished())
    }

    /// Reads a file.
    ///
    /// - Parameter file: the index of the file, for locations.
    init(_ bytes: [UInt8], file: UInt32, limits: ReadingLimits, into diagnostics: inout DiagnosticCollector) {
        guard bytes.count <= limits.fileSize else {
            diagnostics.report(
                "the file has \(bytes.count) octets",
                at: SourceLocation(file: file, line: 1, column: 1),
                hint: "no file may be larger than \(limits.fileSize >> 20) MiB"
            )
            return
        }
        let problem = bytes.withUnsafeBufferPointer { TextScan.firstProblem($0) }
        if let problem {
            diagnostics.report(
                problem.message,
                at: SourceLocation(file: file, line: problem.line, column: problem.column),
                hint: problem.hint
            )
            return
        }
        var seen: Set<String> = []
        for (number, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
        {
            read(line, at: number, file: file, &seen, into: &diagnostics)
        }
    }

    private mutating func read(
        _ line: ArraySlice<UInt8>,
        at number: Int,
        file: UInt32,
        _ seen: inout Set<String>,
        into diagnostics: inout DiagnosticCollector
    ) {
        let words = line.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        guard let first = words.first, first.first != UInt8(ascii: "#") else { return }
        func location(_ word: ArraySlice<UInt8>) -> SourceLocation {
            SourceLocation(
                file: file,
                line: UInt32(clamping: number + 1),
                column: UInt32(clamping: word.startIndex - line.startIndex + 1)
            )
        }
        if Self.mergeMarks.contains(where: { line.starts(with: $0.utf8) }) {
            diagnostics.report(
                "a merge has left both sides here",
                at: location(first),
                hint: "keep the lines of both sides, and take those with <<<<<<<, ======= and >>>>>>> away"
            )
            return
        }
        let name = String(decoding: first, as: UTF8.self)
        guard Name.isValid(name) else {
            diagnostics.report("\(quoted(name)) is not the name of a place", at: location(first), hint: Self.form)
            return
        }
        guard words.count == 2 else {
            diagnostics.report("place \(quoted(name)) needs one UUID", at: location(first), hint: Self.form)
            return
        }
        do {
            let uuid = try Addresses.uuid(String(decoding: words[1], as: UTF8.self))
            guard seen.insert("\(name) \(uuid)").inserted else { return }
            assignments.append(
                Assignment(
                    place: Located(name, at: location(first)),
                    device: Located(DeviceUUID(rawValue: uuid.rawValue), at: location(words[1]))
                )
            )
        } catch {
            diagnostics.report(error.message, at: location(words[1]), hint: error.hint)
        }
    }

    private static let mergeMarks = ["<<<<<<<", "=======", ">>>>>>>", "|||||||"]
    private static let form =
        "each line is a place and the UUID of its device: kitchen-1 0d5c5a0e6f5b4f0ea1a50b1f1c1f0001"
}
