import CTestSupport
import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A process started with `posix_spawn` that inherits only its three standard streams.
///
/// It replaces Foundation's `Process`. To find descriptors to close, version 6.3.1 of that copies 256 octets of each
/// entry of `/proc/self/fd`. Entries are shorter, and now and then it crashes the tests by reading beyond the last one
/// (swift-corelibs-foundation #5472).
package final class SpawnedProcess: Sendable {
    /// How the process ended.
    package struct Ending: Sendable, Equatable {
        /// The exit status, or the number of the signal.
        package var status: Int32
        /// Whether a signal ended it.
        package var wasKilled: Bool
    }

    /// Why the process could not be started.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The number of the process.
    package let number: Int32
    private let ending = Mutex<Ending?>(nil)

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - arguments: the command line; the first argument is the program's path.
    ///   - folder: the working folder; nil for that of this process.
    ///   - variables: environment variables to add to those of this process, or to replace.
    ///   - input: the descriptor of its standard input; nil for an empty input.
    ///   - output: the descriptor of its standard output and error; nil to discard both.
    /// - Throws: ``Failure`` if it cannot be started.
    package init(
        _ arguments: [String],
        in folder: String? = nil,
        with variables: [String: String] = [:],
        input: Int32? = nil,
        output: Int32? = nil
    ) throws {
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
        if let folder { test_spawn_add_folder(&actions, folder) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        if let output {
            posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        // Another thread may just have opened a descriptor, and not yet marked it as close-on-exec.
        test_spawn_add_close_from(&actions, STDERR_FILENO + 1)
        #if canImport(Darwin)
        let closing = Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)
        #else
        let closing: Int32 = 0
        #endif
        // Pool threads block signals, and tests ignore some. The process must inherit neither.
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(
            &attributes,
            Int16(closing | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF))
        )
        let environment = ProcessInfo.processInfo.environment.merging(variables) { _, new in new }
        let argumentPointers = arguments.map { strdup($0) } + [nil]
        let variablePointers = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for pointer in argumentPointers + variablePointers { free(pointer) } }
        var number = pid_t()
        let error = posix_spawn(&number, arguments[0], &actions, &attributes, argumentPointers, variablePointers)
        guard error == 0 else {
            throw Failure(description: "\(arguments[0]) cannot be started: \(String(cString: strerror(error)))")
        }
        self.number = number
    }

    /// Runs a program to its end.
    ///
    /// - Returns: how it ended, and its output, including errors.
    package static func run(_ arguments: [String]) throws -> (ending: Ending, output: String) {
        let (reading, writing) = try pipe()
        let process: SpawnedProcess
        do {
            defer { close(writing) }
            process = try SpawnedProcess(arguments, output: writing)
        } catch {
            close(reading)
            throw error
        }
        let output = FileHandle(fileDescriptor: reading, closeOnDealloc: true)
        let octets = try output.readToEnd() ?? Data()
        return (process.waitForEnd(), String(decoding: octets, as: UTF8.self))
    }

    /// Whether the process is still running.
    package var isRunning: Bool {
        if ending.withLock({ $0 }) != nil { return false }
        var information = siginfo_t()
        if waitid(P_PID, id_t(number), &information, WEXITED | WNOWAIT | WNOHANG) != 0 { return false }
        return information.si_signo != SIGCHLD
    }

    /// Waits on this thread until the process ends.
    @discardableResult
    package func waitForEnd() -> Ending {
        if let known = ending.withLock({ $0 }) { return known }
        // Waits without reaping, because nobody may hold the lock for long and only its holder may reap: until then the
        // number stays ours.
        var information = siginfo_t()
        while waitid(P_PID, id_t(number), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        return ending.withLock { known in
            if let known { return known }
            var status = Int32()
            let found = waitpid(number, &status, 0)
            let signal = status & 0x7F
            let ending =
                found == number
                ? Ending(status: signal == 0 ? status >> 8 & 0xFF : signal, wasKilled: signal != 0)
                : Ending(status: -1, wasKilled: false)
            known = ending
            return ending
        }
    }

    /// Waits until the process ends, on a thread used for nothing else.
    package func end() async -> Ending {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: self.waitForEnd()) }
        }
    }

    /// Sends a signal to the process, unless it has ended.
    package func signal(_ signal: Int32) {
        // Holding the lock keeps the number from being given to another process in the meantime.
        ending.withLock { if $0 == nil { _ = kill(number, signal) } }
    }

    /// Both ends of a terminal that no process uses yet: ours, and the one for the process.
    package static func terminal() throws -> (ours: Int32, theirs: Int32) {
        var (ours, theirs): (Int32, Int32) = (-1, -1)
        let error = test_open_terminal(&ours, &theirs)
        guard error == 0 else {
            throw Failure(description: "there is no terminal: \(String(cString: strerror(error)))")
        }
        return (ours, theirs)
    }

    /// A pipe whose ends no spawned process inherits.
    package static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        #if canImport(Darwin)
        let result = Darwin.pipe(&ends)
        #else
        let result = Glibc.pipe(&ends)
        #endif
        guard result == 0 else { throw Failure(description: "there is no pipe: \(String(cString: strerror(errno)))") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
