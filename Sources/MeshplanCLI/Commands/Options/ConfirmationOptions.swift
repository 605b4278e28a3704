import ArgumentParser

/// The option for changes that need confirmation.
struct ConfirmationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Undo the changes unless meshplan confirm is run within this time (at least 1s).",
            valueName: "duration",
            visibility: .hidden
        ),
        transform: DurationArgument.parse
    )
    var confirmWithin: DurationArgument?

    func validate() throws {
        guard let confirmWithin, confirmWithin.milliseconds < 1_000 else { return }
        throw ValidationError("--confirm-within takes a second or more.")
    }
}
