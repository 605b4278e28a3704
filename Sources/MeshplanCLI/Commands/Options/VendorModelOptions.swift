import ArgumentParser

/// The option for files that describe vendor models.
struct VendorModelOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            A YAML file that describes vendor models, instead of those of the definition in the current folder. May be \
            repeated.
            """,
            valueName: "file",
            visibility: .hidden
        ),
        completion: Completion.files
    )
    var models: [String] = []
}
