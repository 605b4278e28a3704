#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads standard input line by line, one octet at a time, to leave the rest for the next program.
package final class StandardInput {
    private let interrupts: Interrupts
    private var line: [UInt8] = []
    private var hasEnded = false

    /// The most octets of a line; more are discarded.
    private static let limit = 1024

    package init(interrupts: Interrupts) {
        self.interrupts = interrupts
    }

    /// Waits for one line; nil at the end of input and at a signal, so that Ctrl-C at a question means no.
    package func read() -> String? {
        let before = interrupts.count()
        while interrupts.count() == before {
            var requests = [pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)]
            if let wakeUp = interrupts.wakeUp { requests.append(pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0)) }
            guard poll(&requests, nfds_t(requests.count), -1) > 0, requests[0].revents != 0 else { continue }
            switch nextEvent() {
            case .line(let line): return line
            case .end: return nil
            case .nothing: continue
            }
        }
        return nil
    }

    /// Waits for one line without the terminal showing it. However the wait ends, the terminal then shows input again:
    /// signals are only counted in the meantime.
    package func readHidden() -> String? {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return read() }
        let numbers = [SIGINT, SIGTERM, SIGHUP]
        var handlers = numbers.map { _ in sigaction() }
        for (index, number) in numbers.enumerated() { sigaction(number, nil, &handlers[index]) }
        interrupts.arm()
        var hidden = settings
        hidden.c_lflag &= ~tcflag_t(ECHO)
        // Flushes earlier input: it was typed to be seen, not as a secret.
        _ = tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        defer {
            _ = tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
            for (index, number) in numbers.enumerated() { sigaction(number, &handlers[index], nil) }
        }
        return read()
    }

    /// Returns a line if a complete one is available, without waiting. Input without end must not keep the caller from
    /// everything else, so not much of a line is read at once.
    package func pollLine() -> LineInput.Event {
        for _ in 0..<Self.limit {
            guard !hasEnded else { return .end }
            var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            guard poll(&request, 1, 0) > 0, isInForeground else { return .nothing }
            let event = nextEvent()
            if event != .nothing { return event }
        }
        return .nothing
    }

    /// Discards what was typed before a question. The contents of a pipe or file stay.
    package func discard() {
        guard isatty(STDIN_FILENO) == 1 else { return }
        line = []
        _ = tcflush(STDIN_FILENO, TCIFLUSH)
    }

    /// Whether this process may read from the terminal: the system stops a background job that does.
    private var isInForeground: Bool {
        let group = tcgetpgrp(STDIN_FILENO)
        return group < 0 || group == getpgrp()
    }

    /// Reads one available octet.
    private func nextEvent() -> LineInput.Event {
        var octet: UInt8 = 0
        let count = systemRead(STDIN_FILENO, &octet, 1)
        if count < 0, errno == EINTR || errno == EAGAIN { return .nothing }
        guard count == 1 else {
            hasEnded = isatty(STDIN_FILENO) != 1 || count < 0
            return line.isEmpty ? .end : takeLine()
        }
        if octet == UInt8(ascii: "\n") { return takeLine() }
        if line.count < Self.limit { line.append(octet) }
        return .nothing
    }

    private func takeLine() -> LineInput.Event {
        defer { line = [] }
        return .line(String(decoding: line, as: UTF8.self))
    }
}

private func systemRead(_ number: Int32, _ buffer: inout UInt8, _ count: Int) -> Int { read(number, &buffer, count) }
