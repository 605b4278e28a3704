import DefinitionModel
import MeshCore
import Planning
import TestSupport
import Testing

@Suite("Guards")
struct GuardTests {
    /// The office, in which only some nodes carry messages.
    private func office(proxies: [String], relays: [String]) throws -> Office {
        var office = try Office()
        for name in ["we", "lamp-1", "lamp-2", "switch-1"] {
            try office.change(name) { node in
                node.features.proxy = proxies.contains(name) ? .enabled : .disabled
                node.features.relay = relays.contains(name) ? .enabled : .disabled
            }
        }
        return office
    }

    /// What guards say, one a line: name, message, names of nodes, addresses of blocked changes.
    private func findings(_ result: PlanningResult) throws -> String {
        try #require(result.plan, "\(result.diagnostics)").findings.map { finding in
            "\(finding.planGuard.rawValue): \(finding.message) [\(finding.nodes.joined(separator: ","))] "
                + finding.resources.joined(separator: " ")
        }.joined(separator: "\n")
    }

    private func findings(_ office: Office, _ yaml: String) throws -> String {
        try findings(try office.result(Office.definition + yaml))
    }

    @Test("A subnet keeps a GATT proxy")
    func lastProxy() throws {
        let office = try office(proxies: ["lamp-1"], relays: ["lamp-2"])
        let off = Office.nodes(lamp1: "features: { proxy: off }")
        #expect(
            try findings(office, off) == """
                last-proxy: subnet `building` would lose its last GATT proxy, `lamp-1`, and nobody could reach its other \
                nodes any more [lamp-1] node.lamp-1.proxy
                """
        )
        let moved = Office.nodes(lamp1: "features: { proxy: off }", lamp2: "features: { proxy: on }")
        #expect(try findings(office, moved) == "")
        // A new device that will be a proxy counts, and one that will not be does not.
        func replaced(_ proxy: String) -> String {
            off + "  lamp-3: { uuid: 00000000000000000000000000000031, features: { proxy: \(proxy) } }\n"
        }
        #expect(try findings(office, replaced("on")) == "")
        #expect(try findings(office, replaced("off")).hasPrefix("last-proxy: subnet `building`"))
        // Our own node is no way in for us.
        #expect(try findings(try self.office(proxies: ["lamp-1", "we"], relays: ["lamp-2"]), off) != "")
        let allowed = try office.result(Office.definition + off, options: PlannerOptions(allowed: [.lastProxy]))
        #expect(allowed.refusals == [] && allowed.plan?.allowances == [.lastProxy] && allowed.diagnostics.isEmpty)
    }

    @Test("A last proxy that is reset, or leaves the subnet, is one too, unless nobody is left")
    func lastProxyLeaves() throws {
        var office = try office(proxies: ["lamp-1"], relays: [])
        try office.change("lamp-1") { $0.removalPolicy = .reset }
        let rest = Office.nodes().split(separator: "\n").filter { !$0.contains("lamp-1") }.joined(separator: "\n")
        #expect(try findings(office, rest).hasPrefix("last-proxy: subnet `building`"))
        try office.change("lamp-2") { $0.removalPolicy = .reset }
        try office.change("switch-1") { $0.removalPolicy = .reset }
        #expect(try findings(office, "") == "")
        // The proxy goes when the others have gone through it.
        let plan = try #require(try office.result(Office.definition).plan)
        #expect(PlanDebugText.text(plan).hasSuffix("0 lamp-2: reset\n1 switch-1: reset\n| 2 lamp-1: reset"))
    }

    @Test("A subnet of which not all is known is told so")
    func unknownProxies() throws {
        var office = try office(proxies: ["lamp-1"], relays: ["lamp-2"])
        try office.change("switch-1") { $0.features.proxy = nil }
        #expect(
            try findings(office, Office.nodes(lamp1: "features: { proxy: off }")).contains(
                "1 node may be a proxy"
            )
        )
    }

    @Test("A subnet keeps a relay while it has nodes that are no proxies")
    func lastRelay() throws {
        let off = Office.nodes(lamp2: "features: { relay: off }")
        #expect(
            try findings(try office(proxies: ["lamp-1"], relays: ["lamp-2"]), off) == """
                last-relay: subnet `building` would lose its last relay, `lamp-2`, and nodes out of range of every \
                proxy cannot be reached [lamp-2] node.lamp-2.relay
                """
        )
        #expect(try findings(try office(proxies: ["lamp-1"], relays: ["lamp-2", "switch-1"]), off) == "")
        // What the only proxy sends, it sends by itself: its relay is no help to those that it does not reach.
        #expect(
            try findings(try office(proxies: ["lamp-1"], relays: ["lamp-1", "lamp-2"]), off) == """
                last-relay: subnet `building` would lose its last relay, `lamp-2`, but for its only GATT proxy \
                `lamp-1`, and nodes out of range of every proxy cannot be reached [lamp-2] node.lamp-2.relay
                """
        )
        #expect(try findings(try office(proxies: ["lamp-1", "switch-1"], relays: ["lamp-1", "lamp-2"]), off) == "")
        // A relay is of use to others alone.
        #expect(try findings(try office(proxies: ["lamp-1", "switch-1"], relays: ["lamp-2"]), off) == "")
        let proxyOff = Office.nodes(lamp1: "features: { relay: off }")
        #expect(try findings(try office(proxies: ["lamp-1"], relays: ["lamp-1"]), proxyOff) == "")
        #expect(try findings(try office(proxies: ["lamp-1", "lamp-2", "switch-1"], relays: ["lamp-2"]), off) == "")
    }

    @Test("A subnet with low-power nodes keeps a friend")
    func lastFriend() throws {
        var office = try office(proxies: ["lamp-1"], relays: ["lamp-2"])
        for name in ["lamp-1", "lamp-2", "switch-1"] {
            try office.change(name) { $0.features.friend = name == "lamp-1" ? .enabled : .disabled }
        }
        let off = Office.nodes(lamp1: "features: { friend: off }")
        #expect(try findings(office, off) == "")
        // A composition was read that names the feature, and a node that has it uses it.
        try office.change("switch-1") {
            $0.product = Node.Product(company: 0x0059, product: 1, version: 2, replayListSize: 40)
        }
        #expect(
            try findings(office, off) == """
                last-friend: subnet `building` would lose its last friend, `lamp-1`, and nobody would keep messages for \
                `switch-1`, which sleeps [lamp-1] node.lamp-1.friend
                """
        )
        let moved = Office.nodes(lamp1: "features: { friend: off }", lamp2: "features: { friend: on }")
        #expect(try findings(office, moved) == "")
    }

    @Test("Why an open proxy cannot become a private one over its own link is said")
    func privateProxy() throws {
        var office = try office(proxies: ["lamp-1"], relays: ["lamp-2"])
        try office.change("lamp-1") { node in
            node.elements[0].models.append(Model(identifier: .privateBeaconServer))
            node.record(.privateGATTProxy(.disabled))
        }
        let yaml = Office.nodes(lamp1: "features: { proxy: off }, private_gatt_proxy: on")
        #expect(
            try findings(office, yaml).contains(
                "any more; the private GATT proxy of `lamp-1` can only be switched on when the open one is off, and then "
                    + "no link is left that would carry this"
            )
        )
    }

    @Test("A node whose answers stop at itself is refused, unless it is a proxy")
    func unreachableTTL() throws {
        let office = try office(proxies: ["lamp-1"], relays: ["lamp-2"])
        #expect(
            try findings(office, Office.nodes(lamp1: "ttl: 0", lamp2: "ttl: 0", switch1: "ttl: 2")) == """
                unreachable-ttl: `lamp-2` would answer with TTL 0, which proxies do not forward to their links, so \
                nobody could configure it any more [lamp-2] node.lamp-2.ttl
                """
        )
    }

    @Test("A Default TTL below the known distance is refused with that; an unknown distance is noted")
    func distantTTL() throws {
        var office = try office(proxies: ["lamp-1"], relays: ["lamp-2"])
        let yaml = Office.nodes(lamp1: "ttl: 2", lamp2: "ttl: 2", switch1: "ttl: 3")
        try office.change("switch-1") { $0.hops = 3 }
        let unknown = try office.result(Office.definition + yaml)
        #expect(try findings(unknown) == "")
        #expect(
            try #require(unknown.plan).notes.contains { note in
                note.contains(
                    "`lamp-2` gets a smaller default TTL, and nobody has counted how many hops away it is"
                )
            }
        )
        try office.change("lamp-2") { $0.hops = 3 }
        #expect(
            try findings(office, yaml) == """
                unreachable-ttl: `lamp-2` would answer with TTL 2, which does not reach a proxy: `lamp-2` is 3 hops \
                away, as last counted. Nobody could configure it any more [lamp-2] node.lamp-2.ttl
                """
        )
        #expect(
            try #require(try office.result(Office.definition + yaml).plan).notes.allSatisfy { note in
                !note.contains("smaller default TTL")
            }
        )
    }

    @Test("An application key stays while something that is left alone uses it")
    func keptBinding() throws {
        let yaml = Office.nodes(
            lamp1: "application_keys: [], elements: { 0: { generic-onoff-server: { keys: [], subscribe: [] } } }"
        )
        #expect(
            try findings(try Office(), yaml).split(separator: "\n").map(String.init) == [
                "application-key-in-use: node `lamp-1` would lose application key `lighting`, which "
                    + "`light-lightness-server` on element 0 uses [lamp-1] "
                    + "node.lamp-1.application_key.lighting "
                    + "node.lamp-1.element[0].light-lightness-server.binding.lighting",
                "application-key-in-use: node `lamp-1` would lose application key `lighting`, which "
                    + "`generic-level-server` on element 1 uses [lamp-1] "
                    + "node.lamp-1.application_key.lighting "
                    + "node.lamp-1.element[1].generic-level-server.binding.lighting",
            ]
        )
        let all = "0: { generic-onoff-server: { keys: [] }, light-lightness-server: { keys: [] } }"
        let released = "application_keys: [], elements: { \(all), 1: { generic-level-server: { keys: [] } } }"
        #expect(try findings(try Office(), Office.nodes(lamp1: released)) == "")
    }

    @Test("A replay protection list that is too short for the publishers is told, once they are too many")
    func replayList() throws {
        var office = try Office()
        try office.change("lamp-1") {
            $0.product = Node.Product(company: 1, product: 2, version: 3, replayListSize: 2)
        }
        let publish = "publish: { to: all-lights, key: lighting }"
        let one = "elements: { 0: { generic-onoff-client: { \(publish) } } }"
        let two = "elements: { 0: { generic-onoff-server: { \(publish) } } }"
        // Our provisioner and one switch.
        #expect(try findings(office, Office.nodes(switch1: one)) == "")
        #expect(
            try findings(office, Office.nodes(lamp2: two, switch1: one)) == """
                replay-list: `lamp-1` would have to hear more than the 2 sources that its replay protection list holds \
                [lamp-1] 
                """
        )
    }

    @Test("A list that a product has shown to be full is not asked for more")
    func fullList() throws {
        var office = try Office()
        let product = Node.Product(company: 1, product: 2, version: 3, replayListSize: 100)
        try office.change("lamp-1") { $0.product = product }
        let list = ListCapacity.List.subscriptions(element: 0, model: .sig(0x1000))
        office.network.capacities = [ListCapacity(product: product, list: list, entries: 1)]
        let more = "elements: { 0: { generic-onoff-server: { subscribe: [all-lights, kitchen] } } }"
        #expect(
            try findings(office, Office.nodes(lamp1: more, lamp2: more)) == """
                full-list: node `lamp-1` would need room for 2 subscriptions of `generic-onoff-server` on element 0, and \
                its product has refused more than 1 [lamp-1] \
                node.lamp-1.element[0].generic-onoff-server.subscription.kitchen
                """
        )
    }

    @Test("Plans that take something from more than the allowed share of the managed nodes are refused")
    func massRemoval() throws {
        var office = try Office()
        let lamp = try #require(office.network.nodes.first { $0.name == "lamp-1" })
        for number in 0..<7 as Range<UInt16> {
            var copy = lamp
            copy.uuid = DeviceUUID(rawValue: Octets16(high: 9, low: UInt64(number)))
            copy.name = "extra-\(number)"
            copy.unicastAddress = try #require(UnicastAddress(rawValue: 0x0020 + 2 * number))
            office.network.nodes.append(copy)
        }
        func yaml(extras: Int, _ more: String = "") -> String {
            let zeros = String(repeating: "0", count: 15)
            return (0..<extras).reduce(Office.nodes()) { text, number in
                text + "  extra-\(number): { uuid: 0000000000000009\(zeros)\(number)\(more) }\n"
            }
        }
        #expect(try findings(office, yaml(extras: 4)) == "")
        #expect(try findings(office, yaml(extras: 7, ", ttl: 9")) == "", "what gets another value loses nothing")
        #expect(
            try findings(office, yaml(extras: 3)) == """
                mass-removal: 4 of 10 managed nodes (40 %) would leave, more than 30 % \
                [extra-3,extra-4,extra-5,extra-6] 
                """
        )
        #expect(try findings(office, "limits: { removals: 40% }\n" + yaml(extras: 3)) == "")
        let unsubscribe = "elements: { 0: { generic-onoff-server: { subscribe: [] } } }"
        let some = yaml(extras: 4).replacing("lamp-1: {", with: "lamp-1: { \(unsubscribe),")
        #expect(
            try findings(office, some).hasPrefix(
                "mass-removal: 4 of 10 managed nodes (40 %) would leave (3) or lose something, more than 30 %"
            )
        )
        // Few nodes say nothing.
        try office.change("lamp-2") { $0.isManaged = false }
        #expect(try findings(office, "").contains("mass-removal") == false)
    }

    @Test("The last NetKey cannot be allowed to go")
    func lastNetKey() throws {
        let result = try Office().result(
            Office.definition + Office.nodes(lamp1: "subnets: [], application_keys: []"),
            options: PlannerOptions(allowed: Set(PlanGuard.allCases))
        )
        #expect(result.refusals == [.lastNetKey])
        let hint = result.diagnostics.first { $0.message.contains("last NetKey") }?.hint
        #expect(hint == "Add `building` to the node's `subnets`")
    }
}
