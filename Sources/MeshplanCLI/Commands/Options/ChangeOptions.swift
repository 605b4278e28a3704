import ArgumentParser

/// What commands take that change a database after a question.
struct ChangeOptions: ParsableArguments {
    @Flag(help: "Do not ask for approval.")
    var autoApprove = false

    @OptionGroup var networks: NetworkOptions

    @OptionGroup var format: FormatOptions
}

/// A command that changes a database after a question.
protocol ChangingCommand: NetworkCommand {
    /// Whose database, whether to ask, and how to write results.
    var change: ChangeOptions { get }
}

extension ChangingCommand {
    /// Which network.
    var networks: NetworkOptions { change.networks }

    /// Whether results are JSON.
    var writesJSON: Bool { change.format.json }
}
