import ArgumentParser

/// The argument for what is operated.
struct TargetArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "NODE, NODE/ELEMENT, group.NAME or tag=value; `*` stands for any characters.",
            valueName: "target"
        ),
        completion: Completion.targets
    )
    var target: String
}

/// The argument for what is operated, of commands that mean all nodes without it.
struct OptionalTargetArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "NODE, NODE/ELEMENT, group.NAME or tag=value; `*` stands for any characters. (default: all nodes)",
            valueName: "target"
        ),
        completion: Completion.targets
    )
    var target: String?
}

/// The option for the definition, of commands whose arguments are something else. It is only needed for tags.
struct TagOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Files or folders with the definition, for tags. May be repeated. (default: the current folder)",
            valueName: "path"
        ),
        completion: Completion.files
    )
    var definition: [String] = []
}
