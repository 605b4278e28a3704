import ArgumentParser

/// The argument for the place of the definition.
struct DefinitionOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Files or folders with the definition; a folder stands for its *.yaml and *.yml files. (default: the current folder)",
            valueName: "path"
        ),
        completion: Completion.files
    )
    var paths: [String] = []
}

/// The options that give variables of a definition their values.
struct VariableOptions: ParsableArguments {
    @Option(
        name: .customLong("var"),
        help: ArgumentHelp("A value for a variable of the definition. May be repeated.", valueName: "name=value")
    )
    var variables: [String] = []

    @Option(
        help: ArgumentHelp(
            "A YAML file with `values:` for variables. May be repeated.",
            valueName: "file",
            visibility: .hidden
        ),
        completion: Completion.files
    )
    var varFile: [String] = []

    /// The context in which definitions are read with these values.
    ///
    /// - Throws: ``Failure`` if an option is no name with a value.
    func applied(to context: Context) throws(Failure) -> Context {
        var context = context
        context.variableFiles = varFile
        for option in variables {
            guard let equals = option.firstIndex(of: "="), equals != option.startIndex else {
                throw Failure(
                    .usage,
                    "--var \(option) is not a name with a value",
                    hint: "Write for example --var floors=3."
                )
            }
            context.variables.append((String(option[..<equals]), String(option[option.index(after: equals)...])))
        }
        return context
    }
}

/// The option that chooses the network.
struct NetworkOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The network, if there are several.", valueName: "name"),
        completion: Completion.networks
    )
    var network: String?
}

/// The option for the form of results.
struct FormatOptions: ParsableArguments {
    @Flag(help: "Write one JSON object per line instead of text.")
    var json = false
}
