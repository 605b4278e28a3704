import DefinitionModel
import MeshCore

/// The files with vendor models that a definition names, among the files of a run.
struct NamedModelFiles {
    /// The files of the run; what was loaded stands at their end.
    private(set) var files: SourceFiles
    /// The files with vendor models, as indexes into ``files``.
    private(set) var places: Set<Int> = []
    /// Names that lead to no file.
    private(set) var missing: [Located<String>] = []

    /// Finds the files.
    ///
    /// - Parameters:
    ///   - names: paths of files and folders, relative to the file that names them.
    ///   - load: gives what is at a path and not among the files: the file, or the files of a folder; nothing if
    ///     nothing is there.
    /// - Throws: what `load` throws.
    init<Failure: Error>(
        _ names: [Located<String>],
        among files: SourceFiles,
        loading load: (String) throws(Failure) -> [SourceFiles.File]
    ) throws(Failure) {
        self.files = files
        var known: [String: Int] = [:]
        for (place, file) in files.files.enumerated() { known[Self.normalized(file.path)] = place }
        var found: [String: [Int]] = [:]
        for name in names {
            let path = files.resolving(name.value, namedAt: name.location)
            let plain = Self.normalized(path)
            if found[plain] == nil {
                if known[plain] == nil {
                    for file in try load(path) where known[Self.normalized(file.path)] == nil {
                        known[Self.normalized(file.path)] = self.files.files.count
                        self.files.files.append(file)
                    }
                }
                found[plain] = known[plain].map { [$0] } ?? Self.places(in: plain, known)
            }
            let places = found[plain] ?? []
            if places.isEmpty { missing.append(name) }
            self.places.formUnion(places)
        }
    }

    /// The files directly in a folder that may hold vendor models.
    private static func places(in folder: String, _ known: [String: Int]) -> [Int] {
        let start = folder == "." ? "" : folder.hasSuffix("/") ? folder : folder + "/"
        return known.compactMap { path, place in
            guard path.hasPrefix(start) else { return nil }
            let name = String(path.dropFirst(start.count))
            return !name.contains("/") && DefinitionPaths.definitionFiles(among: [name]) == [name] ? place : nil
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
}
