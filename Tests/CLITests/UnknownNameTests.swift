import TestSupport
import Testing

@testable import MeshplanCLI

/// A name that nobody has takes no radio to be judged.
@Suite("Unknown names")
struct UnknownNameTests {
    static let commands: [[String]] = [
        ["apply", "--node", "nobody"], ["apply", "--tag", "room=nobody"], ["apply", "--proxy", "nobody"],
        ["plan", "--refresh", "all", "--node", "nobody"], ["plan", "--refresh", "all", "--proxy", "nobody"],
        ["refresh", "--node", "nobody"], ["refresh", "--proxy", "nobody"],
        ["keys", "refresh", "nobody"], ["keys", "refresh", "0", "--exclude", "nobody"],
        ["keys", "refresh", "0", "--proxy", "nobody"], ["identify", "nobody"],
        ["reprovision", "nobody", "--device-key"], ["node", "read-pages", "nobody"],
        ["node", "poll-timeout", "nobody", "mary"], ["node", "poll-timeout", "mary", "nobody"],
        ["node", "clear-solicitations", "nobody", "0x0010"], ["scan", "--through", "nobody"],
        ["get", "nobody"], ["get", "group.nobody"], ["get", "mary", "nobody"],
    ]

    @Test("are told before anything is connected to or listened for", arguments: commands)
    func beforeTheRadio(_ command: [String]) throws {
        let fixture = try CommandFixture.house()
        let result = fixture.run(command + ["--via", "unix:/nosuch"])
        let text = result.output + result.error
        #expect(result.status == 64 && text.contains("nobody"), "\(text)")
        #expect(!text.contains("cannot connect") && !text.contains("Listening") && !text.contains("Reading"), "\(text)")
    }
}
