import DefinitionModel
import Definitions
import MeshCore
import Planning
import TestSupport
import Testing

@Suite("Explanations of values")
struct ExplainerTests {
    /// Lines of what one node has and why; overridden values after `over`, the record where it differs.
    private func text(_ node: String, _ yaml: String, _ office: Office? = nil) throws -> String {
        let office = try office ?? Office()
        let definition = try #require(try office.definition(Office.definition + yaml))
        let explainer = Explainer(definition, network: office.network)
        #expect(explainer.diagnostics.filter { $0.severity == .error }.isEmpty)
        let explanation = try #require(explainer.node(node))
        let start = UInt32(Office.definition.split(separator: "\n").count)
        func text(_ source: ValueSource) -> String {
            let line = source.location.map { " \($0.line > start ? "+\($0.line - start)" : "\($0.line)")" } ?? ""
            return "\(Self.word(source.way))\(line)" + (source.need.map { " for \($0)" } ?? "")
        }
        var lines = explanation.values.filter { !["uuid", "protect", "on_remove"].contains($0.name) }.map { value in
            var line = "\(value.path): \(value.value ?? "none") <- "
            line += value.sources.map(text).joined(separator: " & ")
            for other in value.overridden { line += "; over \(other.value ?? "none") <- \(text(other.source))" }
            if case .differs(let recorded) = value.record { line += "; recorded \(recorded ?? "none")" }
            if case .unknown = value.record { line += "; not recorded" }
            return line + (value.isLeftOut ? "; left out" : "")
        }
        lines += explanation.undeclared.map {
            "\($0.path): \($0.value)" + ($0.isDropped ? ", dropped" : ", undeclared")
        }
        return lines.joined(separator: "\n")
    }

    private static func word(_ way: ValueSource.Way) -> String {
        switch way {
        case .node: "node"
        case .profile(let name): name
        case .defaults(let number, let nodes): "defaults \(number)" + (nodes.map { " (\($0))" } ?? "")
        case .subscriptions(let number): "subscriptions \(number)"
        case .publications(let number): "publications \(number)"
        case .schedules(let name): "schedule \(name)"
        case .network: "network"
        case .builtIn: "built in"
        case .database: "database"
        case .plan: "plan"
        }
    }

    @Test("Single values: the node over its profile, that over selecting defaults, and those over defaults for all")
    func ranks() throws {
        let yaml =
            """
            defaults:
              - { ttl: 10, secure_network_beacon: on, features: { friend: on } }
              - { nodes: lamp-*, ttl: 11, network_transmit: { count: 2, interval: 10ms } }
            profiles:
              lamp: { ttl: 12, heartbeat: { publish: { to: lamp-2, period: 64s, count: 4, ttl: 5 } } }

            """ + Office.nodes(lamp1: "profile: lamp, ttl: 5, subnet_bridge: { state: off }")
        let text = try text("lamp-1", yaml)
        #expect(
            text == """
                profile: lamp <- node +7; not recorded
                address: 0x0010 <- database; not recorded
                ttl: 5 <- node +7; over 12 <- lamp +5; over 11 <- defaults 2 (lamp-*) +3; over 10 <- defaults 1 +2
                secure_network_beacon: on <- defaults 1 +2; not recorded
                network_transmit: count 2, interval 10ms <- defaults 2 (lamp-*) +3; not recorded
                friend: on <- defaults 1 +2; recorded not supported; left out
                heartbeat_publication: to lamp-2, period 64s, count 4, ttl 5, subnet building <- lamp +5; not recorded
                subnet_bridge: off <- node +7; not recorded; left out
                subnet.building: index 0, undeclared
                application_key.lighting: index 0, undeclared
                relay: on, undeclared
                relay_retransmit: count 3, interval 20ms, undeclared
                proxy: on, undeclared
                element[0].generic-onoff-server.binding.lighting: index 0, undeclared
                element[0].generic-onoff-server.subscription.all-lights: 0xC000, undeclared
                element[0].light-lightness-server.binding.lighting: index 0, undeclared
                element[0].light-lightness-server.subscription.all-lights: 0xC000, undeclared
                element[1].generic-level-server.binding.lighting: index 0, undeclared
                """
        )
    }

    @Test("Lists: the list of the highest rank says all, top-level rules add, and keys follow from what needs them")
    func lists() throws {
        let yaml =
            """
            profiles:
              lamp:
                elements: { 0: { generic-onoff-server: { keys: [sensing], subscribe: [kitchen, alarm] } } }

            """
            + Office.nodes(
                lamp1: "profile: lamp, "
                    + "elements: { 0: { generic-onoff-server: { keys: [lighting], subscribe: [kitchen] } } }"
            )
                + """
                subscriptions:
                  - { groups: [kitchen, all-lights], models: [generic-onoff-server], nodes: lamp-1 }
                publications:
                  - { node: switch-1, model: generic-onoff-client, to: lamp-2, key: sensing }

                """
        let text = try text("lamp-1", yaml)
        #expect(
            text == """
                profile: lamp <- node +5; not recorded
                address: 0x0010 <- database; not recorded
                subnet.building: index 0 <- node +5 for application_key.lighting
                application_key.lighting: index 0 <- node +5 for element[0].generic-onoff-server.binding.lighting
                element[0].generic-onoff-server.binding.lighting: index 0 <- node +5
                element[0].generic-onoff-server.binding.sensing: none <- node +5; over index 1 <- lamp +3
                element[0].generic-onoff-server.subscription.kitchen: 0xC001 <- node +5 & subscriptions 1 +9; recorded none
                element[0].generic-onoff-server.subscription.alarm: none <- node +5; over 000000000000000a000000000000000b <- lamp +3
                element[0].generic-onoff-server.subscription.all-lights: 0xC000 <- subscriptions 1 +9
                ttl: 5, undeclared
                relay: on, undeclared
                relay_retransmit: count 3, interval 20ms, undeclared
                proxy: on, undeclared
                friend: not supported, undeclared
                element[0].light-lightness-server.binding.lighting: index 0, undeclared
                element[0].light-lightness-server.subscription.all-lights: 0xC000, undeclared
                element[1].generic-level-server.binding.lighting: index 0, undeclared
                """
        )
    }

    @Test("What only a rule or a provisioning says of a device is told before its composition is known")
    func devices() throws {
        let yaml =
            """
            defaults: { provisioning: { attention: 3s } }
            profiles: { lamp: { provisioning: { attention: 5s, oob: static } } }
            nodes:
              lamp-9: { uuid: 00000000000000000000000000000099, profile: lamp, address: 0x0050 }
            publications:
              - { node: lamp-9, model: generic-onoff-client, to: lamp-9, key: sensing }

            """
        let text = try text("lamp-9", yaml)
        #expect(
            text == """
                profile: lamp <- node +4; not recorded
                address: 0x0050 <- node +4; not recorded
                provisioning.oob: static <- lamp +2; not recorded
                provisioning.attention: 5s <- lamp +2; over 3s <- defaults 1 +1; not recorded
                subnet.guests: index 1 <- publications 1 +6 for application_key.sensing; not recorded
                application_key.sensing: index 1 <- publications 1 +6 for element[*].generic-onoff-client.publication; not recorded
                element[*].generic-onoff-client.binding.sensing: index 1 <- publications 1 +6 for element[*].generic-onoff-client.publication; not recorded
                element[*].generic-onoff-client.publication: to lamp-9, key sensing <- publications 1 +6; not recorded
                """
        )
    }

    @Test("After an apply every value that is explained is recorded so, and nothing is left that no line asks for")
    func applied() throws {
        var (values, overridden) = (0, 0)
        for seed in propertySeeds(150) {
            let example = RandomCase(seed: seed)
            guard let network = example.applied() else { continue }
            let explainer = Explainer(example.definition, network: network)
            for entry in example.definition.nodes {
                let node = try #require(explainer.node(entry.name.value))
                for value in node.values {
                    if case .differs(let recorded) = value.record, !value.isLeftOut {
                        Issue.record("seed \(seed): \(node.name) \(value.path) is \(recorded ?? "none")")
                    }
                    #expect(!value.sources.isEmpty)
                    overridden += value.overridden.count
                }
                values += node.values.count
                let dropped = node.undeclared.filter(\.isDropped)
                #expect(dropped.isEmpty, "seed \(seed): \(node.name) \(dropped)")
            }
        }
        #expect(values > 1000 && overridden > 50, "\(values) values, \(overridden) overridden")
    }

    @Test("A group is used by all nodes of which a value uses it, though most others are not explained for that")
    func users() throws {
        var (found, cut) = (0, 0)
        for seed in propertySeeds(150) {
            let example = RandomCase(seed: seed)
            let explainer = Explainer(example.definition, network: example.network)
            let nodes = explainer.nodeNames.compactMap { explainer.node($0) }
            for group in example.definition.groups.map(\.name.value) {
                let values = nodes.flatMap(\.values)
                guard let resource = explainer.resource("group." + group),
                    let use = values.first(where: { $0.name == "subscription." + group && $0.value != nil })?.uses.first
                else { continue }
                let users = nodes.filter { node in
                    node.values.contains { $0.value != nil && !$0.isLeftOut && $0.uses.contains(use) }
                }
                #expect(Set(resource.uses.flatMap(\.nodes)) == Set(users.map(\.name)), "seed \(seed): \(group)")
                #expect(!resource.isCut)
                found += users.count
                if explainer.resource("group." + group, lookingAt: 1)?.isCut == true { cut += 1 }
            }
        }
        #expect(found > 50 && cut > 10, "\(found) found, \(cut) cut")
    }

    @Test("A publication without a key uses the only key of its model")
    func onlyKey() throws {
        let model = "generic-onoff-client: { keys: [sensing], publish: { to: kitchen } }"
        let text = try text("switch-1", Office.nodes(switch1: "elements: { 0: { \(model) } }"))
        #expect(
            text.contains("element[0].generic-onoff-client.publication: to kitchen, key sensing <- node"),
            "\(text)"
        )
    }
}
