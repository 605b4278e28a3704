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

    @Option(
        help: ArgumentHelp(
            """
            The database that a team shares: postgres://USER@HOST/DATABASE. Passwords are better kept in ~/.pgpass. \
            (default: $MESHPLAN_STATE, or else files in .meshplan)
            """,
            valueName: "url"
        )
    )
    var state: String?

    /// What was asked for, as the context carries it.
    var access: StoreAccess { StoreAccess(keyFile: keyFile, state: state) }
}

/// How databases are reached and opened, as far as the command line says.
struct StoreAccess: Hashable {
    /// The path of the key file; nil for what the environment says, or the usual place.
    var keyFile: String?
    /// The address of a shared database, perhaps with a password in it; nil for what the environment says, or files.
    var state: String?
}
