internal import MeshCore
internal import Store

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Runs the command that prints a secret, as `/bin/sh -c` does, with the environment and without standard input. Passes
/// on its standard error while it runs, because the command may ask for a token or a finger.
///
/// The command comes from the command line or the environment, never from a database: a file that somebody else can
/// write must not be able to name a program to run. Neither the command nor its output is ever shown.
struct KeyCommand {
    var context: Context
    /// The most octets of standard error to pass on.
    private static let talkLimit = 64 * 1024

    /// The secret that the command prints.
    ///
    /// - Parameter command: the command line for the shell.
    /// - Throws: ``Failure`` if it cannot be run, fails, takes longer than ``Context/keyCommandTimeout``, or prints too
    ///   much; ``StoreError`` if it does not print a secret.
    func key(_ command: String) throws -> DatabaseKey {
        guard !command.trimmed.isEmpty else {
            throw Failure(.usage, "the key command is empty", hint: "Say which command prints the secret.")
        }
        var (output, talk) = (try pipe(), try pipe())
        defer {
            for end in [output.read, output.write, talk.read, talk.write] where end >= 0 { close(end) }
        }
        let process = try spawn(command, output: output.write, talk: talk.write)
        for end in [output.write, talk.write] { close(end) }
        (output.write, talk.write) = (-1, -1)
        let printed: [UInt8]
        do {
            printed = try collect(output.read, talk.read)
            try check(try wait(for: process.number, until: process.deadline))
        } catch {
            // Kills only the shell. A process group of its own could be killed as a whole, but its programs could not
            // use the terminal.
            kill(process.number, SIGKILL)
            _ = waitpid(process.number, nil, 0)
            throw error
        }
        return try DatabaseKey.command(printed: printed)

        func collect(_ output: Int32, _ talk: Int32) throws -> [UInt8] {
            var printed: [UInt8] = []
            var passed = 0
            var open = [output, talk]
            while !open.isEmpty {
                var requests = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                let left = ContinuousClock.now.duration(to: process.deadline)
                guard left > .zero else { throw late() }
                let milliseconds = Int32(min(left.components.seconds * 1000 + 10, 1000))
                guard poll(&requests, nfds_t(requests.count), milliseconds) > 0 else { continue }
                for request in requests where request.revents != 0 {
                    var buffer = [UInt8](repeating: 0, count: 4096)
                    let count = read(request.fd, &buffer, buffer.count)
                    if count < 0, errno == EINTR || errno == EAGAIN { continue }
                    guard count > 0 else {
                        open.removeAll { $0 == request.fd }
                        continue
                    }
                    if request.fd == output {
                        printed += buffer[..<count]
                        // Up to two characters of line break may follow.
                        guard printed.count <= DatabaseKey.greatestPrinted + 2 else {
                            throw Failure(
                                .failure,
                                "the key command prints more than \(DatabaseKey.greatestPrinted) octets",
                                hint: "Have it print the secret alone."
                            )
                        }
                    } else if passed < Self.talkLimit {
                        passed += count
                        context.errorOutput.write(String(decoding: buffer[..<count], as: UTF8.self))
                    }
                }
            }
            return printed
        }
    }

    private func late() -> Failure {
        Failure(
            .failure,
            "the key command has not ended after \(context.keyCommandTimeout.components.seconds) s and was stopped",
            hint: "Run it yourself to see what it waits for; it has no standard input."
        )
    }

    private func wait(for process: pid_t, until deadline: ContinuousClock.Instant) throws -> Int32 {
        var status: Int32 = 0
        while true {
            let found = waitpid(process, &status, WNOHANG)
            if found == process { return status }
            if found < 0, errno != EINTR { return 0 }
            guard ContinuousClock.now < deadline else { throw late() }
            // The command has closed its outputs and is about to end.
            usleep(2_000)
        }
    }

    private func check(_ status: Int32) throws(Failure) {
        let signal = status & 0x7F
        let code = status >> 8 & 0xFF
        guard signal != 0 || code != 0 else { return }
        let end = signal != 0 ? "was ended by signal \(signal)" : "ended with exit code \(code)"
        throw Failure(
            .failure,
            "the key command \(end)",
            hint: "Run it yourself to see why; it has to print the secret on standard output and end with 0."
        )
    }

    private func pipe() throws(Failure) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard systemPipe(&ends) == 0 else {
            throw Failure(.failure, "the key command cannot be run: \(Files.text(ofError: errno))")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private func spawn(
        _ command: String,
        output: Int32,
        talk: Int32
    ) throws(Failure) -> (number: pid_t, deadline: ContinuousClock.Instant) {
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
        posix_spawn_file_actions_adddup2(&actions, talk, STDERR_FILENO)
        // Otherwise the command would inherit our ignored signals.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in Signals.ignored { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var arguments: [UnsafeMutablePointer<CChar>?] = []
        for text in ["/bin/sh", "-c", command] { arguments.append(strdup(text)) }
        var variables: [UnsafeMutablePointer<CChar>?] = []
        for (name, value) in context.environment { variables.append(strdup("\(name)=\(value)")) }
        arguments.append(nil)
        variables.append(nil)
        defer { for text in arguments + variables { free(text) } }
        var process: pid_t = 0
        let error = posix_spawn(&process, "/bin/sh", &actions, &attributes, &arguments, &variables)
        guard error == 0 else {
            throw Failure(.failure, "the key command cannot be run: \(Files.text(ofError: error))")
        }
        return (process, ContinuousClock.now.advanced(by: context.keyCommandTimeout))
    }

    private func systemPipe(_ ends: inout [Int32]) -> Int32 {
        #if canImport(Darwin)
        Darwin.pipe(&ends)
        #else
        Glibc.pipe(&ends)
        #endif
    }
}
