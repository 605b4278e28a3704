package import DefinitionModel
import MeshCore

/// The file that lists the networks of a fleet: `fleet.yaml`. It holds no secrets.
///
/// It says where each network's definition and database are, how it is reached, and by which tags it is chosen. It is
/// no part of any definition.
package struct FleetFile: Hashable, Sendable {
    package static let fileName = "fleet.yaml"

    /// A network of the fleet.
    package struct Network: Hashable, Sendable {
        package var name: Located<String>
        /// Files and folders with its definition. Paths start from the folder of the file. Empty for the usual places.
        package var definition: [String] = []
        /// The folder in which its commands work, where its `.meshplan` is; nil for that of the definition.
        package var folder: String?
        package var tags: [String: String] = [:]
        package var variables: [String: String] = [:]
        /// The ways to reach it, in the command line's words.
        package var via: [String] = []
        /// The address of the shared database that holds it; nil for files.
        package var state: String?
        /// The key file that opens its database; nil for the usual one.
        package var keyFile: String?
    }

    /// The networks in reading order.
    package var networks: [Network] = []

    /// Reads a file.
    ///
    /// - Returns: the networks, and all problems, arranged for display. If a diagnostic is an error, networks are
    ///   missing or incomplete.
    package static func read(files: SourceFiles) -> (fleet: FleetFile, diagnostics: [Diagnostic]) {
        let limits = ReadingLimits()
        var decoder = DocumentDecoder(limits: limits)
        var fleet = FleetFile()
        for (index, file) in files.files.enumerated() {
            let reader = FileReader(file: UInt32(clamping: index), limits: limits)
            file.bytes.withUnsafeBufferPointer { bytes in
                reader.read(bytes, with: &decoder) { $0.decodeFleet(into: &fleet) }
            }
        }
        return (fleet, decoder.diagnostics.finished())
    }
}

extension FleetFile.Network {
    /// What of `defaults` this network does not say itself. In it, `$(network)` stands for the network's name.
    func inheriting(_ defaults: FleetFile.Network) -> FleetFile.Network {
        func own(_ text: String) -> String { text.replacing("$(network)", with: name.value) }
        var network = self
        if network.definition.isEmpty { network.definition = defaults.definition.map(own) }
        network.folder = network.folder ?? defaults.folder.map(own)
        network.tags = defaults.tags.mapValues(own).merging(tags) { $1 }
        network.variables = defaults.variables.mapValues(own).merging(variables) { $1 }
        if network.via.isEmpty { network.via = defaults.via.map(own) }
        network.state = network.state ?? defaults.state.map(own)
        network.keyFile = network.keyFile ?? defaults.keyFile.map(own)
        return network
    }
}
