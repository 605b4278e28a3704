import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("What apply says of doubts, resets, and what waits for others")
struct DoubtCommandTests {
    private let apply = ["apply", "--via", "simulator", "--auto-approve"]

    /// The example office, with its devices, and with the given change of their secrets.
    private func office(_ secrets: (String) -> String) throws -> CommandFixture {
        let fixture = try CommandFixture()
        let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../examples/office").standardizedFileURL
        for name in ["office.yaml", "devices"] {
            try FileManager.default.copyItem(
                at: examples.appending(path: name),
                to: fixture.folder.appending(path: name)
            )
        }
        let file = String(decoding: try #require(fixture.read("devices/secrets.csv")), as: UTF8.self)
        try fixture.writePrivate(secrets(file), to: "devices/secrets.csv")
        try #require(fixture.run("init", "--network", "office").status == 0)
        return fixture
    }

    @Test("Two hubs that fail to provision block what waits for them, in one line, and the definition is not blamed")
    func missingHubs() throws {
        let fixture = try office { text in
            // The first hub gets a wrong value, the second none.
            var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            lines[2] = lines[2].replacing(
                "27476f3e2a3f2e6da9e8c3bd4444336a941cb06db25ae80f018ccabbf02a8605",
                with: "00112233445566778899aabbccddeeff102132435465768798a9bacbdcedfe0f"
            )
            lines.remove(at: 3)
            return lines.joined(separator: "\n")
        }
        let result = fixture.run(
            apply + ["--devices", "devices/devices.yaml", "--secrets", "devices/secrets.csv"]
        )
        #expect(result.status == 4)
        #expect(!result.output.contains("Impossible with the nodes' compositions"), "\(result.output.suffix(3_000))")
        #expect(!result.output.contains("remove from the definition"))
        #expect(!result.error.contains("would no longer be a GATT proxy"), "\(result.error.suffix(2_000))")
        let waits = result.output.split(separator: "\n").filter { $0.contains(" waits for ") }
        #expect(!waits.isEmpty && waits.count <= 3, "\(waits)")
        #expect(
            waits.contains { $0.contains("waits for hub-1 or hub-2 (proxy), which are not nodes yet.") },
            "\(waits)"
        )
        let next = result.output.split(separator: "\n").filter { $0.hasPrefix("Next:") }
        #expect(next.count == 1, "\(next)")
        // The steps of the hubs that are not tried are counted. What other nodes would be told is told by its line, and
        // is no step yet.
        let blocked = try #require(result.output.firstMatch(of: #/blocked ([0-9]+)/#)?.1)
        #expect(try #require(Int(blocked)) == 10, "\(blocked)")
    }

    @Test("A bearer that cannot be used is an error, also where there is nothing to change")
    func noBearer() throws {
        let fixture = try CommandFixture.house()
        try #require(fixture.run(apply).status == 0)
        for route in ["unix:/nosuch", "tcp:localhost:1"] {
            let result = fixture.run("apply", "--via", route, "--auto-approve")
            #expect(result.output.hasPrefix("No changes."), "\(result.output)")
            #expect(result.status == 1 && result.error.contains("Error: cannot connect to \(route)"), "\(result.error)")
            let json = fixture.run("apply", "--via", route, "--auto-approve", "--json")
            #expect(json.status == 1 && json.output.contains(#""exit_code":1"#), "\(json.output.suffix(400))")
        }
    }

    @Test("A plan that was applied before is refused without an announcement, an estimate or a recap of zeros")
    func appliedBefore() throws {
        let fixture = try CommandFixture.house()
        try #require(fixture.run("plan", "--out", "house.mplan").status == 0)
        try #require(fixture.run("apply", "house.mplan", "--via", "simulator").status == 0)
        let again = fixture.run("apply", "house.mplan", "--via", "simulator")
        #expect(again.status == 7 && again.output == "", "\(again.output)")
        #expect(again.error.hasPrefix("Error: the plan was applied before\n"))
    }

    @Test("A silent node is counted once, and reading back is counted with its messages and its time")
    func silentNode() throws {
        let fixture = try CommandFixture.house()
        let first = fixture.run(apply + ["--off", "mary"])
        #expect(first.status == 4)
        #expect(first.output.contains("pending 1 node (1 step, 1 request in doubt)"), "\(first.output.suffix(600))")
        #expect(!first.output.contains(" 0,") && !first.output.contains("not started"))
        let second = fixture.run(apply + ["--off", "mary"])
        #expect(second.status == 4)
        #expect(second.output.contains(#/[1-9][0-9]* messages?/#), "\(second.output.suffix(600))")
        #expect(!second.output.contains(#/\b0 messages|\b0\.0 s/#))
    }

    @Test("A node of which it is known that it was reset is taken out, with what was in doubt about it")
    func wasReset() throws {
        let fixture = try CommandFixture.house()
        try #require(fixture.run(apply + ["--off", "mary"]).status == 4)
        fixture.answers = ["no"]
        #expect(fixture.run("node", "was-reset", "mary").status == 8)
        #expect(fixture.run("node", "was-reset", "mery").error.contains("Did you mean `mary`?"))
        let result = fixture.run("node", "was-reset", "mary", "--auto-approve")
        #expect(result.status == 0 && result.output.hasPrefix("mary (0x0105) has left the network; serial "))
        let repeated = fixture.run("node", "was-reset", "mary", "--auto-approve")
        #expect(repeated.status == 0 && repeated.output.contains("already, by the last command"), "\(repeated)")
        #expect(fixture.run("node", "was-reset", "mery", "--auto-approve").status == 64)
        let plan = fixture.run("plan")
        #expect(!plan.output.contains("may or may not have arrived"), "\(plan.output)")
        let state = fixture.run("state", "list")
        #expect(!state.output.contains("node.mary"))
        let own = fixture.run("node", "was-reset", "meshplan", "--auto-approve")
        #expect(own.status == 5 && own.error.contains("is meshplan's own node"), "\(own.output)\(own.error)")
        #expect(fixture.run("state", "verify").status == 0)
    }
}
