import SystemLayer

extension Context {
    /// The octets of a file that somebody else may have written, or put in place: of a definition, of what it names, of
    /// settings, devices, values or secrets.
    ///
    /// The file is a regular one, and lies in its repository or folder wherever links lead. Only what a user types as
    /// `/dev/stdin`, or a shell makes of `<(…)`, is read as a stream.
    ///
    /// - Parameters:
    ///   - path: as the user knows it.
    ///   - folders: where the file must lie; nil for the repository of a path that the user typed.
    ///   - limit: the most octets it may have.
    ///   - isSecret: whether to refuse a file that others than its owner may use.
    /// - Throws: ``FileError`` if it cannot be read, or should not be.
    func read(
        _ path: String,
        inside folders: [String]? = nil,
        limit: Int = DefinitionFiles.sizeLimit,
        isSecret: Bool = false
    ) throws(FileError) -> [UInt8] {
        let absolute = absolute(path)
        if folders == nil, path == "/dev/stdin" || path.hasPrefix("/dev/fd/") {
            return try Files.read(absolute, as: path, limit: limit, isSecret: isSecret)
        }
        return try Files.read(
            absolute,
            as: path,
            inside: folders ?? [repository(of: path)],
            limit: limit,
            isSecret: isSecret
        )
    }

    /// The folder of the repository that a path lies in, or else the folder that holds it, without links.
    func repository(of path: String) -> String {
        let absolute = absolute(path)
        let start = Files.kind(absolute) == .folder ? absolute : Files.folder(of: absolute)
        let folder = Files.resolved(start) ?? start
        var candidate = folder
        while candidate != "/" {
            if Files.kind(candidate + "/.git") != nil { return candidate }
            candidate = Files.folder(of: candidate)
        }
        return folder
    }
}
