import ArgumentParser

/// A command that operates nodes: where names and tags come from, the way to the mesh, the network and the kind of
/// output. It has the groups of options itself, because the parser checks each group of a group again and again.
protocol OperatingCommand: NetworkCommand {
    /// Where names and tags come from.
    var definition: TagOptions { get }
    var mesh: MeshOptions { get }
    /// The kind of output.
    var format: FormatOptions { get }
}

extension OperatingCommand {
    var writesJSON: Bool { format.json }

    /// Finds the database and the way to the mesh.
    ///
    /// - Throws: as ``OperatingContext`` does.
    func operatingRun(in context: Context) throws -> OperatingContext {
        try OperatingContext(
            Self.configuration.commandName ?? "",
            in: context,
            over: mesh.route(),
            definition: definition.definition,
            network: networks.network
        )
    }
}
