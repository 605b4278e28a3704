/// Keeps secrets out of git: `.gitignore` in the working folder names the database folder, plan files, and
/// files with private keys that are carried to gateways and colleagues.
enum GitIgnore {
    /// What git is to ignore.
    static let patterns = [".meshplan/", "*.mplan", "*.gateway.pem", "*.client.pem"]

    /// Adds the patterns that are missing.
    ///
    /// - Returns: the patterns that were added.
    static func complete(_ context: Context) throws(FileError) -> [String] {
        let path = context.absolute(".gitignore")
        var present = ""
        if Files.kind(path) != nil {
            let bytes = try Files.read(path, as: ".gitignore", limit: 16 << 20)
            present = String(decoding: bytes, as: UTF8.self)
        }
        let lines = Set(present.split(whereSeparator: \.isNewline).map { String($0).trimmed })
        let missing = patterns.filter { pattern in
            !lines.contains(pattern) && !lines.contains("/" + pattern) && !lines.contains(withoutSlash(pattern))
        }
        guard !missing.isEmpty else { return [] }
        let separator = present.isEmpty || present.last?.isNewline == true ? "" : "\n"
        try Files.append(separator + missing.joined(separator: "\n") + "\n", to: path, as: ".gitignore")
        return missing
    }

    /// What a command says of patterns that it has added.
    static func note(_ patterns: [String]) -> String {
        let last = patterns.last ?? ""
        let others = patterns.dropLast().joined(separator: ", ")
        return "Added \(others.isEmpty ? last : others + " and " + last) to .gitignore"
    }

    private static func withoutSlash(_ pattern: String) -> String {
        pattern.hasSuffix("/") ? String(pattern.dropLast()) : pattern
    }
}
