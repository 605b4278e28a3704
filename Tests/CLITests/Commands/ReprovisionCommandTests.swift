import DefinitionModel
import Foundation
import MeshCore
import Store
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan reprovision")
struct ReprovisionCommandTests {
    private static let devices = """
        products:
          hub: { features: [relay, proxy], elements: [{ models: [] }] }
          lamp:
            version: 1
            features: [relay]
            elements:
              - { models: [remote-provisioning-server, generic-onoff-server] }
              - { models: [generic-level-server] }
            composition_after_update:
              version: 2
              elements:
                - { models: [remote-provisioning-server, generic-onoff-server, light-lightness-server] }
                - { models: [sensor-server] }
          switch: { elements: [{ models: [generic-onoff-client] }] }
        devices:
          hub:    { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f000a, product: hub }
          lamp:   { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f000b, product: lamp, static: 00112233445566778899aabbccddeeff }
          switch: { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f000c, product: switch }
        """

    private static func definition(_ lamp: String = "") -> String {
        """
        version: 1
        network: villa
        subnets: { home: { index: 0 } }
        application_keys: { light: { subnet: home } }
        groups: { lamps: { address: 0xC000 } }
        nodes:
          hub: { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f000a, features: { proxy: on } }
          lamp:
            uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f000b
            provisioning: { oob: static, static: { env: LAMP } }
            \(lamp)
            elements:
              0: { generic-onoff-server: { keys: [light], subscribe: [lamps] } }
          switch:
            uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f000c
            elements: { 0: { generic-onoff-client: { keys: [light], publish: { to: lamp, key: light } } } }
        """
    }

    private let simulated = ["--via", "simulator", "--devices", "sim/devices.yaml"]

    /// A villa with three provisioned and configured nodes.
    private func villa() throws -> CommandFixture {
        let fixture = try CommandFixture()
        fixture.environment["LAMP"] = "00112233445566778899aabbccddeeff"
        try fixture.write(Self.devices, to: "sim/devices.yaml")
        try fixture.write(Self.definition(), to: "villa.yaml")
        try #require(fixture.run("init", "--network", "villa").status == 0)
        let applied = fixture.run(["apply", "--auto-approve"] + simulated)
        try #require(applied.status == 0, "\(applied.output)\(applied.error)")
        return fixture
    }

    private func reprovision(_ fixture: CommandFixture, _ arguments: String...) -> CommandFixture.Result {
        fixture.run(["reprovision"] + arguments + simulated)
    }

    private func network(_ fixture: CommandFixture) throws -> MeshNetwork { try database(fixture).snapshot().network }

    private func database(_ fixture: CommandFixture) throws -> MeshDatabase {
        let folder = fixture.folder.path + "/.meshplan"
        return try MeshDatabase.open(at: folder + "/villa.meshdb", key: KeyFile.load(from: folder + "/key"))
    }

    private func expectAsRecorded(_ fixture: CommandFixture) {
        let status = fixture.run("sim", "status", "--devices", "sim/devices.yaml")
        #expect(status.output.hasSuffix("All agree with the mesh database.\n"), "\(status.output)")
    }

    @Test("gives a node a new device key after a yes, and keeps all else")
    func deviceKey() throws {
        let fixture = try villa()
        let before = try required(network(fixture).node(named: "lamp"))
        fixture.isTerminal = true
        fixture.answers = ["no"]
        #expect(reprovision(fixture, "lamp", "--device-key").status == 8)
        #expect(try network(fixture).node(named: "lamp") == before)
        fixture.answers = ["yes"]
        let result = reprovision(fixture, "lamp", "--device-key")
        fixture.isTerminal = false
        #expect(result.status == 0 && result.error.contains("Do you want to reprovision lamp?"), "\(result.error)")
        let after = try required(network(fixture).node(named: "lamp"))
        #expect(after.deviceKey != before.deviceKey && after.elements == before.elements)
        #expect(fixture.run("plan", "--detailed-exitcode").status == 0)
        expectAsRecorded(fixture)
    }

    @Test("moves a node; the plan after it restores its configuration and changes what is published to it")
    func address() throws {
        let fixture = try villa()
        let refused = reprovision(fixture, "lamp", "--address", "--to", "0x0001", "--auto-approve")
        #expect(refused.status == 64)
        let moved = reprovision(fixture, "lamp", "--address", "--auto-approve")
        let plan = fixture.run("plan")
        expectSnapshot(refused.transcript + moved.transcript + plan.transcript, "reprovision-address.txt")
        #expect(fixture.run(["apply", "--auto-approve"] + simulated).status == 0)
        #expect(fixture.run("plan", "--detailed-exitcode").status == 0)
        expectAsRecorded(fixture)
    }

    @Test("has a node take on the composition that it has prepared, and says what is gone")
    func composition() throws {
        let fixture = try villa()
        let text = Self.definition().replacing(
            "0: { generic-onoff-server: { keys: [light], subscribe: [lamps] } }",
            with: "0: { generic-onoff-server: { keys: [light], subscribe: [lamps] } }\n"
                + "      1: { generic-level-server: { keys: [light] } }"
        )
        try fixture.write(text, to: "villa.yaml")
        try #require(fixture.run(["apply", "--auto-approve"] + simulated).status == 0)
        try fixture.write(Self.definition(), to: "villa.yaml")
        let taken = reprovision(fixture, "lamp", "--composition", "--auto-approve")
        let again = reprovision(fixture, "lamp", "--composition", "--auto-approve")
        expectSnapshot(taken.transcript + again.transcript, "reprovision-composition.txt")
        #expect(fixture.run("plan", "--detailed-exitcode").status == 0)
        expectAsRecorded(fixture)
    }

    @Test("tells all of it as JSON, without any key")
    func json() throws {
        let fixture = try villa()
        let before = try required(network(fixture).node(named: "lamp")?.deviceKey)
        let result = reprovision(fixture, "lamp", "--address", "--to", "0x0300", "--auto-approve", "--json")
        expectSnapshot(result.transcript, "reprovision-address.jsonl")
        let network = try network(fixture)
        let after = try required(network.node(named: "lamp")?.deviceKey)
        let outputs = [result.output, fixture.run("show", "--json").output, fixture.run("show").output]
        for key in [before, after] + network.netKeys.map(\.key) + network.appKeys.map(\.key) {
            let digits = key.octets.hexadecimal
            for output in outputs { #expect(!output.lowercased().contains(digits.lowercased())) }
        }
        #expect(outputs[1].contains(#""reason":"refreshed""#))
    }

    @Test("refuses what cannot be, and says what helps")
    func refused() throws {
        let fixture = try villa()
        let noServer = reprovision(fixture, "switch", "--device-key", "--auto-approve")
        #expect(
            noServer.status == 1 && noServer.error.contains("has no Remote Provisioning Server"),
            "\(noServer.error)"
        )
        #expect(reprovision(fixture, "lamp").status == 64)
        #expect(reprovision(fixture, "lamp", "--device-key", "--address").status == 64)
        #expect(reprovision(fixture, "lamp", "--device-key", "--to", "0x0300").status == 64)
        #expect(reprovision(fixture, "nobody", "--device-key").status == 64)
        let silent = reprovision(fixture, "lamp", "--device-key", "--auto-approve", "--off", "lamp")
        #expect(silent.status == 4 && silent.error.contains("lamp does not answer; nothing has changed"))
        fixture.environment["LAMP"] = nil
        let unknown = reprovision(fixture, "lamp", "--device-key", "--auto-approve")
        #expect(unknown.status == 1 && unknown.error.contains("the environment variable LAMP is not set"))
        #expect(try network(fixture).pendingReprovisions.isEmpty)
        let address = try required(network(fixture).node(named: "lamp")?.unicastAddress)
        try fixture.write(Self.definition("address: \(address)"), to: "villa.yaml")
        let fixed = reprovision(fixture, "lamp", "--address", "--auto-approve")
        #expect(fixed.status == 64 && fixed.error.contains("but reprovisioning is to change it"), "\(fixed.error)")
        let contradicted = reprovision(fixture, "lamp", "--address", "--to", "0x0300", "--auto-approve")
        #expect(contradicted.status == 64 && contradicted.error.contains("not 0x0300"))
    }

    @Test("moves a node to the address that its definition fixes from now on")
    func fixedAddress() throws {
        let fixture = try villa()
        try fixture.write(Self.definition("address: 0x0200"), to: "villa.yaml")
        let plan = fixture.run("plan")
        #expect(plan.status == 65 && plan.error.contains("meshplan reprovision"), "\(plan.error)")
        #expect(reprovision(fixture, "lamp", "--address", "--auto-approve").status == 0)
        #expect(try network(fixture).node(named: "lamp")?.unicastAddress.rawValue == 0x0200)
        #expect(fixture.run(["apply", "--auto-approve"] + simulated).status == 0)
        expectAsRecorded(fixture)
    }

    @Test("A refresh that was not seen to its end is told, left alone while the node is silent, and found out then")
    func unresolved() throws {
        let fixture = try villa()
        let uuid = try leaveOpen(fixture)
        #expect(fixture.run("plan").output.contains("It is not known yet whether the node address refresh of lamp"))
        let shown = fixture.run("show").output
        #expect(shown.contains("Pending reprovisionings (1)") && shown.contains("0x0300 to 0x0301"), "\(shown)")
        #expect(fixture.run("show", "--json").output.contains(#""type":"pending_refresh""#))
        let applied = fixture.run(["apply", "--auto-approve", "--off", "lamp"] + simulated)
        #expect(applied.output.contains("so it is not known yet whether its node address refresh"), "\(applied.output)")
        let silent = reprovision(fixture, "lamp", "--device-key", "--auto-approve", "--off", "lamp")
        #expect(silent.status == 4 && silent.error.contains("Both are kept"), "\(silent.error)")
        #expect(try network(fixture).pendingReprovisions[uuid] != nil)
        let result = reprovision(fixture, "lamp", "--device-key", "--auto-approve")
        #expect(result.status == 0, "\(result.error)")
        #expect(result.output.contains("lamp: the node address refresh of an earlier run has not taken effect"))
        #expect(result.output.contains("lamp has a new device key."))
        #expect(try network(fixture).pendingReprovisions.isEmpty)
        expectAsRecorded(fixture)
    }

    @Test(
        "other commands find out first, too",
        arguments: [["refresh"], ["apply", "--auto-approve"], ["node", "read-pages", "lamp"]]
    )
    func others(_ command: [String]) throws {
        let fixture = try villa()
        let uuid = try leaveOpen(fixture)
        let result = fixture.run(command + simulated)
        #expect(result.status == 0, "\(result.output)\(result.error)")
        #expect(try network(fixture).pendingReprovisions[uuid] == nil)
        expectAsRecorded(fixture)
    }

    /// Makes the database believe that a run ended before the lamp could report its new address.
    private func leaveOpen(_ fixture: CommandFixture) throws -> DeviceUUID {
        let database = try database(fixture)
        let now = Timestamp(rawValue: 1_795_000_000)
        let holder = LockHolder(user: "tester", host: "bench", process: 1, operation: "test", since: now)
        let lease = try database.lock(holder: holder)
        defer { lease.release() }
        let uuid = try required(database.snapshot().network.node(named: "lamp")?.uuid)
        var changes = StoreChanges()
        changes.pendingReprovisions = [
            PendingReprovision(
                uuid: uuid,
                procedure: .nodeAddressRefresh,
                deviceKey: KeyMaterial(Octets16(high: 1, low: 2)),
                address: try required(UnicastAddress(rawValue: 0x0300)),
                elementCount: 2,
                attemptedAt: now
            )
        ]
        try database.commit(changes, with: lease)
        return uuid
    }
}
