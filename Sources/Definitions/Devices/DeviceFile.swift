package import DefinitionModel
package import MeshCore

/// Reads files that declare devices without a network, for simulations.
///
/// It is pure: the same files give the same devices and diagnostics. Hostile files produce diagnostics within bounded
/// memory and time.
package enum DeviceFile {
    /// Reads all files as one list. A device in one file may have a product from another file.
    ///
    /// - Returns: the devices in reading order, and all problems, arranged for display. If a diagnostic is an error,
    ///   devices are missing.
    package static func read(files: SourceFiles) -> (devices: [DeviceDescription], diagnostics: [Diagnostic]) {
        read(files: files, limits: ReadingLimits())
    }

    /// Reads all files within given limits.
    static func read(
        files: SourceFiles,
        limits: ReadingLimits
    ) -> (devices: [DeviceDescription], diagnostics: [Diagnostic]) {
        var decoder = DocumentDecoder(limits: limits)
        var declarations = DeviceDeclarations()
        for (index, file) in files.files.enumerated() {
            let reader = FileReader(file: UInt32(clamping: index), limits: limits)
            file.bytes.withUnsafeBufferPointer { bytes in
                reader.read(bytes, with: &decoder) { $0.decodeDevices(into: &declarations) }
            }
        }
        var diagnostics = decoder.diagnostics
        let devices = declarations.resolved(into: &diagnostics)
        return (devices, diagnostics.finished())
    }
}
