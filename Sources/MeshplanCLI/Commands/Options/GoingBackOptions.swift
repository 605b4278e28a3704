import ArgumentParser

/// The options for saving or carrying out a plan that leads back to a former state.
struct GoingBackOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A CSV or YAML file with static values and public keys of devices. May be repeated.",
            valueName: "file"
        ),
        completion: Completion.files
    )
    var secrets: [String] = []

    @Flag(help: "\(RunOptions.againHelp)")
    var again = false

    @Option(
        help: ArgumentHelp(
            "Carry out only a plan with this digest (at least 8 digits), without asking for approval.",
            valueName: "hex"
        )
    )
    var expectDigest: DigestArgument?
}

/// A command that leads back to a former state.
protocol GoingBackCommand: PlannedRunCommand {
    var goingBack: GoingBackOptions { get }
    var confirmation: ConfirmationOptions { get }
}

extension GoingBackCommand {
    /// The run that carries out plans.
    func returnRun(as operation: String, in context: Context) throws -> ApplyInvocation {
        var run = try applyRun(as: operation, secrets: goingBack.secrets, in: context)
        run.options = execution.options(offeringUsedValues: goingBack.again)
        run.expected = goingBack.expectDigest
        run.confirmWithin = confirmation.confirmWithin?.duration
        return run
    }

    /// Carries out the plan of a source; without `--via`, shows or saves it.
    func carryOut(_ job: some PlanSource, as operation: String, in context: Context) throws -> ExitStatus {
        guard !via.isEmpty else {
            if goingBack.expectDigest != nil, planned.out == nil {
                throw Failure(
                    .usage,
                    "--expect-digest approves a plan, and nothing carries it out",
                    hint: "Add --via BEARER."
                )
            }
            return try show(job, in: context)
        }
        return try returnRun(as: operation, in: context).carryOut(job)
    }
}
