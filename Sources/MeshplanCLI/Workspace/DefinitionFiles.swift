internal import Definitions
internal import MeshCore

/// Finds and reads the files of a definition.
struct DefinitionFiles {
    /// Where paths start from.
    var context: Context

    /// More octets than this are not read from one file; the reader of definitions has a stricter limit.
    static let sizeLimit = 256 << 20

    /// The texts of files and folders; a folder stands for its `*.yaml` and `*.yml` files, without those of folders in
    /// it.
    ///
    /// - Parameter paths: as the user gave them; none means the working folder.
    /// - Throws: ``FileError`` for what cannot be read, ``Failure`` if there is no file at all.
    func read(_ paths: [String]) throws -> SourceFiles {
        var files = SourceFiles()
        var seen: Set<String> = []
        for path in paths.isEmpty ? ["."] : paths {
            guard Files.kind(context.absolute(path)) == .folder else {
                try add(path, to: &files, seen: &seen)
                continue
            }
            let names = try Files.names(inFolder: context.absolute(path), as: path)
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

    /// The definitions of all networks and what is to be said about them.
    ///
    /// - Throws: ``InvalidDefinition`` if there is an error among the diagnostics, and as ``read(_:)`` does.
    func load(
        _ paths: [String]
    ) throws -> (
        definitions: [Definition], diagnostics: [Diagnostic], files: SourceFiles
    ) {
        let files = try read(paths)
        let (definitions, diagnostics) = try Self.load(files)
        return (definitions, diagnostics, files)
    }

    /// The definitions of all networks in texts and what is to be said about them.
    ///
    /// - Throws: ``InvalidDefinition`` if there is an error among the diagnostics.
    static func load(
        _ files: SourceFiles,
        toleratesEmptySelectors: Bool = false
    ) throws -> (definitions: [Definition], diagnostics: [Diagnostic]) {
        let (definitions, diagnostics) = DefinitionReader.read(
            files: files,
            toleratesEmptySelectors: toleratesEmptySelectors
        )
        guard !diagnostics.contains(where: { $0.severity == .error }) else {
            throw InvalidDefinition(diagnostics: diagnostics, files: files)
        }
        guard !definitions.isEmpty else {
            throw InvalidDefinition(
                diagnostics: diagnostics + [Diagnostic(.error, "no file defines a network")],
                files: files
            )
        }
        return (definitions, diagnostics)
    }

    private func add(
        _ path: String,
        to files: inout SourceFiles,
        seen: inout Set<String>
    ) throws {
        // The same file by another path would declare everything twice.
        guard seen.insert(Files.identity(context.absolute(path))).inserted else { return }
        guard !SavedPlan.isMeant(by: path, in: context) else {
            throw Failure(
                .usage,
                "\(path) is a saved plan, not a definition",
                hint:
                    "Look at it with meshplan show \(path), carry it out, alone, with meshplan apply \(path) --via BEARER."
            )
        }
        let bytes = try Files.read(context.absolute(path), as: path, limit: Self.sizeLimit)
        files.files.append(.init(path: path, bytes: bytes))
    }
}

extension [Definition] {
    /// The definition of one network.
    ///
    /// - Parameter network: its name; nil if there is only one.
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
