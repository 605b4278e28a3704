package import DefinitionModel
package import MeshCore

/// The lock file. It is in git beside the definition and records the last state of each network's mesh database. It
/// holds no secrets. It only shows whether a database is older than the last one that was used.
package struct StateLock: Hashable, Sendable {
    /// The name of the file. It is no part of a definition.
    package static let fileName = "meshplan.lock.yaml"

    /// The most octets that the file may have: those of a hundred thousand networks.
    package static let sizeLimit = 16 << 20

    /// The record about the database of one network.
    package struct Entry: Hashable, Sendable {
        /// 16 octets that were fixed when the database was created.
        package var lineage: Octets16
        /// Counts the changes of its state.
        package var serial: UInt64
        /// 32 octets that identify the history up to that serial.
        package var digest: [UInt8]

        package init(lineage: Octets16, serial: UInt64, digest: [UInt8]) {
            self.lineage = lineage
            self.serial = serial
            self.digest = digest
        }
    }

    /// The records, by the names of networks.
    package var networks: [String: Entry] = [:]

    /// A file without records.
    package init() {}

    /// The text of the file, with networks sorted, so that git shows what has changed.
    package var text: String {
        var lines = [
            "# The last state of each mesh database. meshplan updates this file and refuses older copies of a database.",
            "# It holds no secrets. Commit it together with the definition.",
            "version: 1",
            "networks:" + (networks.isEmpty ? " {}" : ""),
        ]
        for (name, entry) in networks.sorted(by: { $0.key < $1.key }) {
            lines.append("  \(name):")
            lines.append("    lineage: \(entry.lineage.hexadecimal)")
            lines.append("    serial: \(entry.serial)")
            lines.append("    digest: \(Hexadecimal.encode(entry.digest))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Reads the file.
    ///
    /// It is pure. Hostile files produce diagnostics within bounded memory and time.
    ///
    /// - Parameter files: the one file.
    /// - Returns: the records, and all problems, arranged for display. If a diagnostic is an error, records are
    ///   missing.
    package static func read(files: SourceFiles) -> (lock: StateLock, diagnostics: [Diagnostic]) {
        var limits = ReadingLimits()
        limits.fileSize = sizeLimit
        var decoder = DocumentDecoder(limits: limits)
        var lock = StateLock()
        for (index, file) in files.files.enumerated() {
            let index = UInt32(clamping: index)
            if let line = mergeMarker(in: file.bytes) {
                decoder.diagnostics.report(.error) {
                    Diagnostic(
                        .error,
                        "this file holds both sides of a merge: two copies of the database were changed separately",
                        at: SourceLocation(file: index, line: line, column: 1),
                        hint: """
                            Only one copy can go on. Keep the side that belongs to it, with `git checkout --ours \
                            \(fileName)` or `--theirs`, and read the nodes back with `\(command: .readBack())`
                            """
                    )
                }
                continue
            }
            file.bytes.withUnsafeBufferPointer { bytes in
                FileReader(file: index, limits: limits).read(bytes, with: &decoder) { $0.decodeStateLock(into: &lock) }
            }
        }
        return (lock, decoder.diagnostics.finished())
    }

    /// The number of the first line with a mark of a git merge; nil if there is none.
    private static func mergeMarker(in bytes: [UInt8]) -> UInt32? {
        for (number, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            if line.starts(with: "<<<<<<<".utf8) || line.starts(with: ">>>>>>>".utf8)
                || line.starts(with: "|||||||".utf8)
            {
                return UInt32(clamping: number + 1)
            }
        }
        return nil
    }
}
