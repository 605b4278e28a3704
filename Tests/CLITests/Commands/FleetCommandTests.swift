import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan fleet")
struct FleetCommandTests {
    /// Three shops with one definition, which differ in variables.
    static func shops(state: String? = nil) throws -> CommandFixture {
        let fixture = try CommandFixture()
        fixture.environment["MESHPLAN_STATE"] = state
        try fixture.write(
            """
            version: 1
            network: $(name)
            variables: { name: { type: text }, lamps: { type: number, default: 2 }, building: { type: text } }
            subnets: { building: { index: 0 } }
            application_keys: { lighting: { subnet: building } }
            groups: { lamps: { address: 0xC000 } }
            profiles:
              lamp: { elements: { 0: { generic-onoff-server: { keys: [lighting], subscribe: [lamps] } } } }
            nodes:
              lamp-$(n):
                for: { n: 1..$(lamps) }
                uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c0$(building)000$(n)
                profile: lamp
            tests:
              all of them: [{ set: group.lamps onoff on, within: 2s, expect: { nodes: lamp-*, onoff: on } }]

            """,
            to: "shop.yaml"
        )
        try fixture.write(
            """
            version: 1
            defaults:
              definition: shop.yaml
              folder: sites/$(network)
              variables: { name: $(network) }
              via: simulator
              tags: { chain: north }
            networks:
              graz-1: { variables: { building: 1 }, tags: { city: Graz } }
              graz-2: { variables: { building: 2, lamps: 3 }, tags: { city: Graz } }
              wien-1: { variables: { building: 3 }, tags: { city: Wien, chain: south } }

            """,
            to: "fleet.yaml"
        )
        var devices =
            "products:\n  lamp: { features: [relay, proxy], elements: [{ models: [generic-onoff-server] }] }\ndevices:\n"
        for building in 1...3 {
            for lamp in 1...3 {
                devices +=
                    "  lamp-\(building)-\(lamp): { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c0\(building)000\(lamp), product: lamp }\n"
            }
        }
        try fixture.write(devices, to: "devices/all.yaml")
        for site in ["graz-1", "graz-2", "wien-1"] {
            let folder = fixture.folder.appendingPathComponent("sites/\(site)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let own = CommandFixture(inSystemFolder: folder.path)
            own.environment = fixture.environment
            // Networks of a shared database differ in their lineage.
            if state != nil { own.random = SplitMix64(seed: site.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) }) }
            try #require(own.run("init", "--network", site).status == 0)
            // All networks of a shared database have one key.
            if state != nil {
                fixture.environment["MESHPLAN_KEY_FILE"] = fixture.folder.path + "/sites/graz-1/.meshplan/key"
            }
        }
        return fixture
    }

    @Test("Plans, applies, reads and tests many networks, with a line for each and one exit code")
    func wholeLife() throws {
        let fixture = try Self.shops()
        let plan = fixture.run("fleet", "plan", "--detailed-exitcode")
        expectSnapshot(plan.transcript, "fleet-plan.txt")
        #expect(plan.status == 2)
        #expect(fixture.run("fleet", "plan").status == 0)

        fixture.isTerminal = true
        fixture.answers = ["no"]
        #expect(fixture.run("fleet", "apply", "--devices", "devices/all.yaml").status == 8)
        fixture.answers = ["yes"]
        let applied = fixture.run("fleet", "apply", "--devices", "devices/all.yaml", "--select", "city=Graz")
        fixture.isTerminal = false
        #expect(applied.status == 0, "\(applied.combined)")
        expectSnapshot(applied.transcript.withoutRuns, "fleet-apply.txt")
        let next = fixture.run("fleet", "plan", "--json", "--detailed-exitcode")
        #expect(next.status == 2)
        #expect(next.output.contains(#""network":"graz-1","command":"plan","exit_code":0,"result":"up to date""#))
        #expect(next.output.contains(#""network":"wien-1","command":"plan","exit_code":2,"result":"changes""#))
        #expect(next.output.contains(#""results":{"up to date":2,"changes":1}"#))

        #expect(fixture.run("fleet", "plan", "--select", "network=graz-*", "--detailed-exitcode").status == 0)
        #expect(fixture.run("fleet", "drift", "--select", "city=Graz").status == 0)
        expectSnapshot(fixture.run("fleet", "status").transcript.withoutRuns, "fleet-status.txt")
        let tested = fixture.run("fleet", "test", "--select", "city=Wien")
        #expect(tested.status == 0 && tested.output.contains("1 network: 1 passed."), "\(tested.combined)")
        let read = fixture.run("fleet", "refresh", "--select", "city=Graz")
        #expect(read.status == 0 && read.output.contains("2 networks: 2 read back."), "\(read.combined)")
        let details = fixture.run("fleet", "plan", "--details", "--select", "network=wien-1")
        #expect(details.output.contains("  + node.lamp-1") || details.output.contains("lamp-1"), "\(details.output)")
    }

    @Test("A file with a passphrase is found from the folder of the command, whatever the folders of the networks")
    func passphrase() throws {
        let fixture = try Self.shops()
        try fixture.writePrivate("correct horse battery staple\n", to: "words")
        for site in ["graz-1", "graz-2", "wien-1"] {
            let own = CommandFixture(inSystemFolder: fixture.folder.path + "/sites/" + site)
            own.environment = fixture.environment
            let added = own.run("state", "key", "add", "--new-passphrase-file", "../../words")
            try #require(added.status == 0, "\(added.combined)")
            try fixture.put(nil, to: "sites/\(site)/.meshplan/key")
        }
        #expect(fixture.run("fleet", "status").status == 1)
        let status = fixture.run("fleet", "status", "--passphrase-file", "words")
        #expect(status.status == 0 && !status.output.contains("failed"), "\(status.combined)")
        let plan = fixture.run("fleet", "plan", "--passphrase-file", "words", "--detailed-exitcode")
        #expect(plan.status == 2, "\(plan.combined)")
        let applied = fixture.run(
            ["fleet", "apply", "--passphrase-file", "words", "--auto-approve", "--devices", "devices/all.yaml"]
        )
        #expect(applied.status == 0, "\(applied.combined)")
    }

    @Test("Waves end with the first that fails, and what is left is named")
    func waves() throws {
        let fixture = try Self.shops()
        // The first shop's database is gone.
        try FileManager.default.removeItem(
            at: fixture.folder.appendingPathComponent("sites/graz-2/.meshplan/key")
        )
        let planned = fixture.run("fleet", "plan")
        #expect(planned.status != 0 && planned.output.contains("graz-2"), "\(planned.combined)")
        // A device is missing, so the first stays partial.
        try fixture.write("products: {}\ndevices: {}\n", to: "devices/none.yaml")
        let stopped = fixture.run(
            "fleet",
            "apply",
            "--auto-approve",
            "--waves",
            "1,rest",
            "--devices",
            "devices/none.yaml",
            "--",
            "--listen",
            "1s"
        )
        #expect(stopped.status == 4, "\(stopped.combined)")
        #expect(stopped.output.contains("Wave 1 of 2: 1 network"))
        #expect(!stopped.output.contains("Wave 2"))
        #expect(
            stopped.output.contains("Stopped: 1 network failed, stayed partial or did not pass. 1 network not begun.")
        )
        let all = fixture.run(
            "fleet",
            "apply",
            "--auto-approve",
            "--waves",
            "1,rest",
            "--max-failures",
            "5",
            "--devices",
            "devices/all.yaml"
        )
        #expect(all.output.contains("Wave 2 of 2: 1 network"), "\(all.combined)")
        #expect(all.status == 4, "one network could not be planned")
    }

    @Test("A wave whose tests fail or whose nodes have drifted is the last one")
    func gates() throws {
        let fixture = try Self.shops()
        let text = String(decoding: try #require(fixture.read("shop.yaml")), as: UTF8.self)
        let apply = ["fleet", "apply", "--auto-approve", "--waves", "city=Graz,rest", "--devices", "devices/all.yaml"]
        // The planted mistake: the lamps no longer listen to their group.
        try fixture.put(nil, to: "shop.yaml")
        try fixture.write(text.replacing(", subscribe: [lamps]", with: ""), to: "shop.yaml")
        let stopped = fixture.run(apply + ["--gate", "tests"])
        #expect(stopped.status == 4, "\(stopped.combined)")
        #expect(stopped.output.contains("Wave 1 of 2: 2 networks") && stopped.output.contains("Gate: tests"))
        #expect(
            stopped.output.contains("Stopped: 2 networks failed, stayed partial or did not pass. 1 network not begun.")
        )
        try fixture.put(nil, to: "shop.yaml")
        try fixture.write(text, to: "shop.yaml")
        let passed = fixture.run(apply + ["--gate", "tests", "--gate", "drift"])
        #expect(passed.status == 0, "\(passed.combined)")
        #expect(passed.output.contains("Wave 2 of 2: 1 network") && passed.output.contains("Gate: drift"))
        #expect(fixture.run(apply + ["--gate", "luck"]).status == 64)
    }

    @Test("A folder of folders is a fleet, too, and what is no network is left out")
    func folders() throws {
        let fixture = try CommandFixture()
        for name in ["east", "west"] {
            try fixture.write(
                "version: 1\nnetwork: \(name) # a building\nsubnets: { all: { index: 0 } }\ninclude: [../modules]\n",
                to: "\(name)/building.yaml"
            )
        }
        // What is included has to be in the same repository.
        try fixture.write("", to: ".git/HEAD")
        try fixture.write("version: 1\nprofiles: { lamp: {} }\n", to: "modules/lamp.yaml")
        try fixture.write("version: 1\nnetwork: yard\nsubnets: { all: { index: 0 } }\n", to: "yard.yaml")
        for name in ["yard", "east", "west"] {
            let folder = name == "yard" ? fixture.folder.path : fixture.folder.path + "/" + name
            let own = CommandFixture(inSystemFolder: folder)
            own.environment = fixture.environment
            try #require(own.run("init", "--network", name).status == 0)
        }
        let plan = fixture.run("fleet", "plan")
        #expect(plan.status == 0, "\(plan.combined)")
        let names = plan.output.split(separator: "\n").map { $0.prefix(4) }
        #expect(names == ["yard", "east", "west", "3 ne"], "\(plan.output)")
    }

    @Test(
        "Mistakes in fleet.yaml and in options are told with their place",
        arguments: [
            ("version: 1\nnetworks: { a: { definitoin: x } }", "fleet.yaml:2:18: error: unknown key `definitoin`"),
            ("networks: {}", "`version` is missing"),
            ("version: 2\nnetworks: {}", "version 2 of the fleet is not known"),
            ("version: 1\nnetworks: { a b: {} }", "`a b` is not the name of a network"),
            ("version: 1\nnetworks: { a: { via: nowhere } }", "fleet.yaml:2:13: error"),
            ("version: 1\nnetworks: [a]", "a mapping of networks by name is expected here, not a list"),
            ("version: 1\nnetworks: {}", "there is no network in the current folder"),
        ]
    )
    func mistakes(_ text: String, _ message: String) throws {
        let fixture = try CommandFixture()
        try fixture.write(text + "\n", to: "fleet.yaml")
        let result = fixture.run("fleet", "plan")
        #expect(result.status == 65)
        #expect(result.error.contains(message), "\(result.error)")
    }

    @Test("All files of a folder belong to its only network, also those that do not name it")
    func parts() throws {
        let fixture = try CommandFixture()
        try #require(fixture.run("init", "--network", "hq").status == 0)
        try fixture.write("version: 1\nnetwork: hq\nsubnets: { primary: { index: 0 } }\n", to: "hq.yaml")
        try fixture.write("version: 1\ngroups: { hall: { address: 0xC001 } }\n", to: "more.yaml")
        let alone = fixture.run("plan").output
        let fleet = fixture.run("fleet", "plan", "--details").output
        #expect(alone.contains("+ group.hall") && fleet.contains("+ group.hall"), "\(fleet)")
    }

    @Test("Waves are shares of all, numbers, and the rest")
    func division() throws {
        let all = Array(0..<150)
        #expect(try #require(FleetWaves("1%,10%,rest")).divided(all).map(\.count) == [2, 15, 133])
        #expect(try #require(FleetWaves("1,3")).divided(all).map(\.count) == [1, 3, 146])
        #expect(try #require(FleetWaves("50%,rest")).divided([7]) == [[7]])
        #expect(FleetWaves().divided([]) == [])
        let stages = ["canary", "late", "canary", "late", "last"]
        let tagged = try #require(FleetWaves("stage=canary,1,rest"))
        #expect(tagged.divided([0, 1, 2, 3, 4]) { ["stage": stages[$0]] } == [[0, 2], [1], [3, 4]])
        #expect(try #require(FleetWaves("stage=none,rest")).divided([0, 1]) { ["stage": stages[$0]] } == [[0, 1]])
        for text in ["", "0", "0%", "101%", "1%,,2", "-1", "many", "=x", "stage="] {
            #expect(FleetWaves(text) == nil, "\(text)")
        }
    }

    @Test("One exit code stands for many: the gravest")
    func status() {
        func status(_ all: MeshplanCLI.ExitStatus...) -> MeshplanCLI.ExitStatus {
            FleetDispatcher.status(of: all.map { FleetResult.ended($0) })
        }
        #expect(status(.success, .success) == .success)
        #expect(status(.success, .drift, .changes) == .drift)
        #expect(status(.partial, .refused) == .refused)
        #expect(status(.invalidInput, .failure, .locked) == .invalidInput)
    }
}
