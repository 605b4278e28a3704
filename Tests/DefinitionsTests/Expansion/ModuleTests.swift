import DefinitionModel
import MeshCore
import Testing

@testable import Definitions

/// Reads files by path, with the others that they name.
func reading(_ texts: [(path: String, text: String)], of names: [String]? = nil) -> DefinitionReading {
    let all = texts.map { SourceFiles.File(path: $0.path, bytes: Array($0.text.utf8)) }
    let given = names ?? [texts[0].path]
    let load = { (path: String) throws(Never) -> [SourceFiles.File] in
        let path = NamedFiles.normalized(path)
        return all.filter { $0.path == path || $0.path.hasPrefix(path + "/") }
    }
    return DefinitionReader.reading(
        SourceFiles(files: all.filter { given.contains($0.path) }),
        admits: { !NamedFiles.normalized($0).hasPrefix("..") },
        loading: load
    )
}

/// The problems of a reading, one line each.
func problems(_ reading: DefinitionReading) -> [String] { reading.diagnostics.map { compact($0, reading.files) } }

@Suite("Modules")
struct ModuleTests {
    private let room = """
        modules:
          hotel-room:
            parameters: { room: number, lamps: { type: number, default: 2 }, floor: text }
            groups:
              room-$(room): { parent: floor-$(floor) }
            nodes:
              switch-$(room): { uuid: 0d5c5a0e6f5b4f0ea1a50b1f010$(room)00, tags: { room: $(room) } }
              lamp-$(room)-$(n):
                for: { n: 1..$(lamps) }
                uuid: 0d5c5a0e6f5b4f0ea1a50b1f020$(room)0$(n)
                tags: { room: $(room) }

        """

    @Test("A module is instantiated once, over a range, a list, and the rows of a file")
    func instances() throws {
        let text =
            head + room + """
                groups: { floor-1: {}, floor-2: {} }
                use:
                  - { module: hotel-room, with: { room: 100, floor: 1, lamps: 3 } }
                  - { module: hotel-room, for: { room: 101..103 }, with: { floor: 1 } }
                  - { module: hotel-room, for: { room: [201, 205] }, with: { floor: 2, lamps: 1 } }
                  - { module: hotel-room, rows: rooms.csv }

                """
        let reading = reading([("a.yaml", text), ("rooms.csv", "room,lamps,floor,colour\n301,1,2,red\n302,2,2,\n")])
        #expect(problems(reading) == [])
        let definition = try #require(reading.definitions.first)
        #expect(
            definition.nodes.map(\.name.value) == [
                "switch-100", "lamp-100-1", "lamp-100-2", "lamp-100-3", "switch-101", "lamp-101-1", "lamp-101-2",
                "switch-102", "lamp-102-1", "lamp-102-2", "switch-103", "lamp-103-1", "lamp-103-2", "switch-201",
                "lamp-201-1", "switch-205", "lamp-205-1", "switch-301", "lamp-301-1", "switch-302", "lamp-302-1",
                "lamp-302-2",
            ]
        )
        #expect(definition.groups.map(\.name.value).contains("room-302"))
        #expect(definition.groups.last?.parent?.value == "floor-2")
        let lamp = try #require(definition.nodes.first { $0.name.value == "lamp-102-2" })
        #expect(reading.files.path(of: lamp.name.location) == "a.yaml")
        #expect(
            reading.files.instances.title(of: lamp.name.location) == "for n = 2, in use[1] of hotel-room, room = 102"
        )
    }

    @Test("A scalar that is exactly a reference becomes a list or mapping; an escape stays a text")
    func values() throws {
        let (definitions, problems) = definitions(
            head + """
                modules:
                  m:
                    parameters: { keys: list, tags: text, features: text }
                    nodes:
                      a: { uuid: \(uuid(1)), application_keys: $(keys), tags: { t: $$(keys), u: $(tags) }, features: $(features) }
                application_keys: { k: { subnet: s }, l: { subnet: s } }
                subnets: { s: {} }
                use: [{ module: m, with: { keys: [k, l], tags: "yes", features: { relay: on } } }]

                """
        )
        #expect(problems == [])
        let node = try #require(definitions.first?.nodes.first)
        #expect(node.settings.applicationKeys?.value.map(\.value) == ["k", "l"])
        #expect(node.tags.mapValues(\.value) == ["t": "$(keys)", "u": "yes"])
        #expect(node.settings.relay?.value == true)
    }

    @Test("Modules hold instances of others, rules and tests; references that a test binds itself stay")
    func nesting() throws {
        let (definitions, problems) = definitions(
            head + """
                modules:
                  lamp:
                    parameters: { name: text, number: number }
                    nodes:
                      $(name): { uuid: 0d5c5a0e6f5b4f0ea1a50b1f0000000$(number), tags: { room: "1" } }
                  room:
                    parameters: { name: text }
                    groups: { $(name): {} }
                    use: [{ module: lamp, for: { number: 1..3 }, with: { name: lamp-$(name)-$(number), number: $(number) } }]
                    subscriptions:
                      - { groups: [$(name)], models: [generic-onoff-server], nodes: lamp-$(name)-* }
                    tests:
                      the lamps of $(name) in $(other): [{ wait: 1s }]
                use: [{ module: room, with: { name: hall } }]

                """
        )
        #expect(problems == [])
        let definition = try #require(definitions.first)
        #expect(definition.nodes.map(\.name.value) == ["lamp-hall-1", "lamp-hall-2", "lamp-hall-3"])
        #expect(definition.subscriptions.first?.nodes.names?.first?.value == "lamp-hall-*")
        #expect(definition.tests.map(\.name.value) == ["the lamps of hall in $(other)"])
    }

    @Test("A module declares modules of its own, which hide others of the same name and which nobody else knows")
    func localModules() throws {
        let text =
            head + """
                modules:
                  lamp: { groups: { outer: {} } }
                  other: { use: [{ module: lamp }] }
                  room:
                    parameters: { room: number }
                    modules:
                      lamp:
                        parameters: { n: number }
                        modules: { part: { parameters: { p: text }, groups: { part-$(p): {} } } }
                        groups: { lamp-$(n): {} }
                        use: [{ module: part, with: { p: $(n) } }]
                    use:
                      - { module: lamp, for: { n: 1..2 } }
                      - { module: other }
                use: [{ module: room, with: { room: 7 } }]

                """
        let read = reading([("a.yaml", text)])
        #expect(problems(read) == [])
        #expect(read.definitions.first?.groups.map(\.name.value) == ["lamp-1", "part-1", "lamp-2", "part-2", "outer"])
        let stranger = reading([("a.yaml", text.replacing("use: [{ module: room", with: "use: [{ module: part"))])
        #expect(problems(stranger).first?.contains("error: there is no module `part`") == true, "\(problems(stranger))")
        let twice = head + "modules: { m: { modules: { n: {}, k: { use: [{ module: m }] } }, use: [{ module: k }] } }\n"
        #expect(
            problems(reading([("a.yaml", twice + "use: [{ module: m }]\n")])).first?
                .contains("the module `m` uses itself: m > m/k > m") == true
        )
    }

    @Test("An instance sets what the module leaves open, and nothing else")
    func overrides() throws {
        let text = { (override: String) in
            head + """
                modules:
                  m:
                    parameters: { n: number }
                    nodes:
                      lamp-$(n): { uuid: 0d5c5a0e6f5b4f0ea1a50b1f0000000$(n), ttl: 5, features: { relay: on } }
                use: [{ module: m, for: { n: 1..2 }, override: { nodes: { \(override) } } }]

                """
        }
        let (definitions, problems) = definitions(text("lamp-$(n): { protect: on, features: { proxy: on } }"))
        #expect(problems == [])
        let nodes = try #require(definitions.first?.nodes)
        #expect(nodes.map(\.isProtected?.value) == [true, true])
        #expect(nodes.map(\.settings.proxy?.value) == [true, true])
        #expect(nodes.map(\.settings.relay?.value) == [true, true])
        #expect(
            diagnose(text("lamp-$(n): { ttl: 6 }")) == [
                "a.yaml:8:77: error: the module sets this itself (an instance can set what the module leaves open; "
                    + "make it a parameter of the module) [a.yaml:7:68: here (in use[0] of m, n = 1)] "
                    + "[a.yaml:8:7: in use[0] of m, n = 1, and in 1 other instance]"
            ]
        )
        #expect(
            diagnose(text("lamp-3: { ttl: 6 }")) == [
                "a.yaml:8:59: error: `m` has no node `lamp-3` (an instance overrides what its module declares) "
                    + "[a.yaml:8:7: in use[0] of m, n = 1, and in 1 other instance]"
            ]
        )
    }

    @Test(
        "A mistake in a module is one message with the module's line and the instance, however many instances there are"
    )
    func folding() {
        let text =
            head + """
                modules:
                  m:
                    parameters: { n: number }
                    nodes:
                      lamp-$(n): { uuid: 0d5c5a0e6f5b4f0ea1a50b1f00000$(n), profile: lamp-$(n) }
                use: [{ module: m, for: { n: 100..399 } }]

                """
        #expect(
            diagnose(text) == [
                "a.yaml:7:70: error: there is no profile `lamp-100` (declare it under `profiles:`) "
                    + "[a.yaml:8:7: in use[0] of m, n = 100, and in 299 other instances]"
            ]
        )
    }

    @Test("Variables have defaults and values, of which later ones win; `x-` keys hold anchors")
    func variables() throws {
        let text =
            head + """
                variables: { lamps: 2, relay: { type: on/off } }
                x-lights: &lights { ttl: 7, tags: { kind: lamp } }
                values: { relay: on }
                nodes:
                  lamp-$(n): { <<: *lights, for: { n: 1..$(lamps) }, uuid: \(String(uuid(16).dropLast()))$(n), features: { relay: $(relay) } }

                """
        let reading = reading(
            [("a.yaml", text), ("values.yaml", "values: { lamps: 3 }\n")],
            of: ["a.yaml", "values.yaml"]
        )
        #expect(problems(reading) == [])
        let nodes = try #require(reading.definitions.first?.nodes)
        #expect(nodes.map(\.name.value) == ["lamp-1", "lamp-2", "lamp-3"])
        #expect(nodes.allSatisfy { $0.settings.defaultTTL?.value == 7 && $0.tags["kind"]?.value == "lamp" })
    }

    @Test("Tags, protection and removal policy come from profiles and defaults, the nearest one wins")
    func inheritance() throws {
        let (definitions, problems) = definitions(
            head + """
                defaults:
                  - { tags: { site: hq, floor: "0" }, on_remove: reset }
                  - { nodes: "b*", tags: { floor: "1" } }
                  - { nodes: { floor: "1" }, protect: on }
                profiles: { lamp: { tags: { kind: lamp, floor: "2" }, on_remove: forget } }
                nodes:
                  a: { uuid: \(uuid(1)), profile: lamp, tags: { kind: spot } }
                  b: { uuid: \(uuid(2)) }
                  c: { uuid: \(uuid(3)) }

                """
        )
        #expect(problems == [])
        let nodes = try #require(definitions.first?.nodes)
        #expect(
            nodes.map { $0.tags.mapValues(\.value) } == [
                ["site": "hq", "kind": "spot", "floor": "2"], ["site": "hq", "floor": "1"],
                ["site": "hq", "floor": "0"],
            ]
        )
        #expect(nodes.map(\.removalPolicy?.value) == [.forget, .reset, .reset])
        #expect(nodes.map(\.isProtected?.value) == [nil, true, nil])
    }

    @Test("`each` makes one group, subscription and publication for every value of a tag")
    func each() throws {
        let (definitions, problems) = definitions(
            head + """
                subnets: { s: {} }
                application_keys: { k: { subnet: s } }
                groups:
                  room-$(room): { each: room }
                subscriptions:
                  - { each: room, groups: [room-$(room)], models: [generic-onoff-server], nodes: { kind: lamp } }
                publications:
                  - { each: room, nodes: all, model: generic-onoff-client, to: room-$(room), key: k }
                profiles: { lamp: { tags: { kind: lamp } } }
                nodes:
                  a: { uuid: \(uuid(1)), profile: lamp, tags: { room: hall } }
                  b: { uuid: \(uuid(2)), profile: lamp, tags: { room: "12" } }
                  c: { uuid: \(uuid(3)), profile: lamp, tags: { room: hall } }

                """
        )
        #expect(problems == [])
        let definition = try #require(definitions.first)
        #expect(definition.groups.map(\.name.value) == ["room-hall", "room-12"])
        #expect(definition.subscriptions.map { $0.groups.map(\.value) } == [["room-hall"], ["room-12"]])
        #expect(
            definition.subscriptions.map { $0.nodes.tags.mapValues(\.value) } == [
                ["kind": "lamp", "room": "hall"], ["kind": "lamp", "room": "12"],
            ]
        )
        #expect(definition.publications.map { $0.nodes.tags.mapValues(\.value) } == [["room": "hall"], ["room": "12"]])
    }

    @Test("Files include others, also folders; each belongs to every network that includes it")
    func include() throws {
        let reading = reading(
            [
                ("a/hq.yaml", "version: 1\nnetwork: hq\ninclude: [../common, room.yaml]\nuse: [{ module: m }]\n"),
                ("a/annex.yaml", "version: 1\nnetwork: annex\ninclude: ../common\n"),
                ("common/lamp.yaml", "profiles: { lamp: { ttl: 5 } }\ninclude: sensor.yaml\n"),
                ("common/sensor.yaml", "profiles: { sensor: { ttl: 6 } }\n"),
                ("a/room.yaml", "modules: { m: { groups: { room: {} } } }\n"),
            ],
            of: ["a/hq.yaml", "a/annex.yaml", "a/room.yaml"]
        )
        #expect(problems(reading) == [])
        #expect(reading.definitions.map(\.network.value) == ["hq", "annex"])
        #expect(
            reading.definitions.map { $0.profiles.map(\.name.value).sorted() } == [
                ["lamp", "sensor"], ["lamp", "sensor"],
            ]
        )
        #expect(reading.definitions.map { $0.groups.map(\.name.value) } == [["room"], []])
    }

    @Test("An expansion bomb ends with one message")
    func bomb() {
        let text =
            head + """
                modules:
                  a: { nodes: { a-$(x)-$(n): { for: { n: 1..1000 }, uuid: \(uuid(1)) } }, parameters: { x: text } }
                  b: { use: [{ module: a, for: { x: 1..1000 } }] }
                  c: { parameters: { y: text }, use: [{ module: b }] }
                use: [{ module: c, for: { y: 1..1000 } }]

                """
        var limits = ReadingLimits()
        limits.nodes = 20_000
        #expect(diagnose(text, limits: limits).map { $0.contains("expand to more than 20000 values") } == [true])
        limits = ReadingLimits()
        limits.instances = 2_000
        #expect(diagnose(text, limits: limits).map { $0.contains("expand to more than 2000 instances") } == [true])
        let chain = (0..<40).map { number in
            "  m\(number): { parameters: { s: text }, use: [{ module: m\(number + 1), with: { s: $(s)$(s) } }] }\n"
        }
        let growing =
            head + "modules:\n" + chain.joined()
            + "  m40: { parameters: { s: text }, groups: { g: { title: $(s) } } }\nuse: [{ module: m0, with: { s: ab } }]\n"
        #expect(diagnose(growing).map { $0.contains("the text becomes longer than 4096 octets") } == [true])
        // Many long texts are many values.
        let long = String(repeating: "long", count: 500)
        let texts =
            head + "modules: { m: { parameters: { n: number, s: text }, groups: { g-$(n): { title: $(s)$(n) } } } }\n"
            + "use: [{ module: m, for: { n: 1..1000 }, with: { s: \(long) } }]\n"
        limits = ReadingLimits()
        limits.nodes = 20_000
        #expect(diagnose(texts, limits: limits).last?.contains("expand to more than 20000 values") == true)
        #expect(diagnose(head + "nodes: { a-$(n): { for: { n: 1..999999999 }, uuid: \(uuid(1)) } }\n").count == 1)
    }

    @Test("What is rendered says where each part comes from, and reads as the same definition")
    func rendering() throws {
        let text =
            head + room
            + "groups: { floor-1: {} }\nuse: [{ module: hotel-room, for: { room: 101..102 }, with: { floor: 1 } }]\n"
        let reading = reading([("a.yaml", text)])
        #expect(problems(reading) == [])
        let definition = try #require(reading.definitions.first)
        let rendered = DefinitionWriter.text(of: [definition], withOriginsIn: reading)
        #expect(rendered.contains("\n  # a.yaml:7, in use[0] of hotel-room, room = 102\n  room-102:"))
        #expect(rendered.contains("\n  # a.yaml:10, for n = 2, in use[0] of hotel-room, room = 101\n  lamp-101-2:"))
        let (definitions, problems) = definitions(rendered)
        #expect(problems == [])
        #expect(definitions.first?.nodes.map(\.name.value) == definition.nodes.map(\.name.value))
        #expect(definitions.first?.groups.map(\.name.value) == definition.groups.map(\.name.value))
    }
}
