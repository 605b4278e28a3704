internal import ArgumentParser

/// How databases are reached and opened. Every command that opens one takes these; each has an environment variable, so
/// that scripts need not repeat them.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The key file that opens the database. (default: $MESHPLAN_KEY_FILE, or else .meshplan/key)",
            valueName: "file"
        )
    )
    var keyFile: String?

    /// What was asked for, as the context carries it.
    var access: StoreAccess { StoreAccess(keyFile: keyFile) }
}

/// How databases are reached and opened, as far as the command line says.
struct StoreAccess: Hashable {
    /// The path of the key file; nil for what the environment says, or the usual place.
    var keyFile: String?
}
