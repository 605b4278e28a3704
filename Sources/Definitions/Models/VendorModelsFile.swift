package import Catalogue
package import DefinitionModel

/// Reads files that describe vendor models: their messages, fields and states, in the shape of the SIG's.
///
/// It is pure: the same files give the same models and diagnostics. Hostile files produce diagnostics within bounded
/// memory and time.
package enum VendorModelsFile {
    /// Reads all files as one list.
    ///
    /// - Returns: the models in reading order, and all problems, arranged for display. If a diagnostic is an error,
    ///   models are missing.
    package static func read(files: SourceFiles) -> (models: [VendorModel], diagnostics: [Diagnostic]) {
        read(files: files, limits: ReadingLimits())
    }

    /// Reads all files within given limits.
    static func read(
        files: SourceFiles,
        limits: ReadingLimits
    ) -> (models: [VendorModel], diagnostics: [Diagnostic]) {
        var decoder = DocumentDecoder(limits: limits)
        for (index, file) in files.files.enumerated() {
            let reader = FileReader(file: UInt32(clamping: index), limits: limits)
            file.bytes.withUnsafeBufferPointer { bytes in
                reader.read(bytes, with: &decoder) { $0.decodeModelsFile() }
            }
        }
        var diagnostics = decoder.diagnostics
        let models = decoder.vendorModels.resolved(into: &diagnostics)
        return (models, diagnostics.finished())
    }
}
