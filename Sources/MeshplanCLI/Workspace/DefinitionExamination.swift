import DefinitionModel
import Definitions
import LanguageServer
import Planning

extension DefinitionExamination {
    /// Checks a definition by itself, without database and mesh: what it says, the floors that it names, its checks,
    /// and whether the sources of its secrets are there. Later checks are left out where earlier ones find errors.
    ///
    /// - Parameter paths: paths as the user typed them; empty for the working folder.
    /// - Throws: ``FileError`` if something cannot be read; ``Failure`` if there is no file at all.
    init(of paths: [String], in context: Context) throws {
        let reading = try DefinitionFiles(context: context).readingWithErrors(paths)
        self.init(definitions: reading.definitions, diagnostics: reading.diagnostics, files: reading.files)
        guard isValid else { return }
        guard !definitions.isEmpty else {
            diagnostics.append(DefinitionFiles.withoutNetwork)
            return
        }
        let floors = FloorFiles(context: context, paths: paths)
        for definition in definitions { diagnostics += floors.placement(of: definition, &files).1 }
        diagnostics += definitions.flatMap { DefinitionChecks.diagnostics(of: $0) }
        guard isValid else { return }
        let sources = MissingSources(context, paths: .ofDefinition(files))
        diagnostics += definitions.flatMap { sources.notes(of: $0) + UnnamedModels.notes(of: $0) }
    }

    var isValid: Bool { !diagnostics.contains { $0.severity == .error } }
}
