import Testing

@testable import SystemLayer

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@Suite("Started processes")
struct StartedProcessTests {
    private func start(_ script: String, output: Int32 = 1) throws -> StartedProcess {
        try ShellProcess.start(
            ["-c", script],
            environment: ["PATH": "/usr/bin:/bin"],
            output: output,
            errors: 2
        )
    }

    private func end(of process: StartedProcess) -> StartedProcess.End {
        while true {
            if let end = process.poll() { return end }
            usleep(1_000)
        }
    }

    @Test("How one ended is told as often as it is asked for")
    func ends() throws {
        let failing = try start("exit 3")
        #expect(end(of: failing) == .status(3))
        #expect(failing.poll() == .status(3))
        let killed = try start("kill -9 $$")
        #expect(end(of: killed) == .signal(9))
    }

    @Test("A number that is not ours is no success, and gets no signal")
    func foreign() throws {
        let pipe = try #require(PipeEnds.make(isBlocking: true))
        defer { close(pipe.read) }
        // Its parent ends at once, so it becomes another process's child.
        let parent = try start("sleep 60 >/dev/null 2>&1 & echo $!", output: pipe.write)
        close(pipe.write)
        #expect(end(of: parent) == .status(0))
        var digits = [UInt8](repeating: 0, count: 32)
        let count = read(pipe.read, &digits, digits.count)
        let number = try #require(Int32(String(decoding: digits.prefix(max(count - 1, 0)), as: UTF8.self)))
        defer { kill(number, SIGKILL) }

        let process = StartedProcess(number: number)
        process.end(by: SIGKILL, wholeGroup: false)
        process.signal(SIGKILL, wholeGroup: false)
        #expect(process.poll() == .lost(FileError.text(ofError: ECHILD)))
        #expect(kill(number, 0) == 0)
        let state = try String(decoding: Files.read("/proc/\(number)/stat", limit: 4_096), as: UTF8.self)
        #expect(!state.contains(") Z "), "it still runs")
    }

    @Test("Started processes do not have the ends of pipes", arguments: [true, false])
    func pipes(_ isBlocking: Bool) throws {
        let ends = try #require(PipeEnds.make(isBlocking: isBlocking))
        defer { for end in [ends.read, ends.write] { close(end) } }
        for end in [ends.read, ends.write] {
            #expect(fcntl(end, F_GETFD) & FD_CLOEXEC != 0)
            #expect((fcntl(end, F_GETFL) & O_NONBLOCK == 0) == isBlocking)
        }
    }
}
