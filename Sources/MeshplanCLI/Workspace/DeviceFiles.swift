import DefinitionModel
import Definitions
import MeshCore
import SystemLayer

/// Reads the files that describe the devices of a simulation, in addition to the nodes of the database.
struct DeviceFiles {
    /// Gives the folder that paths start from.
    var context: Context

    /// The devices of all files, in reading order.
    ///
    /// - Throws: ``FileError`` if a file cannot be read; ``InvalidDefinition`` if its contents are wrong.
    func load(_ paths: [String]) throws -> [DeviceDescription] {
        var files = SourceFiles()
        for path in paths {
            let bytes = try context.read(path)
            files.files.append(.init(path: path, bytes: bytes))
        }
        let (devices, diagnostics) = DeviceFile.read(files: files)
        guard !diagnostics.contains(where: { $0.severity == .error }) else {
            throw InvalidDefinition(diagnostics: diagnostics, files: files)
        }
        if context.json == nil {
            context.errorOutput.write(DiagnosticView(files: files, style: context.errorStyle).render(diagnostics))
        }
        return devices
    }
}
