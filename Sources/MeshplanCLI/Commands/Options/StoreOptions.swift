import ArgumentParser

/// The options for reaching and opening databases. Every command that opens one takes them. Each has an environment
/// variable, so that scripts need not repeat it.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The key file that opens the database. (default: $MESHPLAN_KEY_FILE, or else .meshplan/key)",
            valueName: "file",
            visibility: .hidden
        ),
        completion: Completion.files
    )
    var keyFile: String?

    @Option(
        help: ArgumentHelp(
            "A file with the passphrase that opens the database. (default: $MESHPLAN_PASSPHRASE_FILE)",
            valueName: "file",
            visibility: .hidden
        ),
        completion: Completion.files
    )
    var passphraseFile: String?

    @Option(
        help: ArgumentHelp(
            "A shell command that prints the secret that opens the database. (default: $MESHPLAN_KEY_COMMAND)",
            valueName: "command",
            visibility: .hidden
        )
    )
    var keyCommand: String?

    @Option(
        help: ArgumentHelp(
            """
            The database that a team shares: postgres://USER@HOST/DATABASE. Passwords are better kept in ~/.pgpass. \
            (default: $MESHPLAN_STATE, or else files in .meshplan)
            """,
            valueName: "url",
            visibility: .hidden
        )
    )
    var state: String?

    @Flag(
        help: ArgumentHelp(
            "Accept a database that is older than meshplan.lock.yaml says, or a different one.",
            discussion: """
                Its serial and sequence numbers skip ahead, and meshplan.lock.yaml is updated to it.
                """,
            visibility: .hidden
        )
    )
    var acceptOlder = false

    /// The options in the form that the context carries.
    var access: StoreAccess {
        StoreAccess(
            keyFile: keyFile,
            passphraseFile: passphraseFile,
            keyCommand: keyCommand,
            state: state,
            acceptsOlder: acceptOlder
        )
    }
}

/// How databases are reached and opened, as far as the command line says.
struct StoreAccess: Hashable {
    /// The path of the key file; nil for the environment's, or the usual one.
    var keyFile: String?
    var passphraseFile: String?
    /// A shell command that prints a secret.
    var keyCommand: String?
    /// The address of a shared database, possibly with a password; nil for the environment's, or files.
    var state: String?
    /// Whether to accept a database that is older than the lock file says, or another one.
    var acceptsOlder = false

    /// Whether the command line names a secret that opens databases.
    var namesSecret: Bool { keyFile != nil || passphraseFile != nil || keyCommand != nil }
}
