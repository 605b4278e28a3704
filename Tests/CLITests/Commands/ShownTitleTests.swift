import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

/// People read titles; commands take names.
@Suite("Titles in reports, pictures and tables")
struct ShownTitleTests {
    private static let definition = """
        version: 1
        network: school
        title: Waldschule
        time_zone: "+01:00"
        products: [products.yaml]
        subnets: { home: { index: 0, title: Hausnetz } }
        application_keys: { lighting: { subnet: home, title: Licht } }
        groups: { room-1: { title: Class 1a } }
        floors: { upper: { title: Upper floor }, ground: { title: Ground floor } }
        profiles:
          lamp:
            product: blind-lamp
            elements: { 0: { health-server: { keys: [lighting] },
              generic-onoff-server: { keys: [lighting], subscribe: [room-1] } } }
        nodes:
          b-lamp: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0002, profile: lamp, title: Window lamp,
            tags: { room: 12 }, position: { floor: ground, x: 1m, y: 1m } }
          a-lamp: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001, profile: lamp, title: Wall lamp,
            tags: { room: 102 }, position: { floor: upper, x: 1m, y: 1m } }
          c-lamp: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0003, profile: lamp,
            tags: { room: 3 }, position: { floor: ground, x: 2m, y: 1m } }
          attic: { profile: lamp, title: Attic lamp, tags: { floor: attic } }

        """

    private static let products = """
        products:
          blind-lamp:
            company: 0x0059
            product: 0x0001
            features: [relay, proxy]
            elements: [{ models: [configuration-server, health-server, generic-onoff-server] }]

        """

    private static let options = ["--via", "simulator", "--devices", "sim/devices.yaml"]

    private func school() throws -> CommandFixture {
        let fixture = try CommandFixture()
        try fixture.write(Self.definition, to: "school.yaml")
        try fixture.write(Self.products, to: "products.yaml")
        let devices = (1...3).map { "  \($0): { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f000\($0), product: blind-lamp }\n" }
        try fixture.write(Self.products + "devices:\n" + devices.joined(), to: "sim/devices.yaml")
        try #require(fixture.run("init", "--network", "school").status == 0)
        let applied = fixture.run(["apply", "--auto-approve"] + Self.options)
        try #require(applied.status == 0, "\(applied.combined)")
        return fixture
    }

    @Test("a report calls things by their titles, lists nodes by floor and room, and names products and local times")
    func report() throws {
        let fixture = try school()
        let result = fixture.run("report", "--html", "school.html")
        #expect(result.status == 0, "\(result.combined)")
        let html = String(decoding: try #require(fixture.read("school.html")), as: UTF8.self)
        for text in [
            "<h1>Waldschule</h1>", "Bluetooth Mesh network school", "Class 1a<br>room-1", "Wall lamp<br>a-lamp",
            "Hausnetz<br>home", "Licht<br>lighting", ">blind-lamp<br>", "Upper floor: 1 node", "Ground floor: 2 nodes",
            "Floor attic: 1 node", "Not commissioned yet: 1 node (Attic lamp)", "Who controls whom in Waldschule",
            "<td role=\"cell\" data-label=\"Who listens\">Attic lamp, Wall lamp, Window lamp, c-lamp</td>",
        ] {
            #expect(html.contains(text), "\(text)")
        }
        // Floors in the order of the definition, and rooms in that of people.
        let order = ["Wall lamp<br>", ">c-lamp<", "Window lamp<br>", "Attic lamp<br>"]
        let nodes = try #require(html.range(of: "<section id=\"nodes\""))
        let places = order.compactMap { html.range(of: $0, range: nodes.upperBound..<html.endIndex)?.lowerBound }
        #expect(places.count == order.count && places == places.sorted(), "\(places.count)")
        // No time of a machine where people read.
        let visible = html.replacing(#/datetime="[^"]*"/#, with: "")
        #expect(!visible.contains(#/\d{4}-\d\d-\d\dT\d\d:\d\d/#))
        #expect(html.contains(#/data-label="Last heard">2026-\d\d-\d\d \d\d:\d\d UTC\+01:00</#))
    }

    @Test("pictures show titles and symbols, and JSON has names, titles and kinds")
    func pictures() throws {
        let fixture = try school()
        let svg = fixture.run("graph").output
        for text in ["Who controls whom in Waldschule", ">Class 1a<", ">Wall lamp<", ">Hausnetz<", ">lamp or load<"] {
            #expect(svg.contains(text), "\(text)")
        }
        let json = fixture.run("graph", "--format", "json").output
        #expect(json.contains(#""names":["room-1"],"titles":["Class 1a"]"#), "\(json)")
        #expect(json.contains(#""names":["a-lamp"],"titles":["Wall lamp"],"use":"light""#), "\(json)")
        #expect(json.contains(#""network":"school","title":"Waldschule""#))
        let floor = fixture.run("graph", "--floor", "ground").output
        #expect(floor.contains(">Window lamp</text>") && floor.contains(">c-lamp</text>"), "\(floor)")
        let positions = fixture.run("graph", "--floor", "ground", "--format", "json").output
        #expect(positions.contains(#""node":"b-lamp","title":"Window lamp""#), "\(positions)")
    }

    @Test("tables and lines of what is heard show titles beside the names")
    func operating() throws {
        let fixture = try school()
        let states = fixture.run(["get", "*", "onoff"] + Self.options)
        #expect(states.output.contains(#/a-lamp +0 +onoff +off +Wall lamp/#), "\(states.combined)")
        let json = fixture.run(["get", "a-lamp", "onoff", "--json"] + Self.options).output
        #expect(json.contains(#""node":"a-lamp","title":"Wall lamp""#), "\(json)")
        let health = fixture.run(["health"] + Self.options).output
        #expect(health.contains("TITLE") && health.contains("Window lamp"), "\(health)")
        let map = fixture.run(["map"] + Self.options).output
        #expect(map.contains("TITLE") && map.contains("Wall lamp"), "\(map)")
        let picture = fixture.run(["map", "--format", "svg"] + Self.options).output
        #expect(picture.contains("in network Waldschule") && picture.contains("Wall lamp"), "\(picture)")
    }
}
