import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("What a plan counts is what a run does")
struct PlanAndRecapTests {
    /// A lamp with the model of the default, and two sensors whose product lacks it.
    private static let home = """
        version: 1
        network: home
        subnets: { home: { index: 0 } }
        application_keys: { light: { subnet: home } }
        groups: { hall: { title: "Hall" } }
        products: [devices/devices.yaml]
        defaults: { states: { generic-power-onoff-server: { on_power_up: restore } } }
        profiles:
          lamp: { product: lamp, elements: { 0: { generic-power-onoff-server: { keys: [light], subscribe: [hall] } } } }
          pir: { product: pir, elements: { 0: { generic-onoff-client: { keys: [light] } } } }
        nodes:
          lamp-1: { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0001, profile: lamp }
          pir-1: { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0002, profile: pir }
          pir-2: { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0003, profile: pir }

        """
    private static let devices = """
        products:
          lamp:
            company: 0x0059
            product: 0x0010
            features: [relay, proxy]
            elements:
              - models:
                  [generic-onoff-server, generic-level-server, generic-power-onoff-server, generic-power-onoff-setup-server,
                   generic-default-transition-time-server]
          pir: { company: 0x0059, product: 0x0011, features: [relay, proxy], elements: [{ models: [generic-onoff-client] }] }
        devices:
          a: { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0001, product: lamp }
          b: { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0002, product: pir }
          c: { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0003, product: pir }

        """

    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../examples").standardizedFileURL

    /// The numbers of an apply's plan and of its recap.
    private func numbers(_ fixture: CommandFixture, _ options: [String]) throws -> (plan: [Int], run: [Int]) {
        let run = fixture.run(["apply", "--auto-approve", "--via", "simulator", "--json"] + options)
        #expect(run.status == 0, "\(run.combined.suffix(2_000))")
        let lines = run.output.split(separator: "\n").compactMap { line in
            (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
        }
        let (plan, recap) = try (
            required(lines.last { $0["type"] as? String == "plan_summary" }),
            required(lines.last { $0["type"] as? String == "summary" })
        )
        #expect(recap["unlisted"] as? Int == 0)
        // Nothing is sent for what only waits.
        #expect(!lines.contains { $0["type"] as? String == "apply_complete" && $0["deferred"] as? Bool == true })
        let names = [("provision", "provisioned"), ("add", "added"), ("change", "changed"), ("remove", "removed")]
        return (
            // A plan that provisions nobody does not say so.
            try names.map { try required(plan[$0.0] as? Int ?? ($0.0 == "provision" ? 0 : nil)) },
            try names.map { try required(recap[$0.1] as? Int) }
        )
    }

    @Test(
        "a default for a model that a product lacks is not planned, not counted and not in JSON; a title is no addition"
    )
    func defaults() throws {
        let fixture = try CommandFixture()
        try fixture.write(Self.home, to: "home.yaml")
        try FileManager.default.createDirectory(
            at: fixture.folder.appending(path: "devices"),
            withIntermediateDirectories: true
        )
        try fixture.write(Self.devices, to: "devices/devices.yaml")
        try #require(fixture.run("init", "--network", "home").status == 0)
        let plan = fixture.run("plan", "--full", "--json")
        #expect(!plan.output.contains("node.pir-1.element[0].generic-power-onoff"), "\(plan.output)")
        #expect(!plan.output.contains("element[*]"), "\(plan.output)")
        let (planned, done) = try numbers(fixture, ["--devices", "devices/devices.yaml"])
        #expect(planned == done)
        // A key, a group, 3 keys of nodes, 4 bindings, a subscription; the name of the subnet and a state.
        #expect(planned == [3, 10, 2, 0])
        #expect(fixture.run("plan").output.contains("No changes"))
    }

    @Test("the examples", arguments: ["lamp", "house", "office"])
    func examples(_ name: String) throws {
        let fixture = try CommandFixture()
        let example = Self.root.appending(path: name)
        for item in try FileManager.default.contentsOfDirectory(atPath: example.path) where item != ".meshplan" {
            try FileManager.default.copyItem(
                at: example.appending(path: item),
                to: fixture.folder.appending(path: item)
            )
        }
        let secrets = fixture.folder.appending(path: "devices/secrets.csv").path
        let hasSecrets = FileManager.default.fileExists(atPath: secrets)
        if hasSecrets { try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secrets) }
        if name == "house" {
            try #require(fixture.run("init").status == 0)
            try #require(fixture.run("import", "--cdb", "network.json").status == 0)
        } else {
            try #require(fixture.run("init", "--network", name == "lamp" ? "kitchen" : name).status == 0)
        }
        let devices = ["lamp": "devices/lamps.yaml", "office": "devices/devices.yaml"][name]
        let (planned, done) = try numbers(
            fixture,
            (devices.map { ["--devices", $0] } ?? []) + (hasSecrets ? ["--secrets", "devices/secrets.csv"] : [])
        )
        #expect(planned == done)
        #expect(planned[1] > 0)
        #expect(fixture.run("plan").output.contains("No changes"))
    }

    @Test("what meshplan sets itself is no change of others: set says what is declared, and a plan sets it back")
    func setByMeshplan() throws {
        let fixture = try CommandFixture()
        try fixture.write(Self.home, to: "home.yaml")
        try FileManager.default.createDirectory(
            at: fixture.folder.appending(path: "devices"),
            withIntermediateDirectories: true
        )
        try fixture.write(Self.devices, to: "devices/devices.yaml")
        try #require(fixture.run("init", "--network", "home").status == 0)
        let air = ["--via", "simulator", "--devices", "devices/devices.yaml"]
        try #require(fixture.run(["apply", "--auto-approve"] + air).status == 0)
        let set = fixture.run(["set", "lamp-1", "on-power-up", "off"] + air)
        #expect(set.status == 0, "\(set.combined)")
        #expect(set.error.contains("the definition declares on-power-up as restore for lamp-1"), "\(set.combined)")
        func plan(_ occasion: String) {
            let plan = fixture.run("plan").output
            #expect(plan.contains("0 to add, 1 to change"), "\(occasion): \(plan)")
            #expect(plan.contains("off -> restore"), "\(occasion): \(plan)")
            #expect(!plan.contains("outside of meshplan"), "\(occasion): \(plan)")
        }
        plan("after set")
        #expect(fixture.run(["get", "lamp-1", "on-power-up"] + air).status == 0)
        plan("after get")
        #expect(fixture.run(["refresh"] + air).status == 0)
        plan("after refresh")
        #expect(fixture.run("drift").status == 0)
        // Without an answer nobody knows.
        #expect(fixture.run(["set", "lamp-1", "on-power-up", "default", "--unacknowledged"] + air).status == 0)
        #expect(fixture.run("plan").output.contains("0 to add, 1 to change"))
        #expect(fixture.run(["apply", "--auto-approve"] + air).status == 0)
        #expect(fixture.run("plan").output.contains("No changes"))
        let quiet = fixture.run(["set", "lamp-1", "on-power-up", "restore"] + air)
        #expect(quiet.status == 0 && !quiet.error.contains("declares"), "\(quiet.combined)")
    }

    @Test(
        "approved beforehand and not carried out is an error, not a success",
        arguments: [
            ["keys", "refresh", "house", "--auto-approve"], ["rollback", "--auto-approve"],
            ["state", "restore", "1", "--auto-approve"],
        ]
    )
    func approvedForNothing(_ command: [String]) throws {
        let fixture = try CommandFixture.house()
        let result = fixture.run(command)
        #expect(result.status == ExitStatus.usage.rawValue, "\(result.combined)")
        #expect(result.error.contains("--auto-approve needs --via"), "\(result.combined)")
    }

    @Test("who is not heard in a simulator without devices is no matter of power")
    func noSimulatedDevices() throws {
        let fixture = try CommandFixture()
        try fixture.write(Self.home, to: "home.yaml")
        try FileManager.default.createDirectory(
            at: fixture.folder.appending(path: "devices"),
            withIntermediateDirectories: true
        )
        try fixture.write(Self.devices, to: "devices/devices.yaml")
        try #require(fixture.run("init", "--network", "home").status == 0)
        let result = fixture.run("apply", "--auto-approve", "--via", "simulator")
        #expect(result.status == ExitStatus.partial.rawValue, "\(result.combined)")
        #expect(result.output.contains("--devices FILE") && !result.output.contains("have power"), "\(result.combined)")
    }
}
