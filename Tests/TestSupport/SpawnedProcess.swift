import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A process started with `posix_spawn`. Foundation's own way of starting one reads beyond a buffer, which the address
/// sanitizer takes for our fault.
final class SpawnedProcess {
    private let identifier: pid_t
    private let output: Int32
    private var status: Int32?

    /// Starts a program; the first argument is its path. What it writes, errors too, is read with ``readOutput()``, unless
    /// its input is kept, when nobody reads it.
    ///
    /// - Parameter keepsInput: whether its standard input ends only with this process.
    init(_ arguments: [String], keepsInput: Bool = false) throws {
        let (input, output) = (try SpawnedProcess.newPipe(), try SpawnedProcess.newPipe())
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.read, 0)
        if keepsInput {
            posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        } else {
            posix_spawn_file_actions_adddup2(&actions, output.write, 1)
        }
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        let pointers = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var identifier = pid_t()
        let error = posix_spawn(&identifier, arguments[0], &actions, nil, pointers, environ)
        close(input.read)
        close(output.write)
        if !keepsInput { close(input.write) }
        guard error == 0 else {
            close(output.read)
            throw PostgreSQLServer.Failure(description: "\(arguments[0]) cannot be started: error \(error)")
        }
        self.identifier = identifier
        self.output = output.read
    }

    deinit {
        close(output)
    }

    /// Everything that it writes until its end.
    func readOutput() -> String {
        var octets: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(output, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return String(decoding: octets, as: UTF8.self) }
            octets += buffer[..<count]
        }
    }

    /// Waits for its end.
    ///
    /// - Returns: its exit code, or 256 more than the number of the signal that ended it.
    func waitForEnd() -> Int32 { ended(options: 0) ?? -1 }

    /// Whether it has not ended yet.
    var isRunning: Bool { ended(options: WNOHANG) == nil }

    private func ended(options: Int32) -> Int32? {
        if let status { return status }
        var found = Int32()
        while waitpid(identifier, &found, options) != identifier {
            guard options == 0, errno == EINTR else { return nil }
        }
        let status = found & 0x7F == 0 ? found >> 8 & 0xFF : 256 + (found & 0x7F)
        self.status = status
        return status
    }

    /// A pipe of which no other process inherits an end.
    private static func newPipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        let result = pipe(&ends)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        guard result == 0 else { throw PostgreSQLServer.Failure(description: "no pipe: errno \(errno)") }
        return (ends[0], ends[1])
    }
}
