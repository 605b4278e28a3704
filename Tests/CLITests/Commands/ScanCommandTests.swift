import DefinitionModel
import Foundation
import MeshCore
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan scan")
struct ScanCommandTests {
    private let devices = ["--via", "simulator", "--devices", "sim/devices.yaml"]

    private func empty() throws -> CommandFixture {
        let fixture = try CommandFixture()
        try fixture.copy("devices.yaml", to: "sim/devices.yaml")
        return fixture
    }

    private func villa() throws -> CommandFixture {
        let fixture = try empty()
        try fixture.copy("villa.yaml")
        try #require(fixture.run("init", "--network", "villa").status == 0)
        return fixture
    }

    @Test("without database and definition it lists what there is as it advertises, the strongest first")
    func raw() throws {
        expectSnapshot(try empty().run(["scan"] + devices).transcript, "scan-raw.txt")
    }

    @Test("devices are named as the definition and the database know them")
    func named() throws {
        expectSnapshot(try villa().run(["scan"] + devices).transcript, "scan-villa.txt")
    }

    @Test("the definition may lie anywhere, as for other commands")
    func elsewhere() throws {
        let fixture = try empty()
        try fixture.copy("villa.yaml", to: "mesh/villa.yaml")
        let result = fixture.run(["scan", "mesh"] + devices)
        #expect(result.status == 0 && result.output.contains("kitchen  in the definition"))
        #expect(fixture.run(["identify", "kitchen", "mesh"] + devices).output.hasPrefix("kitchen draws attention"))
    }

    @Test("proxies are named by the nodes and subnets of the database")
    func proxies() throws {
        expectSnapshot(try CommandFixture.house().run("scan", "--via", "simulator").transcript, "scan-house.txt")
    }

    @Test("writes lines of JSON, the summary last")
    func json() throws {
        expectSnapshot(try villa().run(["scan", "--json"] + devices).transcript, "scan.jsonl")
    }

    @Test("stubs of unknown devices are valid YAML and appended behind what a file holds")
    func adopt() throws {
        let fixture = try villa()
        let printed = fixture.run(["scan", "--adopt"] + devices)
        #expect(printed.status == 0 && printed.output.contains("new-1: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0002 }"))
        #expect(!printed.output.contains("0b1f1c1f0001"), "the definition knows that one")
        try fixture.write("# what was found", to: "found.yaml")
        let added = fixture.run(["scan"] + devices + ["--adopt=found.yaml"])
        #expect(added.error == "Added 3 nodes to the end of found.yaml.\n")
        let file = String(decoding: try #require(fixture.read("found.yaml")), as: UTF8.self)
        #expect(file == "# what was found\n---\n" + printed.output)
        let valid = fixture.run("validate", "villa.yaml", "found.yaml")
        #expect(valid.status == 0 && valid.output.contains("with 4 nodes"))
        let again = fixture.run(["scan"] + devices + ["--adopt=found.yaml"])
        #expect(again.error == "All devices are known already.\n")
        // A device in a file outside of the definition is not added to the file again.
        let beside = fixture.run(["scan", "villa.yaml"] + devices + ["--adopt=found.yaml"])
        #expect(beside.error == "All devices are known already.\n")
        #expect(fixture.read("found.yaml").map { String(decoding: $0, as: UTF8.self) } == file)
    }

    @Test("a definition that is not valid is said not to be used")
    func invalidDefinition() throws {
        let fixture = try empty()
        try fixture.write("version: 1\nnetwork: villa\nnodez: {}\n", to: "villa.yaml")
        let result = fixture.run(["scan"] + devices)
        #expect(result.status == 0 && result.output.contains("Unprovisioned devices (4)"))
        #expect(result.error == "Ignoring the definition here, because it is not valid; meshplan validate shows why.\n")
        let named = fixture.run(["scan", "villa.yaml"] + devices)
        #expect(named.status == 65 && named.error.contains("unknown key `nodez`"))
    }

    @Test(
        "what makes no sense together is refused",
        arguments: [
            ["--via", "simulator", "--watch"], ["--via", "unix:x", "--watch", "--adopt"],
            ["--via", "unix:x", "--json", "--adopt"], ["--via", "unix:x", "--time", "5"],
        ]
    )
    func usage(arguments: [String]) throws {
        #expect(try CommandFixture().run(["scan"] + arguments).status == 64)
    }

    @Test("a network that is nowhere is an error, not a scan of strangers")
    func unknownNetwork() throws {
        let result = try villa().run(["scan", "--network", "nowhere"] + devices)
        #expect(result.status == 1 && result.error.contains("there is no database of the network `nowhere`"))
    }

    @Test("watching tells of every newcomer once, until it is interrupted")
    func watch() throws {
        let fixture = try villa()
        let simulator = SimulatorThread(
            beside: fixture,
            ["--listen", "unix:mesh.sock", "--speed", "20", "--devices", "sim/devices.yaml"]
        )
        try waitForSocket("mesh.sock", in: fixture)
        var polls = 0
        fixture.interruptCount = {
            polls += 1
            return polls > 40 ? 1 : 0
        }
        let result = fixture.run("scan", "--via", "unix:mesh.sock", "--watch")
        #expect(result.status == 0 && result.error.isEmpty)
        let lines = result.output.split(separator: "\n").sorted()
        #expect(lines.count == 4 && lines.allSatisfy { $0.hasPrefix("+ device 0D5C5A0E-6F5B-4F0E-A1A5-0B1F1C1F000") })
        #expect(lines[0].contains("0001 kitchen: in the definition, number, on device, -"))
        #expect(simulator.stop()?.status == 0)
    }
}
