import SystemLayer
import Testing

@Suite("Shell commands")
struct ShellCommandTests {
    private func run(
        _ command: String,
        timeout: Duration = .seconds(60),
        limit: Int = 100
    ) -> (printed: [UInt8]?, talk: String, problem: ShellCommand.Problem?) {
        let shell = ShellCommand(
            environment: ["PATH": "/usr/bin:/bin", "WORD": "mesh"],
            timeout: timeout,
            outputLimit: limit,
            talkLimit: 100
        )
        var talk = ""
        do throws(ShellCommand.Problem) {
            return (try shell.run(command) { talk += String(decoding: $0, as: UTF8.self) }, talk, nil)
        } catch {
            return (nil, talk, error)
        }
    }

    @Test("What a command prints is returned, what it says is passed on")
    func output() {
        let result = run("echo $WORD; echo wait >&2")
        #expect(result.printed == Array("mesh\n".utf8))
        #expect(result.talk == "wait\n")
    }

    @Test("Each way to fail is told apart")
    func problems() {
        #expect(run("exit 3").problem == .failed(3))
        #expect(run("kill -9 $$").problem == .signalled(9))
        #expect(run("echo 123456", limit: 3).problem == .tooMuch)
        #expect(run("exec sleep 60", timeout: .milliseconds(50)).problem == .late)
    }
}
