package import DefinitionModel
import MeshCore

/// Reads definitions: files → YAML events → trees → fragments → one definition for each network, checked.
///
/// It is pure: the same files give the same definitions and diagnostics. Hostile files produce diagnostics within
/// bounded memory and time.
package enum DefinitionReader {
    /// Reads all files as one run.
    ///
    /// - Parameter toleratesEmptySelectors: whether a selector that selects no node is only a warning. This is for text
    ///   that was applied before and cannot be edited; the planner has a guard for such selectors.
    /// - Returns: one definition for each network, in the order of first mention, and all problems, arranged for
    ///   display. If a diagnostic is an error, the definitions lack what could not be read and must not be used for
    ///   planning.
    package static func read(
        files: SourceFiles,
        toleratesEmptySelectors: Bool = false
    ) -> (definitions: [Definition], diagnostics: [Diagnostic]) {
        read(files: files, limits: ReadingLimits(), toleratesEmptySelectors: toleratesEmptySelectors)
    }

    /// Reads all files within given limits.
    static func read(
        files: SourceFiles,
        limits: ReadingLimits,
        toleratesEmptySelectors: Bool = false
    ) -> (definitions: [Definition], diagnostics: [Diagnostic]) {
        var decoder = DocumentDecoder(limits: limits)
        var fragments: [Fragment] = []
        for (index, file) in files.files.enumerated() {
            let reader = FileReader(file: UInt32(clamping: index), limits: limits)
            file.bytes.withUnsafeBufferPointer { bytes in
                reader.read(bytes, with: &decoder) { fragments.append($0.decodeFragment()) }
            }
        }
        var diagnostics = decoder.diagnostics
        let networks = FragmentMerge.merge(fragments, into: &diagnostics)
        for network in networks {
            Checks.run(network, toleratesEmptySelectors: toleratesEmptySelectors, into: &diagnostics)
        }
        return (networks.map(\.definition), diagnostics.finished())
    }
}
