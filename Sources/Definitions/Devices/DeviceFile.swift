package import MeshCore

/// Reads files that say which devices without a network there are, for simulations.
///
/// Pure: the same files give the same devices and diagnostics. Hostile files end in diagnostics within bounded memory
/// and time.
package enum DeviceFile {
    /// Reads all files as one list: devices in one file can be of products in another.
    ///
    /// - Returns: the devices in reading order, and everything that is wrong, arranged for showing. If any diagnostic is
    ///   an error, devices are missing.
    package static func read(files: SourceFiles) -> (devices: [DeviceDescription], diagnostics: [Diagnostic]) {
        read(files: files, limits: ReadingLimits())
    }

    /// The same within given limits.
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
