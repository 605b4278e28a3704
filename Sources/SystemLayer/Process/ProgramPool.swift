#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Lets programs carry out requests side by side, a limited number at a time, and passes on what they answer line by
/// line. Whatever the number of requests, it keeps only unfinished lines.
///
/// A program is started once and then answers one request after another, as a *server*. It has one request at a time,
/// so a server that dies takes only that one along; another is started for the next. Each is a process group of its
/// own. Signals reach it through ``interrupts``, once each.
package struct ProgramPool {
    /// What to run.
    package struct Program: Hashable, Sendable {
        /// The path of the program, then its arguments.
        package var arguments: [String]
        package var folder: String
        package var environment: [String: String]

        /// A program with its arguments, folder and environment.
        package init(arguments: [String], folder: String, environment: [String: String]) {
            self.arguments = arguments
            self.folder = folder
            self.environment = environment
        }
    }

    /// How far a server is with a request, by what it has told.
    package enum Progress: Sendable {
        /// It still works on it.
        case goesOn
        /// It has answered, and waits for the next.
        case answered
        /// It has answered, and ends.
        case leaves
    }

    /// What a program does.
    package enum Event: Hashable, Sendable {
        /// It has printed a line, without its line break.
        case output(String)
        /// It has written a line to standard error.
        case errors(String)
        case ended(Int32)
        /// A signal with this number ended it.
        case killed(Int32)
        /// The system cannot start it, or does not tell how it ended: the reason in the system's words.
        case notStarted(String)
    }

    /// How many run at a time.
    package var workers: Int
    package var interrupts: Interrupts

    /// A pool that runs at least one at a time.
    package init(workers: Int, interrupts: Interrupts) {
        self.workers = max(workers, 1)
        self.interrupts = interrupts
    }

    /// Lets servers answer requests until there are no more and all are answered.
    ///
    /// - Parameters:
    ///   - next: gives the next request, which is a line, with a number for it and its server; nil if there is nothing
    ///     at present. It is asked again when a request is answered.
    ///   - tell: receives what each does, and says how far it is. The last event of each is that with which it has
    ///     answered, or else that it ended or was not started.
    package func run(
        _ next: () -> (number: Int, request: String, server: Program)?,
        _ tell: (Int, Event) -> Progress
    ) {
        // A server that has died is noticed by the failing write.
        signal(SIGPIPE, SIG_IGN)
        var running: [Running] = []
        var idle: [Running] = []
        var leaving: [Running] = []
        defer { for server in idle + leaving { server.child.dismiss() } }
        var passed = interrupts.count()
        while true {
            while running.count < workers, let (number, request, server) = next() {
                do throws(ShellProcess.Failure) {
                    running.append(try begun(number, request, server, among: &idle))
                } catch {
                    _ = tell(number, .notStarted(error.reason))
                }
            }
            guard !running.isEmpty else { return }
            let signals = interrupts.count()
            while passed < signals {
                for server in running + idle { server.child.signal(interrupts.first() ?? SIGINT) }
                passed += 1
            }
            wait(for: running)
            for server in running { server.read(tell) }
            running.removeAll { server in
                switch server.progress {
                case .answered: idle.append(server)
                case .leaves: if !server.child.open.isEmpty { leaving.append(server) }
                case .goesOn:
                    guard let end = server.child.end() else { return false }
                    _ = tell(server.number, end)
                }
                return true
            }
            leaving.removeAll { server in
                server.child.read { _, _ in }
                return server.child.end() != nil
            }
        }
    }

    /// Gives a request to a server, which is started if none is idle.
    private func begun(
        _ number: Int,
        _ request: String,
        _ program: Program,
        among idle: inout [Running]
    ) throws(ShellProcess.Failure) -> Running {
        while let index = idle.lastIndex(where: { $0.program == program }) {
            let server = idle.remove(at: index)
            if server.isAlive, server.child.send(request) {
                server.begin(number)
                return server
            }
            server.child.dismiss()
        }
        let server = Running(number, program, try ChildProcess(program))
        // One that cannot be started tells why by its end.
        _ = server.child.send(request)
        return server
    }

    private func wait(for running: [Running]) {
        var requests = running.flatMap(\.child.open).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        // A program that prints nothing any more ends at once, and its place is wanted. Signals are looked for now and
        // then.
        let isEnding = running.contains { $0.child.open.isEmpty }
        _ = poll(&requests, nfds_t(requests.count), isEnding ? 2 : 100)
    }
}

/// A server with the request that it answers.
private final class Running {
    private(set) var number: Int
    let program: ProgramPool.Program
    let child: ChildProcess
    private(set) var progress = ProgramPool.Progress.goesOn

    init(_ number: Int, _ program: ProgramPool.Program, _ child: ChildProcess) {
        self.number = number
        self.program = program
        self.child = child
    }

    /// Whether a server that has nothing to do is still there.
    var isAlive: Bool {
        child.read { _, _ in }
        return child.open.count == 2
    }

    /// Takes the next request.
    func begin(_ number: Int) {
        self.number = number
        progress = .goesOn
    }

    /// Reads what is there, up to the end of the answer.
    func read(_ tell: (Int, ProgramPool.Event) -> ProgramPool.Progress) {
        child.read { line, isOutput in
            guard case .goesOn = progress else { return }
            progress = tell(number, isOutput ? .output(line) : .errors(line))
        }
    }
}
