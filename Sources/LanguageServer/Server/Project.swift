import DefinitionModel
import Planning
import SystemLayer

/// A definition that an open document belongs to: the files of one folder, and what they include. Or a file of another
/// kind, which stands alone.
struct Project {
    /// The folder; of a file that stands alone, its path.
    let folder: String
    let kind: FileKind
    /// What the last check has given.
    var examination: DefinitionExamination {
        didSet { paths = Self.paths(of: examination.files) }
    }
    /// When it is to be checked again; nil if nothing has changed.
    var due: Int64?
    /// When the first change came that is not checked yet.
    private var changedAt: Int64?
    /// What was published for each document, by its address.
    var published: [String: JSONValue] = [:]
    /// The outlines of its files that are not open, by path, once somebody asked for them.
    var outlines: [String: DefinitionOutline] = [:]
    /// The names that its files may use, once somebody asked for them.
    var names: KnownNames?
    /// What sets the values of its networks, once somebody asked for it.
    var explainers: [Explainer]?
    /// The paths of the files, without `.` and `..`.
    private(set) var paths: [String: Int]

    init(folder: String, kind: FileKind = .definition, examination: DefinitionExamination) {
        self.folder = folder
        self.kind = kind
        self.examination = examination
        paths = Self.paths(of: examination.files)
    }

    private static func paths(of files: SourceFiles) -> [String: Int] {
        var paths: [String: Int] = [:]
        for (number, file) in files.files.enumerated() where file.path.hasPrefix("/") {
            paths[DocumentURI.normalized(file.path)] = number
        }
        return paths
    }

    func has(_ path: String) -> Bool { paths[path] != nil }

    /// Whether one of its files names a network, without which a folder of YAML is hardly a definition.
    var namesNetwork: Bool {
        !examination.definitions.isEmpty
            || examination.files.files.contains { file in
                let outline = DefinitionOutline(file.bytes, isShallow: true)
                return outline.documents.contains { outline.child("network", of: $0) != nil }
            }
    }

    /// Puts off the next check because something has changed.
    mutating func postpone(at now: Int64) {
        let first = changedAt ?? now
        changedAt = first
        due = min(now + LanguageServer.patience, first + LanguageServer.longestPatience)
    }

    /// Takes what a check has given.
    mutating func take(_ examination: DefinitionExamination) {
        self.examination = examination
        due = nil
        changedAt = nil
        outlines = [:]
        names = nil
        explainers = nil
    }
}
