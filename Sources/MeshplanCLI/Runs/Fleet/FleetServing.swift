import SystemLayer

/// Carries out commands of a fleet one after another in this process, as a server of a ``ProgramPool``: gets each as a
/// line (``FleetCall``), and answers with lines (``FleetAnswer``).
///
/// What is the same for all networks is made once: the tables of models and messages, the types of the command line,
/// the memory. Nothing that belongs to one network is kept.
struct FleetServing {
    var context: Context
    /// Whether this process ends after one command.
    var isOnce = false
    /// How much memory this process may have needed, in octets, before it ends so that another takes its place. A
    /// network that needs more still gets it.
    var mostMemory = 160 << 20
    /// How much memory this process has needed at most, in octets.
    var memory: () -> Int = { ProcessMemory.mostUsed() }
    /// Makes a folder the working folder of this process, and returns why that failed.
    var enter: (String) -> String? = { ThisProcess.enter($0) }

    /// The longest request, in octets.
    private static let longestRequest = 4 << 20

    /// Answers requests from standard input until it ends, a signal arrives, or much memory was needed.
    func callAsFunction() {
        var buffer: [UInt8] = []
        while true {
            while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(buffer[..<end])
                buffer.removeSubrange(...end)
                guard answer(line, { context.output.write(document: $0 + "\n") }) else { return }
            }
            switch context.byteInput.read(nil) {
            case .bytes(let bytes): buffer += bytes
            case .nothing: if context.interrupts.count() > 0 { return }
            case .end: return
            }
            guard buffer.count <= Self.longestRequest else { return }
        }
    }

    /// Carries out a request.
    ///
    /// - Parameter write: gets the lines of the answer.
    /// - Returns: whether this process takes another one.
    func answer(_ line: [UInt8], _ write: @escaping (String) -> Void) -> Bool {
        let report = CommandReport()
        let status = status(of: line, report, write)
        let isLast = isOnce || memory() > mostMemory || context.interrupts.count() > 0
        write(FleetAnswer.text(status, report, isLast: isLast))
        return !isLast
    }

    private func status(of line: [UInt8], _ report: CommandReport, _ write: @escaping (String) -> Void) -> Int32 {
        guard let call = FleetCall(line) else {
            report.note(
                "the process for networks does not understand the request: it may be of another version",
                hint: "Repeat the command. Nothing was done."
            )
            return ExitStatus.failure.rawValue
        }
        if let reason = enter(call.folder) {
            report.note("cannot work in \(call.folder.printable): \(reason)")
            return ExitStatus.failure.rawValue
        }
        var own = context
        own.workingDirectory = call.folder
        own.environment = call.environment
        let lines = call.details == nil ? nil : write
        let (output, errors) = (LineOutput(lines), LineOutput(lines))
        defer { for stream in [output, errors] { stream.finish() } }
        own.output = Output { [context] in
            output.take($0)
            return context.output.error
        }
        own.errorOutput = Output {
            errors.take($0)
            return nil
        }
        own.json = nil
        own.report = report
        own.session = StoreSession()
        own.observation = MeshObservation()
        own.skipsDeallocation = isOnce
        // Standard input is that of the requests, and the terminal that of the process that asks.
        own.terminal = Terminal(isInputTerminal: false, isOutputTerminal: false, isErrorTerminal: false, width: 100)
        own.readLine = { nil }
        own.readSecret = { nil }
        own.lineInput = LineInput(poll: { .end }, discard: {})
        own.byteInput = ByteInput { _ in .end }
        return Meshplan.main(call.arguments, in: own)
    }
}

/// Makes whole lines of what a command prints.
private final class LineOutput {
    private let write: ((String) -> Void)?
    /// What stands behind the last line break.
    private var unfinished: [UInt8] = []

    init(_ write: ((String) -> Void)?) { self.write = write }

    func take(_ text: String) {
        guard let write else { return }
        var rest = Array(text.utf8)[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            write(FleetAnswer.text(of: String(decoding: unfinished + rest[..<end], as: UTF8.self)))
            unfinished = []
            rest = rest[(end + 1)...]
        }
        unfinished += rest
    }

    func finish() { if !unfinished.isEmpty { take("\n") } }
}
