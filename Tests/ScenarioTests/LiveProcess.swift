import Foundation
import TestSupport

/// A running program whose output a test reads, and into which it types.
final class LiveProcess {
    /// The connection to the program.
    enum Connection {
        /// A terminal, as for a person. Output and errors come together.
        case terminal
        /// Pipes, as in a script. Output and errors come together.
        case pipes
    }

    private let process: SpawnedProcess
    private let reading: Int32
    private let writing: Int32
    private var unread: [UInt8] = []
    /// The whole output so far.
    private(set) var transcript = ""

    /// The seconds that a test waits for a text: far more than any machine takes.
    private static let patience = 120

    /// Starts a program in a folder.
    init(_ program: URL, _ arguments: [String], in folder: URL, through connection: Connection) throws {
        let childEnds: [Int32]
        switch connection {
        case .terminal:
            let (ours, theirs) = try SpawnedProcess.terminal()
            (reading, writing) = (ours, ours)
            childEnds = [theirs]
        case .pipes:
            let (fromChild, toParent) = try SpawnedProcess.pipe()
            let (fromParent, toChild) = try SpawnedProcess.pipe()
            (reading, writing) = (fromChild, toChild)
            childEnds = [fromParent, toParent]
        }
        defer { for end in childEnds { _ = close(end) } }
        process = try SpawnedProcess(
            [program.path] + arguments,
            in: folder.path,
            with: ["NO_COLOR": "1", "TERM": "xterm", "LANG": "C.UTF-8"],
            input: childEnds[0],
            output: childEnds[childEnds.count - 1]
        )
    }

    deinit {
        process.signal(SIGTERM)
        _ = close(reading)
        if writing != reading { _ = close(writing) }
    }

    /// Waits until the program writes a text after the one that was last waited for.
    ///
    /// - Returns: the output up to the end of the text.
    @discardableResult
    func wait(for text: String) throws -> String {
        let wanted = Array(text.utf8)
        let deadline = ContinuousClock.now.advanced(by: .seconds(Self.patience))
        while true {
            if let range = unread.firstRange(of: wanted) {
                let seen = String(decoding: unread[..<range.upperBound], as: UTF8.self)
                unread.removeSubrange(..<range.upperBound)
                return seen
            }
            guard ContinuousClock.now < deadline else {
                throw ScenarioError("`\(text)` does not come after \(Self.patience) s:\n\(transcript)")
            }
            guard try read() else { throw ScenarioError("the program ends without `\(text)`:\n\(transcript)") }
        }
    }

    /// Whether the program has written a text so far, without waiting for it.
    func hasWritten(_ text: String) throws -> Bool {
        while try take(waiting: 0) == .some {}
        return transcript.contains(text)
    }

    /// The rest of the line after the text that was last waited for.
    func restOfLine() throws -> String {
        try wait(for: "\n").trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Types a line.
    func type(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(writing, $0.baseAddress, $0.count) }
    }

    /// The number of the process.
    var number: Int32 { process.number }

    /// Sends a signal to the program.
    func signal(_ signal: Int32) { process.signal(signal) }

    /// Asks the program to end, as `kill` does.
    func interrupt() { process.signal(SIGINT) }

    /// Reads until the program ends.
    ///
    /// - Returns: the exit status.
    func finish() throws -> Int32 {
        let deadline = ContinuousClock.now.advanced(by: .seconds(Self.patience))
        while try read() {
            guard ContinuousClock.now < deadline else {
                throw ScenarioError("the program does not end:\n\(transcript)")
            }
        }
        return process.waitForEnd().status
    }

    /// Reads available output, or waits a little for it.
    ///
    /// - Returns: false if the program has ended and nothing is left.
    private func read() throws -> Bool { try take(waiting: 100) != .end }

    private enum Taken {
        case some, nothing, end
    }

    /// Reads available output.
    ///
    /// - Parameter milliseconds: how long to wait for output.
    private func take(waiting milliseconds: Int32) throws -> Taken {
        let hasEnded = !process.isRunning
        var request = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, hasEnded ? 0 : milliseconds) > 0 else { return hasEnded ? .end : .nothing }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(reading, &buffer, buffer.count)
        // If its other end is closed, a terminal gives an error instead of the end of input.
        guard count > 0 else {
            process.waitForEnd()
            return .end
        }
        unread += buffer[..<count]
        transcript += String(decoding: buffer[..<count], as: UTF8.self)
        return .some
    }
}
