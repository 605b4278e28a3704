import DefinitionModel
import Foundation
import MeshCore
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("Provisioning by meshplan apply")
struct ProvisioningCommandTests {
    private let simulated = ["--via", "simulator", "--devices", "sim/devices.yaml"]

    /// A folder with an empty database, the devices, and a definition of the given nodes.
    private func villa(_ nodes: String, rules: String = "") throws -> CommandFixture {
        let fixture = try CommandFixture()
        try fixture.copy("devices.yaml", to: "sim/devices.yaml")
        try #require(fixture.run("init", "--network", "villa").status == 0)
        let definition = """
            version: 1
            network: villa
            \(rules)
            subnets: { home: { index: 0 } }
            application_keys: { light: { subnet: home } }
            groups: { lamps: { address: 0xC000 } }
            nodes:
            \(nodes)
            """
        try fixture.write(definition, to: "villa.yaml")
        return fixture
    }

    private let kitchen = """
          kitchen:
            uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0001
            features: { proxy: on }
            elements: { 0: { generic-onoff-server: { keys: [light], subscribe: [lamps] } } }
        """
    private let blinking = "  lamp: { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0002, provisioning: { oob: output } }"
    private let button = "  switch: { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0003, provisioning: { oob: input } }"
    private let sensor = "  sensor: { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0004 }"

    /// Expects an empty plan after apply, and devices that agree with the database.
    private func expectDone(_ fixture: CommandFixture) {
        let plan = fixture.run("plan", "--detailed-exitcode")
        #expect(plan.status == 0, "\(plan.output)\(plan.error)")
        let status = fixture.run("sim", "status", "--devices", "sim/devices.yaml")
        #expect(status.output.hasSuffix("All agree with the mesh database.\n"), "\(status.output)")
    }

    @Test("a device is planned, provisioned and configured in one go, and a plan after it is empty")
    func wholeWay() throws {
        let fixture = try villa(kitchen)
        expectSnapshot(fixture.run("plan").transcript, "provision-plan.txt")
        let result = fixture.run(["apply", "--auto-approve"] + simulated)
        expectSnapshot(result.transcript, "provision-apply.txt")
        #expect(result.status == 0)
        expectDone(fixture)
        let again = fixture.run(["apply", "--auto-approve"] + simulated)
        #expect(again.status == 0 && again.output.hasPrefix("No changes."))
    }

    @Test("a proxy stays on while the one in its place does not answer, and the recap says for whom it waits")
    func waitingForProxy() throws {
        let hall = "  hall: { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0002, features: { proxy: off } }"
        let fixture = try villa(kitchen + "\n" + hall)
        let devices = String(decoding: try #require(fixture.read("sim/devices.yaml")), as: UTF8.self)
        try fixture.write(devices.replacing("product: blinking-lamp", with: "product: lamp"), to: "sim/devices.yaml")
        let command = ["apply", "--auto-approve"] + simulated
        let first = fixture.run(command)
        try #require(first.status == 0, "\(first.combined)")
        let definition = String(decoding: try #require(fixture.read("villa.yaml")), as: UTF8.self)
        let swapped = definition.replacing("proxy: off", with: "proxy: later").replacing(
            "proxy: on",
            with: "proxy: off"
        )
        .replacing("proxy: later", with: "proxy: on")
        try fixture.write(swapped, to: "villa.yaml")
        let silent = fixture.run(command + ["--off", "hall"])
        #expect(silent.status == 4, "\(silent.combined)")
        #expect(
            silent.output.contains("GATT proxy off of kitchen waits for hall (proxy), which did not answer.\n"),
            "\(silent.combined)"
        )
        let again = fixture.run(command)
        #expect(again.status == 0, "\(again.combined)")
        expectDone(fixture)
    }

    /// The only node did not answer in phase 2, and was reset by hand then.
    @Test(
        "a key refresh whose only node was reset meanwhile is no dead end",
        arguments: [["scan", "apply", "refresh"], ["scan", "refresh", "apply"], ["was-reset", "refresh", "apply"]]
    )
    func resetDuringKeyRefresh(way: [String]) throws {
        let fixture = try villa(kitchen)
        try #require(fixture.run(["apply", "--auto-approve"] + simulated).status == 0)
        let devices = String(decoding: try #require(fixture.read("sim/devices.yaml")), as: UTF8.self)
        let silent = devices.replacing(
            "0001, product: lamp }",
            // Neither Key Refresh Phase Set nor what reads it back, nor what asks whether there is anybody.
            with: "0001, product: lamp, quirks: [\"silent-get:0x8016\", \"silent-get:0x8015\", \"silent-get:0x800C\"] }"
        )
        try fixture.write(silent, to: "sim/devices.yaml")
        let refresh = ["keys", "refresh", "home", "--auto-approve"] + simulated
        let stuck = fixture.run(refresh)
        #expect(stuck.status == 4, "\(stuck.output)\(stuck.error)")
        let advice = "if kitchen was reset meanwhile: meshplan node was-reset kitchen"
        #expect(stuck.output.contains(advice), "\(stuck.output)")
        try fixture.write(devices, to: "sim/devices.yaml")
        let simulator = SimulatorThread(
            beside: fixture,
            ["--listen", "unix:mesh.sock", "--speed", "20", "--devices", "sim/devices.yaml"],
            typing: ["reset kitchen"]
        )
        try waitForSocket("mesh.sock", in: fixture)
        // Somebody who knows nothing of the network sees that it was done.
        let socket = fixture.folder.appendingPathComponent("mesh.sock").path
        let seen = try CommandFixture().run("scan", "--via", "unix:\(socket)", "--time", "2s")
        let end = try #require(simulator.stop())
        let isSeen = seen.output.contains("0D5C5A0E-6F5B-4F0E-A1A5-0B1F1C1F0001")
        try #require(end.status == 0 && isSeen, "\(end.output)\(seen.output)\(seen.error)")
        if way.first == "was-reset" {
            // Nobody has heard the device.
            let blind = fixture.run(refresh + ["--listen", "0"])
            #expect(blind.status != 0)
            let text = blind.output + blind.error
            #expect(text.contains("meshplan node was-reset kitchen"), "\(text)")
        }
        for step in way {
            let result =
                switch step {
                case "scan": fixture.run(["scan", "--time", "3s"] + simulated)
                case "was-reset": fixture.run("node", "was-reset", "kitchen", "--auto-approve")
                case "refresh": fixture.run(refresh)
                default: fixture.run(["apply", "--auto-approve"] + simulated)
                }
            #expect(result.status == 0, "\(step): \(result.output)\(result.error)")
            if step == "refresh", way.last == "apply" {
                #expect(!result.output.contains(#/[1-9][0-9]* messages?,/#), "nobody is asked: \(result.output)")
            }
        }
        expectDone(fixture)
    }

    @Test("what was saved is carried out without the definition")
    func savedPlan() throws {
        let fixture = try villa(kitchen)
        try #require(fixture.run("plan", "--out", "villa.mplan").status == 0)
        let result = fixture.run(["apply", "villa.mplan", "--full"] + simulated)
        #expect(result.status == 0 && result.output.contains("kitchen: provisioned at 0x0"), "\(result.output)")
        expectDone(fixture)
    }

    @Test("events are lines of JSON")
    func json() throws {
        let result = try villa(kitchen).run(["apply", "--auto-approve", "--json"] + simulated)
        #expect(result.status == 0)
        expectSnapshot(result.transcript, "provision-apply.jsonl")
    }

    @Test("a device that is not heard is left for the next apply, the others are done")
    func notHeard() throws {
        let fixture = try villa(kitchen + "\n" + sensor)
        let secrets = "uuid,static\n0d5c5a0e6f5b4f0ea1a50b1f1c1f0004,00112233445566778899aabbccddeeff\n"
        try fixture.writePrivate(secrets, to: "s.csv")
        let result = fixture.run(["apply", "--auto-approve", "--off", "sensor-1", "--secrets", "s.csv"] + simulated)
        #expect(result.status == 4)
        #expect(result.output.contains("kitchen: provisioned at 0x0"))
        #expect(result.output.contains("sensor: was not heard; "), "\(result.output)")
        #expect(result.output.contains("Pending, because they were not heard:\n  sensor ("))
        #expect(result.output.contains("\nNext: check that the missing devices have power, "))
        let next = fixture.run(["apply", "--auto-approve", "--secrets", "s.csv"] + simulated)
        #expect(next.status == 0 && next.output.contains("sensor: provisioned at 0x0"))
        expectDone(fixture)
    }

    @Test("the static value comes from a table of secrets, YAML, or where the definition says")
    func staticValue() throws {
        let value = "00112233445566778899aabbccddeeff"
        let table = try villa(sensor)
        try table.writePrivate("uuid;static\n0D5C5A0E-6F5B-4F0E-A1A5-0B1F1C1F0004;\(value)\n", to: "batch.csv")
        let applied = table.run(["apply", "--auto-approve", "--secrets", "batch.csv"] + simulated)
        #expect(applied.status == 0, "\(applied.error)")
        #expect(applied.error.hasPrefix("Note: added /batch.csv to .gitignore\n"), "\(applied.error)")
        expectDone(table)

        let file = try villa(
            "  sensor: { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0004, provisioning: { static: { file: value } } }"
        )
        try file.writePrivate(value + "\n", to: "value")
        #expect(file.run(["apply", "--auto-approve"] + simulated).status == 0)

        let variable = try villa(
            "  sensor: { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0004, provisioning: { static: { env: SENSOR } } }"
        )
        variable.environment["SENSOR"] = value
        #expect(variable.run(["apply", "--auto-approve"] + simulated).status == 0)
    }

    @Test("without a value at hand the failure says which file or option would have helped, and shows none")
    func missingValue() throws {
        let fixture = try villa(sensor)
        let missing = fixture.run(["apply", "--auto-approve"] + simulated)
        #expect(missing.status == 4)
        expectSnapshot(missing.transcript, "provision-missing.txt")

        let file = try villa(
            "  sensor: { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0004, provisioning: { static: { file: value } } }"
        )
        let unreadable = file.run(["apply", "--auto-approve"] + simulated)
        #expect(unreadable.status == 4 && unreadable.error.contains("cannot read value: No such file or directory"))
        try file.writePrivate("not-so-secret", to: "value")
        let invalid = file.run(["apply", "--auto-approve"] + simulated)
        #expect(invalid.status == 4 && invalid.error.contains("the file value does not hold a static value"))
        #expect(!invalid.error.contains("not-so-secret") && !invalid.output.contains("not-so-secret"))
        let table = try villa(sensor)
        try table.writePrivate("uuid,static\n0d5c5a0e6f5b4f0ea1a50b1f1c1f0004,not-so-secret\n", to: "s.csv")
        let refused = table.run(["apply", "--auto-approve", "--secrets", "s.csv"] + simulated)
        #expect(refused.status == 65 && refused.error.hasPrefix("s.csv:2:"))
        #expect(!refused.error.contains("not-so-secret"))
    }

    @Test("on a terminal somebody is asked what the device shows, again after a mistyped answer")
    func output() throws {
        let fixture = try villa(blinking)
        fixture.isTerminal = true
        var answers = 0
        fixture.respond = { shown in
            if shown.hasSuffix("Enter a value: ") { return "yes" }
            answers += 1
            if answers == 1 { return "often" }
            return shown.firstMatch(of: #/simulator: lamp-2 blinks (\d)/#).map { String($0.1) }
        }
        let result = fixture.run(["apply"] + simulated)
        #expect(result.status == 0, "\(result.error)")
        #expect(answers == 2)
        let question = "Type the number of times that lamp blinks: "
        let complaint = "Another kind of value is needed: a number, or digits and capital letters.\n"
        #expect(result.error.contains(question + complaint + question))
        expectDone(fixture)
    }

    @Test("what a device turns out not to have is not counted as done")
    func impossible() throws {
        let fixture = try villa(
            kitchen.replacing(
                "elements: { 0: {",
                with: "elements: { 0: { generic-level-server: { keys: [light], subscribe: [lamps] },"
            )
        )
        #expect(fixture.run("plan").output.contains("7 to add, 2 to change"))
        let result = fixture.run(["apply", "--auto-approve"] + simulated)
        #expect(result.status == 4 && result.output.contains("Done: 5 added, 2 changed."), "\(result.combined)")
    }

    @Test("what is put into a simulated device is typed at the keyboard")
    func input() throws {
        let fixture = try villa(button)
        fixture.isTerminal = true
        fixture.respond = { shown in
            if shown.hasSuffix("Enter a value: ") { return "yes" }
            if shown.hasSuffix("once. What does the person enter? ") { return "1" }
            return shown.firstMatch(of: #/switch (\d) times\. What does the person enter\? /#).map { String($0.1) }
        }
        let result = fixture.run(["apply"] + simulated)
        #expect(result.status == 0, "\(result.error)")
        #expect(result.error.contains("Push the button of switch "))
        expectDone(fixture)
    }

    @Test("without a terminal nobody is asked, and the failure says so")
    func unattended() throws {
        let result = try villa(blinking).run(["apply", "--auto-approve"] + simulated)
        #expect(result.status == 4)
        #expect(result.error.contains("nobody can read the value that it outputs (Output OOB)"))
        #expect(result.error.contains("Apply on a terminal, where somebody sees the device."))
    }

    @Test("a network that requires authentication refuses a device that offers none")
    func authenticated() throws {
        let fixture = try villa(kitchen, rules: "provisioning: { require: authenticated }")
        let result = fixture.run(["apply", "--auto-approve"] + simulated)
        #expect(result.status == 4 && result.error.contains("No OOB does not authenticate"))
    }

    @Test("what a claim is worth is said by plan, apply, show and doctor, and the value is not given away twice")
    func claimed() throws {
        let fixture = try villa(sensor, rules: "provisioning: { require: claimed }")
        let devices = String(decoding: try #require(fixture.read("sim/devices.yaml")), as: UTF8.self)
        try fixture.write(
            devices.replacing("requires_authentication: on", with: "algorithms: [cmac]"),
            to: "sim/devices.yaml"
        )
        let value = "00112233445566778899aabbccddeeff"
        try fixture.writePrivate("uuid,static\n0d5c5a0e6f5b4f0ea1a50b1f1c1f0004,\(value)\n", to: "s.csv")
        let plan = fixture.run("plan")
        #expect(plan.output.contains("claimed at least (an answer under AES-CMAC can be made up)"), "\(plan.output)")
        let apply = ["apply", "--auto-approve", "--secrets", "s.csv"] + simulated
        let result = fixture.run(apply)
        #expect(result.status == 0, "\(result.error)")
        let claim = "claimed only: a device that knows nothing can answer so"
        #expect(result.output.contains("sensor: provisioned at 0x0002 (1 element), \(claim)"), "\(result.output)")
        #expect(
            result.output.contains(
                "Provisioned 1 device, claimed only: another device can answer so.\n"
                    + "Given away, and not offered again: the static value of sensor."
            )
        )
        let shown = fixture.run("show", "node.sensor")
        #expect(shown.output.contains("\(claim) (Static OOB, BTM_ECDH_P256_CMAC_AES128_AES_CCM)"), "\(shown.output)")
        let json = fixture.run("show", "node.sensor", "--json").output
        #expect(json.contains(#""authentication":{"level":"claimed","algorithm":"BTM_ECDH_P256_CMAC_AES128_AES_CCM""#))
        #expect(fixture.run("doctor").output.contains("sensor: only claimed to be who they are"))
        try #require(fixture.run("export", "--cdb", "out.json").status == 0)
        let export = String(decoding: try #require(fixture.read("out.json")), as: UTF8.self)
        #expect(export.contains(#""minSecurity": "insecure""#) && !export.contains(#""minSecurity": "secure""#))

        // Somebody resets it, and it comes back.
        try #require(fixture.run("node", "was-reset", "sensor", "--auto-approve").status == 0)
        let simulator = SimulatorThread(
            beside: fixture,
            ["--listen", "unix:mesh.sock", "--speed", "20", "--devices", "sim/devices.yaml"],
            typing: ["reset sensor-1"]
        )
        try waitForSocket("mesh.sock", in: fixture)
        #expect(simulator.stop()?.status == 0)
        let again = fixture.run(apply)
        #expect(again.status == 4, "\(again.output)")
        #expect(again.error.contains("its value for Static OOB was given away before, perhaps to another device"))
        #expect(again.error.contains("or use meshplan apply --again: "))
        #expect(fixture.run(apply + ["--again"]).status == 0)
        for output in [result, again] { #expect(!(output.output + output.error).contains(value)) }
    }

    @Test("a run that provisions nothing does not say that something was done but in the database")
    func nothingDone() throws {
        let fixture = try villa(kitchen, rules: "provisioning: { require: authenticated }")
        let result = fixture.run(["apply", "--auto-approve"] + simulated)
        #expect(result.output.contains("\nDone in the database alone: "), "\(result.output)")
        #expect(!result.output.contains("\nDone: "))
    }

    @Test("a node that was reset is provisioned again with all of its configuration, as apply hears before it plans")
    func replaced() throws {
        let fixture = try villa(kitchen)
        try #require(fixture.run(["apply", "--auto-approve"] + simulated).status == 0)
        let simulator = SimulatorThread(
            beside: fixture,
            ["--listen", "unix:mesh.sock", "--speed", "20", "--devices", "sim/devices.yaml"],
            typing: ["reset lamp-1"]
        )
        try waitForSocket("mesh.sock", in: fixture)
        let result = fixture.run("apply", "--auto-approve", "--via", "unix:mesh.sock", "--listen", "1s")
        #expect(result.status == 0, "\(result.output)\(result.error)")
        #expect(result.error.contains("kitchen was reset and has left the network.\n"))
        #expect(result.output.contains("-/+") && result.output.contains("kitchen: provisioned at 0x0"))
        #expect(simulator.stop()?.status == 0)
        expectDone(fixture)
    }
}
