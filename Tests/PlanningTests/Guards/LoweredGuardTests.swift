import DefinitionModel
import MeshCore
import Planning
import TestSupport
import Testing

@Suite("Guards of what is lowered when a composition was read")
struct LoweredGuardTests {
    private static let product = Node.Product(company: 1, product: 2, version: 3, replayListSize: 100)
    private let onOff = ModelAddress(element: 0, model: .sig(0x1000))

    private func office(_ change: (inout Node) -> Void = { _ in }) throws -> (Office, DeferredConfiguration) {
        var office = try Office()
        try office.change("lamp-1") { node in
            node.product = Self.product
            change(&node)
        }
        let lamp = try required(office.network.nodes.first { $0.name == "lamp-1" })
        return (office, DeferredConfiguration(node: lamp.uuid, name: "lamp-1"))
    }

    /// What is done, and what is refused with which hint; the same with the guard allowed.
    private func outcome(
        _ office: Office,
        _ configuration: DeferredConfiguration,
        allowing planGuard: PlanGuard
    ) throws -> (refused: [ConfigurationAction], allowed: [ConfigurationAction], problem: String) {
        let lowered = configuration.lowered(in: office.network)
        var free = configuration
        free.allowed = [planGuard]
        let passed = free.lowered(in: office.network)
        #expect(passed.problems == [])
        #expect(lowered.problems.count == 1)
        let problem = try required(lowered.problems.first)
        #expect(problem.hint?.remedies.last == .allow(guard: planGuard.rawValue), "\(problem)")
        #expect(problem.location == nil && problem.severity == .error)
        return (actions(lowered), actions(passed), problem.message)
    }

    private func actions(_ lowered: LoweredConfiguration) -> [ConfigurationAction] {
        lowered.steps.compactMap { if case .configure(_, let action) = $0.work { action } else { nil } }
    }

    @Test("A list that is full gets no more; the rest is done")
    func fullLists() throws {
        var (office, configuration) = try office()
        let kitchen = office.network.groups[1].address
        let list = ListCapacity.List.subscriptions(element: 0, model: .sig(0x1000))
        office.network.capacities = [ListCapacity(product: Self.product, list: list, entries: 1)]
        let both = [office.network.groups[0].address, kitchen]
        configuration.models = [DeferredModel(address: onOff, subscriptions: both)]
        configuration.friend = nil
        configuration.relay = false
        let result = try outcome(office, configuration, allowing: .fullList)
        #expect(result.refused == [.setRelay(false, TransmitParameters(octet: 0x0A))])
        #expect(result.allowed.count == 2 && result.allowed.contains(.addSubscription(onOff, kitchen)))
        #expect(result.problem.contains("room for 2 subscriptions of `generic-onoff-server`"))
    }

    @Test("A key that finds no room takes along what would use it")
    func fullKeys() throws {
        var (office, configuration) = try office()
        let sensing = try required(AppKeyIndex(rawValue: 1))
        let guests = try required(NetKeyIndex(rawValue: 1))
        configuration.models = [DeferredModel(address: onOff, bindings: [.first, sensing])]
        office.network.capacities = [ListCapacity(product: Self.product, list: .appKeys, entries: 1)]
        var result = try outcome(office, configuration, allowing: .fullList)
        #expect(result.refused == [.addNetKey(guests)])
        #expect(result.allowed.count == 3)
        office.network.capacities = [ListCapacity(product: Self.product, list: .netKeys, entries: 1)]
        result = try outcome(office, configuration, allowing: .fullList)
        #expect(result.refused == [])
        office.network.capacities = [
            ListCapacity(product: Self.product, list: .bindings(element: 0, model: onOff.model), entries: 1)
        ]
        result = try outcome(office, configuration, allowing: .fullList)
        #expect(result.refused == [.addNetKey(guests), .addAppKey(sensing, boundTo: guests)])
    }

    @Test("A TTL with which a node that is no proxy cannot answer is not set, or the proxy stays on")
    func silence() throws {
        var (silent, configuration) = try office { $0.features.proxy = .notSupported }
        configuration.defaultTTL = 0
        var result = try outcome(silent, configuration, allowing: .unreachableTTL)
        #expect(result.refused == [] && result.allowed == [.setDefaultTTL(0)])
        #expect(result.problem.contains("`lamp-1` would answer with TTL 0"))
        try silent.change("lamp-1") { $0.features.proxy = .enabled }
        #expect(actions(configuration.lowered(in: silent.network)) == [.setDefaultTTL(0)])
        try silent.change("lamp-1") { $0.defaultTTL = 0 }
        configuration.defaultTTL = nil
        configuration.proxy = false
        result = try outcome(silent, configuration, allowing: .unreachableTTL)
        #expect(result.refused == [] && result.allowed == [.setProxy(false)])
    }

    @Test("A Default TTL of 0 waits for whether the node is a proxy, in plans that allow it as in others")
    func waiting() throws {
        var (office, _) = try office { node in
            node.elements = []
            node.features = Node.Features()
        }
        let yaml = Office.definition + Office.nodes(lamp1: "ttl: 0", lamp2: "ttl: 4")
        let plan = try required(try office.result(yaml, options: PlannerOptions(allowed: [.unreachableTTL])).plan)
        let waiting = plan.steps.compactMap { step in
            if case .configureWhenKnown(let configuration) = step.work { configuration } else { nil }
        }
        #expect(waiting.map(\.defaultTTL) == [0])
        #expect(waiting.map(\.allowed) == [[.unreachableTTL]])
        #expect(plan.changes.contains { $0.address == "node.lamp-1.ttl" && $0.isDeferred })
        #expect(try PlanFile.decode(PlanFile.encode(plan)) == plan)
        try office.change("lamp-1") { $0.features.proxy = .enabled }
        #expect(try office.plan(Office.nodes(lamp1: "ttl: 0")).contains("lamp-1: set TTL 0"))
    }

    @Test("A group that has left the network meanwhile is not used")
    func groups() throws {
        var (office, configuration) = try office()
        let kitchen = office.network.groups[1].address
        guard case .group(let address) = kitchen else { return }
        office.network.groups.remove(at: 1)
        configuration.models = [
            DeferredModel(address: onOff, subscriptions: [office.network.groups[0].address, kitchen])
        ]
        var result = try outcome(office, configuration, allowing: .groupInUse)
        #expect(result.refused == [] && result.allowed == [.addSubscription(onOff, kitchen)])
        let publication = DesiredPublication(
            target: .address(.group(address)),
            key: .first,
            ttl: Publication.defaultTTL,
            period: .none,
            retransmit: .none,
            usesFriendshipCredentials: false
        )
        configuration.models = [DeferredModel(address: onOff, publication: .on(publication))]
        result = try outcome(office, configuration, allowing: .groupInUse)
        #expect(result.refused == [] && result.allowed.count == 1)
    }

    @Test("The last known proxy of a subnet stays one, and one of which nobody knows until another is known to be one")
    func lastProxy() throws {
        var (office, configuration) = try office { $0.features.proxy = .enabled }
        for name in ["lamp-2", "switch-1"] { try office.change(name) { $0.features.proxy = .disabled } }
        configuration.proxy = false
        configuration.defaultTTL = nil
        var result = try outcome(office, configuration, allowing: .lastProxy)
        #expect(result.refused == [] && result.allowed == [.setProxy(false)])
        #expect(result.problem.hasPrefix("subnet `building` would lose its last GATT proxy, `lamp-1`"))
        try office.change("lamp-1") { $0.features.proxy = nil }
        result = try outcome(office, configuration, allowing: .lastProxy)
        #expect(result.problem.contains("no other node of its subnets is known to be one"))
        try office.change("lamp-2") { $0.features.proxy = .enabled }
        #expect(actions(configuration.lowered(in: office.network)) == [.setProxy(false)])
        // A node that is away, or none any more, carries nobody.
        try office.change("lamp-2") { $0.unprovisionedSeenAt = Timestamp(rawValue: 1) }
        #expect(actions(configuration.lowered(in: office.network)) == [])
    }

    @Test("Of two last proxies only one goes, although neither has gone yet")
    func twoProxies() throws {
        var (office, first) = try office { $0.features.proxy = .enabled }
        try office.change("switch-1") { $0.features.proxy = .disabled }
        first.proxy = false
        let other = try required(office.network.nodes.first { $0.name == "lamp-2" })
        try office.change("lamp-2") { $0.features.proxy = .enabled }
        var second = DeferredConfiguration(node: other.uuid, name: "lamp-2")
        second.proxy = false
        var surroundings = GuardedSurroundings(office.network)
        let lowered = try [first, second].map { configuration in
            let node = try required(office.network.nodes.first { $0.uuid == configuration.node })
            return configuration.lowered(on: node, in: office.network, among: &surroundings) { _ in nil }
        }
        #expect(lowered.map { actions($0) } == [[.setProxy(false)], []])
        // The same if a plan that was looked at as a whole takes the first.
        var planned = GuardedSurroundings(office.network)
        planned.expect([Step(change: 0, work: .configure(first.node, .setProxy(false)))])
        let lamp = try required(office.network.nodes.first { $0.uuid == second.node })
        let after = second.lowered(on: lamp, in: office.network, among: &planned) { _ in nil }
        #expect(after.steps == [] && after.problems.count == 1)
    }

    @Test("Of two last relays only one goes, although neither has gone yet")
    func twoRelays() throws {
        var (office, first) = try office { $0.features = .init(relay: .enabled, proxy: .disabled) }
        try office.change("lamp-2") { $0.features = .init(relay: .enabled, proxy: .disabled) }
        try office.change("switch-1") { $0.features = .init(relay: .disabled, proxy: .enabled) }
        first.relay = false
        var second = DeferredConfiguration(
            node: try required(office.network.nodes.first { $0.name == "lamp-2" }).uuid,
            name: "lamp-2"
        )
        second.relay = false
        var surroundings = GuardedSurroundings(office.network)
        let lowered = try [first, second].map { configuration in
            let node = try required(office.network.nodes.first { $0.uuid == configuration.node })
            return configuration.lowered(on: node, in: office.network, among: &surroundings) { _ in nil }
        }
        #expect(lowered.map { actions($0) } == [[.setRelay(false, TransmitParameters(octet: 0x0A))], []])
    }

    @Test("The last proxy waits for a device of the plan that will be one; if the guard is allowed, it does not")
    func awaitedProxy() throws {
        var (office, configuration) = try office { $0.features.proxy = .enabled }
        for name in ["lamp-2", "switch-1"] { try office.change(name) { $0.features.proxy = .disabled } }
        configuration.proxy = false
        let device = DeviceUUID(rawValue: Octets16(high: 0, low: 0x31))
        var wanted = DeferredConfiguration(node: device, name: "lamp-3")
        wanted.proxy = true
        let lamp = try required(office.network.nodes.first { $0.name == "lamp-1" })
        func lowered(allowing allowed: [PlanGuard]) -> LoweredConfiguration {
            var surroundings = GuardedSurroundings(office.network)
            surroundings.expect([
                Step(
                    change: 0,
                    work: .provision(ProvisioningOrder(uuid: device, name: "lamp-3", netKeyIndex: .primary))
                ), Step(change: 0, work: .configureWhenKnown(wanted)),
            ])
            configuration.allowed = allowed
            return configuration.lowered(on: lamp, in: office.network, among: &surroundings) { _ in nil }
        }
        let waiting = lowered(allowing: [])
        #expect(waiting.steps == [] && waiting.problems == [])
        let change = try required(waiting.waiting.first)
        #expect(waiting.waiting.count == 1 && change.kind == .proxyOff && change.carrier == device)
        #expect(change.carriers == ["lamp-3"] && change.carrierCount == 1)
        let allowed = lowered(allowing: [.lastProxy])
        #expect(actions(allowed) == [.setProxy(false)] && allowed.waiting == [])
    }

    @Test("The last relay of a subnet goes on relaying, with other parameters if they are asked for")
    func lastRelay() throws {
        var (office, configuration) = try office { $0.features = .init(relay: .enabled, proxy: .disabled) }
        for name in ["lamp-2", "switch-1"] { try office.change(name) { $0.features.relay = .disabled } }
        try office.change("switch-1") { $0.features.proxy = .disabled }
        let retransmit = TransmitParameters(octet: 0x14)
        configuration.relay = false
        configuration.relayRetransmit = retransmit
        let result = try outcome(office, configuration, allowing: .lastRelay)
        #expect(result.refused == [.setRelay(true, retransmit)])
        #expect(result.allowed == [.setRelay(false, retransmit)])
        #expect(result.problem.hasPrefix("subnet `building` would lose its last relay, `lamp-1`"))
        // The relay of an only proxy is no help, neither as the last one left nor as the one that goes.
        try office.change("lamp-2") { $0.features = .init(relay: .enabled, proxy: .enabled) }
        #expect(try outcome(office, configuration, allowing: .lastRelay).refused == [.setRelay(true, retransmit)])
        try office.change("lamp-2") { $0.features = .init(relay: .disabled, proxy: .disabled) }
        // Of whom nobody knows that it does not, may relay.
        try office.change("lamp-2") { $0.features.relay = nil }
        #expect(actions(configuration.lowered(in: office.network)) == [.setRelay(false, retransmit)])
    }

    @Test("A carrier stays in a subnet whose other nodes have no other")
    func carriedSubnet() throws {
        let guests = try required(NetKeyIndex(rawValue: 1))
        var (office, configuration) = try office { node in
            node.features.proxy = .enabled
            node.netKeys.append(NodeKey(index: guests))
        }
        try office.change("lamp-2") { node in
            node.features = .init(relay: .enabled, proxy: .disabled)
            node.netKeys.append(NodeKey(index: guests))
        }
        configuration.subnets = [.primary]
        configuration.subnetLosses = .alone
        let result = try outcome(office, configuration, allowing: .lastProxy)
        #expect(result.refused == [] && result.allowed == [.deleteNetKey(guests)])
        #expect(result.problem.hasPrefix("subnet `guests` would lose its last GATT proxy, `lamp-1`, while"))
        try office.change("lamp-2") { $0.netKeys.removeLast() }
        #expect(actions(configuration.lowered(in: office.network)) == [.deleteNetKey(guests)])
    }

    @Test("What brings a replay protection list more sources than it holds is left out, whoever hears them")
    func replayLists() throws {
        var (office, configuration) = try office { $0.product?.replayListSize = 3 }
        let kitchen = office.network.groups[1].address
        // switch-1 publishes there, and so does our provisioner, which configures besides.
        let both = [office.network.groups[0].address, kitchen]
        configuration.models = [DeferredModel(address: onOff, subscriptions: both)]
        #expect(actions(configuration.lowered(in: office.network)) == [.addSubscription(onOff, kitchen)])
        guard case .group(let address) = kitchen else { return }
        let publication = Publication(address: .group(address), appKeyIndex: .first)
        try office.change("lamp-2") { $0.elements[0].models[1].publication = publication }
        var result = try outcome(office, configuration, allowing: .replayList)
        #expect(result.refused == [] && result.allowed == [.addSubscription(onOff, kitchen)])
        #expect(result.problem.hasPrefix("`lamp-1` would have to hear more than the 3 sources"))
        // Who publishes is looked at for the sake of those who hear it.
        try office.change("lamp-2") { $0.elements[0].models[1].publication = nil }
        try office.change("lamp-1") { $0.elements[0].models[1].subscriptions.append(kitchen) }
        let other = try required(office.network.nodes.first { $0.name == "lamp-2" })
        var publishing = DeferredConfiguration(node: other.uuid, name: "lamp-2")
        let wanted = DesiredPublication(
            target: .address(.group(address)),
            key: .first,
            ttl: Publication.defaultTTL,
            period: .none,
            retransmit: .none,
            usesFriendshipCredentials: false
        )
        publishing.models = [DeferredModel(address: onOff, publication: .on(wanted))]
        result = try outcome(office, publishing, allowing: .replayList)
        #expect(result.refused == [] && result.allowed == [.setPublication(onOff, publication)])
        #expect(result.problem.hasPrefix("`lamp-1` would have to hear more than the 3 sources"))
        // Who has not the key does not hear it.
        try office.change("lamp-1") { $0.appKeys = [] }
        #expect(actions(publishing.lowered(in: office.network)) == [.setPublication(onOff, publication)])
    }
}
