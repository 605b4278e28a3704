import ArgumentParser

/// The argument for the place of the definition.
struct DefinitionOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Files or folders with the definition; a folder stands for its *.yaml and *.yml files. (default: the current folder)",
            valueName: "path"
        )
    )
    var paths: [String] = []
}

/// The options that choose the network, and how its database is reached and opened.
struct NetworkOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The network, if there are several.", valueName: "name"),
        completion: Completion.networks
    )
    var network: String?

    @OptionGroup var store: StoreOptions
}

/// The option for the form of results.
struct FormatOptions: ParsableArguments {
    @Flag(help: "Write one JSON object per line instead of text.")
    var json = false
}
