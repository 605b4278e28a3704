import DefinitionModel
import Foundation
import MeshCore
import Store
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan refresh and drift")
struct RefreshCommandTests {
    /// An applied house, which somebody with another copy of the database has changed since.
    func changedHouse(_ replacements: [(String, String)]) throws -> CommandFixture {
        let fixture = try CommandFixture.house()
        try #require(fixture.run("apply", "house.yaml", "--via", "simulator", "--auto-approve").status == 0)
        let files = ["house.meshdb", "house.meshdb-wal", "house.meshdb-shm", "house.meshdb.newest"]
        let kept = files.map { fixture.read(".meshplan/" + $0) }
        let lock = fixture.read("meshplan.lock.yaml")
        var yaml = String(decoding: try #require(fixture.read("house.yaml")), as: UTF8.self)
        for (text, other) in replacements {
            try #require(yaml.contains(text))
            yaml = yaml.replacing(text, with: other)
        }
        try fixture.write(yaml, to: "elsewhere/house.yaml")
        let applied = fixture.run("apply", "elsewhere", "--via", "simulator", "--auto-approve")
        try #require(applied.status == 0, "\(applied.error)")
        try fixture.put(lock, to: "meshplan.lock.yaml")
        for (file, bytes) in zip(files, kept) {
            let url = fixture.folder.appendingPathComponent(".meshplan/" + file)
            try? FileManager.default.removeItem(at: url)
            if let bytes { try Data(bytes).write(to: url) }
            if bytes != nil {
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
            }
        }
        return fixture
    }

    static let changes = [
        ("address: 0x0002, ttl: 3 }", "address: 0x0002, ttl: 9 }"),
        ("ttl: 4, tags: { bed: right } }", "ttl: 4, secure_network_beacon: off, tags: { bed: right } }"),
        ("groups: [bedroom, good-night]", "groups: [bedroom]"),
    ]

    @Test("nodes that are as recorded are read back, and there is no drift")
    func asRecorded() throws {
        let fixture = try CommandFixture.house()
        #expect(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
        expectSnapshot(fixture.run("refresh", "--via", "simulator").transcript, "refresh.txt")
        expectSnapshot(fixture.run("drift").transcript, "drift-none.txt")
        #expect(fixture.run("plan", "--detailed-exitcode").status == 0)
        let again = fixture.run("refresh", "--via", "simulator", "--older-than", "1h")
        #expect(again.status == 0 && again.output == "No node is to be read back.\n")
    }

    @Test(
        "clocks may say anything: what was read back in the future, or an age ago, is read again",
        arguments: [(-1, true), (3_600, false), (3_601, true), (-100 * 31_556_952, true)] as [(Int64, Bool)]
    )
    func clock(jump: Int64, isStale: Bool) throws {
        let fixture = try CommandFixture.house()
        #expect(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
        #expect(fixture.run("refresh", "--via", "simulator").status == 0)
        fixture.now.rawValue += jump
        let again = fixture.run("refresh", "--via", "simulator", "--older-than", "1h")
        #expect(again.status == 0)
        #expect(again.output.contains("Reading back is complete.") == isStale, "\(again.output)")
        #expect(again.output.contains("No node is to be read back") != isStale, "\(again.output)")
        // These times are as far apart as possible.
        for extreme in [Int64.max, .min, 0, .max] {
            fixture.now = Timestamp(rawValue: extreme)
            for arguments in [
                ["refresh", "--via", "simulator", "--older-than", "1h"], ["show"], ["drift"],
                ["plan", "--refresh", "stale", "--via", "simulator"],
                ["keys", "refresh", "home", "--via", "simulator", "--auto-approve"],
            ] {
                let result = fixture.run(arguments)
                #expect(result.status == 0, "\(arguments) at \(extreme): \(result.error)")
            }
        }
    }

    @Test("what somebody else changed is shown in three columns, in the plan, and gone after an apply")
    func drift() throws {
        let fixture = try changedHouse(Self.changes)
        #expect(fixture.run("drift", "house.yaml").status == 0, "nobody has looked yet")
        expectSnapshot(fixture.run("refresh", "house.yaml", "--via", "simulator").transcript, "refresh-drift.txt")
        expectSnapshot(fixture.run("drift", "house.yaml").transcript, "drift.txt")
        expectSnapshot(fixture.run("drift", "house.yaml", "--json").transcript, "drift.jsonl")
        expectSnapshot(fixture.run("plan", "house.yaml").transcript, "plan-drift.txt")
        expectSnapshot(fixture.run("drift", "house.yaml", "--adopt").transcript, "drift-adopt.txt")
        let only = fixture.run("drift", "house.yaml", "--node", "swi*")
        #expect(only.status == 3 && only.output.contains("on 1 node"))
        #expect(fixture.run("drift", "house.yaml", "--exclude", "*").status == 0)
        #expect(fixture.run("drift", "house.yaml", "--node", "nobody").status == 64)
        #expect(fixture.run("apply", "house.yaml", "--via", "simulator", "--auto-approve").status == 0)
        let after = fixture.run("drift", "house.yaml")
        #expect(after.status == 3, "what nothing is declared of is still otherwise")
        #expect(after.output.contains("secure_network_beacon") && !after.output.contains("ttl"))
        let accepted = fixture.run("drift", "house.yaml", "--accept")
        #expect(accepted.status == 0 && accepted.output.hasPrefix("No drift."))
        #expect(
            fixture.run("refresh", "house.yaml", "--via", "simulator").output.contains(
                "Read back 6 nodes: 6 as recorded. "
            )
        )
        #expect(fixture.run("sim", "status").output.hasSuffix("All agree with the mesh database.\n"))
    }

    @Test("what a definition has adopted is no drift, and an apply without changes records that")
    func adoption() throws {
        let fixture = try changedHouse([Self.changes[0]])
        #expect(fixture.run("refresh", "house.yaml", "--via", "simulator").status == 0)
        #expect(fixture.run("drift", "house.yaml").status == 3)
        #expect(fixture.run("drift", "elsewhere").status == 0)
        #expect(fixture.run("apply", "elsewhere", "--via", "simulator", "--auto-approve").status == 0)
        let plan = fixture.run("plan", "house.yaml")
        #expect(plan.output.contains("9 -> 3") && !plan.output.contains("outside of meshplan"))
    }

    @Test("a plan reads back what it is told to, and plans with that", arguments: ["touched", "stale", "all"])
    func planRefresh(which: String) throws {
        let fixture = try changedHouse(Self.changes)
        #expect(fixture.run("plan", "house.yaml", "--detailed-exitcode").status == 0)
        let command = ["plan", "house.yaml", "--refresh", which, "--via", "simulator", "--detailed-exitcode"]
        let result = fixture.run(command + ["--out", "saved.mplan"])
        // A plan without changes touches no nodes.
        #expect(result.status == (which == "touched" ? 0 : 2))
        #expect(result.output.contains("changed outside of meshplan") == (which != "touched"))
        #expect(result.error.contains("Reading") == (which != "touched"))
        #expect(fixture.run("refresh", "house.yaml", "--via", "simulator").status == 0)
        let applied = fixture.run("apply", "saved.mplan", "--via", "simulator")
        // The second read-back found nothing new, so the plan is still up to date.
        #expect(applied.status == 0, "\(applied.error)")
    }

    @Test("nodes that a plan is not limited to are not read back for it", arguments: ["stale", "all"])
    func planRefreshSelected(which: String) throws {
        let fixture = try changedHouse(Self.changes)
        let command = ["plan", "house.yaml", "--refresh", which, "--via", "simulator"]
        let one = fixture.run(command + ["--node", "mary"])
        #expect(one.error.contains("Reading 1 node") && !one.error.contains("brian"), "\(one.error)")
        let others = fixture.run(command + ["--exclude", "mary"])
        #expect(others.error.contains("Reading") && !others.error.contains("mary"), "\(others.error)")
    }

    @Test("a simulator process has its own devices, and is given no others")
    func devicesElsewhere() throws {
        let fixture = try CommandFixture.house()
        let options = ["--via", "unix:/nowhere", "--devices", "devices.yaml"]
        for command in [
            ["apply"], ["scan"], ["refresh"], ["plan", "--refresh", "all"], ["identify", "mary"],
            ["node", "read-pages", "mary"], ["keys", "refresh", "home"],
        ] {
            let result = fixture.run(command + options)
            #expect(result.status == 64 && result.error.contains("--devices needs --via simulator"), "\(result.error)")
        }
    }

    @Test("--refresh needs to know how to reach the mesh")
    func withoutBearer() throws {
        let fixture = try CommandFixture.house()
        let result = fixture.run("plan", "--refresh", "all")
        #expect(result.status == 64 && result.error.contains("--refresh needs --via"))
    }

    @Test("a node that does not answer is pending and keeps its record with its age")
    func unreachable() throws {
        let fixture = try CommandFixture.house()
        #expect(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
        let result = fixture.run("refresh", "--via", "simulator", "--off", "mary", "--node", "mary", "--node", "brian")
        expectSnapshot(result.transcript, "refresh-partial.txt")
        let json = fixture.run("refresh", "--via", "simulator", "--off", "mary", "--node", "mary", "--json")
        #expect(json.status == 4)
        expectSnapshot(json.transcript, "refresh.jsonl")
        let show = fixture.run("show", "node.brian")
        #expect(show.output.contains("read back               2026-11-18 1"))
    }

    @Test("an odd answer is named with its octets, costs one value, and is no drift")
    func oddAnswer() throws {
        let fixture = try CommandFixture()
        try fixture.copy("villa.yaml")
        try fixture.copy("devices.yaml", to: "sim/devices.yaml")
        let path = fixture.folder.appendingPathComponent("sim/devices.yaml")
        let devices = try String(contentsOf: path, encoding: .utf8)
        let plain = "0d5c5a0e6f5b4f0ea1a50b1f1c1f0001, product: lamp }"
        try #require(devices.contains(plain))
        let odd = plain.replacing(" }", with: ", quirks: [short-netkey-list] }")
        try fixture.write(devices.replacing(plain, with: odd), to: "sim/devices.yaml")
        let simulated = ["--via", "simulator", "--devices", "sim/devices.yaml"]
        try #require(fixture.run("init", "--network", "villa").status == 0)
        try #require(fixture.run(["apply", "--auto-approve"] + simulated).status == 0)
        let result = fixture.run(["refresh"] + simulated)
        #expect(result.status == 4)
        expectSnapshot(result.transcript, "refresh-odd.txt")
        expectSnapshot(fixture.run("drift").transcript, "drift-odd.txt")
        #expect(fixture.run("plan", "--detailed-exitcode").status == 0)
    }

    @Test("drift lists the nodes in the order of the definition, as plans do, and by address without one")
    func order() throws {
        let fixture = try changedHouse([
            Self.changes[0], ("ttl: 4, tags: { bed: right } }", "ttl: 6, tags: { bed: right } }"),
        ])
        #expect(fixture.run("refresh", "house.yaml", "--via", "simulator").status == 0)
        func names(_ result: CommandFixture.Result) -> [String] {
            result.output.split(separator: "\n").filter { $0.contains("  read back ") }
                .map { String($0.prefix { $0 != " " }) }
        }
        let byAddress = names(fixture.run("drift", "house.yaml"))
        try #require(byAddress.count == 2)
        // The other one first.
        let text = String(decoding: try #require(fixture.read("house.yaml")), as: UTF8.self)
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let first = try #require(lines.firstIndex { $0.hasPrefix("  \(byAddress[0]):") })
        let second = try #require(lines.firstIndex { $0.hasPrefix("  \(byAddress[1]):") })
        lines.swapAt(first, second)
        try fixture.write(lines.joined(separator: "\n"), to: "house.yaml")
        #expect(names(fixture.run("drift", "house.yaml")) == byAddress.reversed())
        try FileManager.default.removeItem(at: fixture.folder.appendingPathComponent("house.yaml"))
        #expect(names(fixture.run("drift", "--network", "house")) == byAddress)
    }

    @Test("keys never appear")
    func secrets() throws {
        let fixture = try changedHouse(Self.changes)
        let network = String(decoding: try #require(fixture.read("network.json")), as: UTF8.self).uppercased()
        let keys = network.matches(of: #/KEY":\s*"([0-9A-F]{32})"/#).map { String($0.1) }
        #expect(keys.count > 10)
        for arguments in [
            ["refresh", "house.yaml", "--via", "simulator"], ["drift", "house.yaml"],
            ["drift", "house.yaml", "--json"], ["drift", "house.yaml", "--adopt"], ["plan", "house.yaml", "--json"],
        ] {
            let result = fixture.run(arguments)
            let text = (result.output + result.error).uppercased()
            #expect(!text.isEmpty)
            for key in keys { #expect(!text.contains(key)) }
        }
    }
}
