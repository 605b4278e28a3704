import ArgumentParser

/// The options for saving or carrying out a plan that leads back to a former state.
struct GoingBackOptions: ParsableArguments {
    @OptionGroup var planned: PlannedRunOptions

    @Option(
        help: ArgumentHelp(
            "A CSV or YAML file with static values and public keys of devices. May be repeated.",
            valueName: "file"
        ),
        completion: Completion.files
    )
    var secrets: [String] = []

    @Option(
        help: ArgumentHelp(
            "Carry out only a plan with this digest (at least 8 digits), without asking for approval.",
            valueName: "hex"
        )
    )
    var expectDigest: DigestArgument?

    @OptionGroup var confirmation: ConfirmationOptions

    /// The run that carries out plans.
    func applyRun(as operation: String, in context: Context) throws -> ApplyRun {
        var run = try planned.applyRun(as: operation, secrets: secrets, in: context)
        run.expected = expectDigest
        run.confirmWithin = confirmation.confirmWithin?.duration
        return run
    }

    /// Carries out the plan of a source; without `--via`, shows or saves it.
    func carryOut(_ job: some PlanSource, as operation: String, in context: Context) throws -> ExitStatus {
        guard !planned.via.isEmpty else { return try planned.show(job, in: context) }
        return try applyRun(as: operation, in: context).carryOut(job)
    }
}
