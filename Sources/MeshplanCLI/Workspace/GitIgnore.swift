import DefinitionModel
import MeshCore
import SystemLayer

/// Keeps secrets out of git. The `.gitignore` of the working folder names the database folder, plan files, and files
/// with private keys for gateways and colleagues. A file with secrets at another place is added to the `.gitignore`
/// that applies there.
enum GitIgnore {
    static let patterns = [".meshplan/", "*.mplan", "*.gateway.pem", "*.client.pem", temporary]
    /// What a killed writer of any file leaves behind, with the same contents.
    private static let temporary = "*.meshplan-*"
    static let fileName = ".gitignore"
    private static let sizeLimit = 16 << 20

    /// Adds the patterns that are missing.
    ///
    /// - Returns: the patterns that were added.
    static func complete(_ context: Context) throws(FileError) -> [String] {
        let root = Files.resolved(context.workingDirectory) ?? context.workingDirectory
        let present = try text(in: root, as: fileName)
        let lines = Set(Self.lines(present))
        let missing = patterns.filter { pattern in
            !lines.contains(pattern) && !lines.contains("/" + pattern) && !lines.contains(withoutSlash(pattern))
        }
        try add(missing, in: root, as: fileName, behind: present)
        return missing
    }

    /// The message about patterns that were added.
    static func note(_ patterns: [String]) -> String {
        let last = patterns.last ?? ""
        let others = patterns.dropLast().joined(separator: ", ")
        return "Added \(others.isEmpty ? last : others + " and " + last) to .gitignore"
    }

    /// How git now treats a file with secrets.
    struct Cover: Hashable {
        /// The line that was added; nil if there was one already, or if none is needed.
        var pattern: String?
        /// The path of that `.gitignore`, as the user knows it.
        var place = GitIgnore.fileName
        /// Whether git already tracks the file, so that ignoring it changes nothing.
        var isTracked = false
    }

    /// Makes git ignore a file with secrets. The line goes to the `.gitignore` of the working folder if the file is
    /// below it, otherwise to that of the file's repository. Outside of both, nothing needs to be done.
    ///
    /// - Parameter file: its path as the user knows it; the file need not exist yet.
    /// - Throws: ``FileError`` if the `.gitignore` cannot be read or written, or if the path contains a line break.
    static func cover(_ file: String, in context: Context) throws(FileError) -> Cover {
        guard let target = Target(file, in: context) else { return Cover() }
        var cover = Cover(place: target.place, isTracked: target.isTracked)
        guard !cover.isTracked else { return cover }
        let present = try text(in: target.root, as: target.place)
        guard !covers(present, target.relative) else { return cover }
        guard !target.relative.contains(where: \.isNewline) else {
            throw FileError(
                .name,
                file.printable,
                .other("no line of \(target.place) can have a line break in it", hint: "Choose another name.")
            )
        }
        let pattern = "/" + escaped(target.relative)
        let hasTemporary = lines(present).contains(temporary)
        try add((hasTemporary ? [] : [temporary]) + [pattern], in: target.root, as: target.place, behind: present)
        cover.pattern = pattern
        return cover
    }

    /// Makes git ignore a file with secrets, and returns what to say about that. A failure to write is no reason to
    /// stop.
    static func keepOut(_ path: String, _ context: Context) -> [Diagnostic] {
        guard Files.kind(context.absolute(path)) == .file, let cover = try? cover(path, in: context) else {
            return []
        }
        if cover.isTracked {
            return [
                Diagnostic(
                    .warning,
                    "git already has \(path.printable), which contains secrets",
                    hint: "take it out with git rm --cached \(path.printable.shellWord), and have "
                        + "\(fileName) name it"
                )
            ]
        }
        return cover.pattern.map { [Diagnostic(.note, "added \($0.printable) to \(cover.place.printable)")] } ?? []
    }

    /// What to say about a file with secrets that others may have: git has it, or other users can read it.
    ///
    /// - Parameter contents: what is in it: “keys”.
    static func exposure(_ file: String, of contents: String, in context: Context) -> [(message: String, hint: String)]
    {
        let name = file.printable
        var found: [(message: String, hint: String)] = []
        if Target(file, in: context)?.isTracked == true {
            found.append(
                (
                    "git already has \(name), which contains \(contents)",
                    "take it out with git rm --cached \(name.shellWord), and have the keys refreshed if somebody else "
                        + "has the repository."
                )
            )
        }
        if Files.isReadableByOthers(context.absolute(file)) {
            found.append(
                (
                    "other users can read \(name), which contains \(contents)",
                    "chmod 600 \(name.shellWord), or remove it; have the keys refreshed if somebody may have read it."
                )
            )
        }
        return found
    }

    // MARK: Where

    /// The `.gitignore` that applies to a file.
    private struct Target {
        /// The folder with the `.gitignore`.
        var root: String
        /// The path of the file, relative to that folder.
        var relative: String
        /// The path of the `.gitignore`, as the user knows it.
        var place: String
        var isTracked: Bool

        init?(_ file: String, in context: Context) {
            let absolute = context.absolute(file)
            guard let slash = absolute.lastIndex(of: "/"),
                let folder = Files.resolved(slash == absolute.startIndex ? "/" : String(absolute[..<slash]))
            else { return nil }
            let name = String(absolute[absolute.index(after: slash)...])
            let whole = folder == "/" ? "/" + name : folder + "/" + name
            let repository = Self.repository(of: folder)
            let project = Files.resolved(context.workingDirectory) ?? context.workingDirectory
            if let relative = Self.relative(whole, to: project) {
                (root, self.relative, place) = (project, relative, GitIgnore.fileName)
            } else if let repository, let relative = Self.relative(whole, to: repository) {
                (root, self.relative) = (repository, relative)
                place = (repository == "/" ? "" : repository) + "/" + GitIgnore.fileName
            } else {
                return nil
            }
            isTracked =
                repository.map { Self.isTracked(Self.relative(whole, to: $0) ?? "", in: $0) } ?? false
        }

        private static func relative(_ path: String, to folder: String) -> String? {
            let start = folder == "/" ? "/" : folder + "/"
            return path.hasPrefix(start) ? String(path.dropFirst(start.count)) : nil
        }

        /// The nearest folder with a git repository, from the given one upwards.
        static func repository(of folder: String) -> String? {
            var parts = folder.split(separator: "/")
            while true {
                let candidate = "/" + parts.joined(separator: "/")
                if Files.kind(candidate + "/.git") != nil { return candidate }
                guard parts.popLast() != nil else { return nil }
            }
        }

        /// Whether an entry of the index has exactly this path. Each path follows 62 octets of metadata; the last two
        /// contain its length, which rules out longer paths with the same end.
        private static func isThere(_ path: [UInt8], in index: [UInt8]) -> Bool {
            var start = 2
            while let first = index[start...].firstIndex(of: path[0]) {
                if index[first...].starts(with: path) {
                    let length = Int(index[first - 2] & 0x0F) << 8 | Int(index[first - 1])
                    if length == min(path.count - 1, 0xFFF) { return true }
                }
                start = first + 1
            }
            return false
        }

        /// Whether the index of a repository contains a file. Entries have whole paths, each followed by a zero
        /// (versions 2 and 3; version 4, which abbreviates paths, is rare).
        private static func isTracked(_ path: String, in repository: String) -> Bool {
            let index = repository + "/.git/index"
            guard !path.isEmpty, Files.kind(index) == .file,
                let bytes = try? Files.read(index, as: "index", inside: ["/"], limit: 256 << 20), bytes.count > 12
            else { return false }
            return Self.isThere(Array(path.utf8) + [0], in: bytes)
        }
    }

    // MARK: Lines

    /// The octets of the `.gitignore` of a folder; none if it is not there. They stay as they are.
    private static func text(in root: String, as name: String) throws(FileError) -> [UInt8] {
        let path = self.path(in: root)
        guard Files.kind(path) != nil else { return [] }
        // The lines go to the file that a link leads to, as long as that belongs to the repository, too.
        return try Files.read(path, as: name, inside: [Target.repository(of: root) ?? root], limit: sizeLimit)
    }

    private static func path(in root: String) -> String { root == "/" ? "/" + fileName : root + "/" + fileName }

    /// The lines of a text, without what surrounds them.
    private static func lines(_ octets: [UInt8]) -> [String] {
        String(decoding: octets, as: UTF8.self).split(whereSeparator: \.isNewline).map { String($0).trimmed }
    }

    private static func add(
        _ lines: [String],
        in root: String,
        as name: String,
        behind present: [UInt8]
    ) throws(FileError) {
        guard !lines.isEmpty else { return }
        let isClosed = present.last.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } ?? true
        let added = (isClosed ? "" : "\n") + lines.joined(separator: "\n") + "\n"
        // Whole or not at all: half a line of a command that was cut short would make git ignore something else.
        let path = self.path(in: root)
        let target = Files.resolved(path) ?? path
        do throws(FileError) {
            if Files.kind(target) != nil { try Files.checkWritable(target) }
        } catch {
            throw FileError(error.operation, name, at: target, error.cause)
        }
        let mode = Files.permissions(target).flatMap { UInt16(exactly: $0 & 0o777) } ?? 0o644
        try AtomicFile.write(target, as: name, present + Array(added.utf8), mode: mode)
    }

    /// Whether the lines certainly make git ignore a path: through the file itself, its name, its extension, or a
    /// folder above it. Anything else counts as no, since a superfluous line does no harm.
    private static func covers(_ present: [UInt8], _ path: String) -> Bool {
        let lines = Self.lines(present)
        guard !lines.contains(where: { $0.hasPrefix("!") }) else { return lines.contains("/" + escaped(path)) }
        let parts = path.split(separator: "/").map(String.init)
        guard let name = parts.last else { return false }
        let folders = parts.dropLast()
        var sure: Set<String> = [escaped(name), escaped(path), "/" + escaped(path), "*", "/*"]
        if let dot = name.lastIndex(of: "."), dot != name.startIndex { sure.insert("*" + name[dot...]) }
        for end in folders.indices {
            let folder = folders[...end].map(escaped).joined(separator: "/")
            sure.formUnion([folder + "/", "/" + folder, "/" + folder + "/", escaped(folders[end]) + "/"])
        }
        return lines.contains { sure.contains($0) }
    }

    /// A pattern that matches only this path.
    private static func escaped(_ path: String) -> String {
        var text = ""
        for character in path {
            if "\\*?[]".contains(character) { text.append("\\") }
            text.append(character)
        }
        // Git drops spaces at the end of a line.
        guard text.hasSuffix(" ") else { return text }
        return String(text.dropLast()) + "\\ "
    }

    private static func withoutSlash(_ pattern: String) -> String {
        pattern.hasSuffix("/") ? String(pattern.dropLast()) : pattern
    }
}
