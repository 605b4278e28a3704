import ArgumentParser
import MeshCore
import Pictures
import Planning
import Simulator
import Store
import SystemLayer

/// `meshplan report`
struct ReportCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Write a report for the owner of the building.",
        discussion: """
            Writes one HTML page that needs no network: what needs attention, who controls whom, the nodes, groups and \
            keys (by name only), tests, drift, faults and history. It is made from the definition and the mesh database; \
            nothing is sent. For up-to-date facts run meshplan refresh before.

            Results of tests come from a file that meshplan test --json or --junit has written, or are played at once with \
            --test. \
            Faults come from a file that meshplan health --json has written.

            What was not asked, or not within --fresh-within, is not known: it counts neither as well nor as broken, and \
            all is as it should be only if everything is known.
            """
    )

    @OptionGroup var definition: DefinitionOptions

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @Option(
        help: ArgumentHelp("The file to write; one that is there is replaced.", valueName: "file"),
        completion: Completion.files
    )
    var html: String

    @Option(
        help: ArgumentHelp("Results that meshplan test --json or --junit has written.", valueName: "file"),
        completion: Completion.files
    )
    var testResults: String?

    @Flag(help: "Play the tests of the definition in the simulator now.")
    var test = false

    @OptionGroup var devices: SimulatedDeviceOptions

    @Option(
        help: ArgumentHelp("Faults that meshplan health --json has written.", valueName: "file"),
        completion: Completion.files
    )
    var health: String?

    @Option(
        help: ArgumentHelp(
            "For how long what nodes told counts as known, such as 12h, 7d or 4w. (default: 7d)",
            valueName: "age"
        )
    )
    var freshWithin: AgeArgument?

    func validate() throws {
        if test, testResults != nil { throw ValidationError("Use either --test or --test-results.") }
        if !test, !devices.devices.isEmpty { throw ValidationError("--devices needs --test.") }
    }

    func run(in context: Context) throws -> ExitStatus {
        try OutputTarget.check(html, is: "a report", ending: ".html", in: context) {
            $0.starts(with: "<!DOCTYPE html>".utf8)
        }
        let results = ResultFiles(context: context)
        var tests = try testResults.map(results.tests)
        let health = try health.map(results.health)
        let source = try PictureSource(of: definition.paths, network: networks.network, in: context)
        if test {
            guard let played = try play(source, context) else { return .interrupted }
            tests = played
        }
        let making = ReportMaking(
            source: source,
            plan: try plan(source),
            drift: DriftReport.make(of: source.network, definition: source.planning?.definition),
            history: try source.database?.history(),
            tests: tests,
            health: health,
            made: context.now(),
            freshWithin: freshWithin?.seconds ?? 7 * 86_400
        )
        let report = making.report()
        try AtomicFile.write(context.absolute(html), as: html, Array(report.html().utf8), mode: 0o644)
        context.output.line("Wrote \(html.printable)")
        let things = report.findings.count
        if things > 0 {
            context.output.line("\(count(things, "thing")) in it \(things == 1 ? "needs" : "need") attention.")
        }
        for unknown in report.unknowns { context.output.line(unknown.text) }
        return .success
    }

    /// What a plan would do now; nil without a definition or a database.
    private func plan(_ source: PictureSource) throws -> Plan? {
        guard let planning = source.planning, let snapshot = source.snapshot else { return nil }
        return Planner.plan(
            definition: planning.definition,
            network: snapshot.network,
            base: (snapshot.lineage, snapshot.serial),
            identifier: Octets16(high: 0, low: 0),
            options: PlannerOptions()
        ).plan
    }

    /// Plays the tests of the definition; nil if somebody interrupted.
    private func play(_ source: PictureSource, _ context: Context) throws -> [ReportedTest]? {
        guard let planning = source.planning else {
            throw Failure(
                .usage,
                "--test needs a definition, and there is none",
                hint: "Name it: meshplan report PATH --test --html \(html)"
            )
        }
        context.interrupts.arm()
        let run = TestingSession(
            context: context,
            settings: .ideal,
            devices: devices.devices,
            selection: TestSelection(context: context, only: [], junit: nil),
            seed: 1,
            seeds: 1
        )
        return try run.results(of: planning)?.map(ReportedTest.init)
    }
}
