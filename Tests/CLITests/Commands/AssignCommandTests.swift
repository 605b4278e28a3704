import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan assign, replace and plan --remove")
struct AssignCommandTests {
    private static func uuid(_ number: Int) -> String {
        "0d5c5a0e6f5b4f0ea1a50b1f1c1f" + String(format: "%04x", number)
    }

    /// Three places on two floors, and four devices.
    private func villa(_ places: String = "") throws -> CommandFixture {
        let fixture = try CommandFixture()
        try fixture.write(
            """
            products: { lamp: { features: [relay, proxy], elements: [{ models: [generic-onoff-server] }, { models: [] }] } }
            devices:
              a: { uuid: \(Self.uuid(1)), product: lamp }
              b: { uuid: \(Self.uuid(2)), product: lamp }
              c: { uuid: \(Self.uuid(3)), product: lamp }
              d: { uuid: \(Self.uuid(255)), product: lamp }
            """,
            to: "sim/devices.yaml"
        )
        try fixture.write(
            """
            version: 1
            network: villa
            subnets: { home: { index: 0 } }
            application_keys: { lighting: { subnet: home } }
            groups: { lights: {}, upstairs: {} }
            profiles: { lamp: { features: { proxy: on }, elements: { 0: { generic-onoff-server: { keys: [lighting] } } } } }
            nodes:
              lamp-1: { profile: lamp, tags: { floor: 0 } }
              lamp-2: { profile: lamp, tags: { floor: 1 } }
              lamp-3: { profile: lamp, tags: { floor: 1 } }
            \(places)
            subscriptions:
              - { groups: [lights], models: [generic-onoff-server], nodes: all }
              - { groups: [upstairs], models: [generic-onoff-server], nodes: { floor: 1 } }
            """,
            to: "villa.yaml"
        )
        try #require(fixture.run("init", "--network", "villa").status == 0)
        return fixture
    }

    private let simulator = ["--via", "simulator", "--devices", "sim/devices.yaml"]

    private func apply(_ fixture: CommandFixture, _ more: String...) -> CommandFixture.Result {
        fixture.run(["apply", "--auto-approve"] + simulator + more)
    }

    private func assignments(_ fixture: CommandFixture) throws -> [String] {
        let text = String(decoding: try #require(fixture.read("villa.assignments")), as: UTF8.self)
        return text.split(separator: "\n").dropFirst().map(String.init)
    }

    @Test("places are assigned from the command line and from a table, all or none of its rows")
    func assign() throws {
        let fixture = try villa()
        let one = fixture.run("assign", "lamp-2", "QR:\(Self.uuid(1).uppercased())")
        #expect(one.status == 0 && one.output == "lamp-2 has 0D5C5A0E-6F5B-4F0E-A1A5-0B1F1C1F0001 now.\n", "\(one)")
        #expect(fixture.run("assign", "lamp-2", Self.uuid(1)).output == "lamp-2 has this device already.\n")
        try fixture.write("place,uuid\nlamp-1,\(Self.uuid(2))\nlamp-2,\(Self.uuid(3))\n", to: "bad.csv")
        let bad = fixture.run("assign", "--from", "bad.csv")
        #expect(bad.status == 65 && bad.error.contains("`lamp-2` has the device"), "\(bad)")
        #expect(try assignments(fixture).count == 1)
        try fixture.write("place,uuid\nlamp-1,\(Self.uuid(2))\nlamp-3,\n", to: "good.csv")
        let good = fixture.run("assign", "--from", "good.csv")
        #expect(
            good.output == "1 device assigned from good.csv, 1 row without a UUID; 1 place left.\n",
            "\(good)"
        )
        #expect(
            try assignments(fixture) == [
                "lamp-1 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0002", "lamp-2 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001",
            ]
        )
        #expect(fixture.run("assign", "--free", "lamp-1").status == 0)
        #expect(try assignments(fixture).count == 1)
        let repeated = fixture.run("assign", "--free", "lamp-1", "--free", "lamp-2")
        #expect(repeated.status == 0 && repeated.output.contains("lamp-1 has no device, as before."), "\(repeated)")
        #expect(repeated.output.contains("lamp-2 has no device again."))
        #expect(try assignments(fixture).isEmpty)
        #expect(fixture.run("assign", "--free", "lamp-1", "--free", "lamp-2").status == 0)
    }

    @Test("a device with more elements than its product is told, and takes no address of others")
    func largerDevice() throws {
        let fixture = try villa()
        try fixture.write(
            """
            products:
              lamp: { company: 0x59, product: 1, elements: [{ models: [generic-onoff-server] }, { models: [] }] }
            """,
            to: "products/lamp.yaml"
        )
        try fixture.write(
            """
            products:
              lamp: { company: 0x59, product: 1, elements: [{ models: [generic-onoff-server] }, { models: [] }] }
              tall: { company: 0x59, product: 1, features: [proxy],
                elements: [{ models: [generic-onoff-server] }, { models: [] }, { models: [] }] }
            devices:
              a: { uuid: \(Self.uuid(1)), product: tall }
              b: { uuid: \(Self.uuid(2)), product: lamp }
              c: { uuid: \(Self.uuid(3)), product: lamp }
            """,
            to: "sim/devices.yaml"
        )
        let text = String(decoding: try #require(fixture.read("villa.yaml")), as: UTF8.self)
            .replacing("network: villa\n", with: "network: villa\nproducts: [products/lamp.yaml]\n")
            .replacing("lamp: { features: { proxy: on },", with: "lamp: { product: lamp,")
        try fixture.write(text, to: "villa.yaml")
        for number in 1...3 { try #require(fixture.run("assign", "lamp-\(number)", Self.uuid(number)).status == 0) }
        let applied = apply(fixture)
        #expect(applied.status == 0, "\(applied.combined)")
        #expect(
            applied.output.contains("lamp-1: provisioned at 0x0008 (3 elements, not 2 as expected)"),
            "\(applied.combined)"
        )
        for line in ["lamp-2: provisioned at 0x0004 (2 elements)", "lamp-3: provisioned at 0x0006 (2 elements)"] {
            #expect(applied.output.contains(line), "\(applied.combined)")
        }
        let planned = fixture.run("plan")
        #expect(planned.status == 0 && planned.output.contains("No changes."), "\(planned.combined)")
        #expect(
            planned.error.hasPrefix(
                "villa.yaml:7:30: warning: node `lamp-1` has 3 elements, and its product `lamp` has 2\n"
            ),
            "\(planned.combined)"
        )
        #expect(planned.error.contains("products/lamp.yaml:2:3"), "\(planned.combined)")
        #expect(planned.error.contains("replace lamp-1"), "\(planned.combined)")
        // An address that is fixed has no room for the third element: nothing is sent to the device.
        let fixed = try villa()
        for (name, content) in [("villa.yaml", text), ("products/lamp.yaml", ""), ("sim/devices.yaml", "")] {
            let content = content.isEmpty ? String(decoding: try #require(fixture.read(name)), as: UTF8.self) : content
            try fixed.write(
                content.replacing("lamp-1: { profile: lamp,", with: "lamp-1: { profile: lamp, address: 0x0010,")
                    .replacing("lamp-2: { profile: lamp,", with: "lamp-2: { profile: lamp, address: 0x0012,"),
                to: name
            )
        }
        for number in 1...3 { try #require(fixed.run("assign", "lamp-\(number)", Self.uuid(number)).status == 0) }
        let refused = apply(fixed)
        #expect(refused.status == 4, "\(refused.combined)")
        #expect(
            refused.combined.contains("its 3 elements cannot begin at 0x0010: 0x0012 is set aside for `lamp-2`"),
            "\(refused.combined)"
        )
        #expect(refused.combined.contains("lamp-2: provisioned at 0x0012 (2 elements)"), "\(refused.combined)")
        // What failed without any message of the node is counted, too.
        #expect(refused.output.contains(", failed 1"), "\(refused.output)")
        let history = fixed.run("state", "history")
        #expect(history.output.contains(" steps done, 1 failed "), "\(history.output)")
        #expect(fixed.run("state", "history", "--json").output.contains(#""failed":1"#))
    }

    @Test(
        "what cannot be assigned is told",
        arguments: [
            (["assign", "lamp-9", Self.uuid(1)], 64, "the definition has no place `lamp-9`"),
            (["assign", "lamp-1", "12"], 64, "there is no UUID in `12`"),
            (["assign", "lamp-1"], 64, "takes a UUID, too"),
            (["assign"], 64, "Name a place and a UUID"),
            (["assign", "--via", "simulator"], 64, "nobody can be asked"),
            (["replace", "lamp-1", Self.uuid(1)], 64, "has no device that could be replaced"),
            (["replace", "lamp-1"], 64, "Name the device that takes its place"),
            (["plan", "--reset"], 64, "--reset needs --remove"),
            (["plan", "--remove", "floor=7"], 64, "is the tag of no node"),
        ] as [([String], Int32, String)]
    )
    func refused(arguments: [String], status: Int32, message: String) throws {
        let result = try villa().run(arguments)
        #expect(result.status == status && result.error.contains(message), "\(result)")
    }

    @Test("devices get addresses in the order of the definition, also those that come later")
    func addresses() throws {
        let fixture = try villa()
        #expect(fixture.run("assign", "lamp-3", Self.uuid(1)).status == 0)
        #expect(apply(fixture).status == 0)
        #expect(fixture.run("assign", "lamp-2", Self.uuid(2)).status == 0)
        #expect(apply(fixture).status == 0)
        let show = fixture.run("show").output
        func address(_ name: String) throws -> Substring {
            let line = try #require(show.split(separator: "\n").first { $0.contains(name) }, "\(show)")
            return try #require(line.split(separator: " ").first { $0.hasPrefix("0x") })
        }
        #expect(try address("lamp-2") < address("lamp-3"))
        #expect(fixture.run("plan", "--detailed-exitcode").status == 0)
    }

    @Test("a terminal assigns and applies at once, with Return alone")
    func interactive() throws {
        let fixture = try villa()
        fixture.isTerminal = true
        fixture.answers = ["", "2", "q"]
        let result = fixture.run(["assign"] + simulator + ["--apply"])
        #expect(result.status == 0, "\(result.combined)")
        #expect(try assignments(fixture).map { String($0.prefix(6)) } == ["lamp-1", "lamp-3"])
        // What concerns the network as a whole is left to an apply of everything.
        let rest = fixture.run("plan").output
        #expect(rest.contains("0 messages (0 PDUs)") || rest.contains("No changes"), "\(rest)")
    }

    @Test("many places fit the terminal, and each number stays beside its place")
    func manyPlaces() throws {
        let places = (10...20).map { "  lamp-in-a-long-corridor-\($0): { profile: lamp }" }
        let fixture = try villa(places.joined(separator: "\n"))
        fixture.isTerminal = true
        fixture.answers = ["lamp", "?", nil]
        let result = fixture.run(["assign"] + simulator)
        let lines = result.error.split(separator: "\n").filter { $0.contains("corridor") }
        #expect(lines.count > 4, "\(result.error)")
        for shown in lines {
            // Nobody ends the line of a question here with Return.
            let line = shown.hasPrefix("Place? ") ? shown.dropFirst("Place? ".count) : shown
            #expect(line.count <= fixture.columns, "\(line)")
            #expect(line.last?.isNumber == true || line.hasSuffix(" more"), "\(line)")
            #expect(line.split(separator: " ").count.isMultiple(of: 2) || line.contains("…"), "\(line)")
        }
        #expect(result.error.contains("Place? \n"), "\(result.error)")
    }

    @Test("lines of places that are gone are taken out by one command, which needs no valid file for it")
    func removedPlaces() throws {
        let fixture = try villa("  lamp-4: { profile: lamp, tags: { floor: 1 } }\n  lamp-5: { profile: lamp }")
        for number in 1...5 {
            try #require(fixture.run("assign", "lamp-\(number)", Self.uuid(number)).status == 0)
        }
        let text = String(decoding: try #require(fixture.read("villa.yaml")), as: UTF8.self)
        let left = text.split(separator: "\n").filter { !$0.contains("lamp-4") && !$0.contains("lamp-5") }
        try fixture.write(left.joined(separator: "\n"), to: "villa.yaml")
        #expect(fixture.run("validate").status != 0)
        let one = fixture.run("assign", "--free", "lamp-4")
        #expect(one.status == 0 && one.output == "lamp-4 has no device again.\n", "\(one.combined)")
        #expect(try assignments(fixture).count == 4)
        let rest = fixture.run("assign", "--free-removed")
        #expect(rest.status == 0 && rest.output == "lamp-5 has no device again.\n", "\(rest.combined)")
        #expect(try assignments(fixture).count == 3)
        #expect(fixture.run("validate").status == 0)
        let none = fixture.run("assign", "--free-removed")
        #expect(none.status == 0 && none.output.contains("every place"), "\(none.combined)")
        #expect(fixture.run("assign", "--free", "lamp-9").status == ExitStatus.usage.rawValue)
    }

    @Test("assign takes the variables on which the places depend")
    func variables() throws {
        let fixture = try CommandFixture()
        try fixture.write(
            """
            version: 1
            network: villa
            variables: { lamps: { type: number, default: 1 } }
            subnets: { home: { index: 0 } }
            nodes:
              lamp-$(n):
                for: { n: 1..$(lamps) }
            """,
            to: "villa.yaml"
        )
        let command = ["assign", "lamp-2", Self.uuid(2)]
        let refused = fixture.run(command)
        #expect(refused.status == ExitStatus.usage.rawValue, "\(refused.combined)")
        let result = fixture.run(command + ["--var", "lamps=2"])
        #expect(result.status == 0, "\(result.combined)")
        #expect(try assignments(fixture).count == 1)
    }

    @Test("a replaced device gets everything, publishers follow, and nothing is left to do or to complain of")
    func replace() throws {
        let fixture = try villa(
            "  switch: { uuid: \(Self.uuid(3)), features: { proxy: on }, elements: { 0: { generic-onoff-server: "
                + "{ keys: [lighting], publish: { to: lamp-1, key: lighting } } } } }"
        )
        for (place, number) in [("lamp-1", 1), ("lamp-2", 2)] {
            #expect(fixture.run("assign", place, Self.uuid(number)).status == 0)
        }
        #expect(apply(fixture).status == 0)
        #expect(fixture.run("replace", "lamp-1", Self.uuid(255)).status == 0)
        let plan = fixture.run("plan")
        #expect(plan.output.contains("-/+ node.lamp-1 replaced (…0001 -> …00FF)"), "\(plan)")
        #expect(plan.output.contains("meshplan keys refresh home"), "\(plan)")
        let applied = apply(fixture, "--off", "a")
        #expect(applied.status == 0, "\(applied)")
        let after = fixture.run("plan", "--detailed-exitcode")
        #expect(after.status == 0, "\(after)")
        #expect(after.output.contains("meshplan keys refresh home"), "\(after)")
        let refresh = fixture.run(["keys", "refresh", "home", "--auto-approve", "--off", "a"] + simulator)
        #expect(refresh.status == 0, "\(refresh)")
        #expect(!fixture.run("plan").output.contains("keys refresh"))
        let doctor = fixture.run("doctor")
        #expect(doctor.status == 0 && !doctor.output.contains("lamp-1"), "\(doctor)")
        let members = fixture.run("show", "group.lights").output.split(separator: "\n").filter { $0.contains("lamp-1") }
        #expect(members.map { $0.hasSuffix("excluded") } == [true, false], "\(members)")
    }

    @Test("a device that stands in the definition itself is replaced there")
    func replaceInDefinition() throws {
        let fixture = try villa("  bell: { tags: { a: \"ü\" }, uuid: '\(Self.uuid(1))' }")
        #expect(fixture.run("replace", "bell", Self.uuid(2)).status == 0)
        let text = String(decoding: try #require(fixture.read("villa.yaml")), as: UTF8.self)
        #expect(text.contains("uuid: '\(Self.uuid(2))' }") && !text.contains(Self.uuid(1)))
        // Whoever was cut short after it was written repeats the command.
        let again = fixture.run("replace", "bell", Self.uuid(2))
        #expect(again.status == 0 && again.output.contains("0002 already. If that device is broken"), "\(again)")
        #expect(again.output.contains("Next: meshplan plan"))
        #expect(fixture.read("villa.yaml").map { String(decoding: $0, as: UTF8.self) } == text)
    }

    @Test("a floor is reset, forgotten and emptied in one plan")
    func removeFloor() throws {
        let fixture = try villa()
        for number in 1...3 { #expect(fixture.run("assign", "lamp-\(number)", Self.uuid(number)).status == 0) }
        #expect(apply(fixture).status == 0)
        let plan = fixture.run("plan", "--remove", "floor=1", "--reset")
        #expect(plan.status == 0 && plan.output.contains("- group.upstairs"), "\(plan)")
        #expect(plan.output.contains("node.lamp-3 will be reset") && !plan.output.contains("lamp-1"), "\(plan)")
        let applied = apply(fixture, "--remove", "floor=1", "--reset", "--allow", "mass-removal")
        #expect(applied.status == 0, "\(applied)")
        let shown = fixture.run("show").output
        #expect(shown.contains("Retired nodes (2)") && shown.components(separatedBy: "lamp-").count == 4, "\(shown)")
        #expect(fixture.run("plan", "--remove", "floor=1", "--detailed-exitcode").status == 0)
        // The lines are still there, so the next plan brings the floor back.
        #expect(fixture.run("plan").output.contains("node.lamp-2 will be provisioned"))
    }
}
