import DefinitionModel
import Definitions
import MeshCore
import SystemLayer

/// Finds and reads the files of a definition.
struct DefinitionFiles {
    /// Gives the folder that paths start from.
    var context: Context

    /// The path that means standard input.
    static let standardInput = "-"
    /// What people see as the path of standard input.
    static let standardInputTitle = "(standard input)"
    /// The beginning of names of environment variables that give variables of definitions their values.
    static let variablePrefix = "MESHPLAN_VAR_"

    /// The most octets read from one file. The reader of definitions has a stricter limit.
    static let sizeLimit = 256 << 20

    /// The texts of files and folders. A folder stands for the `*.yaml` and `*.yml` files directly in it.
    ///
    /// - Parameter paths: paths as the user typed them; empty for the working folder.
    /// - Throws: ``FileError`` if something cannot be read; ``Failure`` if there is no file at all.
    func read(_ paths: [String]) throws -> SourceFiles {
        var seen: Set<String> = []
        var files = try readNamed(paths, seen: &seen)
        try addAssignments(to: &files, seen: &seen)
        return files
    }

    /// The same without the assignments beside them: only what the user named.
    func readNamed(_ paths: [String]) throws -> SourceFiles {
        var seen: Set<String> = []
        return try readNamed(paths, seen: &seen)
    }

    private func readNamed(_ paths: [String], seen: inout Set<String>) throws -> SourceFiles {
        var files = SourceFiles()
        for path in paths.isEmpty ? ["."] : paths {
            if path == Self.standardInput {
                files.files.append(.init(path: Self.standardInputTitle, bytes: inputText()))
                continue
            }
            guard kind(path) == .folder else {
                try add(path, to: &files, seen: &seen)
                continue
            }
            let names = try names(inFolder: path)
            let definitionNames = DefinitionPaths.definitionFiles(among: names)
            guard !definitionNames.isEmpty else {
                throw Failure(
                    .invalidInput,
                    path == "."
                        ? "there is no definition in the current folder" : "there is no definition in \(path)",
                    hint: "A definition is one or more files whose names end in .yaml or .yml."
                )
            }
            for name in definitionNames {
                try add(
                    path == "." ? name : path.hasSuffix("/") ? path + name : "\(path)/\(name)",
                    to: &files,
                    seen: &seen
                )
            }
        }
        return files
    }

    /// Adds the assignments that stand beside the files of a definition.
    private func addAssignments(to files: inout SourceFiles, seen: inout Set<String>) throws {
        var folders: [String] = []
        for file in files.files {
            let folder = file.path.lastIndex(of: "/").map { String(file.path[...$0]) } ?? ""
            if !folders.contains(folder) { folders.append(folder) }
        }
        for folder in folders {
            let path = folder.isEmpty ? "." : folder
            guard kind(path) == .folder else { continue }
            let names = try names(inFolder: path)
            for name in names.sorted() where AssignmentsFile.network(ofFile: name) != nil {
                try add(folder + name, to: &files, seen: &seen)
            }
        }
    }

    /// The definitions of all networks, with diagnostics.
    ///
    /// - Throws: ``InvalidDefinition`` if a diagnostic is an error; otherwise the same as ``read(_:)``.
    func load(
        _ paths: [String]
    ) throws -> (
        definitions: [Definition], diagnostics: [Diagnostic], files: SourceFiles
    ) {
        let reading = try reading(paths)
        return (reading.definitions, reading.diagnostics, reading.files)
    }

    /// What the files say, with the files with vendor models that they name.
    ///
    /// - Parameter isAlone: whether to leave out the assignments beside them.
    /// - Throws: ``InvalidDefinition`` if a diagnostic is an error; otherwise the same as ``read(_:)``.
    func reading(_ paths: [String], isAlone: Bool = false) throws -> DefinitionReading {
        try Self.checked(readingWithErrors(paths, isAlone: isAlone))
    }

    /// The same, whatever the diagnostics say.
    ///
    /// - Throws: the same as ``read(_:)``.
    func readingWithErrors(_ paths: [String], isAlone: Bool = false) throws -> DefinitionReading {
        var files = try isAlone ? readNamed(paths) : read(paths)
        files.files += try valueFiles()
        let repository = repository(of: paths)
        let own = files.files.map(\.path)
        let load = { (path: String) throws -> [SourceFiles.File] in
            try checkMayBeRows(path, of: own)
            return try namedFiles(at: path, inside: repository)
        }
        var reading = try DefinitionReader.reading(
            files,
            reusing: context.parsedFiles,
            admits: { lies($0, in: repository) },
            loading: load
        )
        reading.diagnostics += SecretFiles(context).problems(of: reading)
        return reading
    }

    // MARK: - Files, and the texts that stand for them

    /// The kind of thing at a path; nil if there is nothing.
    private func kind(_ path: String) -> FileStatus.Kind? {
        openText(path) != nil ? .file : Files.kind(context.absolute(path))
    }

    /// The names in a folder, sorted, with those of open files that are not on disk yet.
    private func names(inFolder path: String) throws(FileError) -> [String] {
        let names = try Files.names(inFolder: context.absolute(path), as: path)
        guard !context.openFiles.isEmpty else { return names }
        let folder = Files.withoutDots(context.absolute(path))
        let new = context.openFiles.keys.filter { Files.folder(of: $0) == folder }
            .map { String($0.split(separator: "/").last ?? "") }
        return Set(names + new).sorted()
    }

    /// The octets of a file, or of the text that stands for it.
    ///
    /// - Parameter folders: where the file must lie; nil for the repository of a path that the user typed.
    /// - Throws: ``FileError`` if it cannot be read, or is larger than the limit.
    func bytes(
        _ path: String,
        inside folders: [String]? = nil,
        limit: Int = sizeLimit
    ) throws(FileError) -> [UInt8] {
        if let text = openText(path) { return text }
        return try context.read(path, inside: folders, limit: limit)
    }

    private func openText(_ path: String) -> [UInt8]? {
        context.openFiles.isEmpty ? nil : context.openFiles[Files.withoutDots(context.absolute(path))]
    }

    private func inputText() -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count <= Self.sizeLimit, let line = context.readLine() {
            bytes += Array(line.utf8)
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }

    /// The files with values for variables: from the environment, then those of the options, of which later ones win.
    private func valueFiles() throws -> [SourceFiles.File] {
        var files: [SourceFiles.File] = []
        let ofEnvironment = context.environment.filter { $0.key.hasPrefix(Self.variablePrefix) }
            .map { (name: String($0.key.dropFirst(Self.variablePrefix.count)), value: $0.value) }
            .filter { !$0.name.isEmpty }
            .sorted { $0.name < $1.name }
        if !ofEnvironment.isEmpty {
            files.append(VariableValues.file(VariableValues.environmentPath, ofEnvironment))
        }
        for path in context.variableFiles {
            let bytes = try context.read(path)
            files.append(.init(path: path, bytes: bytes))
        }
        if !context.variables.isEmpty { files.append(VariableValues.file("(--var)", context.variables)) }
        return files
    }

    /// The folders from which a definition may take files: that of its repository, or else those where it stands.
    func repository(of paths: [String]) -> [String] {
        (paths.isEmpty ? ["."] : paths).map { context.repository(of: $0 == Self.standardInput ? "." : $0) }
    }

    /// Whether a path leads to something in one of the folders. What does not exist is reported elsewhere.
    func lies(_ path: String, in folders: [String]) -> Bool {
        guard let resolved = Files.resolved(context.absolute(path)) else { return true }
        return folders.contains { resolved == $0 || resolved.hasPrefix($0.hasSuffix("/") ? $0 : $0 + "/") }
    }

    /// What the definition in the working folder says; nil if there is none, or if it is not valid: other commands show
    /// the errors in it.
    ///
    /// - Parameter tells: whether to say that a definition is ignored because it is not valid.
    func readingOfWorkingFolder(tells: Bool = true) -> DefinitionReading? {
        do {
            return try reading([])
        } catch is InvalidDefinition {
            if tells {
                context.errorOutput.line(
                    "Ignoring the definition here, because it is not valid; meshplan validate shows why."
                )
            }
            return nil
        } catch {
            return nil
        }
    }

    /// The definitions of all networks in the given texts, with diagnostics.
    ///
    /// - Throws: ``InvalidDefinition`` if a diagnostic is an error.
    static func load(_ files: SourceFiles, toleratesEmptySelectors: Bool = false) throws -> DefinitionReading {
        let nothingElse = { (path: String) throws(Never) -> [SourceFiles.File] in [] }
        return try checked(
            DefinitionReader.reading(
                files,
                toleratesEmptySelectors: toleratesEmptySelectors,
                loading: nothingElse
            )
        )
    }

    private static func checked(_ reading: DefinitionReading) throws(InvalidDefinition) -> DefinitionReading {
        guard !reading.diagnostics.contains(where: { $0.severity == .error }) else {
            throw InvalidDefinition(diagnostics: reading.diagnostics, files: reading.files)
        }
        guard !reading.definitions.isEmpty else {
            throw InvalidDefinition(
                diagnostics: reading.diagnostics + [Self.withoutNetwork],
                files: reading.files
            )
        }
        return reading
    }

    /// What is wrong with files of which none is about a network.
    static let withoutNetwork = Diagnostic(.error, "no file defines a network")

    /// The file at a path that a definition names, or the YAML files directly in a folder; nothing if nothing is there.
    private func namedFiles(at path: String, inside folders: [String]) throws -> [SourceFiles.File] {
        let paths: [String]
        switch kind(path) {
        case .file:
            // A definition from elsewhere must not make a diagnostic quote whatever file can be read here.
            let name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
            let isRows = name.hasSuffix(".csv") && !name.hasPrefix(".")
            paths = DefinitionPaths.definitionFiles(among: [name]).isEmpty && !isRows ? [] : [path]
        case .folder:
            let names = try names(inFolder: path)
            // An empty path is the working folder, and not the root.
            let start = path.isEmpty || path.hasSuffix("/") ? path : path + "/"
            paths = DefinitionPaths.definitionFiles(among: names).map { start + $0 }
        default: paths = []
        }
        return try paths.map { path in
            // What lies elsewhere is not read, and refused where it is named.
            SourceFiles.File(path: path, bytes: lies(path, in: folders) ? try bytes(path, inside: folders) : [])
        }
    }

    /// Refuses rows that only their owner may read, where others may read the definition: what rows say stands in plans
    /// and reports.
    private func checkMayBeRows(_ path: String, of definition: [String]) throws(FileError) {
        func isPrivate(_ path: String) -> Bool? { Files.permissions(context.absolute(path)).map { $0 & 0o077 == 0 } }
        guard path.hasSuffix(".csv"), isPrivate(path) == true, definition.contains(where: { isPrivate($0) == false })
        else { return }
        throw FileError(
            .read,
            path,
            .other(
                "only its owner may read it, and what rows say stands in plans and reports",
                hint: "Give secrets of devices to --secrets; if it holds none, chmod 644 \(path.printable.shellWord)."
            )
        )
    }

    private func add(
        _ path: String,
        to files: inout SourceFiles,
        seen: inout Set<String>
    ) throws {
        // Reading the same file twice, through another path, would declare everything twice.
        guard seen.insert(Files.identity(context.absolute(path))).inserted else { return }
        guard !SavedPlan.isNamed(by: path, in: context) else {
            throw Failure(
                .usage,
                "\(path.printable) is a saved plan, not a definition",
                hint: "Look at it with meshplan show \(path.printable.shellWord), carry it out, alone, with meshplan "
                    + "apply \(path.printable.shellWord) --via BEARER."
            )
        }
        files.files.append(.init(path: path, bytes: try bytes(path)))
    }
}

extension [Definition] {
    /// The definition of one network.
    ///
    /// - Parameter network: its name; nil for the only one.
    /// - Throws: ``Failure`` if there is no such network, or if there are several and no name is given.
    func selected(_ network: String?) throws(Failure) -> Definition {
        let names = map(\.network.value)
        if let network {
            if let found = first(where: { $0.network.value == network }) { return found }
            throw Failure(
                .usage,
                "the files do not define a network named `\(network)`",
                hint: "They define \(names.joined(separator: ", "))."
            )
        }
        guard let only = first, count == 1 else {
            throw Failure(
                .usage,
                "the files define several networks: \(names.joined(separator: ", "))",
                hint: "Choose one with --network NAME."
            )
        }
        return only
    }
}
