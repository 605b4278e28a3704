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
package struct ProgramPool {
    /// What to run.
    package struct Program: Sendable {
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

    /// The longest line that is passed on; the rest of a longer one is dropped.
    private static let longestLine = 16 << 20

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
        // Where children are ignored, as some programs that start us have it, nobody is told how they ended.
        signal(SIGCHLD, SIG_DFL)
        var running: [Running] = []
        var passed = interrupts.count()
        while true {
            while running.count < workers, let (number, program) = next() {
                do throws(Failure) {
                    running.append(try Running(number, program))
                } catch {
                    tell(number, .notStarted(error.reason))
                }
            }
            guard !running.isEmpty else { return }
            let signals = interrupts.count()
            while passed < signals {
                for program in running { kill(-program.process, interrupts.first() ?? SIGINT) }
                passed += 1
            }
            wait(for: running)
            for program in running { program.read(tell) }
            running.removeAll { $0.hasEnded(tell) }
        }
    }

    private func wait(for running: [Running]) {
        var requests = running.flatMap(\.open).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        // A program that prints nothing any more ends at once, and its place is wanted. Signals are looked for now and
        // then.
        let isEnding = running.contains { $0.open.isEmpty }
        _ = poll(&requests, nfds_t(requests.count), isEnding ? 2 : 100)
    }

    private struct Failure: Error {
        var reason: String
    }

    /// A program that was started.
    private final class Running {
        let number: Int
        let process: pid_t
        private var streams: [(descriptor: Int32, isOutput: Bool, line: [UInt8])]

        /// What can still be read from.
        var open: [Int32] { streams.map(\.descriptor) }

        init(_ number: Int, _ program: Program) throws(Failure) {
            self.number = number
            let (output, errors) = (try Running.pipe(), try Running.pipe())
            defer { for end in [output.write, errors.write] { close(end) } }
            do {
                process = try Running.spawn(program, output.write, errors.write)
            } catch {
                for end in [output.read, errors.read] { close(end) }
                throw error
            }
            streams = [(output.read, true, []), (errors.read, false, [])]
        }

        /// Reads what is there.
        func read(_ tell: (Int, Event) -> Void) {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            for index in streams.indices.reversed() {
                let (descriptor, isOutput, _) = streams[index]
                while true {
                    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    guard poll(&request, 1, 0) > 0 else { break }
                    #if canImport(Glibc)
                    let count = Glibc.read(descriptor, &buffer, buffer.count)
                    #elseif canImport(Musl)
                    let count = Musl.read(descriptor, &buffer, buffer.count)
                    #else
                    let count = Darwin.read(descriptor, &buffer, buffer.count)
                    #endif
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else {
                        if !streams[index].line.isEmpty { finish(index, isOutput, tell) }
                        close(descriptor)
                        streams.remove(at: index)
                        break
                    }
                    var rest = buffer[..<count]
                    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                        extend(index, rest[..<end])
                        finish(index, isOutput, tell)
                        rest = rest[(end + 1)...]
                    }
                    extend(index, rest)
                }
            }
        }

        private func extend(_ index: Int, _ bytes: ArraySlice<UInt8>) {
            streams[index].line += bytes.prefix(ProgramPool.longestLine - streams[index].line.count)
        }

        private func finish(_ index: Int, _ isOutput: Bool, _ tell: (Int, Event) -> Void) {
            let text = String(decoding: streams[index].line, as: UTF8.self)
            streams[index].line.removeAll(keepingCapacity: true)
            tell(number, isOutput ? .output(text) : .errors(text))
        }

        /// Whether it has ended and everything that it printed was read.
        func hasEnded(_ tell: (Int, Event) -> Void) -> Bool {
            guard streams.isEmpty else { return false }
            var status: Int32 = 0
            let found = waitpid(process, &status, WNOHANG)
            if found == 0 || (found < 0 && errno == EINTR) { return false }
            guard found == process else {
                tell(number, .notStarted("how it ended is lost: " + FileError.text(ofError: errno)))
                return true
            }
            let signal = status & 0x7F
            tell(number, signal == 0 ? .ended(status >> 8 & 0xFF) : .killed(signal))
            return true
        }

        private static func pipe() throws(Failure) -> (read: Int32, write: Int32) {
            var ends: [Int32] = [-1, -1]
            #if canImport(Glibc)
            let made = Glibc.pipe(&ends)
            #elseif canImport(Musl)
            let made = Musl.pipe(&ends)
            #else
            let made = Darwin.pipe(&ends)
            #endif
            guard made == 0 else { throw Failure(reason: FileError.text(ofError: errno)) }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return (ends[0], ends[1])
        }

        private static func spawn(_ program: Program, _ output: Int32, _ errors: Int32) throws(Failure) -> pid_t {
            #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
            #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
            #endif
            posix_spawn_file_actions_init(&actions)
            posix_spawnattr_init(&attributes)
            defer {
                posix_spawn_file_actions_destroy(&actions)
                posix_spawnattr_destroy(&attributes)
            }
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
            posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
            // Otherwise it would inherit our ignored signals.
            var signals = sigset_t()
            sigemptyset(&signals)
            for number in Signals.ignored { sigaddset(&signals, number) }
            posix_spawnattr_setsigdefault(&attributes, &signals)
            posix_spawnattr_setpgroup(&attributes, 0)
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
            // Not all systems can change the folder while they start a program; the shell can. Some shells end with 2
            // where there is no such folder, which means something else as the status of the program.
            let script = ["/bin/sh", "-c", #"cd "$0" || exit 126; exec "$@""#, program.folder] + program.arguments
            var arguments: [UnsafeMutablePointer<CChar>?] = script.map { strdup($0) } + [nil]
            var variables: [UnsafeMutablePointer<CChar>?] =
                program.environment.map { strdup("\($0)=\($1)") } + [nil]
            defer { for text in arguments + variables { free(text) } }
            var process: pid_t = 0
            let error = posix_spawn(&process, "/bin/sh", &actions, &attributes, &arguments, &variables)
            guard error == 0 else { throw Failure(reason: FileError.text(ofError: error)) }
            return process
        }
    }
}
