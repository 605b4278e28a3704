import DefinitionModel
import Foundation
import MeshCore
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("Provisioning and scanning through nodes, on the command line")
struct RemoteProvisioningCommandTests {
    private let devices = ["--via", "simulator", "--devices", "sim/devices.yaml"]

    /// Two halls with a Remote Provisioning Server, of which we hear the first, and two lamps that only nodes hear.
    private static let deviceFile = """
        products:
          hall:
            features: [relay, proxy]
            elements:
              - models: [configuration-server, health-server, remote-provisioning-server, generic-onoff-server]
          lamp:
            elements: [{ models: [configuration-server, health-server, generic-onoff-server] }]
            provisioning: { bearers: [pb-adv] }
        devices:
          hall-1: { product: hall, uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001 }
          hall-2: { product: hall, uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0002 }
          lamp-1: { product: lamp, uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0011 }
          lamp-2: { product: lamp, uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0012 }

        """

    private func fixture(_ nodes: String = "") throws -> CommandFixture {
        let fixture = try CommandFixture()
        try fixture.write(Self.deviceFile, to: "sim/devices.yaml")
        try fixture.write(
            """
            version: 1
            network: halls
            subnets: { floor: { index: 0 } }
            nodes:
              hall-1: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001, features: { proxy: on } }
              hall-2: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0002, provisioning: { via: { node: hall-1 } } }
            \(nodes)
            """,
            to: "halls.yaml"
        )
        try #require(fixture.run("init", "--network", "halls").status == 0)
        return fixture
    }

    private let lamps = """
          lamp-1: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0011, provisioning: { via: remote } }
          lamp-2: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0012, provisioning: { via: direct } }
        """

    /// A folder in which the halls are nodes already.
    private func commissioned() throws -> CommandFixture {
        let fixture = try fixture()
        try #require(fixture.run(["apply", "--auto-approve"] + devices).status == 0)
        return fixture
    }

    @Test("a plan says by which way devices are reached, also as JSON")
    func plan() throws {
        let fixture = try fixture(lamps)
        expectSnapshot(fixture.run("plan").transcript, "remote-plan.txt")
        let lines = fixture.run("plan", "--json").output.split(separator: "\n").filter {
            $0.contains("\"kind\":\"provisioning\"")
        }
        #expect(lines.count == 4 && lines[1].contains("through node.hall-1"))
        let nodes = fixture.run("plan", "--json").output.split(separator: "\n").filter { $0.contains("plan_node") }
        #expect(nodes.count == 4 && !nodes[0].contains("\"via\""))
        #expect(nodes[1].contains(#""via":"node","through":"hall-1""#))
        #expect(nodes[2].contains(#""via":"remote""#) && nodes[3].contains(#""via":"direct""#))
        try #require(fixture.run("plan", "--out", "saved.mplan").status == 0)
        #expect(fixture.run("show", "saved.mplan").output.contains("through node.hall-1"))
    }

    @Test("apply says through which node a device was provisioned, and who did not hear it")
    func apply() throws {
        let fixture = try fixture(lamps)
        expectSnapshot(fixture.run(["apply", "--auto-approve"] + devices).transcript, "remote-apply.txt")
    }

    @Test("its JSON says through whom a device is connected to")
    func applyJSON() throws {
        let result = try fixture(lamps).run(["apply", "--auto-approve", "--json"] + devices)
        #expect(result.status == 4)
        let lines = result.output.split(separator: "\n").filter { line in
            let types = ["provisioning_stage", "provisioned", "device_not_heard", "apply_node_pending"]
            return types.contains { line.contains("\"type\":\"\($0)\"") }
        }
        expectSnapshot(lines.joined(separator: "\n") + "\n", "remote-apply.jsonl")
    }

    @Test("the line at the bottom of a terminal says through whom")
    func terminal() throws {
        let fixture = try fixture()
        fixture.isTerminal = true
        let result = fixture.run(["apply", "--auto-approve"] + devices)
        #expect(result.status == 0)
        #expect(result.error.contains("hall-2: connecting through hall-1"))
        #expect(!result.error.contains("hall-1: connecting through"))
    }

    @Test("a device that waits for a node that is not there is named with it")
    func waiting() throws {
        let result = try fixture().run(["apply", "--auto-approve"] + devices + ["--off", "hall-1"])
        #expect(result.status == 4)
        #expect(result.output.contains("hall-1: was not heard; 2 steps will be tried again by the next apply"))
        #expect(
            result.output.contains(
                "Not tried, because they depend on other devices:\n  hall-2 (to be provisioned through hall-1)"
            )
        )
    }

    @Test("a node whose composition has no server is refused where it is named")
    func noServer() throws {
        let fixture = try commissioned()
        try fixture.write(
            """
            nodes:
              lamp-1: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0011, provisioning: { via: remote } }

            """,
            to: "lamps.yaml"
        )
        try #require(fixture.run(["apply", "--auto-approve"] + devices).status == 0)
        try fixture.write(
            """
            nodes:
              lamp-1: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0011 }
              lamp-2: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0012, provisioning: { via: { node: lamp-1 } } }

            """,
            to: "lamps.yaml"
        )
        let result = fixture.run("plan")
        #expect(result.status == 65)
        #expect(result.error.contains("lamps.yaml:3:86: error: node `lamp-1` has no Remote Provisioning Server"))
        #expect(result.error.contains("Nodes that have one: `hall-1`, `hall-2`"))
    }

    @Test("scan --remote lists who hears a device, and the nodes that listened")
    func scan() throws {
        expectSnapshot(try commissioned().run(["scan", "--remote"] + devices).transcript, "scan-remote.txt")
    }

    @Test("its JSON has the nodes with their signals, and what came of each")
    func scanJSON() throws {
        let result = try commissioned().run(["scan", "--remote", "--json"] + devices + ["--off", "hall-2"])
        expectSnapshot(result.transcript, "scan-remote.jsonl")
    }

    @Test("a node that does not answer is named, and the status says that not all is known")
    func silent() throws {
        let result = try commissioned().run(["scan", "--remote"] + devices + ["--off", "hall-2"])
        #expect(result.status == 4)
        #expect(result.output.contains("Does not answer: hall-2."))
        #expect(result.output.contains("Nodes that listened (1)"))
    }

    @Test("--through asks that node alone")
    func through() throws {
        let fixture = try commissioned()
        let result = fixture.run(["scan", "--through", "hall-1"] + devices)
        #expect(result.status == 0 && result.output.contains("Nodes that listened (1)"))
        #expect(result.output.contains("hall-1 -"))
        let wrong = fixture.run(["scan", "--through", "hal-1"] + devices)
        #expect(wrong.status == 64 && wrong.error.contains("Did you mean `hall-1`?"))
    }

    @Test("stubs of devices that only nodes hear say so, and apply provisions them through nodes")
    func adopt() throws {
        let fixture = try commissioned()
        let result = fixture.run(["scan", "--remote", "--adopt"] + devices)
        #expect(result.status == 0)
        let file = result.output
        #expect(
            file.contains(
                "  new-1: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0011, provisioning: { via: remote } }  # heard by hall-1"
            )
        )
        try fixture.write(file, to: "found.yaml")
        let applied = fixture.run(["apply", "--auto-approve"] + devices)
        #expect(applied.status == 0 && applied.output.contains("new-1: provisioned at "), "\(applied)")
        #expect(fixture.run(["plan"]).output.hasPrefix("No changes."))
    }

    @Test("without a database, and where no node is known to be able to, it says what helps")
    func impossible() throws {
        let empty = try CommandFixture()
        try empty.write(Self.deviceFile, to: "sim/devices.yaml")
        let result = empty.run(["scan", "--remote"] + devices)
        #expect(result.status == 1 && result.error.contains("there is no database of the network here"))
        let fresh = try fixture().run(["scan", "--remote"] + devices)
        #expect(fresh.status == 1 && fresh.error.contains("no node of the database is known to have a Remote"))
    }

    @Test("an interrupt stops the nodes, and what was heard until then is listed")
    func interrupt() throws {
        let fixture = try commissioned()
        var polls = 0
        fixture.interruptCount = {
            polls += 1
            return polls > 60 ? 1 : 0
        }
        let result = fixture.run(["scan", "--remote", "--time", "10m"] + devices)
        #expect(result.status == 130, "\(result)")
        #expect(result.output.contains("Nodes that listened"))
        fixture.interruptCount = { 0 }
        #expect(fixture.run(["scan", "--remote"] + devices).status == 0, "nobody scans for somebody else any more")
    }

    @Test("watching tells who hears whom, until it is interrupted")
    func watch() throws {
        let fixture = try commissioned()
        let simulator = SimulatorThread(
            beside: fixture,
            ["--listen", "unix:mesh.sock", "--speed", "20", "--devices", "sim/devices.yaml", "--network", "halls"]
        )
        try waitForSocket("mesh.sock", in: fixture)
        var polls = 0
        fixture.interruptCount = {
            polls += 1
            return polls > 150 ? 1 : 0
        }
        let result = fixture.run("scan", "--via", "unix:mesh.sock", "--remote", "--watch")
        #expect(result.status == 0, "\(result)")
        #expect(result.output.contains("+ device 0D5C5A0E-6F5B-4F0E-A1A5-0B1F1C1F0011: new, hall-"), "\(result)")
        #expect(simulator.stop()?.status == 0)
    }
}
