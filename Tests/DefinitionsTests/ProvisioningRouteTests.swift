import DefinitionModel
import MeshCore
import Testing

@testable import Definitions

@Suite("The way to a device in definitions")
struct ProvisioningRouteTests {
    private func nodes(_ settings: String?...) -> String {
        "nodes:\n"
            + settings.enumerated().map { number, settings in
                let name = ["a", "b", "c", "d"][number]
                let provisioning = settings.map { ", provisioning: { via: \($0) }" } ?? ""
                return "  \(name): { uuid: \(uuid(number + 1))\(provisioning) }\n"
            }.joined()
    }

    @Test(
        "A way is a word or names a node, also one that is called like a word",
        arguments: [
            ("any", .any), ("direct", .direct), ("remote", .remote), ("{ node: b }", .node("b")),
            ("{ node: direct }", .node("direct")), ("{ node: \"any\" }", .node("any")),
        ] as [(String, ProvisioningRoute<String>)]
    )
    func words(_ text: String, _ route: ProvisioningRoute<String>) throws {
        let more = "  direct: { uuid: \(uuid(8)) }\n  any: { uuid: \(uuid(9)) }\n"
        let (definitions, problems) = definitions(head + nodes(text, nil) + more)
        #expect(problems == [])
        let settings = try #require(definitions.first?.nodes.first?.provisioning)
        #expect(settings.route?.value == route)
        #expect(settings.attention == nil)
    }

    @Test(
        "What is no way is pointed out",
        arguments: [
            (
                "dirct",
                "`dirct` is not a way to a device (did you mean `direct`? write one of: any, direct, remote; or "
                    + "`via: { node: NAME }` to go through a certain node)"
            ),
            (
                "b",
                "`b` is not a way to a device (write one of: any, direct, remote; or `via: { node: NAME }` to go through a "
                    + "certain node)"
            ),
            ("[b]", "a way to a device is expected here, not a list"),
            ("", "a way to a device is expected here, not nothing"),
            ("{}", "`node` is missing (the node to go through needs it)"),
            ("{ nod: b }", "unknown key `nod` (did you mean `node`? allowed here: node)"),
            ("{ node: [b] }", "the name of a node is expected here, not a list"),
            ("{ node: bb }", "there is no node `bb` (declared: a, b)"),
            ("{ node: a }", "node `a` cannot be provisioned through itself (name another node, or leave `via` out)"),
        ]
    )
    func values(_ text: String, _ expected: String) {
        let problems = diagnose(head + nodes(text, nil))
        #expect(problems.contains { $0.hasSuffix("error: " + expected) }, "\(problems)")
        #expect(problems.count { !$0.contains("unknown key") && !$0.contains("is missing") } <= 1)
    }

    @Test("The nearest name is offered")
    func suggestion() {
        let text = head + "nodes:\n  hall-3: { uuid: \(uuid(1)) }\n  attic: { uuid: \(uuid(2)), provisioning: { via: "
        #expect(
            diagnose(text + "{ node: hal-3 } } }\n") == [
                "a.yaml:5:81: error: there is no node `hal-3` (did you mean `hall-3`? declared: attic, hall-3)"
            ]
        )
    }

    @Test("A node's way wins over its profile's, and that over the defaults'")
    func precedence() throws {
        let text =
            head + "defaults: { provisioning: { via: remote } }\n"
            + "profiles: { p: { provisioning: { via: direct } } }\n" + nodes("any", nil)
            + "  c: { uuid: \(uuid(3)), profile: p }\n"
        let (definitions, problems) = definitions(text)
        #expect(problems == [])
        let definition = try #require(definitions.first)
        let defaults = DefaultsSelection(definition, nodes: NodeSelectorIndex([]))
        let routes = definition.nodes.indices.map { number in
            let node = definition.nodes[number]
            let profile = node.profile == nil ? nil : definition.profiles[0].provisioning
            return ProvisioningSettings.merged(
                .merged(node.provisioning, over: profile),
                over: defaults.provisioning(of: number, in: definition)
            )?.route?.value
        }
        #expect(routes == [.any, .remote, .direct])
    }

    @Test("Two defaults of one rank do not contradict each other")
    func defaults() {
        let entries = "[{ provisioning: { via: remote } }, { provisioning: { via: { node: a } } }]"
        #expect(
            diagnose(head + "defaults: \(entries)\n" + nodes("any", nil)) == [
                "a.yaml:3:78: error: two entries of `defaults` give every node different values for `provisioning.via` "
                    + "(keep one of them; an entry that selects `nodes:` wins over one for all) "
                    + "[a.yaml:3:35: the other value]"
            ]
        )
    }

    @Test("A node through which all others are to be reached needs a way of its own")
    func itself() {
        let text = head + "defaults: { provisioning: { via: { node: b } } }\n"
        #expect(
            diagnose(text + nodes(nil, nil)) == [
                "a.yaml:3:42: error: node `b` cannot be provisioned through itself "
                    + "(give it a way of its own, such as `provisioning: { via: any }`) [a.yaml:6:3: the node]"
            ]
        )
        #expect(diagnose(text + nodes(nil, "any")) == [])
    }

    @Test("Devices that wait for each other are found, each circle once")
    func circles() {
        #expect(
            diagnose(head + nodes("{ node: b }", "{ node: c }", "{ node: b }", "{ node: a }")) == [
                "a.yaml:6:77: error: node `c` would wait for itself to be provisioned (each is to be provisioned through "
                    + "the next: b → c → b; let one of them be reached otherwise)"
            ]
        )
        #expect(diagnose(head + nodes("{ node: b }", "{ node: c }", "{ node: d }", nil)) == [])
    }

    @Test("A chain of thousands is walked once")
    func longChain() {
        let count = 5_000
        let lines = (0..<count).map { number in
            "  n\(number): { uuid: \(uuid(number + 1)), provisioning: { via: { node: n\((number + 1) % count) } } }\n"
        }
        let problems = diagnose(head + "nodes:\n" + lines.joined())
        #expect(problems.count == 1)
        #expect(problems.first?.contains("n0 → n1 → n2 → n3 → n4 → n5 → n6 → n7 → … → n0") == true, "\(problems)")
    }
}
