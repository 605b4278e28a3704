#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Runs programs side by side, a limited number at a time, and passes on what they print line by line. Whatever the
/// number of programs, it keeps only unfinished lines.
///
/// Each program is a process group of its own without standard input. Signals reach it through ``interrupts``, once
/// each.
///
/// A program may also be a *server*, which is started once and then answers one request after another. It has one
/// request at a time, so a server that dies takes only that one along; another is started for the next.
package struct ProgramPool {
    /// What to run.
    package struct Program: Hashable, Sendable {
        /// The path of the program, then its arguments.
        package var arguments: [String]
        /// The folder in which it works.
        package var folder: String
        /// Its environment variables.
        package var environment: [String: String]

        /// A program with its arguments, folder and environment.
        package init(arguments: [String], folder: String, environment: [String: String]) {
            self.arguments = arguments
            self.folder = folder
            self.environment = environment
        }
    }

    /// What is to be done.
    package enum Work: Sendable {
        /// A program that runs to its end.
        case program(Program)
        /// A line that a server gets on its standard input. It answers with lines on its standard output, which begin
        /// with a mark (``Answer``).
        case request(String, of: Program)
    }

    /// The first octet of each line with which a server answers.
    package enum Answer {
        /// The rest is a line of output.
        package static let output = UInt8(ascii: "o")
        /// The rest is a line for standard error.
        package static let errors = UInt8(ascii: "e")
        /// The rest is the status with which the request has ended. The server waits for the next.
        package static let ended = UInt8(ascii: "=")
        /// The rest is the status with which the request has ended. The server ends, too.
        package static let endedLast = UInt8(ascii: ".")
    }

    /// What a program does.
    package enum Event: Hashable, Sendable {
        /// It has printed a line, without its line break.
        case output(String)
        /// It has written a line to standard error.
        case errors(String)
        /// It has ended by itself with this status.
        case ended(Int32)
        /// A signal with this number ended it.
        case killed(Int32)
        /// The system cannot start it, or does not tell how it ended: the reason in the system's words.
        case notStarted(String)
    }

    /// How many run at a time.
    package var workers: Int
    /// The signals of this process.
    package var interrupts: Interrupts

    /// A pool that runs at least one at a time.
    package init(workers: Int, interrupts: Interrupts) {
        self.workers = max(workers, 1)
        self.interrupts = interrupts
    }

    /// Runs programs until there are no more and all have ended.
    ///
    /// - Parameters:
    ///   - next: gives the next program with a number for it; nil if there is none at present. It is asked again when a
    ///     program has ended.
    ///   - tell: receives what each does. The last event of each is that it ended or was not started.
    package func run(_ next: () -> (number: Int, program: Program)?, _ tell: (Int, Event) -> Void) {
        work({ next().map { ($0.number, .program($0.program)) } }, tell)
    }

    /// Runs programs and lets servers answer requests until there are no more and all have ended.
    ///
    /// - Parameters:
    ///   - next: gives what is next with a number for it; nil if there is nothing at present. It is asked again when
    ///     something has ended.
    ///   - tell: receives what becomes of each. The last event of each is that it ended or was not started.
    package func work(_ next: () -> (number: Int, work: Work)?, _ tell: (Int, Event) -> Void) {
        // A server that has died is noticed by the failing write.
        signal(SIGPIPE, SIG_IGN)
        var running: [Running] = []
        var idle: [Running] = []
        var leaving: [Running] = []
        defer { for server in idle + leaving { server.child.dismiss() } }
        var passed = interrupts.count()
        while true {
            while running.count < workers, let (number, work) = next() {
                do throws(ShellProcess.Failure) {
                    running.append(try begun(number, work, among: &idle))
                } catch {
                    tell(number, .notStarted(error.reason))
                }
            }
            guard !running.isEmpty else { return }
            let signals = interrupts.count()
            while passed < signals {
                for program in running + idle { program.child.signal(interrupts.first() ?? SIGINT) }
                passed += 1
            }
            wait(for: running)
            for program in running { program.read(tell) }
            running.removeAll { program in
                guard let event = program.outcome() else { return false }
                tell(program.number, event)
                if program.isReusable {
                    idle.append(program)
                } else if program.isServer, !program.child.open.isEmpty {
                    leaving.append(program)
                }
                return true
            }
            leaving.removeAll { server in
                server.child.read { _, _ in }
                return server.child.end() != nil
            }
        }
    }

    /// Starts a program, or gives a request to a server, which is started if none is idle.
    private func begun(
        _ number: Int,
        _ work: Work,
        among idle: inout [Running]
    ) throws(ShellProcess.Failure) -> Running {
        switch work {
        case .program(let program):
            return Running(number, program, try ChildProcess(program, takesInput: false), isServer: false)
        case .request(let line, let program):
            while let index = idle.lastIndex(where: { $0.program == program }) {
                let server = idle.remove(at: index)
                if server.isAlive, server.child.send(line) {
                    server.begin(number)
                    return server
                }
                server.child.dismiss()
            }
            let server = Running(number, program, try ChildProcess(program, takesInput: true), isServer: true)
            // One that cannot be started tells why by its end.
            _ = server.child.send(line)
            return server
        }
    }

    private func wait(for running: [Running]) {
        var requests = running.flatMap(\.child.open).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        // A program that prints nothing any more ends at once, and its place is wanted. Signals are looked for now and
        // then.
        let isEnding = running.contains { $0.child.open.isEmpty }
        _ = poll(&requests, nfds_t(requests.count), isEnding ? 2 : 100)
    }
}

/// A program that runs, or a server with the request that it answers.
private final class Running {
    private(set) var number: Int
    let program: ProgramPool.Program
    let child: ChildProcess
    let isServer: Bool
    /// The status with which a server has ended its request.
    private var answer: Int32?
    private var isLast = false

    init(_ number: Int, _ program: ProgramPool.Program, _ child: ChildProcess, isServer: Bool) {
        self.number = number
        self.program = program
        self.child = child
        self.isServer = isServer
    }

    /// Whether a server can get another request.
    var isReusable: Bool { answer != nil && !isLast }

    /// Whether a server that has nothing to do is still there.
    var isAlive: Bool {
        child.read { _, _ in }
        return child.open.count == 2
    }

    /// Takes the next request.
    func begin(_ number: Int) {
        self.number = number
        answer = nil
    }

    /// Reads what is there.
    func read(_ tell: (Int, ProgramPool.Event) -> Void) {
        child.read { line, isOutput in
            guard isServer, isOutput else { return tell(number, isOutput ? .output(line) : .errors(line)) }
            // An accent behind the mark would make one character of both.
            let rest = String(decoding: line.utf8.dropFirst(), as: UTF8.self)
            switch line.utf8.first {
            case ProgramPool.Answer.output: tell(number, .output(rest))
            case ProgramPool.Answer.errors: tell(number, .errors(rest))
            case ProgramPool.Answer.ended: answer = Int32(rest)
            case ProgramPool.Answer.endedLast: (answer, isLast) = (Int32(rest), true)
            default: break
            }
        }
    }

    /// How the program, or the request of a server, has ended; nil if it has not.
    func outcome() -> ProgramPool.Event? {
        if let answer { return .ended(answer) }
        guard let end = child.end() else { return nil }
        if isServer, end == .ended(0) { return .notStarted("it ended without an answer") }
        return end
    }
}
