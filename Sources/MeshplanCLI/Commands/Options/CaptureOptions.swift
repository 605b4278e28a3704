import ArgumentParser

/// The options that write down what goes over the air: packets, messages, and metrics.
struct CaptureOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write every packet to a file that Wireshark reads (pcapng). It holds no keys.",
            valueName: "file",
            visibility: .hidden
        ),
        completion: Completion.files
    )
    var capture: String?

    @Flag(name: .shortAndLong, help: "Write a line for each message to standard error; the same as --log-level debug.")
    var verbose = false

    @Option(
        help: ArgumentHelp(
            "Write a line for each message (debug), or also for each packet (trace). No line holds a key.",
            valueName: "level",
            visibility: .hidden
        ),
        completion: .list(MeshLog.Level.allCases.map(\.rawValue))
    )
    var logLevel: String?

    @Option(
        help: ArgumentHelp(
            "Append these lines to a file instead of writing them to standard error.",
            valueName: "file",
            visibility: .hidden
        ),
        completion: Completion.files
    )
    var logFile: String?

    @Option(
        help: ArgumentHelp(
            "Write counters for Prometheus to a file, every ten seconds and at the end.",
            valueName: "file",
            visibility: .hidden
        ),
        completion: Completion.files
    )
    var metrics: String?

    /// How much is written to the log; nil for nothing.
    var level: MeshLog.Level? {
        logLevel.flatMap(MeshLog.Level.init) ?? (verbose || logFile != nil ? .debug : nil)
    }

    func validate() throws {
        guard let logLevel, MeshLog.Level(rawValue: logLevel) == nil else { return }
        let known = MeshLog.Level.allCases.map(\.rawValue).joined(separator: " and ")
        throw ValidationError("There is no log level `\(logLevel)`; there are \(known).")
    }
}
