import ArgumentParser
import Store

/// `meshplan fleet apply`
struct FleetApplyCommand: FleetRunCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Apply each definition to its network, in waves.",
        discussion: """
            Plans all networks, asks for approval once, and applies exactly those plans. Networks that cannot be planned are \
            left out. With --plan it applies exactly the plans that were saved, without a question, also where there is no \
            definition. With --waves the next wave begins only if the last one has left no node pending and nothing has failed, \
            in all but --max-failures networks; --gate asks more of it. Exits with 4 if only a part was applied.
            """
    )

    @OptionGroup var options: FleetOptions

    @OptionGroup var bearer: FleetBearerOptions

    @Flag(help: "Do not ask for approval.")
    var autoApprove = false

    @Option(
        help: ArgumentHelp("Apply the plans that `meshplan fleet plan --out` has saved here.", valueName: "plans"),
        completion: Completion.folders
    )
    var plan: String?

    @Option(
        help: ArgumentHelp(
            "With --plan: apply only plans with this digest, which fleet plan --out and fleet show print (at least 8 digits).",
            valueName: "hex"
        )
    )
    var expectDigest: DigestArgument?

    @Option(
        help: ArgumentHelp(
            "Divide the networks with changes: shares or numbers of them, or those with a tag, as in 1%,10%,rest or "
                + "stage=canary,rest. The first are those that the fleet lists first.",
            valueName: "parts"
        )
    )
    var waves: String?

    @Option(
        help: ArgumentHelp(
            "What the networks of a wave must pass, too: drift (their nodes are read back) or tests (of their definitions, in "
                + "the simulator). May be repeated.",
            valueName: "gate"
        )
    )
    var gate: [String] = []

    @Option(
        help: ArgumentHelp(
            "Begin no further network once more than this many have failed or stayed partial. (default: 0 with --waves, "
                + "else any number)",
            valueName: "number"
        )
    )
    var maxFailures: Int?

    @OptionGroup var running: FleetRunOptions

    @Option(
        help: ArgumentHelp(
            "With --via simulator: a YAML file with unprovisioned devices. May be repeated.",
            valueName: "file"
        ),
        completion: Completion.files
    )
    var devices: [String] = []

    func validate() throws {
        if let waves, FleetWaves(waves) == nil {
            throw ValidationError(
                "--waves takes shares, numbers, tags and rest, as in 1%,10%,rest or stage=canary,rest."
            )
        }
        if let unknown = gate.first(where: { FleetGate(rawValue: $0) == nil }) {
            let known = FleetGate.allCases.map(\.rawValue).joined(separator: " or ")
            throw ValidationError("--gate takes \(known), not \(unknown.printable).")
        }
        if expectDigest != nil, plan == nil {
            throw ValidationError("--expect-digest is for saved plans: name them with --plan.")
        }
        if let maxFailures, maxFailures < 0 { throw ValidationError("--max-failures takes a number from 0 on.") }
    }

    func run(in context: Context) throws -> ExitStatus {
        let saved = try plan.map { path in
            try SavedFleet(
                path,
                base: options.folder ?? ".",
                expecting: expectDigest,
                selecting: options.select,
                in: context
            )
        }
        let fleet = try saved?.fleet ?? options.fleet(in: context)
        try bearer.check(fleet)
        try FleetRunPlace(context, fleet).checkFree()
        var request = try FleetRunRecord.Request(of: "apply", running.extra, fleet, in: context)
        request.via = bearer.via
        request.addDevices(devices, of: fleet, in: context)
        request.gates = FleetGate.allCases.map(\.rawValue).filter(gate.contains)
        if let saved { request.plans = saved.source(in: fleet.folder) }
        let apply = FleetApply(
            run: try fleetRun(of: .apply, in: context, saved: saved?.fleet),
            waves: waves.flatMap(FleetWaves.init) ?? FleetWaves(),
            mostFailures: maxFailures ?? (waves == nil ? nil : 0),
            isApproved: autoApprove,
            request: request,
            saved: saved
        )
        return try apply()
    }
}
