import DefinitionModel
import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("What an approval covers")
struct ApprovalCommandTests {
    private static let devices = """
        products:
          lamp:
            company: 0x0059
            product: 0x0020
            version: 0x0001
            replay_list: 64
            features: [relay, proxy]
            elements: [{ location: 0x0106, models: [configuration-server, health-server, generic-onoff-server] }]
        devices:
          lamp: { uuid: 00112233445566778899aabbccddeeff, product: lamp }

        """

    /// A network with a key from a file and a device to provision.
    private func hall() throws -> CommandFixture {
        let fixture = try CommandFixture()
        try fixture.write(
            """
            version: 1
            network: hall
            subnets: { home: { index: 0 } }
            application_keys: { light: { subnet: home, key: { file: k.key } } }
            nodes: { lamp: { uuid: 00112233445566778899aabbccddeeff } }
            """,
            to: "hall.yaml"
        )
        try fixture.writePrivate(String(repeating: "1", count: 32), to: "k.key")
        try fixture.write(
            "uuid,static\n00112233445566778899aabbccddeeff,5152535455565758595a5b5c5d5e5f60\n",
            to: "s.csv"
        )
        for name in ["k.key", "s.csv"] {
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600],
                ofItemAtPath: fixture.folder.path + "/" + name
            )
        }
        try fixture.write(Self.devices, to: "devices/all.yaml")
        #expect(fixture.run("init", "--network", "hall").status == 0)
        return fixture
    }

    private func digest(_ fixture: CommandFixture, _ arguments: String...) throws -> String {
        let lines = fixture.run(["plan"] + arguments).output.split(separator: "\n")
        return String(try #require(lines.first { $0.hasPrefix("Digest: ") }).dropFirst("Digest: ".count))
    }

    private static let way = ["--via", "simulator", "--devices", "devices/all.yaml"]

    @Test("a saved plan goes only the way that it was made for, with the key and the devices of then")
    func savedPlan() throws {
        let fixture = try hall()
        let made = fixture.run(["plan", "--out", "hall.mplan"] + Self.way)
        #expect(made.output.contains("It covers serial 1, the file k.key, the way simulator."))
        let apply = ["apply", "hall.mplan", "--listen", "0s"]
        let elsewhere = fixture.run(apply + ["--via", "unix:elsewhere"])
        #expect(elsewhere.status == 7 && elsewhere.error.contains("was made for another way than this one: simulator"))
        try fixture.write(Self.devices + "# changed\n", to: "devices/all.yaml")
        let devices = fixture.run(apply + Self.way)
        #expect(devices.status == 7 && devices.error.contains("the simulated devices are not those"))
        try fixture.write(Self.devices, to: "devices/all.yaml")
        try fixture.writePrivate(String(repeating: "2", count: 32), to: "k.key")
        let key = fixture.run(apply + Self.way)
        #expect(key.status == 7 && key.error.contains("the file k.key is not as it was when the plan"))
        #expect(!key.error.contains("2222") && fixture.run("plan").output.contains("serial 1"))
        try fixture.writePrivate(String(repeating: "1", count: 32), to: "k.key")
        #expect(fixture.run(apply + Self.way).status == 0)
        #expect(fixture.run(apply + Self.way).status == 7)
    }

    @Test("a key that was missing when the plan was made is approved by nobody")
    func missingKey() throws {
        let fixture = try hall()
        try FileManager.default.removeItem(atPath: fixture.folder.path + "/k.key")
        #expect(fixture.run("plan", "--out", "hall.mplan").output.contains("the file k.key (missing)"))
        try fixture.writePrivate(String(repeating: "1", count: 32), to: "k.key")
        let late = fixture.run(["apply", "hall.mplan"] + Self.way)
        #expect(late.status == 7 && late.error.contains("the file k.key was missing when the plan"))
    }

    @Test("secrets of devices that a plan names are those of its apply; what it leaves open is the choice of the apply")
    func secrets() throws {
        let fixture = try hall()
        #expect(fixture.run(["plan", "--out", "hall.mplan", "--secrets", "s.csv"]).status == 0)
        let without = fixture.run(["apply", "hall.mplan"] + Self.way)
        #expect(without.status == 7 && without.error.contains("the secrets of its devices are not those"))
        // The simulated device knows no such secret, so the run begins and leaves it out.
        #expect(fixture.run(["apply", "hall.mplan", "--secrets", "s.csv"] + Self.way).status == 4)
    }

    @Test("a digest covers the way, the serial and the keys, and counts once")
    func digests() throws {
        let fixture = try hall()
        let open = try digest(fixture)
        let simulated = try digest(fixture, "--via", "simulator", "--devices", "devices/all.yaml")
        let elsewhere = try digest(fixture, "--via", "unix:elsewhere")
        #expect(Set([open, simulated, elsewhere]).count == 3)
        let wrong = fixture.run(["apply", "--expect-digest", elsewhere] + Self.way)
        #expect(wrong.status == 7 && wrong.error.contains("the plan is not what was approved"))
        try fixture.writePrivate(String(repeating: "2", count: 32), to: "k.key")
        #expect(try digest(fixture) != open)
        try fixture.writePrivate(String(repeating: "1", count: 32), to: "k.key")
        #expect(fixture.run(["apply", "--expect-digest", simulated] + Self.way).status == 0)

        // The same change a second time is another plan: the serial is another one.
        func setTTL(_ ttl: Int) throws {
            let text = String(decoding: try #require(fixture.read("hall.yaml")), as: UTF8.self)
            let lines = text.split(separator: "\n").filter { !$0.hasPrefix("nodes:") }.joined(separator: "\n")
            try fixture.write(
                lines + "\nnodes: { lamp: { uuid: 00112233445566778899aabbccddeeff, ttl: \(ttl) } }\n",
                to: "hall.yaml"
            )
        }
        try setTTL(6)
        let approved = try digest(fixture)
        #expect(fixture.run(["apply", "--expect-digest", approved] + Self.way).status == 0)
        try setTTL(7)
        #expect(fixture.run(["apply", "--auto-approve"] + Self.way).status == 0)
        try setTTL(6)
        #expect(fixture.run(["apply", "--expect-digest", approved] + Self.way).status == 7)
    }

    @Test("the settings' way belongs to the plan")
    func settings() throws {
        let fixture = try hall()
        let open = try digest(fixture)
        try fixture.write("via: unix:elsewhere\n", to: ".meshplan.yaml")
        #expect(try digest(fixture) != open)
    }

    @Test("a run uses the octets that its plan was approved with, whatever stands in the file by then")
    func readOnce() throws {
        let fixture = try hall()
        fixture.isTerminal = true
        var asked = false
        fixture.respond = { _ in
            asked = true
            try? fixture.writePrivate(String(repeating: "2", count: 32), to: "k.key")
            return "yes"
        }
        #expect(fixture.run(["apply", "--listen", "0s"] + Self.way).status == 0)
        fixture.isTerminal = false
        #expect(asked && fixture.run("export", "--cdb", "out.json").status == 0)
        let text = String(decoding: try #require(fixture.read("out.json")), as: UTF8.self)
        #expect(text.contains(String(repeating: "1", count: 32)) && !text.contains(String(repeating: "2", count: 32)))
    }
}
