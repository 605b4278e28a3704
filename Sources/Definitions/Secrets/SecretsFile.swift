package import DefinitionModel
package import MeshCore

/// Reads files with the secrets of devices, as they are delivered with a batch of devices: tables of separated values,
/// or YAML.
///
/// It is pure, and no diagnostic holds a secret: all diagnostics hide their source lines.
package enum SecretsFile {
    /// Reads all files as one list.
    ///
    /// A table has a header line with a column `uuid` and at least one of `static` (also `static_oob`, `oob`) and
    /// `public_key`, in any order and case; other columns are ignored. Values are separated by `,`, `;` or tabs. In
    /// YAML, `devices:` is a mapping from UUIDs to `{ static: …, public_key: … }`, or a list of such mappings with
    /// `uuid`. The ending of the file's name tells which of the two it is; otherwise its content does.
    ///
    /// - Returns: what is known of each device, and all problems, arranged for display. If a diagnostic is an error,
    ///   secrets are missing.
    package static func read(
        files: SourceFiles
    ) -> (secrets: [DeviceUUID: DeviceSecrets], diagnostics: [Diagnostic]) {
        read(files: files, limits: ReadingLimits())
    }

    /// Reads all files within given limits.
    static func read(
        files: SourceFiles,
        limits: ReadingLimits
    ) -> (secrets: [DeviceUUID: DeviceSecrets], diagnostics: [Diagnostic]) {
        var decoder = DocumentDecoder(limits: limits)
        var list = SecretsList()
        for (index, file) in files.files.enumerated() {
            let index = UInt32(clamping: index)
            file.bytes.withUnsafeBufferPointer { bytes in
                if isTable(file.path, bytes) {
                    SecretsTable(file: index, limits: limits).read(bytes, into: &list, &decoder.diagnostics)
                } else {
                    FileReader(file: index, limits: limits).read(bytes, with: &decoder) {
                        $0.decodeSecrets(into: &list)
                    }
                }
            }
        }
        return (list.secrets, decoder.diagnostics.finished().map(\.withoutValues))
    }

    /// Whether a file is a table rather than YAML.
    private static func isTable(_ path: String, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let name = path.lowercased()
        if [".csv", ".tsv", ".txt"].contains(where: name.hasSuffix) { return true }
        if [".yaml", ".yml", ".json"].contains(where: name.hasSuffix) { return false }
        var text = DelimitedText(bytes, from: TextScan.byteOrderMarkLength(bytes))
        guard let header = try? text.next() else { return false }
        return header.count > 1 && header.contains { SecretsTable.Column(name: $0.text) == .uuid }
    }
}

/// The secrets read so far.
struct SecretsList {
    /// The secrets, by device.
    private(set) var secrets: [DeviceUUID: DeviceSecrets] = [:]
    private var places: [DeviceUUID: SourceLocation] = [:]

    /// Adds the secrets of a device, or reports that the files name the device twice.
    mutating func add(
        _ uuid: Located<DeviceUUID>,
        _ deviceSecrets: DeviceSecrets,
        into diagnostics: inout DiagnosticCollector
    ) {
        if let first = places[uuid.value] {
            diagnostics.report(
                "this device occurs twice in the files with secrets",
                at: uuid.location,
                related: [Diagnostic.Related(message: "first here", location: first)]
            )
            return
        }
        places[uuid.value] = uuid.location
        secrets[uuid.value] = deviceSecrets
    }
}

extension Diagnostic {
    /// The diagnostic without its source lines, and without quoted text that may be the digits of a secret.
    fileprivate var withoutValues: Diagnostic {
        var diagnostic = self
        diagnostic.concealsSource = true
        diagnostic.message = Self.concealingDigits(in: message)
        diagnostic.hint = hint?.changingWords(Self.concealingDigits)
        return diagnostic
    }

    private static func concealingDigits(in text: String) -> String {
        var parts = text.split(separator: "`", omittingEmptySubsequences: false)
        // Every second part is in backticks.
        for index in parts.indices where index % 2 == 1 && mayBeDigits(parts[index]) { parts[index] = "…" }
        return parts.joined(separator: "`")
    }

    /// Whether a text has hexadecimal digits and no other letters, or many such digits in a row.
    private static func mayBeDigits(_ text: Substring) -> Bool {
        let characters = text.utf8.filter { (0x61...0x7A).contains($0 | 0x20) || Numbers.isDigit($0) }
        if characters.count > 1, characters.allSatisfy(Numbers.isHexadecimalDigit) { return true }
        return text.utf8.split { !Numbers.isHexadecimalDigit($0) }.contains { $0.count >= 8 }
    }
}
