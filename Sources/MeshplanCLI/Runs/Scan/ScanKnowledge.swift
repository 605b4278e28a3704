import Catalogue
import DefinitionModel
import Definitions
import MeshCore
import Store

/// The definition and the database that a scan compares with; each may be missing.
///
/// Nothing of it changes once it is found. It is a class because it is large and passed on whole.
final class ScanKnowledge {
    /// The definition in the working folder.
    private(set) var definition: Definition?
    /// The vendor models that the definition describes.
    private(set) var vendorModels: [VendorModel] = []
    /// The database of the network, and its contents when the scan began.
    private(set) var database: (database: MeshDatabase, snapshot: Snapshot, name: String)?

    /// Finds both; neither needs to exist.
    ///
    /// - Parameters:
    ///   - paths: the files and folders of the definition; empty for the current folder, which need not have one.
    ///   - network: the name of the network; nil for that of the definition, or else the only one.
    /// - Throws: ``Failure`` if there are several networks and none was named, or if the named one does not exist; any
    ///   error of a definition whose files were named.
    init(_ context: Context, paths: [String], network: String?) throws {
        let workspace = Workspace(context: context)
        if !paths.isEmpty {
            let reading = try DefinitionFiles(context: context).reading(paths)
            definition = try reading.definitions.selected(network)
            vendorModels = reading.vendorModels
        } else if let reading = DefinitionFiles(context: context).readingOfWorkingFolder() {
            let definitions = reading.definitions
            vendorModels = reading.vendorModels
            definition =
                network == nil && definitions.count == 1
                ? definitions.first : definitions.first { $0.network.value == network }
        }
        let names = try workspace.networks()
        guard let name = try network ?? definition?.network.value ?? (names.isEmpty ? nil : workspace.only(nil)) else {
            return
        }
        guard names.contains(name) else {
            // A definition without a database knows names, too. A named network that is in neither is a mistake.
            if network != nil, definition == nil { _ = try workspace.open(name) }
            return
        }
        let opened = try workspace.open(name)
        database = (opened, try opened.snapshot(), name)
    }

    /// The network as the database has it; nil without a database.
    var network: MeshNetwork? { database?.snapshot.network }

    var names: ScanNames { ScanNames(definition: definition, network: network) }
}
