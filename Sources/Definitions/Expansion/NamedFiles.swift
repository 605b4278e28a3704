import DefinitionModel
import MeshCore

/// The files that a definition names, among the files of a run: with vendor models, to include, with rows.
struct NamedFiles {
    /// The files of the run; what was loaded stands at their end.
    private(set) var files: SourceFiles
    /// The named files, as indexes into ``files``.
    private(set) var places: Set<Int> = []
    /// The files that each name leads to, in the order of the names.
    private(set) var found: [[Int]] = []
    /// Names that lead to no file.
    private(set) var missing: [Located<String>] = []

    /// Finds the files.
    ///
    /// - Parameters:
    ///   - names: paths of files and folders, relative to the file that names them.
    ///   - load: gives what is at a path and not among the files: the file, or the files of a folder; nothing if
    ///     nothing is there.
    init<Failure: Error>(
        _ names: [Located<String>],
        among files: SourceFiles,
        loading load: (String) throws(Failure) -> [SourceFiles.File]
    ) throws(Failure) {
        self.files = files
        var known = KnownFiles()
        for (index, file) in files.files.enumerated() { known.add(Self.normalized(file.path), at: index) }
        var seen: Set<String> = []
        for name in names {
            let path = files.resolving(name.value, namedAt: name.location)
            let plain = Self.normalized(path)
            if seen.insert(plain).inserted {
                if !known.contains(plain) {
                    for file in try load(path) {
                        let loaded = Self.normalized(file.path)
                        guard !known.contains(loaded) else { continue }
                        known.add(loaded, at: self.files.files.count)
                        self.files.files.append(file)
                    }
                }
                places.formUnion(known.places(at: plain))
            }
            found.append(known.places(at: plain))
            if known.places(at: plain).isEmpty { missing.append(name) }
        }
    }

    /// A path without `.` and, as far as it goes, without `..`.
    static func normalized(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == "..", let last = parts.last, last != ".." { parts.removeLast() } else { parts.append(part) }
        }
        let text = parts.joined(separator: "/")
        return path.hasPrefix("/") ? "/" + text : text.isEmpty ? "." : text
    }

    /// The folder of a file with a normalized path.
    static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }
}

/// The files of a run by their paths. A hostile definition names very many paths, so finding one must not mean to
/// look at all files.
private struct KnownFiles {
    private var files: [String: Int] = [:]
    /// The YAML files directly in each folder.
    private var folders: [String: [Int]] = [:]

    /// Whether there is a file at a normalized path.
    func contains(_ path: String) -> Bool { files[path] != nil }

    /// The file at a normalized path, or the files of the folder there; empty if there is nothing.
    func places(at path: String) -> [Int] { files[path].map { [$0] } ?? folders[path] ?? [] }

    /// Adds a file with a normalized path.
    mutating func add(_ path: String, at index: Int) {
        guard files.updateValue(index, forKey: path) == nil else { return }
        let name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
        guard DefinitionPaths.definitionFiles(among: [name]) == [name] else { return }
        folders[NamedFiles.folder(of: path), default: []].append(index)
    }
}
