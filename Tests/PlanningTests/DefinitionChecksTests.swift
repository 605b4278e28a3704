import DefinitionModel
import Definitions
import MeshCore
import Planning
import Testing

@Suite("Checks of a definition")
struct DefinitionChecksTests {
    private static let building = """
        version: 1
        network: hq
        subnets: { main: {} }
        application_keys: { lighting: { subnet: main } }
        groups: { kitchen: {}, hall: {}, floor-1: {} }
        profiles:
          lamp:
            features: { relay: on }
            elements: { 0: { generic-onoff-server: { keys: [lighting] } } }
        nodes:
          lamp-1: { uuid: \(uuid(1)), profile: lamp, tags: { kind: lamp, room: kitchen, floor: 1 } }
          lamp-2: { uuid: \(uuid(2)), profile: lamp, features: { relay: off }, tags: { kind: lamp, floor: 1 } }
          switch-1: { uuid: \(uuid(3)), tags: { kind: switch, room: kitchen, floor: 1 } }
          switch-2: { uuid: \(uuid(4)), tags: { kind: switch, room: cellar, floor: 2 } }
        subscriptions:
          - { groups: [kitchen], models: [generic-onoff-server], nodes: { room: kitchen } }
        publications:
          - { node: switch-1, model: generic-onoff-client, to: kitchen, key: lighting }
          - { node: switch-2, model: generic-onoff-client, to: hall, key: lighting }

        """

    private static func uuid(_ number: Int) -> String { String(repeating: "0", count: 31) + "\(number)" }

    /// What `validate` says of a check, without a database.
    private func findings(_ check: String) throws -> [String] {
        let text = Self.building + "checks: { c: \(check) }\n"
        let files = SourceFiles(files: [SourceFiles.File(path: "a.yaml", bytes: Array(text.utf8))])
        let (definitions, problems) = DefinitionReader.read(files: files)
        #expect(problems.filter { $0.severity == .error } == [])
        return DefinitionChecks.diagnostics(of: try #require(definitions.first)).map { finding in
            #expect(finding.location?.line == 20 && finding.hint != nil)
            return "\(finding.severity): \(finding.message)"
        }
    }

    @Test(
        "Each predicate looks at the resolved definition",
        arguments: [
            ("{ nodes: { kind: lamp }, have: { tags: room } }", "fails for 1 of 2 nodes: no tag `room`: lamp-2"),
            (
                "{ have: { tags: { kind: [lamp, sensor] } } }",
                "fails for 2 of 4 nodes: tag `kind` is not one of `lamp`, `sensor`: switch-1 (switch), switch-2 (switch)"
            ),
            ("{ have: { tags: { floor: '*' } } }", nil),
            ("{ nodes: switch-1, have: { profile: lamp } }", "fails for 1 of 1 node: profile is not `lamp`: switch-1"),
            (
                "{ nodes: lamp-*, have: { features: { relay: on } } }",
                "fails for 1 of 2 nodes: `relay` is not on: lamp-2"
            ),
            ("{ nodes: lamp-2, have: { features: { relay: off } } }", nil),
            (
                "{ nodes: lamp-2, have: { features: { proxy: off } } }",
                "fails for 1 of 1 node: `proxy` is not off: lamp-2"
            ),
            ("{ nodes: switch-*, have: { model: generic-onoff-client } }", nil),
            (
                "{ nodes: switch-*, have: { model: generic-level-client } }",
                "fails for 2 of 2 nodes: no `generic-level-client`: switch-1, switch-2"
            ),
            ("{ have: { keys: lighting } }", nil),
            (
                "{ nodes: switch-1, have: { model: generic-onoff-client, keys: lighting } }", nil
            ),
            (
                "{ nodes: lamp-*, have: { subscribe: kitchen } }",
                "fails for 1 of 2 nodes: does not subscribe to `kitchen`: lamp-2"
            ),
            (
                "{ nodes: switch-*, have: { model: generic-onoff-client, publish: $(room) } }",
                "fails for 1 of 2 nodes: `generic-onoff-client` does not publish to `$(room)`: "
                    + "switch-2 (cellar: no such group)"
            ),
            (
                "{ nodes: switch-*, have: { publish: floor-$(floor) } }",
                "fails for 2 of 2 nodes: does not publish to `floor-$(floor)`: switch-1 (floor-1), "
                    + "switch-2 (floor-2: no such group)"
            ),
            ("{ nodes: lamp-*, have: { subscribe: $(room) } }", "fails for 1 of 2 nodes: no tag `room`: lamp-2"),
            ("{ nodes: lamp-*, count: 2 }", nil),
            (
                "{ nodes: lamp-*, count: { at_most: 1 } }",
                "fails: at most 1 node must fulfil it, but 2 do: lamp-1, lamp-2"
            ),
            (
                "{ have: { features: { relay: on } }, count: { at_least: 2 } }",
                "fails: at least 2 nodes must fulfil it, but 1 does: lamp-1"
            ),
            ("{ have: { publish: floor-1 }, count: 0 }", nil),
            (
                "{ for_each: floor, have: { features: { relay: on } }, count: { at_least: 1 } }",
                "fails for 1 of 2 values of `floor`: at least 1 node must fulfil it, but `2` has 0"
            ),
            ("{ for_each: floor, nodes: { kind: switch }, count: 1 }", nil),
        ] as [(String, String?)]
    )
    func predicates(_ check: String, _ finding: String?) throws {
        #expect(try findings(check) == finding.map { ["error: the check `c` \($0)"] } ?? [])
    }

    @Test("A check can only warn, and names the first few of many nodes")
    func severity() throws {
        #expect(
            try findings("{ have: { tags: height }, severity: warning }") == [
                "warning: the check `c` fails for 4 of 4 nodes: no tag `height`: lamp-1, lamp-2, switch-1, switch-2"
            ]
        )
        #expect(
            try findings("{ have: { tags: [room], profile: lamp } }") == [
                "error: the check `c` fails for 1 of 4 nodes: no tag `room`: lamp-2",
                "error: the check `c` fails for 2 of 4 nodes: profile is not `lamp`: switch-1, switch-2",
            ]
        )
    }

    @Test("Plans are refused, and look at the compositions that the database knows")
    func plans() throws {
        let office = try Office()
        let checks =
            "checks: { lamps are dimmed: { nodes: lamp-*, have: { model: light-lightness-server } },\n"
            + "  switches: { nodes: switch-*, have: { model: generic-level-client } } }\n"
        #expect(
            try office.diagnostics(checks + Office.nodes()) == """
                2 error: the check `switches` fails for 1 of 1 node: no `generic-level-client`: switch-1; \
                Declare `generic-level-client` in an element of the node or its profile
                """
        )
        let warned = try office.result(
            Office.definition + "checks: { c: { have: { tags: room }, severity: warning } }\n" + Office.nodes()
        )
        #expect(warned.plan != nil && warned.diagnostics.map(\.severity) == [.warning])
    }

    @Test("A plan that destroys is not checked")
    func destroy() throws {
        let result = try Office().result(
            Office.definition + "checks: { c: { have: { tags: room } } }\n" + Office.nodes(),
            options: PlannerOptions(purpose: .destroy)
        )
        #expect(result.plan != nil)
    }

    @Test("Time grows with nodes, not with their pairs", .timeLimit(.minutes(45)))
    func large() throws {
        var text = "version: 1\nnetwork: hq\nsubnets: { m: {} }\nnodes:\n"
        for number in 1...10_000 {
            let digits = String(number)
            let uuid = String(repeating: "0", count: 32 - digits.count) + digits
            text += "  n\(number): { uuid: \(uuid), features: { relay: on }, tags: { room: r\(number / 2) } }\n"
        }
        text += "checks:\n"
        for number in 1...20 {
            text += "  c\(number): { for_each: room, have: { features: { relay: on } }, count: { at_least: 2 } }\n"
        }
        let files = SourceFiles(files: [SourceFiles.File(path: "a.yaml", bytes: Array(text.utf8))])
        let (definitions, _) = DefinitionReader.read(files: files)
        let findings = DefinitionChecks.diagnostics(of: try #require(definitions.first))
        // The first room has node 1 alone, and the last one node 10,000.
        #expect(findings.count == 20)
        #expect(findings[0].message.hasPrefix("the check `c1` fails for 2 of 5001 values of `room`"))
    }
}
