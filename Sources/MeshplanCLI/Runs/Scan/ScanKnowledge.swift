internal import MeshCore
internal import Store

/// The definition and the database that a scan compares with, each if there is one.
struct ScanKnowledge {
    /// The definition in the working folder.
    var definition: Definition?
    /// The database of the network, and what it held when the scan began.
    var database: (database: MeshDatabase, snapshot: Snapshot, name: String)?

    /// Finds both; neither has to be there.
    ///
    /// - Parameters:
    ///   - paths: the files and folders of the definition; none for the current folder, where there need be none.
    ///   - network: the name of the network; nil for that of the definition, else for the only one.
    /// - Throws: ``Failure`` if there are several networks and none was named, or the one named is not there, and for
    ///   files that were named whatever is wrong with them.
    init(_ context: Context, paths: [String], network: String?) throws {
        let workspace = Workspace(context: context)
        if !paths.isEmpty {
            definition = try DefinitionFiles(context: context).load(paths).definitions.selected(network)
        } else if let definitions = Self.definitions(context) {
            definition =
                network == nil && definitions.count == 1
                ? definitions.first : definitions.first { $0.network.value == network }
        }
        let names = try workspace.networks()
        guard let name = try network ?? definition?.network.value ?? (names.isEmpty ? nil : workspace.only(nil)) else {
            return
        }
        guard names.contains(name) else {
            // A definition alone knows names too; a network that was asked for and is nowhere is a mistake.
            if network != nil, definition == nil { _ = try workspace.open(name) }
            return
        }
        let opened = try workspace.open(name)
        database = (opened, try opened.snapshot(), name)
    }

    /// What is defined in the working folder; what is wrong there is shown by other commands.
    private static func definitions(_ context: Context) -> [Definition]? {
        do {
            return try DefinitionFiles(context: context).load([]).definitions
        } catch is InvalidDefinition {
            context.errorOutput.line("The definition here is not valid and not used; meshplan validate says why.")
            return nil
        } catch {
            return nil
        }
    }

    /// The network as the database has it.
    var network: MeshNetwork? { database?.snapshot.network }

    /// Who is who.
    var names: ScanNames { ScanNames(definition: definition, network: network) }
}
