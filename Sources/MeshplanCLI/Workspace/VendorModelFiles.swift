import Catalogue
import DefinitionModel
import Definitions
import MeshCore
import SystemLayer

/// Reads files that describe vendor models, as the command line names them.
struct VendorModelFiles {
    /// Gives the folder that paths start from.
    var context: Context

    /// The models of all files; nil if no file is named, so that those of the definition count.
    ///
    /// - Throws: ``FileError`` if a file cannot be read; ``InvalidDefinition`` if its contents are wrong.
    func models(_ paths: [String]) throws -> [VendorModel]? {
        guard !paths.isEmpty else { return nil }
        var files = SourceFiles()
        for path in paths {
            let bytes = try context.read(path)
            files.files.append(.init(path: path, bytes: bytes))
        }
        let (models, diagnostics) = VendorModelsFile.read(files: files)
        guard !diagnostics.contains(where: { $0.severity == .error }) else {
            throw InvalidDefinition(diagnostics: diagnostics, files: files)
        }
        if context.json == nil {
            context.errorOutput.write(DiagnosticView(files: files, style: context.errorStyle).render(diagnostics))
        }
        return models
    }
}
