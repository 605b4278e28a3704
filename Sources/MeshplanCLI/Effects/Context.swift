import Bearers
import Definitions
package import MeshCore
package import SystemLayer

/// All effects of a command apart from the databases and files below its folder. Tests replace them.
///
/// Nearly everything in the command line holds one. Copies share their effects until one of them is changed, so that a
/// copy is one reference, not fifty: that matters for the size of the executable.
@dynamicMemberLookup
package struct Context {
    private final class Shared {
        var effects: Effects

        init(_ effects: Effects) {
            self.effects = effects
        }
    }

    private var shared: Shared

    package init(_ effects: Effects) {
        shared = Shared(effects)
    }

    package subscript<Effect>(dynamicMember effect: WritableKeyPath<Effects, Effect>) -> Effect {
        // Inlined, a key path is the address of a field; otherwise it is made and walked at run time.
        @inline(__always) get { shared.effects[keyPath: effect] }
        @inline(__always) set {
            if !isKnownUniquelyReferenced(&shared) { shared = Shared(shared.effects) }
            shared.effects[keyPath: effect] = newValue
        }
    }

    /// The random generator for keys and identifiers.
    package var randomNumbers: ContextRandomNumbers { ContextRandomNumbers(bits: self.randomBits) }

    /// The calendar time of an event, in milliseconds since 1970.
    func milliseconds() -> Int64 {
        self.clock?() ?? self.now().rawValue.multipliedReportingOverflow(by: 1_000).partialValue
    }

    /// The path for system calls. Relative paths start from ``workingDirectory``.
    package func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : self.workingDirectory + "/" + path
    }

    /// The style for standard output.
    var style: Style { Style(self.terminal, isTerminal: self.terminal.isOutputTerminal, environment: self.environment) }

    var errorStyle: Style {
        Style(self.terminal, isTerminal: self.terminal.isErrorTerminal, environment: self.environment)
    }
}

/// What a ``Context`` has.
package struct Effects {
    /// The absolute path of the folder that contains `.meshplan`, and from which relative paths start.
    package var workingDirectory: String
    package var environment: [String: String]
    package var output: Output
    /// The output for comments, questions and errors.
    package var errorOutput: Output
    package var terminal: Terminal
    /// Reads one line as the answer to a question, without its line break; nil at the end of input.
    package var readLine: () -> String?
    /// Reads lines while something else goes on, without waiting for them.
    package var lineInput: LineInput
    /// Returns the calendar time.
    package var now: () -> Timestamp
    /// Returns the calendar time of an event in milliseconds since 1970; nil for the whole seconds of ``now``.
    package var clock: (() -> Int64)?
    /// Returns cryptographically secure random bits.
    package var randomBits: () -> UInt64
    /// Counts the signals that ask the process to end.
    package var interrupts: Interrupts
    /// Identifies who runs the command, for the lock of a database.
    package var process: ProcessIdentity
    /// Waits for a duration of calendar time, or until a signal arrives.
    package var pause: (Duration) -> Void
    /// The output for JSON; nil if the command writes text.
    var json: JSONLines?
    /// What another process gets to know that has asked for the command; nil if none has.
    var report: CommandReport?
    /// Files with values for variables of definitions, as the command line names them.
    var variableFiles: [String] = []
    /// Values for variables of definitions from the command line.
    var variables: [(name: String, value: String)] = []
    /// Texts that an editor holds in place of files of the definition, by their absolute paths without `.` and `..`.
    var openFiles: [String: [UInt8]] = [:]
    /// What an editor's server has parsed of the definition before.
    var parsedFiles: ParsedFiles?
    /// Reads standard input as octets, for a command that takes messages there.
    package var byteInput = ByteInput { _ in .end }
    /// The command line, without the program's name.
    var arguments: [String] = []
    /// How databases are reached and opened.
    var storeAccess = StoreAccess()
    /// What the command remembers about the databases it has opened.
    var session = StoreSession()
    /// What the command notes of its traffic with the mesh.
    var observation = MeshObservation()
    /// Reads one line without showing it; nil at the end of input and at Ctrl-C.
    package var readSecret: () -> String? = { nil }
    /// The cost of deriving a key from a passphrase, which is also the cost of a guess.
    package var scryptCost = Scrypt.Cost.standard
    /// The time limit for a key command. Somebody may have to find a token.
    package var keyCommandTimeout = Duration.seconds(60)
    /// Examines Bluetooth on this machine.
    var bluetooth: () -> BluetoothSurvey = { .now() }
    /// Whether values that a command no longer needs may stay until the process ends, which then comes soon.
    var skipsDeallocation = true
    /// Runs the commands for the networks of a fleet.
    var fleetWorkers = FleetWorkers.processes
    /// Says how many seconds local time is ahead of UTC at a time.
    var secondsAhead: (Timestamp) -> Int = { LocalTime.secondsAhead(at: $0.rawValue) }
    /// Waits while the server of a shared database is out of reach.
    var sleep: (Duration) -> Void = ThisProcess.sleep

    /// Effects of a process; those that only some commands have can be replaced later.
    package init(
        workingDirectory: String,
        environment: [String: String],
        output: Output,
        errorOutput: Output,
        terminal: Terminal,
        readLine: @escaping () -> String?,
        lineInput: LineInput,
        now: @escaping () -> Timestamp,
        randomBits: @escaping () -> UInt64,
        interrupts: Interrupts,
        process: ProcessIdentity,
        pause: @escaping (Duration) -> Void
    ) {
        self.workingDirectory = workingDirectory
        self.environment = environment
        self.output = output
        self.errorOutput = errorOutput
        self.terminal = terminal
        self.readLine = readLine
        self.lineInput = lineInput
        self.now = now
        self.randomBits = randomBits
        self.interrupts = interrupts
        self.process = process
        self.pause = pause
    }
}

/// Says which standard streams are terminals, and how wide.
package struct Terminal: Sendable {
    /// Whether standard input is a terminal, so that questions can be answered.
    package var isInputTerminal: Bool
    package var isOutputTerminal: Bool
    package var isErrorTerminal: Bool
    /// The number of columns, at least 20.
    package var width: Int

    /// A terminal. If no stream is one, `width` should be 100.
    package init(isInputTerminal: Bool, isOutputTerminal: Bool, isErrorTerminal: Bool, width: Int) {
        self.isInputTerminal = isInputTerminal
        self.isOutputTerminal = isOutputTerminal
        self.isErrorTerminal = isErrorTerminal
        self.width = max(width, 20)
    }
}

/// Identifies the holder of a database's lock.
package struct ProcessIdentity: Sendable {
    package var number: Int32
    package var user: String
    /// The machine's name.
    package var host: String
}

/// The random generator of a context.
package struct ContextRandomNumbers: RandomNumberGenerator {
    let bits: () -> UInt64

    package mutating func next() -> UInt64 { bits() }
}

extension Context {
    /// The octets of a file that somebody else may have written, or put in place: of a definition, of what it names, of
    /// settings, devices, values or secrets.
    ///
    /// The file is a regular one, and lies in its repository or folder wherever links lead. Only what a user types as
    /// `/dev/stdin`, or a shell makes of `<(…)`, is read as a stream; see ``isStream(_:)``.
    ///
    /// - Parameters:
    ///   - path: as the user knows it.
    ///   - folders: where the file must lie; nil for the repository of a path that the user typed.
    ///   - limit: the most octets it may have.
    ///   - isSecret: whether to refuse a file that others than its owner may use.
    func read(
        _ path: String,
        inside folders: [String]? = nil,
        limit: Int = DefinitionFiles.sizeLimit,
        isSecret: Bool = false
    ) throws(FileError) -> [UInt8] {
        if folders == nil, isStream(path) {
            return try Files.read(path, as: path, limit: limit, isSecret: isSecret)
        }
        return try Files.read(
            absolute(path),
            as: path,
            inside: folders ?? [repository(of: path)],
            limit: limit,
            isSecret: isSecret
        )
    }

    /// The octets of a file of the user's own, which may lie anywhere, wherever links lead; or of a stream.
    ///
    /// - Throws: ``FileError`` if it cannot be read, or is no regular file.
    func readOwn(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
        try isStream(path) ? read(path, limit: limit) : read(path, inside: ["/"], limit: limit)
    }

    /// Whether a path that the user typed, or a shell made, means what is open in this process, and no file:
    /// `/dev/stdin`, or the numbers that shells write for `<(…)`, as in `/dev/fd/63` and `/proc/self/fd/63`.
    ///
    /// The folder is resolved before this is decided: `/dev/fd/../x` is a file in `/dev`, and `/proc/self` leads to the
    /// number of this process. A link that somebody has put elsewhere is none, wherever it leads.
    func isStream(_ path: String) -> Bool {
        guard path.hasPrefix("/dev/") || path.hasPrefix("/proc/"), let slash = path.lastIndex(of: "/"),
            let folder = Files.resolved(Files.folder(of: path))
        else { return false }
        let name = path[path.index(after: slash)...]
        if name == "stdin" { return folder == "/dev" }
        guard !name.isEmpty, name.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
            return false
        }
        // The folder that Linux calls /proc/self/fd, and its like for a thread, have the number of the process in it.
        let own = ["/dev/fd", "/proc/self/fd", "/proc/thread-self/fd"].compactMap(Files.resolved)
        return own.contains(folder)
    }

    /// The folder of the repository that a path lies in, or else the folder that holds it, without links.
    func repository(of path: String) -> String {
        let absolute = absolute(path)
        let start = Files.kind(absolute) == .folder ? absolute : Files.folder(of: absolute)
        let folder = Files.resolved(start) ?? start
        var candidate = folder
        while candidate != "/" {
            if Files.kind(candidate + "/.git") != nil { return candidate }
            candidate = Files.folder(of: candidate)
        }
        return folder
    }
}

extension Context {
    /// The effects of the real process.
    package static func system() -> Context {
        let interrupts = Signals.prepare()
        let input = StandardInput(interrupts: interrupts)
        let terminal = Terminal(
            isInputTerminal: StandardStreams.isTerminal(.input),
            isOutputTerminal: StandardStreams.isTerminal(.output),
            isErrorTerminal: StandardStreams.isTerminal(.error),
            width: StandardStreams.terminalWidth()
        )
        var context = Context(
            Effects(
                workingDirectory: ThisProcess.workingFolder(),
                environment: ThisProcess.environment(),
                output: output(to: .output),
                errorOutput: output(to: .error),
                terminal: terminal,
                readLine: { input.read() },
                lineInput: LineInput(
                    poll: { input.pollLine() },
                    discard: { input.discard() },
                    descriptor: StandardStreams.inputDescriptor
                ),
                now: { Timestamp(rawValue: ThisProcess.secondsSince1970()) },
                randomBits: {
                    var generator = SystemRandomNumberGenerator()
                    return generator.next()
                },
                interrupts: interrupts,
                process: ProcessIdentity(
                    number: ThisProcess.number,
                    user: ThisProcess.userName(),
                    host: ThisProcess.hostName()
                ),
                pause: { ThisProcess.pause(for: $0, orUntil: interrupts.wakeUp) }
            )
        )
        context.clock = { ThisProcess.millisecondsSince1970() }
        context.byteInput = .descriptor(StandardStreams.inputDescriptor, wakeUp: interrupts.wakeUp)
        context.readSecret = { input.readHidden() }
        return context
    }

    private static func output(to stream: StandardStreams.Stream) -> Output {
        Output { text in
            switch StandardStreams.write(text, to: stream) {
            case nil: nil
            case .closed: .closed
            case .failed(let reason): .failed(reason)
            }
        }
    }
}
