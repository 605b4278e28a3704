internal import Bearers
package import MeshCore

/// All effects that a command can have beside the databases and files below its folder; tests hand in their own.
package struct Context {
    /// The folder that relative paths start from and that holds `.meshplan`, absolute.
    package var workingDirectory: String
    /// The environment variables.
    package var environment: [String: String]
    /// Where results go.
    package var output: Output
    /// Where talk, questions and errors go.
    package var errorOutput: Output
    /// What the terminal can show.
    package var terminal: Terminal
    /// Reads one line of the answer to a question, without its line break; nil at the end of input.
    package var readLine: () -> String?
    /// Reads lines that come, or do not, while something else goes on.
    package var lineInput: LineInput
    /// The calendar time.
    package var now: () -> Timestamp
    /// Cryptographically secure random bits.
    package var randomBits: () -> UInt64
    /// What signals have asked for.
    package var interrupts: Interrupts
    /// Who runs the command, for the lock of a database.
    package var process: ProcessIdentity
    /// Lets calendar time pass, or less of it if a signal arrives.
    package var pause: (Duration) -> Void
    /// Where the command writes its results as JSON, nil if it is to write text.
    var json: JSONLines?
    /// The command line, without the program's name.
    var arguments: [String] = []
    /// How databases are reached and opened.
    var storeAccess = StoreAccess()
    /// What the command remembers of the databases it has opened.
    var session = StoreSession()
    /// Reads one line without showing it; nil at the end of input and at Ctrl-C.
    package var readSecret: () -> String? = { nil }
    /// What a derivation from a passphrase costs whoever guesses.
    package var scryptCost = Scrypt.Cost.standard
    /// How long a key command may take: somebody may have to find a token.
    package var keyCommandTimeout = Duration.seconds(60)
    /// What this machine has of Bluetooth.
    var bluetooth: () -> BluetoothSurvey = { .now() }
    /// Lets time pass while the server of a shared database is out of reach.
    var sleep: (Duration) -> Void = systemSleep

    /// A context of the given effects.
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

    /// The random generator that keys and identifiers are made with.
    package var randomNumbers: ContextRandomNumbers { ContextRandomNumbers(bits: randomBits) }

    /// A path as system calls take it: relative ones start from ``workingDirectory``.
    package func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : workingDirectory + "/" + path
    }

    /// How to write to standard output.
    var style: Style { Style(terminal, isTerminal: terminal.isOutputTerminal, environment: environment) }

    /// How to write to standard error.
    var errorStyle: Style { Style(terminal, isTerminal: terminal.isErrorTerminal, environment: environment) }
}

/// What the standard streams are connected to.
package struct Terminal: Sendable {
    /// Whether standard input is a terminal, so that questions can be answered.
    package var isInputTerminal: Bool
    /// Whether standard output is a terminal.
    package var isOutputTerminal: Bool
    /// Whether standard error is a terminal.
    package var isErrorTerminal: Bool
    /// Columns, at least 20.
    package var width: Int

    /// A terminal; streams that are none have the width 100.
    package init(isInputTerminal: Bool, isOutputTerminal: Bool, isErrorTerminal: Bool, width: Int) {
        self.isInputTerminal = isInputTerminal
        self.isOutputTerminal = isOutputTerminal
        self.isErrorTerminal = isErrorTerminal
        self.width = max(width, 20)
    }
}

/// Standard input while nobody waits for it alone.
package struct LineInput {
    /// What there is to read.
    package enum Event: Hashable, Sendable {
        /// No whole line yet.
        case nothing
        /// A line without its line break.
        case line(String)
        /// Nothing more will come.
        case end
    }

    /// What there is to read now, without waiting.
    package var poll: () -> Event
    /// Throws away what somebody typed before being asked.
    package var discard: () -> Void
    /// What becomes readable when ``poll`` has something, if anything does.
    package var descriptor: Int32?

    /// An input of those parts.
    package init(poll: @escaping () -> Event, discard: @escaping () -> Void, descriptor: Int32? = nil) {
        self.poll = poll
        self.discard = discard
        self.descriptor = descriptor
    }
}

/// How often the user, or the system, has asked the process to end.
package struct Interrupts {
    /// Starts to count signals instead of being ended by them.
    package var arm: () -> Void
    /// Signals so far: after one, what is in flight is finished; after two, nothing is waited for.
    package var count: () -> Int
    /// The number of the first signal, nil before it and where it is not known.
    package var first: () -> Int32?
    /// A pipe that becomes readable when a signal arrives, if there is one.
    package var wakeUp: Int32?

    /// Interrupts that `count` counts once `arm` was called.
    package init(
        arm: @escaping () -> Void,
        count: @escaping () -> Int,
        first: @escaping () -> Int32? = { nil },
        wakeUp: Int32? = nil
    ) {
        self.arm = arm
        self.count = count
        self.first = first
        self.wakeUp = wakeUp
    }
}

/// Who holds the lock of a database.
package struct ProcessIdentity: Sendable {
    /// The process number.
    package var number: Int32
    /// The user's name.
    package var user: String
    /// The machine's name.
    package var host: String

    /// A process.
    package init(number: Int32, user: String, host: String) {
        self.number = number
        self.user = user
        self.host = host
    }
}

/// The random generator of a context.
package struct ContextRandomNumbers: RandomNumberGenerator {
    /// Where the bits come from.
    let bits: () -> UInt64

    /// 64 bits.
    package mutating func next() -> UInt64 { bits() }
}
