import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan identify")
struct IdentifyCommandTests {
    private let devices = ["--via", "simulator", "--devices", "sim/devices.yaml"]

    private func villa() throws -> CommandFixture {
        let fixture = try CommandFixture()
        try fixture.copy("devices.yaml", to: "sim/devices.yaml")
        try fixture.copy("villa.yaml")
        try #require(fixture.run("init", "--network", "villa").status == 0)
        return fixture
    }

    @Test(
        "a device without a network is invited, by its name in the definition or by its UUID",
        arguments: [
            ("kitchen", "kitchen draws attention to itself for 10 seconds. It has 1 element, nothing out of band.\n"),
            (
                "0d5c5a0e6f5b4f0ea1a50b1f1c1f0003",
                "0d5c5a0e6f5b4f0ea1a50b1f1c1f0003 draws attention to itself for 10 seconds. "
                    + "It has 2 elements, input by pushing a button.\n"
            ),
        ]
    )
    func device(name: String, output: String) throws {
        let result = try villa().run(["identify", name] + devices)
        #expect(result.status == 0 && result.output == output && result.error.isEmpty)
    }

    @Test("who is not heard, is nobody, or cannot do it for so long is said clearly")
    func failures() throws {
        let fixture = try villa()
        let off = fixture.run(["identify", "kitchen", "--off", "lamp-1"] + devices)
        #expect(off.status == 1 && off.error.hasPrefix("Error: kitchen is not heard\n"))
        let nobody = fixture.run(["identify", "garage"] + devices)
        #expect(nobody.status == 64 && nobody.error.contains("no device or node is called `garage`"))
        let long = fixture.run(["identify", "kitchen", "--time", "61s"] + devices)
        #expect(long.status == 64 && long.error.contains("at most 60 s"))
        #expect(fixture.run(["identify", "kitchen", "--time", "1500ms"] + devices).status == 64)
    }

    @Test("a node is asked through a proxy as soon as its Health Server has an application key")
    func node() throws {
        let fixture = try CommandFixture.house()
        let missing = fixture.run("identify", "mary", "--via", "simulator")
        #expect(missing.status == 1)
        #expect(missing.error.contains("the Health Server of mary has no application key"))
        #expect(missing.error.contains("health-server: { keys: [NAME] }"))
        let definition = String(decoding: try #require(fixture.read("house.yaml")), as: UTF8.self)
        let mary = "mary:    { uuid: 268E8CA7-32A3-45B6-9149-AA44BAAD2346, ttl: 4, tags: { bed: right } }"
        #expect(definition.contains(mary))
        let model = "elements: { 0: { health-server: { keys: [home-automation] } } } }"
        try? FileManager.default.removeItem(at: fixture.folder.appendingPathComponent("house.yaml"))
        try fixture.write(
            definition.replacing(mary, with: mary.dropLast() + ", " + model),
            to: "house.yaml"
        )
        try #require(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
        let result = fixture.run("identify", "mary", "--via", "simulator", "--time", "5s")
        #expect(result.status == 0 && result.output == "mary draws attention to itself for 5 seconds.\n")
        let json = fixture.run("identify", "mary", "--via", "simulator", "--json")
        #expect(json.output.hasSuffix(#""node_uuid":"268E8CA7-32A3-45B6-9149-AA44BAAD2346","seconds":10}"# + "\n"))
        let off = fixture.run("identify", "mary", "--via", "simulator", "--off", "mary")
        #expect(off.status == 4 && off.error.hasPrefix("Error: mary does not answer\n"))
        #expect(fixture.run("plan", "--detailed-exitcode").status == 0)
    }
}
