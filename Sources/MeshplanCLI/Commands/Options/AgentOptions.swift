import ArgumentParser

/// What `meshplan agent` takes about applying.
struct AgentApplyOptions: ParsableArguments {
    @Flag(help: "Apply plans whose digest is approved; without it nothing is applied.")
    var apply = false

    @Option(
        help: ArgumentHelp(
            "The file with approvals: lines NETWORK DIGEST [WHO]. (default: the file approvals in the agent's own folder)",
            valueName: "file"
        ),
        completion: Completion.files
    )
    var approved: String?

    @Option(
        help: ArgumentHelp(
            "How to reach every network; $(network) stands for its name. May be repeated.",
            valueName: "bearer"
        )
    )
    var via: [String] = []

    @Option(
        help: ArgumentHelp(
            "With --via simulator: a YAML file with unprovisioned devices. May be repeated.",
            valueName: "file"
        ),
        completion: Completion.files
    )
    var devices: [String] = []

    func validate() throws {
        // The name of a network takes the place of this one.
        for way in via { _ = try BearerChoice(way.replacing("$(network)", with: "network")) }
        if approved != nil, !apply { throw ValidationError("--approved needs --apply.") }
    }
}

/// What `meshplan agent` takes about reading back and testing.
struct AgentWatchOptions: ParsableArguments {
    @Flag(help: "Read nodes back, those first that were not read for longest.")
    var sampleDrift = false

    @Option(
        help: ArgumentHelp(
            "With --sample-drift: the share of the air that reading back may take, such as 0.5%.",
            valueName: "share"
        )
    )
    var airtime = ShareArgument(millionths: 5_000)

    @Option(
        help: ArgumentHelp("With --sample-drift: the time in which each node is read at least once.", valueName: "age")
    )
    var allWithin = AgeArgument(seconds: 7 * 86_400)

    @Option(
        help: ArgumentHelp(
            "Play the tests of every definition in the simulator each night from this time on, local time, such as 02:00.",
            valueName: "time"
        )
    )
    var testsAt: TimeOfDayArgument?

    func validate() throws {
        guard allWithin.seconds >= 3_600 else { throw ValidationError("--all-within takes an hour at least.") }
    }

    /// How nodes are read back; nil if they are not.
    var sampling: AgentSampling? {
        sampleDrift ? AgentSampling(budget: airtime.millionths, within: allWithin.seconds) : nil
    }
}

/// What `meshplan agent` takes about telling.
struct AgentTellOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Write gauges and counters for Prometheus to a file.", valueName: "file"),
        completion: Completion.files
    )
    var metrics: String?

    /// Refuses to write metrics over something else.
    ///
    /// - Throws: ``Failure`` in that case.
    func check(in context: Context) throws {
        guard let metrics else { return }
        try OutputTarget.check(metrics, is: "a file with metrics", ending: ".prom", in: context) {
            $0.starts(with: "# HELP meshplan_".utf8)
        }
    }
}

/// A share on the command line: `0.5%`.
struct ShareArgument: ExpressibleByArgument, CustomStringConvertible {
    /// Millionths of the whole, more than 0.
    var millionths: Int64

    init(millionths: Int64) { self.millionths = millionths }

    /// Parses a number of percent with at most four decimals, up to 100; nil for anything else.
    init?(argument: String) {
        guard argument.hasSuffix("%") else { return nil }
        let parts = argument.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.utf8.count <= 4 }),
            parts.allSatisfy({ $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }),
            let whole = Int64(parts[0])
        else { return nil }
        let decimals = parts.count == 2 ? String(parts[1]) : ""
        let fraction = Int64(decimals + String(repeating: "0", count: 4 - decimals.utf8.count)) ?? 0
        millionths = whole * 10_000 + fraction
        guard (1...1_000_000).contains(millionths) else { return nil }
    }

    var description: String { AgentMachine.percent(millionths).replacing(" ", with: "") }
}

/// A time of day on the command line: `02:00`.
struct TimeOfDayArgument: ExpressibleByArgument, CustomStringConvertible {
    /// Seconds from midnight.
    var seconds: Int64

    /// Parses hours and minutes; nil for anything else.
    init?(argument: String) {
        guard let match = argument.wholeMatch(of: #/([01]?[0-9]|2[0-3]):([0-5][0-9])/#),
            let hours = Int64(match.1), let minutes = Int64(match.2)
        else { return nil }
        seconds = hours * 3_600 + minutes * 60
    }

    var description: String {
        func digits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(digits(seconds / 3_600)):\(digits(seconds / 60 % 60))"
    }
}

/// What `meshplan agent` and its commands take about the agent's own folder.
struct AgentStateOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The agent's own folder with databases, key and approvals, outside of the definitions. (default: "
                + "$\(AgentPlace.variable), or else the current folder)",
            valueName: "folder"
        ),
        completion: Completion.folders
    )
    var stateFolder: String?
}
