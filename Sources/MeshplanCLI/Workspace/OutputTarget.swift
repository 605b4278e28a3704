import MeshCore
import SystemLayer

/// Files that a command writes beside its work. Whoever mistypes a name must not lose a definition, a key or a
/// database.
enum OutputTarget {
    /// Refuses to write over anything other than an earlier file of the same kind, and into the folder of databases.
    ///
    /// - Parameters:
    ///   - path: where the file is to stand.
    ///   - kind: what it is, such as `a report`.
    ///   - ending: the usual end of its name.
    ///   - beginning: whether a file that begins so, at least with 64 octets of it, is of the same kind.
    /// - Throws: ``Failure`` if something else stands there.
    static func check(
        _ path: String,
        is kind: String,
        ending: String,
        in context: Context,
        _ beginning: ([UInt8]) -> Bool
    ) throws {
        guard path != "-" else {
            throw Failure(
                .usage,
                "- does not stand for standard output here",
                hint: "Name a file, such as report\(ending)."
            )
        }
        let absolute = context.absolute(path)
        let hint = "Choose another name, such as report\(ending)."
        let databases = context.absolute(Workspace.folderName)
        if absolute.hasPrefix(databases + "/") || Files.resolved(absolute)?.hasPrefix(databases + "/") == true {
            throw Failure(.failure, "\(path.printable) is in the folder of mesh databases", hint: hint)
        }
        switch try Files.kind(examining: absolute, as: path) {
        case nil: return
        case .file:
            let start = try Files.readStart(absolute, as: path, count: 64)
            guard !start.isEmpty, !beginning(start) else { return }
            throw Failure(
                .failure,
                "\(path.printable) exists and is not \(kind)",
                hint: "Choose another name, such as \(path.printable)\(ending), or remove the file."
            )
        case .folder: throw Failure(.failure, "\(path.printable) is a folder", hint: "Name a file in it.")
        case .pipe, .other, .hidden:
            throw Failure(.failure, "\(path.printable) is not a regular file", hint: "Choose another name.")
        }
    }
}
