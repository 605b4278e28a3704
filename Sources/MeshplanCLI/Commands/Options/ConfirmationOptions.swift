internal import ArgumentParser

/// The option for changes that need confirmation.
struct ConfirmationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Take the changes back unless they are confirmed within this time, 1s or more, with meshplan confirm.",
            valueName: "duration"
        ),
        transform: DurationArgument.parse
    )
    var confirmWithin: DurationArgument?

    func validate() throws {
        guard let confirmWithin, confirmWithin.milliseconds < 1_000 else { return }
        throw ValidationError("--confirm-within takes a second or more.")
    }
}
