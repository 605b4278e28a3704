#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A program that was started, with what it prints. It is a process group of its own.
final class ChildProcess {
    /// Its number, which is also that of its group.
    let process: pid_t
    /// Where its standard input is written to; nil if it has none.
    private var input: Int32?
    private var streams: [(descriptor: Int32, isOutput: Bool, line: [UInt8])]

    /// The longest line that is passed on; the rest of a longer one is dropped.
    private static let longestLine = 16 << 20

    /// Why a program was not started, in the system's words.
    struct Failure: Error {
        var reason: String
    }

    /// What can still be read from. Empty once it has closed its output, as at its end.
    var open: [Int32] { streams.map(\.descriptor) }

    /// Starts a program.
    ///
    /// - Parameter takesInput: whether lines are sent to its standard input, which is empty otherwise.
    /// - Throws: ``Failure`` if the system cannot start it.
    init(_ program: ProgramPool.Program, takesInput: Bool) throws(Failure) {
        var ends: [Int32] = []
        func pipe() throws(Failure) -> (read: Int32, write: Int32) {
            do {
                let made = try ChildProcess.pipe()
                ends += [made.read, made.write]
                return made
            } catch {
                for end in ends { close(end) }
                throw error
            }
        }
        let (output, errors) = (try pipe(), try pipe())
        let input = takesInput ? try pipe() : nil
        do {
            process = try ChildProcess.spawn(program, input?.read, output.write, errors.write)
        } catch {
            for end in ends { close(end) }
            throw error
        }
        for end in [output.write, errors.write] + [input?.read].compactMap(\.self) { close(end) }
        self.input = input?.write
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
        kill(-process, SIGTERM)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

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
        var status: Int32 = 0
        let found = waitpid(process, &status, WNOHANG)
        if found == 0 || (found < 0 && errno == EINTR) { return nil }
        guard found == process else {
            return .notStarted("how it ended is lost: " + FileError.text(ofError: errno))
        }
        let signal = status & 0x7F
        return signal == 0 ? .ended(status >> 8 & 0xFF) : .killed(signal)
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

    private static func spawn(
        _ program: ProgramPool.Program,
        _ input: Int32?,
        _ output: Int32,
        _ errors: Int32
    ) throws(Failure) -> pid_t {
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
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
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
