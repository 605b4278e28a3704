internal import MeshCore

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

extension Context {
    /// The effects of the real process.
    package static func system() -> Context {
        let interrupts = Signals.prepare()
        let input = StandardInput(interrupts: interrupts)
        let terminal = Terminal(
            isInputTerminal: isatty(STDIN_FILENO) == 1,
            isOutputTerminal: isatty(STDOUT_FILENO) == 1,
            isErrorTerminal: isatty(STDERR_FILENO) == 1,
            width: terminalWidth()
        )
        var context = Context(
            workingDirectory: currentDirectory(),
            environment: environmentVariables(),
            output: output(to: STDOUT_FILENO),
            errorOutput: output(to: STDERR_FILENO),
            terminal: terminal,
            readLine: { input.read() },
            lineInput: LineInput(
                poll: { input.pollLine() },
                discard: { input.discard() },
                descriptor: STDIN_FILENO
            ),
            now: { Timestamp(rawValue: Int64(time(nil))) },
            randomBits: {
                var generator = SystemRandomNumberGenerator()
                return generator.next()
            },
            interrupts: interrupts,
            process: ProcessIdentity(number: getpid(), user: userName(), host: hostName()),
            pause: { pause(for: $0, orUntil: interrupts.wakeUp) }
        )
        context.readSecret = { input.readHidden() }
        return context
    }

    /// Waits until the time has passed or the descriptor is readable.
    private static func pause(for duration: Duration, orUntil descriptor: Int32?) {
        let parts = duration.components
        let milliseconds = Int32(clamping: parts.seconds * 1_000 + parts.attoseconds / 1_000_000_000_000_000)
        var watched = pollfd(fd: descriptor ?? -1, events: Int16(POLLIN), revents: 0)
        _ = poll(&watched, 1, max(milliseconds, 0))
    }

    private static func output(to number: Int32) -> Output {
        Output { text in
            let error = Files.writeAll(Array(text.utf8), to: number)
            if error == 0 { return nil }
            return error == EPIPE ? .closed : .failed(Files.text(ofError: error))
        }
    }

    private static func terminalWidth() -> Int {
        for stream in [STDOUT_FILENO, STDERR_FILENO] {
            var size = winsize()
            if ioctl(stream, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        }
        return 80
    }

    private static func currentDirectory() -> String {
        var buffer = [CChar](repeating: 0, count: 65_536)
        guard getcwd(&buffer, buffer.count) != nil else { return "." }
        return text(buffer)
    }

    private static func environmentVariables() -> [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let parts = String(cString: entry).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            next += 1
        }
        return variables
    }

    private static func userName() -> String {
        if let entry = getpwuid(getuid()), let name = entry.pointee.pw_name { return String(cString: name) }
        return String(getuid())
    }

    private static func hostName() -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "?" }
        return text(buffer)
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Blocks the thread for a duration.
func systemSleep(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    var rest = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    var left = timespec()
    while nanosleep(&rest, &left) != 0, errno == EINTR { rest = left }
}
