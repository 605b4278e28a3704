package import DefinitionModel

/// The file of settings: what would otherwise be typed with each command, for everybody who works in the folder. It
/// stands beside the definition, is in git with it, and is no part of it. It holds no secrets, only names of files.
package struct SettingsFile: Hashable, Sendable {
    /// The name of the file. Because it begins with a dot, a folder's definition does not contain it.
    package static let fileName = ".meshplan.yaml"

    /// What can be set. The raw values are the keys of the file.
    package enum Key: String, CaseIterable, Hashable, Sendable {
        /// Ways to the mesh.
        case via
        case devices
        /// Files with what devices need to prove who they are.
        case secrets
        /// The most links at once.
        case connections
        /// The most nodes to talk to at once.
        case window
        case radio
        /// Where the hub serves clients.
        case hub

        /// Whether there can be several values.
        package var isList: Bool {
            switch self {
            case .via, .devices, .secrets: true
            case .connections, .window, .radio, .hub: false
            }
        }

        /// What a value is, for messages.
        var title: String {
            switch self {
            case .via: "a way to the mesh"
            case .devices, .secrets: "the path of a file"
            case .connections, .window: "a number"
            case .radio: "the name of a radio"
            case .hub: "the address of a hub"
            }
        }
    }

    /// A value that is wrong.
    package struct Problem: Error, Hashable, Sendable {
        package var message: String
        package var hint: String?

        package init(_ message: String, hint: String? = nil) {
            self.message = message
            self.hint = hint
        }
    }

    /// The values of each key of the file, in their order. A key without values is not here.
    package internal(set) var values: [Key: [Located<String>]] = [:]

    package init() {}

    /// Reads the file.
    ///
    /// Hostile files produce diagnostics within bounded memory and time.
    ///
    /// - Parameters:
    ///   - files: the one file.
    ///   - check: throws what is wrong with a value.
    /// - Returns: the settings, and all problems, arranged for display. If a diagnostic is an error, settings are
    ///   missing.
    package static func read(
        files: SourceFiles,
        check: (Key, String) throws(Problem) -> Void
    ) -> (settings: SettingsFile, diagnostics: [Diagnostic]) {
        var limits = ReadingLimits()
        limits.fileSize = 1 << 20
        var decoder = DocumentDecoder(limits: limits)
        var settings = SettingsFile()
        for (index, file) in files.files.enumerated() {
            file.bytes.withUnsafeBufferPointer { bytes in
                FileReader(file: UInt32(clamping: index), limits: limits).read(bytes, with: &decoder) { decoder in
                    decoder.decodeSettings(into: &settings, check)
                }
            }
        }
        return (settings, decoder.diagnostics.finished())
    }
}
