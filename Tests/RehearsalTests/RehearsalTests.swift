import DefinitionModel
import MeshCore
import Rehearsal
import Simulator
import Testing

@Suite("Tests of a house")
struct RehearsalTests {
    /// The only failure of a definition with these tests, and all its words.
    private func failure(
        _ tests: String,
        _ settings: WorldSettings = .ideal,
        change: (old: String, new: String)? = nil
    ) throws -> String? {
        var text = House.text(tests)
        if let change {
            try #require(text.contains(change.old))
            text = text.replacing(change.old, with: change.new)
        }
        let failures = try RehearsedBuilding(text).failures(settings)
        #expect(failures.count <= 1)
        return failures.values.first.map { failure in
            failure.problems.map { "\($0.node ?? "-"): \($0.text) (\($0.reason ?? "-"))" }.joined(separator: "\n")
        }
    }

    /// Everybody hears the hub, and nobody else.
    private func star(losing loser: String? = nil) -> WorldSettings {
        var settings = WorldSettings.ideal
        settings.topology = .links(
            House.names.dropFirst().map { name in
                WorldSettings.RadioLink(
                    House.uuid(of: "hub"),
                    House.uuid(of: name),
                    copyLoss: name == loser ? 1 : nil
                )
            }
        )
        return settings
    }

    @Test("Faults are those that the Health Server has at present")
    func faults() throws {
        let appears = "fault: lamp-hall-1 overheat, expect: [{ nodes: lamp-hall-1, faults: overheat }"
        #expect(
            try failure(
                """
                  t:
                    - { \(appears), { nodes: lamp-hall-2, faults: none }] }
                    - fault: lamp-hall-1 battery-low-warning
                      expect: { nodes: lamp-hall-1, faults: [overheat, battery-low-warning] }
                    - { fault: lamp-hall-1 overheat, expect: { nodes: lamp-hall-1, faults: battery-low-warning } }
                """
            ) == nil
        )
        let text = try failure("  t: [{ \(appears), { nodes: lamp-*, faults: none, within: 2s }] }]")
        #expect(text == "lamp-hall-1: faults are overheat-error after 2s, not none (-)")
        let missing = try failure("  t: [{ expect: { nodes: lamp-*, element: 1, faults: none } }]")
        #expect(missing?.contains("lamp-hall-1: it has no faults (there is no health-server there)") == true)
    }

    @Test("A node draws attention for as long as it was told to")
    func attention() throws {
        let begins = "set: lamp-hall-1 attention 5s, expect: [{ nodes: lamp-hall-1, attention: on }"
        let steps = "{ \(begins), { nodes: lamp-hall-2, attention: off }] }, "
        #expect(
            try failure("  t: [\(steps){ wait: 5s, expect: { nodes: lamp-*, attention: off } }]", star()) == nil
        )
        let late = try failure(
            "  t: [\(steps){ within: 100ms, expect: { nodes: lamp-hall-1, attention: off } }]",
            star()
        )
        #expect(late?.hasPrefix("lamp-hall-1: attention is 5 s after 100ms, not off") == true, "\(late ?? "")")
    }

    @Test("The message of a switch or a fault has to arrive in time")
    func arrivals() throws {
        let press = "press: switch-hall/0 on, expect: { nodes: [hub, switch-hall, lamp-*]"
        #expect(try failure("  t: [{ \(press), arrives: 100ms } }]", star()) == nil)
        #expect(
            try failure("  t: [{ fault: lamp-hall-1 overheat, expect: { nodes: hub, arrives: 200ms } }]", star()) == nil
        )
        let late = try failure("  t: [{ \(press), arrives: 1ms } }]", star())
        let text = "lamp-hall-1: the message has not arrived after 1ms (the message of the switch "
        #expect(late?.contains(text) == true, "\(late ?? "")")
    }

    @Test("Each expectation has its own time")
    func times() throws {
        let press = "press: switch-hall/0 on, within: 5s, expect: [{ nodes: lamp-hall-1, onoff: on }"
        let text = try failure("  t: [{ \(press), { nodes: lamp-hall-2, onoff: off, within: 20ms }] }]", star())
        #expect(text == nil)
        let late = try failure("  t: [{ \(press), { nodes: lamp-cellar-1, onoff: on, within: 20ms }] }]", star())
        #expect(late?.hasPrefix("lamp-cellar-1: onoff is off after 20ms, not on (") == true, "\(late ?? "")")
    }

    @Test("Nobody else speaks, if others are to be silent")
    func silence() throws {
        let test =
            "  t: [{ press: switch-hall/0 on, expect: { nodes: lamp-hall-*, onoff: on }, others: [unchanged, silent] }]"
        #expect(try failure(test, star()) == nil)
        let rule = "groups: [hall], models: [generic-onoff-server], nodes: { kind: lamp"
        let text = try failure(test, star(), change: ("\(rule), room: hall }", "\(rule) }"))
        #expect(
            text?.contains(
                """
                lamp-cellar-1: its generic-onoff-server published a change to status (0xC002), but others were to stay \
                silent (the switch publishes to hall (0xC000), to which its generic-onoff-server listens)
                """
            ) == true,
            "\(text ?? "")"
        )
        #expect(text?.contains("lamp-cellar-2: its light changed to 100 %, but others were") == true)
    }

    @Test("A test is played for each room, and the failure names the room's nodes")
    func rooms() throws {
        let test = """
              t:
                for_each: { tag: room }
                steps:
                  - press: switch-$(room)/0 on
                    expect: { nodes: { kind: lamp, room: $(room) }, onoff: on }
                    others: unchanged
            """
        #expect(try failure(test, star()) == nil)
        let text = try failure(
            test,
            star(),
            change: ("model: generic-onoff-client, to: cellar", "model: generic-onoff-client, to: hall")
        )
        #expect(text?.contains("lamp-cellar-1: onoff is off") == true)
        #expect(
            text?.contains(
                "the switch publishes to hall (0xC000), but its generic-onoff-server subscribes to cellar (0xC001)"
            ) == true,
            "\(text ?? "")"
        )
        let runs = try RehearsedBuilding(House.text(test)).runs("t")
        #expect(runs.map { $0.binding?.value } == ["cellar", "hall"])
        #expect(runs.map { $0.steps[0].action?.words } == ["switch-cellar/0 on", "switch-hall/0 on"])
    }

    @Test("A test is played for each node, with the node's own tags")
    func nodes() throws {
        let test = """
              t:
                for_each: { node: { kind: switch } }
                steps: [{ press: $(node)/0 on, expect: { nodes: { kind: lamp, room: $(room) }, onoff: on } }]
            """
        #expect(try failure(test, star()) == nil)
        #expect(
            try RehearsedBuilding(House.text(test)).runs("t").map { $0.binding?.value } == [
                "switch-hall", "switch-cellar",
            ]
        )
    }

    @Test("A failure without a relay says what the relay carried, and to whom")
    func singlePointOfFailure() throws {
        let test = """
              t:
                for_each: { without: relays }
                steps: [{ press: switch-hall/0 on, expect: { nodes: lamp-hall-1, onoff: on } }]
            """
        let text = try failure(test, star())
        #expect(
            text?.contains("with hub the message arrives after 2 hops, over hub, as do ") == true
                && text?.contains(" others that it reaches by no other way; without it, nobody heard the message")
                    == true,
            "\(text ?? "")"
        )
    }

    @Test("A failure says where the message was lost, and how it came")
    func hops() throws {
        let test = "  t: [{ press: switch-hall/0 on, expect: { nodes: lamp-hall-*, onoff: on } }]"
        let lost = try failure(test, star(losing: "lamp-hall-2"))
        #expect(
            lost?.hasSuffix("(hub sent the message of the switch to this node, but every copy was lost)") == true,
            "\(lost ?? "")"
        )
        let command = try failure(
            "  t: [{ set: group.hall onoff on, expect: { nodes: lamp-hall-1, onoff: off } }]",
            star()
        )
        #expect(
            command?.hasPrefix("lamp-hall-1: onoff is on after 1s, not off (the message of the command arrived after ")
                == true,
            "\(command ?? "")"
        )
        // The proxy also hears the command from the lamps that relay it.
        let relayed = try failure(
            "  t: [{ set: group.hall onoff on, expect: { nodes: lamp-hall-1, onoff: off } }]",
            change: (old: "  lamp:\n    features: { relay: off", new: "  lamp:\n    features: { relay: on")
        )
        #expect(
            relayed?.contains("(the message of the command arrived after 2 hops, over hub)") == true,
            "\(relayed ?? "")"
        )
    }

    @Test("Heartbeats of a node reach another one, over so many hops at most")
    func heartbeats() throws {
        let server = "    elements:\n      0:\n        generic-onoff-server"
        let sending = "    heartbeat: { publish: { to: all-nodes, ttl: 5, period: 8s, count: infinite } }\n"
        let change = (old: server, new: sending + server)
        let far = "nodes: [lamp-hall-2, hub], heartbeat: lamp-hall-1, within: 30s"
        #expect(try failure("  t: [{ wait: 1s, expect: { \(far), hops: 2 } }]", star(), change: change) == nil)
        let text = try failure("  t: [{ wait: 1s, expect: { \(far), hops: 1 } }]", star(), change: change)
        #expect(text == "lamp-hall-2: heartbeats of lamp-hall-1 come over 2 hops, not over at most 1 (-)")
        let none = try failure("  t: [{ expect: { \(far) } }]", star())
        #expect(none?.contains("hub: no heartbeat of lamp-hall-1 has arrived after 30s (-)") == true, "\(none ?? "")")
    }

    @Test("Heartbeats reach our own node over a proxy, to its address or to a group")
    func heartbeatsAtProvisioner() throws {
        let server = "    elements:\n      0:\n        generic-onoff-server"
        for target in ["provisioner", "all-nodes", "status"] {
            let sending = "    heartbeat: { publish: { to: \(target), ttl: 5, period: 8s, count: infinite } }\n"
            let change = (old: server, new: sending + server)
            let heard = "nodes: provisioner, heartbeat: lamp-hall-1, within: 30s"
            let both = "[{ \(heard), hops: 2 }, { nodes: lamp-hall-1, onoff: on }]"
            let test = "  t: [{ press: switch-hall/0 on, expect: \(both) }, { wait: 1s, expect: { \(heard) } }]"
            #expect(try failure(test, star(), change: change) == nil, "\(target)")
            let text = try failure("  t: [{ expect: { \(heard), hops: 1 } }]", star(), change: change)
            #expect(
                text == "provisioner: heartbeats of lamp-hall-1 come over 2 hops, not over at most 1 (-)",
                "\(target): \(text ?? "")"
            )
        }
        let none = try failure("  t: [{ expect: { nodes: provisioner, heartbeat: lamp-hall-1, within: 10s } }]", star())
        #expect(none == "provisioner: no heartbeat of lamp-hall-1 has arrived after 10s (-)", "\(none ?? "")")
    }

    @Test("Commands reach the nodes of one building after the other")
    func commands() throws {
        let step = "expect: { nodes: lamp-hall-*, onoff: on }, others: unchanged"
        let building = try RehearsedBuilding(House.text("  t: [{ set: group.hall onoff on, \(step) }]"))
        for seed in 1...12 { #expect(building.failures(star(), seed: UInt64(seed)).isEmpty, "\(seed)") }
    }

    @Test("A scene is recalled by its name where it was stored")
    func storedScene() throws {
        let step = "recall: evening in room=hall, expect: { nodes: lamp-hall-*, lightness: 40%, scene: 3 }"
        let text = House.text("  t: [{ \(step), others: unchanged }]")
            .replacing("groups: {", with: "scenes: { evening: 3 }\ngroups: {")
            .replacing(
                "light-lightness-server: { keys: [lighting] }",
                with: """
                    light-lightness-server: { keys: [lighting], scenes: { evening: { lightness: 40% } } }
                            scene-server: { keys: [lighting] }
                    """
            )
        #expect(try RehearsedBuilding(text).failures(star()).isEmpty)
    }

    @Test("A scene that nobody has stored is not recalled, and the failure says what the nodes answered")
    func scenes() throws {
        let server = ("health-server:", "scene-server: { keys: [lighting], subscribe: [hall] }\n        health-server:")
        let test = "  t: [{ recall: 3 in group.hall, expect: { nodes: lamp-hall-1, scene: 3 } }]"
        let text = try failure(test, star(), change: server)
        #expect(
            text?.hasSuffix("(the node answered the command with something else than it asked for)") == true,
            "\(text ?? "")"
        )
        let none = try failure(test, star())
        #expect(none?.hasPrefix("-: nothing that is meant has the state scene") == true, "\(none ?? "")")
    }
}
