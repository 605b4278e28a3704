import ArgumentParser

/// What every command that operates nodes takes: where names and tags come from, the way to the mesh, the network and
/// the kind of output.
struct OperatingOptions: ParsableArguments {
    @OptionGroup var definition: TagOptions

    @OptionGroup var mesh: MeshOptions

    @OptionGroup var networks: NetworkOptions

    @OptionGroup var format: FormatOptions

    /// Finds the database and the way to the mesh.
    ///
    /// - Parameter operation: how the command is called.
    /// - Throws: as ``OperatingRun`` does.
    func run(_ operation: String, in context: Context) throws -> OperatingRun {
        try OperatingRun(
            operation,
            in: context,
            over: mesh.route(),
            definition: definition.definition,
            network: networks.network
        )
    }
}

/// A command that operates nodes.
protocol OperatingCommand: NetworkCommand {
    /// What every such command takes.
    var options: OperatingOptions { get }
}

extension OperatingCommand {
    var networks: NetworkOptions { options.networks }

    var writesJSON: Bool { options.format.json }

    /// Finds the database and the way to the mesh.
    ///
    /// - Throws: as ``OperatingRun`` does.
    func operatingRun(in context: Context) throws -> OperatingRun {
        try options.run(Self.configuration.commandName ?? "", in: context)
    }
}
