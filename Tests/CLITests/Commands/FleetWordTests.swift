import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan fleet: what others can write never becomes an option")
struct FleetWordTests {
    private static let hostile = "--key-command=id>PWNED;#.yaml"

    @Test(
        "A file whose name looks like an option is a file",
        arguments: [["fleet", "plan"], ["agent", "site", "--once"]]
    )
    func names(_ command: [String]) throws {
        let fixture = try CommandFixture()
        for (network, file) in [("kitchen", Self.hostile), ("hall", "hall.yaml")] {
            try fixture.write(
                "version: 1\nnetwork: \(network)\nsubnets: { home: { index: 0 } }\n",
                to: (command.contains("site") ? "site/" : "") + file
            )
            try #require(fixture.run("init", "--network", network).status == 0)
        }
        var calls: [[String]] = []
        fixture.fleetWorkers = FleetWorkers { workers, context, next, tell in
            let noted = { () -> (number: Int, call: FleetCall)? in
                let call = next()
                if let call { calls.append(call.call.arguments) }
                return call
            }
            FleetWorkers.inThisProcess.run(workers, context, noted, tell)
        }
        let result = fixture.run(command)
        #expect([0, 2].contains(result.status), "\(result.combined)")
        #expect(fixture.read("PWNED") == nil)
        let words = try #require(calls.first { $0.contains("--network=kitchen") })
        #expect(words.suffix(2).first == "--" && words.last?.hasSuffix("/" + Self.hostile) == true, "\(words)")
    }

    @Test("Values keep to their options, and paths come last, behind the mark")
    func words() {
        let line: [ChildWord] = [
            .command(.apply), .path("-"), .option("--via", "--key-command=id"), .path("/a/b.yaml"), .flag("--json"),
        ]
        #expect(line.commandLine == ["apply", "--via=--key-command=id", "--json", "--", "./-", "/a/b.yaml"])
    }

    @Test(
        "Behind -- stands nothing that runs a program, opens another database, writes a file, or is not known",
        arguments: [
            ["--key-command", "id"], ["--key-command=id"], ["--state=postgres://x/y"], ["--key-file=x"],
            ["--out", "x"], ["--markdown=x"], ["--network", "x"], ["--nonsense"], ["shop.yaml"], ["--seeds", "2"],
            ["--var"],
        ]
    )
    func behindMark(_ words: [String]) throws {
        let fixture = try FleetCommandTests.shops()
        fixture.fleetWorkers = FleetWorkers { _, _, _, _ in Issue.record("something was begun") }
        let apply = ["fleet", "apply", "--auto-approve", "--devices", "devices/all.yaml", "--"]
        let result = fixture.run(apply + words)
        #expect(result.status == 64, "\(result.combined)")
        #expect(result.error.contains("--"))
    }

    @Test("What chooses the contents of an apply chooses those of its plan, too")
    func choosing() throws {
        let words = ["--listen", "1s", "--var", "v=two", "--allow=last-relay", "--destroy", "--node", "x", "--ttl=3"]
        let extra = try FleetExtra(words)
        #expect(extra.choosing.commandLine == ["--var=v=two", "--allow=last-relay", "--destroy", "--node=x"])
        // A value is none of the options, whatever it looks like.
        #expect(try FleetExtra(["--listen", "--var"]).choosing == [])
        #expect(extra.variables.commandLine == ["--var=v=two"])
    }

    @Test("What is taken by plan and apply goes to both, unless it only says how the mesh or the database is reached")
    func common() throws {
        let help = try CommandFixture().run("--experimental-dump-help").output
        let root = try JSONDecoder().decode(CommandTables.Root.self, from: Data(help.utf8))
        let commands = root.command.subcommands ?? []
        func options(_ name: String) -> Set<String> {
            let arguments = commands.first { $0.commandName == name }?.arguments ?? []
            return Set(arguments.flatMap { $0.names ?? [] }.filter { $0.kind == "long" }.map { "--" + $0.name })
        }
        let reaching: Set = [
            "--adapter", "--via", "--connections", "--proxy", "--window", "--hops", "--ttl", "--iv-index", "--radio",
            "--capture", "--secrets", "--devices", "--models", "--off", "--deaf", "--fail", "--loss", "--seed",
        ]
        let showing: Set = [
            "--full", "--verbose", "--json", "--log-level", "--log-file", "--metrics", "--help", "--version",
        ]
        let opening: Set = [
            "--network", "--state", "--key-file", "--key-command", "--passphrase-file", "--accept-older",
        ]
        let both = options("plan").intersection(options("apply"))
        for name in both.subtracting(reaching).subtracting(showing).subtracting(opening).sorted() {
            let extra = (try? FleetExtra([name])) ?? (try? FleetExtra([name + "=x"]))
            #expect(extra?.choosing.count == 1, "\(name)")
        }
        #expect(both.isSuperset(of: ["--remove", "--reset", "--destroy", "--node", "--var", "--allow"]))
    }

    @Test("What leaves the definition for one apply is planned, approved and applied alike", arguments: [false, true])
    func removing(_ showsDetails: Bool) throws {
        let fixture = try FleetCommandTests.shops()
        let details = showsDetails ? ["--details"] : []
        let apply = ["fleet", "apply", "--auto-approve", "--devices", "devices/all.yaml"] + details
        try #require(fixture.run(apply).status == 0)
        let remove = ["--", "--remove=lamp-2", "--reset", "--allow=mass-removal"]
        let removed = fixture.run(apply + remove)
        #expect(removed.status == 0 && removed.output.contains("3 networks: 3 applied."), "\(removed.combined)")
        let again = fixture.run(["fleet", "plan", "--detailed-exitcode"] + remove)
        #expect(again.status == 0, "\(again.combined)")
        let wrong = fixture.run(apply + ["--", "--remove=floor=9"])
        #expect(wrong.status == 64 && wrong.combined.contains("floor=9"), "\(wrong.combined)")
    }

    @Test("A run in the tables of a team cannot give its workers other options either")
    func fromTable() throws {
        #expect(throws: Failure.self) { try FleetExtra(["--key-command", "id"]) }
        let extra = try FleetExtra(["--node", "-x", "--var=a=b", "--destroy", "--listen", "1s"])
        #expect(extra.words.commandLine == ["--node=-x", "--var=a=b", "--destroy", "--listen=1s"])
        #expect(extra.choosing.commandLine == ["--node=-x", "--var=a=b", "--destroy"])
        #expect(extra.variables.commandLine == ["--var=a=b"])
    }

    @Test("Saved plans without anything to apply end at once", arguments: [false, true])
    func nothingToApply(_ isJSON: Bool) throws {
        let fixture = try FleetCommandTests.shops()
        let apply = ["fleet", "apply", "--auto-approve", "--devices", "devices/all.yaml"]
        try #require(fixture.run(apply).status == 0)
        try #require(fixture.run("fleet", "plan", "--out", "plans").status == 0)
        var pauses = 0
        fixture.whilePausing = { pauses += 1 }
        fixture.interruptCount = { pauses }
        let result = fixture.run(apply + ["--plan", "plans"] + (isJSON ? ["--json"] : []))
        #expect(result.status == 0, "\(result.combined)")
        #expect(pauses == 0 && !result.output.contains("fleet_run\""), "no run is made")
    }

    @Test("A command to repeat gets its further options before the mark")
    func repeated() throws {
        var text = ""
        _ = try CommandFixture().run { context in
            var context = context
            context.arguments = ["refresh", "--via=simulator", "--", "./-x.yaml"]
            text = RepeatedCommand(context).text(["--node", "a"], usual: "meshplan refresh")
        }
        #expect(text == "meshplan refresh --via=simulator --node a -- ./-x.yaml")
    }
}
