import ArgumentParser

/// What commands take that change a database after a question.
struct ChangeOptions: ParsableArguments {
    @Flag(help: "Do not ask for approval.")
    var autoApprove = false

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions
}

/// A command that changes a database after a question.
protocol ChangingCommand: NetworkCommand {
    /// Whose database, whether to ask, and how to write results.
    var change: ChangeOptions { get }
}

extension ChangingCommand {
    var networks: NetworkOptions { change.networks }

    /// How its database is reached and opened.
    var store: StoreOptions { change.store }

    var writesJSON: Bool { change.format.json }
}
