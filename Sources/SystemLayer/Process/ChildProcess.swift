#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A program that was started, with what it prints. It is a process group of its own.
final class ChildProcess {
    private let process: StartedProcess
    /// Where its standard input is written to; nil once that is closed.
    private var input: Int32?
    private var streams: [(descriptor: Int32, isOutput: Bool, line: [UInt8])]

    /// The longest line that is passed on; the rest of a longer one is dropped.
    private static let longestLine = 16 << 20

    /// What can still be read from. Empty once it has closed its output, as at its end.
    var open: [Int32] { streams.map(\.descriptor) }

    /// Starts a program.
    ///
    /// - Throws: ``ShellProcess/Failure`` if the system cannot start it.
    init(_ program: ProgramPool.Program) throws(ShellProcess.Failure) {
        var ends: [Int32] = []
        func pipe() throws(ShellProcess.Failure) -> (read: Int32, write: Int32) {
            guard let made = PipeEnds.make(isBlocking: true) else {
                let failure = ShellProcess.Failure(number: errno)
                for end in ends { close(end) }
                throw failure
            }
            ends += [made.read, made.write]
            return made
        }
        let (output, errors, input) = (try pipe(), try pipe(), try pipe())
        do {
            // Not all systems can change the folder while they start a program; the shell can. Some shells end with 2
            // where there is no such folder, which means something else as the status of the program.
            process = try ShellProcess.start(
                ["-c", #"cd "$0" || exit 126; exec "$@""#, program.folder] + program.arguments,
                environment: program.environment,
                input: input.read,
                output: output.write,
                errors: errors.write,
                isGroup: true
            )
        } catch {
            for end in ends { close(end) }
            throw error
        }
        for end in [output.write, errors.write, input.read] { close(end) }
        self.input = input.write
        streams = [(output.read, true, []), (errors.read, false, [])]
    }

    deinit {
        for stream in streams { close(stream.descriptor) }
        if let input { close(input) }
    }

    /// Sends a line to its standard input, which must take it at once.
    ///
    /// - Returns: whether it was sent.
    func send(_ line: String) -> Bool {
        guard let input else { return false }
        return StandardStreams.writeAll(Array(line.utf8) + [UInt8(ascii: "\n")], to: input) == 0
    }

    /// Asks it to end, and waits for that. This is for a program that has nothing to do.
    func dismiss() {
        if let input { close(input) }
        input = nil
        process.end(by: SIGTERM, wholeGroup: true)
    }

    /// Sends a signal to its group, unless it is known to have ended.
    func signal(_ number: Int32) { process.signal(number, wholeGroup: true) }

    /// Reads what is there, and passes on whole lines.
    func read(_ tell: (_ line: String, _ isOutput: Bool) -> Void) {
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
        streams[index].line += bytes.prefix(ChildProcess.longestLine - streams[index].line.count)
    }

    private func finish(_ index: Int, _ isOutput: Bool, _ tell: (String, Bool) -> Void) {
        let text = String(decoding: streams[index].line, as: UTF8.self)
        streams[index].line.removeAll(keepingCapacity: true)
        tell(text, isOutput)
    }

    /// How it has ended; nil as long as it runs, or something that it printed was not read.
    func end() -> ProgramPool.Event? {
        guard streams.isEmpty else { return nil }
        return switch process.poll() {
        case nil: nil
        case .status(let status)?: .ended(status)
        case .signal(let number)?: .killed(number)
        case .lost(let reason)?: .notStarted("how it ended is lost: " + reason)
        }
    }
}
