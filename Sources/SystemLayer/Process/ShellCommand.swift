#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Runs a command with `/bin/sh -c`, without standard input, and returns its output. Its standard error is passed on
/// while it runs.
package struct ShellCommand {
    /// Why there is no output.
    package enum Problem: Error, Hashable, Sendable {
        /// The system cannot start it: the reason in the system's words.
        case notStarted(String)
        /// It did not end in time, and was stopped.
        case late
        /// The system does not tell how it ended: the reason in its words. Nobody knows whether it succeeded.
        case lost(String)
        /// It printed more than allowed, and was stopped.
        case tooMuch
        /// A signal with this number ended it.
        case signalled(Int32)
        /// It ended by itself with this status, which is not 0.
        case failed(Int32)
    }

    private static let step = 4096

    package var environment: [String: String]
    package var timeout: Duration
    /// The most octets it may print.
    package var outputLimit: Int
    /// More octets of standard error than this are not passed on.
    package var talkLimit: Int

    package init(environment: [String: String], timeout: Duration, outputLimit: Int, talkLimit: Int) {
        self.environment = environment
        self.timeout = timeout
        self.outputLimit = outputLimit
        self.talkLimit = talkLimit
    }

    /// Runs a command.
    ///
    /// - Parameters:
    ///   - command: for the shell.
    ///   - talk: receives its standard error.
    /// - Returns: its standard output.
    /// - Throws: ``Problem`` if it did not start or did not succeed; it has then ended or been killed.
    package func run(_ command: String, talk: ([UInt8]) -> Void) throws(Problem) -> [UInt8] {
        let output = try Pipe()
        let errors = try Pipe()
        let process = try start(command, output: output.write, talk: errors.write)
        let deadline = ContinuousClock.now.advanced(by: timeout)
        output.closeWritingEnd()
        errors.closeWritingEnd()
        do throws(Problem) {
            let printed = try collect(output.read, errors.read, until: deadline, talk)
            try check(try wait(for: process, until: deadline))
            return printed
        } catch {
            // Kills only the shell. A process group of its own could be killed as a whole, but its programs could not
            // use the terminal.
            process.end(by: SIGKILL, wholeGroup: false)
            throw error
        }
    }

    private func collect(
        _ output: Int32,
        _ errors: Int32,
        until deadline: ContinuousClock.Instant,
        _ talk: ([UInt8]) -> Void
    ) throws(Problem) -> [UInt8] {
        // Room for all of it, so that growing leaves no copies of a secret.
        var printed: [UInt8] = []
        printed.reserveCapacity(outputLimit + Self.step)
        var buffer = [UInt8](repeating: 0, count: Self.step)
        defer { ProcessMemory.overwrite(&buffer) }
        var passed = 0
        var open = [output, errors]
        while !open.isEmpty {
            var requests = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { throw .late }
            let milliseconds = Int32(min(left.components.seconds * 1000 + 10, 1000))
            guard poll(&requests, nfds_t(requests.count), milliseconds) > 0 else { continue }
            for request in requests where request.revents != 0 {
                let count = read(request.fd, &buffer, buffer.count)
                if count < 0, errno == EINTR || errno == EAGAIN { continue }
                guard count > 0 else {
                    open.removeAll { $0 == request.fd }
                    continue
                }
                if request.fd == output {
                    printed += buffer[..<count]
                    guard printed.count <= outputLimit else { throw .tooMuch }
                } else if passed < talkLimit {
                    passed += count
                    talk(Array(buffer[..<count]))
                }
            }
        }
        return printed
    }

    private func wait(
        for process: StartedProcess,
        until deadline: ContinuousClock.Instant
    ) throws(Problem) -> StartedProcess.End {
        while true {
            if let end = process.poll() { return end }
            guard ContinuousClock.now < deadline else { throw .late }
            // The command has closed its outputs and is about to end.
            usleep(2_000)
        }
    }

    private func check(_ end: StartedProcess.End) throws(Problem) {
        switch end {
        case .status(0): return
        case .status(let code): throw .failed(code)
        case .signal(let number): throw .signalled(number)
        case .lost(let reason): throw .lost(reason)
        }
    }

    private func start(_ command: String, output: Int32, talk: Int32) throws(Problem) -> StartedProcess {
        do throws(ShellProcess.Failure) {
            return try ShellProcess.start(["-c", command], environment: environment, output: output, errors: talk)
        } catch {
            throw .notStarted(error.reason)
        }
    }
}

/// A pipe that closes itself and is not inherited by other processes.
private final class Pipe {
    let read: Int32
    private(set) var write: Int32

    init() throws(ShellCommand.Problem) {
        guard let ends = PipeEnds.make(isBlocking: true) else { throw .notStarted(FileError.text(ofError: errno)) }
        (read, write) = ends
    }

    deinit {
        closeWritingEnd()
        close(read)
    }

    func closeWritingEnd() {
        if write >= 0 { close(write) }
        write = -1
    }
}
