import DefinitionModel
import MeshCore
import Testing

@testable import Definitions

@Suite("Checks in definitions")
struct ChecksOfDefinitionTests {
    private static let building = """
        version: 1
        network: hq
        subnets: { main: {} }
        application_keys: { lighting: { subnet: main } }
        groups: { hall: {} }
        profiles: { lamp: { nlc: [blc] } }
        nodes:
          switch-1: { uuid: \(uuid(1)), tags: { room: hall } }
          lamp-1: { uuid: \(uuid(2)), tags: { room: hall }, profile: lamp }

        """

    private func problems(_ check: String) -> [String] {
        let files = sources([Self.building + "checks: { c: \(check) }\n"])
        return DefinitionReader.read(files: files).diagnostics.map(\.message)
    }

    @Test("Every part of a check is read")
    func everything() throws {
        let (found, problems) = definitions(
            Self.building + """
                checks:
                  every lamp has a room: { nodes: lamp-*, have: { tags: room } }
                  all of it:
                    nodes: { room: hall }
                    for_each: room
                    have:
                      tags: { room: [hall, h*], floor: 2 }
                      profile: lamp
                      features: { relay: on, proxy: off, friend: off }
                      model: generic-onoff-client
                      keys: lighting
                      subscribe: [hall, all-relays]
                      publish: $(room)
                    count: { at_least: 2, at_most: 4 }
                    severity: warning
                  one switch: { nodes: switch-*, count: 1, severity: error }
                """
        )
        #expect(problems == [])
        let checks = try #require(found.first).checks
        #expect(checks.map(\.name.value) == ["every lamp has a room", "all of it", "one switch"])
        #expect(checks[0].requirement.tags.map(\.name.value) == ["room"] && checks[0].count == nil)
        let required = checks[1].requirement
        #expect(required.tags.map { $0.values.map(\.value) } == [["hall", "h*"], ["2"]])
        #expect(required.profiles.map(\.value) == ["lamp"] && required.keys.map(\.value) == ["lighting"])
        #expect(required.relay?.value == true && required.proxy?.value == false && required.friend?.value == false)
        #expect(required.subscribe.map(\.value.text) == ["hall", "all-relays"])
        #expect(required.publish.first?.value.tags == ["room"])
        #expect(checks[1].forEach?.value == "room" && checks[1].isWarning && !checks[2].isWarning)
        #expect(checks.map { $0.count?.value.text } == [nil, "2 to 4", "exactly 1"])
    }

    @Test("Names of groups take the values of tags")
    func groups() throws {
        let tags = ["room": Located("hall", at: SourceLocation(file: 0, line: 1, column: 1))]
        #expect(CheckedGroup("$(room)")?.name(for: tags) == "hall")
        #expect(CheckedGroup("a-$(room).b")?.name(for: tags) == "a-hall.b")
        #expect(CheckedGroup("$(floor)-$(room)")?.name(for: tags) == nil)
        #expect(CheckedGroup("$(floor)-$(room)")?.tags == ["floor", "room"])
        for text in ["", "$(", "$()", "$(a", "a b", "$(a b)", "$($(a))", "a)", "<a>"] {
            #expect(CheckedGroup(text) == nil, "\(text)")
        }
    }

    @Test(
        "What makes no sense is said at its place",
        arguments: [
            ("{}", "the check demands nothing"),
            ("{ nodes: lamp-* }", "the check demands nothing"),
            ("{ for_each: room, have: { tags: room } }", "`for_each` says for which values nodes are counted"),
            ("{ for_each: floor, count: 1 }", "no node has the tag `floor`"),
            ("{ have: { publish: $(floor) } }", "no node has the tag `floor`"),
            ("{ have: { publish: <room } }", "`<room` is not the name of a group"),
            ("{ have: { publish: a-<room> } }", "`a-<room>` is not the name of a group"),
            ("{ have: { tags: { room: $(room) } } }", "`$(room)` stands for nothing here"),
            ("{ have: { keys: $(room) } }", "`$(room)`"),
            ("{ have: { publish: cellar } }", "there is no group `cellar`"),
            ("{ have: { subscribe: cellar } }", "there is no group `cellar`"),
            ("{ have: { keys: sensing } }", "there is no application key `sensing`"),
            ("{ have: { profile: lmp } }", "there is no profile `lmp`"),
            ("{ have: { model: generic-onof-server } }", "`generic-onof-server` is not a model"),
            ("{ have: { tags: { room: [] } } }", "no value is allowed here"),
            ("{ have: { features: { relay: 1 } } }", "`1` is neither on nor off"),
            ("{ have: { colour: red } }", "unknown key `colour`"),
            ("{ nodes: lamp-9, have: { tags: room } }", "there is no node `lamp-9`"),
            ("{ count: some }", "`some` is not a number of nodes"),
            ("{ count: {} }", "no number is given"),
            ("{ count: { at_least: 3, at_most: 2 } }", "no number is at least 3 and at most 2"),
            ("{ count: 1, severity: fatal }", "`fatal` is not a severity"),
            ("on", "a check is expected here, not a text"),
        ]
    )
    func mistakes(_ check: String, _ message: String) {
        let found = problems(check)
        #expect(found.contains { $0.hasPrefix(message) }, "\(found)")
        #expect(found.count <= 2, "\(found)")
    }

    @Test("Two checks of one name are an error, also in two files")
    func twice() throws {
        let check = "checks: { c: { count: 2 } }\n"
        #expect(
            diagnose(Self.building + check, check) == [
                "b.yaml:1:11: error: the check `c` is declared twice [a.yaml:10:11: first here]"
            ]
        )
    }

    @Test("Profiles of Networked Lighting Control are read in nodes and profiles, each once")
    func lightingProfiles() throws {
        let (found, problems) = definitions(Self.building)
        #expect(problems == [])
        #expect(try #require(found.first).profiles[0].settings.lightingProfiles?.value.map(\.value) == [.blc])
        let wrong = diagnose(Self.building + "  lamp-2: { uuid: \(uuid(3)), nlc: [bcl, ocs, ocs] }\n")
        #expect(wrong.count == 2)
        #expect(wrong[0].hasPrefix("a.yaml:10:59: error: `bcl` is not a profile of Networked Lighting Control"))
        #expect(wrong[0].contains("did you mean `blc`?"))
        #expect(wrong[1].hasPrefix("a.yaml:10:69: warning: `ocs` occurs twice in this list"))
    }

    @Test("Defaults give states to models, each once, and entries of one rank must agree")
    func defaultStates() throws {
        let states = "{ light-lightness-server: { range: [5%, 100%], default: 80% } }"
        let (found, problems) = definitions("defaults: { states: \(states) }\n" + Self.building)
        #expect(problems == [])
        let models = try #require(found.first).defaults[0].models
        #expect(models.map(\.identifier.value) == [.sig(0x1300)])
        #expect(models[0].states?.value.map(\.value.path) == ["range", "default"])
        let other = "{ light-lightness-server: { default: 70% } }"
        let conflict = diagnose("defaults: [{ states: \(states) }, { states: \(other) }]\n" + Self.building)
        #expect(conflict.count == 1)
        #expect(conflict[0].contains("two entries of `defaults` give every node different values for `states.default`"))
        #expect(
            diagnose("defaults: { states: { light-lightness-server: { colour: 1 } } }\n" + Self.building).count == 1
        )
    }
}
