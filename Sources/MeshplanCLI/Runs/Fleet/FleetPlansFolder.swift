import DefinitionModel
import MeshCore
import SystemLayer

/// A folder with the saved plans of a fleet: a file for each plan, sealed by its network's database, and `fleet.json`,
/// which says what belongs to it.
struct FleetPlansFolder {
    /// The path, as the user knows it.
    let path: String
    private let context: Context

    /// The name of the file that describes the others.
    static let indexName = "fleet.json"
    /// The end of the name of the folder that is being replaced.
    private static let former = ".former"
    /// The largest file that is read.
    private static let sizeLimit = 256 << 20

    init(_ path: String, in context: Context) {
        var path = path[...]
        while path.count > 1, path.last == "/" { path.removeLast() }
        self.path = String(path)
        self.context = context
    }

    private var absolute: String { context.absolute(path) }

    private var saving: String { "Save the plans again with: meshplan fleet plan --out \(path.printable.shellWord)" }

    // MARK: Writing

    /// Refuses a place where something other than saved plans of a fleet stands.
    ///
    /// - Throws: ``Failure`` that says what stands there.
    func checkTarget() throws {
        let databases = context.absolute(Workspace.folderName)
        if absolute == databases || absolute.hasPrefix(databases + "/") {
            throw Failure(
                .failure,
                "\(path.printable) is in the folder of mesh databases",
                hint: "Choose another name."
            )
        }
        switch try Files.kind(examining: absolute, as: path) {
        case nil: return
        case .folder: break
        case .file, .pipe, .other, .hidden:
            throw Failure(.failure, "\(path.printable) exists and is not a folder", hint: "Choose another name.")
        }
        let names = try Files.names(inFolder: absolute, as: path)
        let index = "\(absolute)/\(Self.indexName)"
        let start = names.contains(Self.indexName) ? try Files.readStart(index, as: index, count: 64) : []
        let other = names.first { $0 != Self.indexName && !$0.hasSuffix(".mplan") }
        guard names.isEmpty || other == nil && FleetPlans.isRecognized(start) else {
            throw Failure(
                .failure,
                other.map { "\(path.printable) holds something other than saved plans of a fleet: \($0.printable)" }
                    ?? "\(path.printable) exists and holds no saved plans of a fleet",
                hint: "Choose another name, or remove the folder."
            )
        }
    }

    /// Makes an empty folder beside the place, for the owner alone. What killed commands left behind is removed, unless
    /// it is what stood at the place before.
    ///
    /// - Returns: its absolute path.
    func begin() throws -> String {
        let parent = Files.folder(of: absolute)
        let start = (absolute.split(separator: "/").last.map(String.init) ?? "") + ".meshplan-"
        for name in try Files.names(inFolder: parent, as: parent) where name.hasPrefix(start) {
            let isFormer = name.hasSuffix(Self.former)
            let digits = name.dropFirst(start.count).dropLast(isFormer ? Self.former.count : 0)
            guard let process = Int32(digits), !ThisProcess.isAlive(process) else { continue }
            if isFormer, Files.kind(absolute) == nil {
                try Files.rename("\(parent)/\(name)", to: absolute)
            } else {
                try? Files.removeFolder("\(parent)/\(name)")
            }
        }
        let folder = TemporaryFiles.path(for: absolute)
        try Files.removeFolder(folder)
        _ = try Files.createFolder(folder, as: path)
        return folder
    }

    /// Describes the plans in a folder from ``begin()``, and gives it its place.
    ///
    /// - Throws: ``FileError`` or ``Failure``. Then what stood there still does.
    func finish(_ folder: String, _ plans: FleetPlans, _ digest: String) throws {
        let expected = Set(plans.entries.map(\.file))
        for name in try Files.names(inFolder: folder, as: path) where !expected.contains(name) {
            try Files.remove("\(folder)/\(name)")
        }
        try AtomicFile.write("\(folder)/\(Self.indexName)", as: "\(path)/\(Self.indexName)", plans.document(digest))
        let isThere = Files.kind(absolute) != nil
        let former = folder + Self.former
        if isThere {
            try Files.removeFolder(former)
            try Files.rename(absolute, to: former)
        }
        do {
            try Files.rename(folder, to: absolute)
        } catch {
            if isThere { try? Files.rename(former, to: absolute) }
            throw error
        }
        try Files.synchronizeFolder(Files.folder(of: absolute))
        // The new plans are there, whatever becomes of the former ones.
        if isThere { try? Files.removeFolder(former) }
    }

    /// The SHA-256 of a file, as hexadecimal digits.
    ///
    /// - Throws: ``FileError`` if it cannot be read.
    static func checksum(_ file: String, as name: String) throws -> String {
        let bytes = try Files.read(file, as: name, inside: [Files.folder(of: file)], limit: sizeLimit)
        guard let hash = SHA256.hash(bytes) else { throw Failure(.failure, "there is not enough memory") }
        return Hexadecimal.encode(hash)
    }

    // MARK: Reading

    /// The plans that were saved here, if all of it is as it was saved.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/invalidInput`` that names the file that was changed, added or removed.
    func read() throws -> (plans: FleetPlans, digest: String) {
        let index = "\(absolute)/\(Self.indexName)"
        guard try Files.kind(examining: index, as: "\(path)/\(Self.indexName)") == .file else {
            throw Failure(.invalidInput, "\(path.printable) holds no saved plans of a fleet", hint: saving)
        }
        let name = "\(path)/\(Self.indexName)"
        let bytes = try Files.read(index, as: name, inside: [absolute], limit: Self.sizeLimit)
        guard let (plans, digest) = FleetPlans.decoded(bytes) else {
            throw Failure(
                .invalidInput,
                FleetPlans.isRecognized(bytes)
                    ? "\(name.printable) is damaged, or of another version of meshplan"
                    : "\(name.printable) does not describe saved plans of a fleet",
                hint: saving
            )
        }
        guard plans.digest == digest else {
            throw Failure(.invalidInput, "\(name.printable) was changed after the plans were saved", hint: saving)
        }
        var present = Set(try Files.names(inFolder: absolute, as: path))
        present.remove(Self.indexName)
        for entry in plans.entries {
            let file = "\(path)/\(entry.file)"
            guard present.remove(entry.file) != nil else {
                throw Failure(.invalidInput, "\(file.printable) is missing", hint: saving)
            }
            guard try Self.checksum("\(absolute)/\(entry.file)", as: file) == entry.checksum else {
                throw Failure(
                    .invalidInput,
                    "\(file.printable) was changed after the plans were saved",
                    hint: saving
                )
            }
        }
        if let other = present.min() {
            throw Failure(
                .invalidInput,
                "\(path.printable)/\(other.printable) was added after the plans were saved",
                hint: "Remove it, or save the plans again."
            )
        }
        return (plans, digest)
    }

    /// The absolute path of the file of a plan.
    func file(of entry: FleetPlans.Entry) -> String { "\(absolute)/\(entry.file)" }
}
