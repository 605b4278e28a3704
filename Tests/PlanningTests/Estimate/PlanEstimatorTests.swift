import DefinitionModel
import MeshCore
import Planning
import Testing

@Suite("Estimate of a plan's time")
struct PlanEstimatorTests {
    private static let model = ModelAddress(element: 0, model: .sig(0x1000))

    private static func uuid(_ number: UInt64) -> DeviceUUID {
        DeviceUUID(rawValue: Octets16(high: 7, low: number))
    }

    /// The job of a usual node: an AppKey, five bindings, five subscriptions, two publications, four states; 17
    /// messages with 22 PDUs each way.
    private static func job(of node: UInt64) throws -> [Step] {
        let publication = Publication(
            address: .group(.allNodes),
            appKeyIndex: try #require(AppKeyIndex(rawValue: 0)),
            usesFriendshipCredentials: false,
            ttl: 5,
            period: .none,
            retransmit: .none
        )
        let key = try #require(AppKeyIndex(rawValue: 0))
        let group = try #require(GroupAddress(rawValue: 0xC000))
        var actions: [ConfigurationAction] = [.addAppKey(key, boundTo: .primary)]
        actions += (0..<5).map { _ in .bind(model, key) }
        actions += (0..<5).map { _ in .addSubscription(model, .group(group)) }
        actions += (0..<2).map { _ in .setPublication(model, publication) }
        actions += [
            .setDefaultTTL(5), .setProxy(false), .setRelay(true, TransmitParameters(octet: 0)),
            .setNetworkTransmit(TransmitParameters(octet: 0)),
        ]
        return actions.map { Step(change: 0, work: .configure(uuid(node), $0)) }
    }

    private static func jobs(_ count: UInt64) throws -> [Step] { try (1...count).flatMap { try job(of: $0) } }

    /// A radio that loses nothing and to which connecting takes no time.
    private static func radio(hops: Double, sets: Double) -> RadioProfile {
        var profile = RadioProfile.office
        profile.hops = hops
        profile.advertisingSets = sets
        profile.copyLoss = 0
        profile.connecting = 0
        return profile
    }

    /// 100 usual nodes have 1400 PDUs each way without the messages of several segments, of which some are sent again
    /// when acknowledgments wait in queues. An advertiser takes 53.8 ms for a PDU of stock firmware.
    @Test(
        "100 usual nodes take what the proxy's advertisers say: twice as long where relays repeat the answers",
        arguments: [
            (2.0, 1.0, 25, PlanEstimate.Bound.flood, 151.0), (1.0, 1.0, 0, .advertising, 75.3),
            (2.0, 2.0, 25, .flood, 75.3),
        ]
    )
    func limits(hops: Double, sets: Double, relays: Int, bound: PlanEstimate.Bound, seconds: Double) throws {
        let estimator = PlanEstimator(profile: Self.radio(hops: hops, sets: sets), relays: relays)
        let short = try Self.jobs(100).filter { $0.cost.pdus == 2 }
        let estimate = estimator.estimate(short, barriers: [])
        #expect(estimate.bound == bound)
        // Not sooner than the limit, and not later.
        let ratio = (estimate.total.median - RadioProfile.listening) / seconds
        #expect(abs(ratio - 1) < 0.05, "\(estimate.total)")
        #expect(estimate.total.percentile95 >= estimate.total.median)
        #expect(estimate.nodes.count == 100)
    }

    @Test("Twice the nodes take twice as long, in a large plan, too")
    func large() throws {
        let estimator = PlanEstimator(profile: .office, relays: 50)
        let single = estimator.estimate(try Self.jobs(200), barriers: []).total.median
        let double = estimator.estimate(try Self.jobs(400), barriers: []).total.median
        #expect(abs(double / single - 2) < 0.15, "\(single) \(double)")
    }

    @Test("The same plan is said to take the same each time")
    func repeatable() throws {
        let steps = try Self.jobs(8)
        let estimator = PlanEstimator(profile: .harsh, connections: 4, relays: 3)
        #expect(estimator.estimate(steps, barriers: []) == estimator.estimate(steps, barriers: []))
    }

    @Test("Losses, connecting and barriers make it longer, and losses widen it")
    func longer() throws {
        let steps = try Self.jobs(10)
        var quiet = RadioProfile.harsh
        quiet.copyLoss = 0
        let harsh = PlanEstimator(profile: .harsh).estimate(steps, barriers: [])
        let calm = PlanEstimator(profile: quiet).estimate(steps, barriers: [])
        #expect(harsh.total.median > calm.total.median)
        #expect(
            harsh.total.percentile95 - harsh.total.median > calm.total.percentile95 - calm.total.median
        )
        // Two nodes one after the other take longer than side by side.
        let two = try Self.jobs(2)
        let apart = PlanEstimator(profile: .office).estimate(two, barriers: [two.count / 2])
        let together = PlanEstimator(profile: .office).estimate(two, barriers: [])
        #expect(apart.total.median > together.total.median)
    }

    @Test("Relays are switched to fewer transmissions, and the plan is done sooner")
    func transmissions() throws {
        func network(_ transmit: TransmitParameters?) throws -> MeshNetwork {
            var network = try Self.network(nodes: 6)
            for place in network.nodes.indices {
                network.nodes[place].networkTransmit = transmit
                network.nodes[place].relayRetransmit = transmit
            }
            return network
        }
        let steps = try (1...6).flatMap { try Self.job(of: $0) }
        let stock = PlanEstimator(profile: .office).relaying(in: try network(nil)).estimate(steps, barriers: [])
        let once = try #require(TransmitParameters(count: 0, steps: 1))
        let fast = PlanEstimator(profile: .office).relaying(in: try network(once)).estimate(steps, barriers: [])
        #expect(fast.total.median < stock.total.median)
    }

    /// Ourselves and some nodes whose composition is known, all of which relay.
    private static func network(nodes count: UInt64) throws -> MeshNetwork {
        let own = DeviceUUID(rawValue: Octets16(high: 9, low: 9))
        let key = KeyMaterial(Octets16(high: 1, low: 2))
        func node(_ uuid: DeviceUUID, _ address: UInt16) throws -> Node {
            var node = Node(
                uuid: uuid,
                name: "node-\(address)",
                unicastAddress: try #require(UnicastAddress(rawValue: address)),
                deviceKey: key,
                elements: [Element(models: [Model(identifier: .configurationServer)])],
                netKeys: [NodeKey(index: .primary)]
            )
            node.isManaged = uuid != own
            node.features = Node.Features(
                relay: .enabled,
                proxy: address == 0x10 ? .enabled : .disabled,
                friend: .disabled,
                lowPower: .notSupported
            )
            return node
        }
        return MeshNetwork(
            uuid: Octets16(high: 1, low: 2),
            name: "site",
            ivIndex: IVIndex(value: 0),
            netKeys: [NetKey(index: .primary, name: "primary", key: key)],
            provisioners: [
                Provisioner(name: "own", uuid: own, unicastRanges: [1...0x7FFF], groupRanges: [0xC000...0xFEFF])
            ],
            ownProvisioner: own,
            nodes: try [node(own, 1)] + (1...count).map { try node(uuid($0), 0x10 + UInt16($0 - 1)) }
        )
    }

    @Test("A node that is in doubt or was never heard costs its time-outs, and no other does")
    func silence() throws {
        var network = try Self.network(nodes: 6)
        let steps = (1...6).map { Step(change: 0, work: .configure(Self.uuid($0), .setDefaultTTL(5))) }
        var estimator = PlanEstimator(profile: .ideal).relaying(in: network)
        #expect(estimator.estimate(steps, barriers: []).silence == nil)
        estimator.inDoubt = [Self.uuid(2), Self.uuid(99)]
        let doubt = try #require(estimator.estimate(steps, barriers: []).silence)
        // Two questions of 5 s, beside which the others are done. Then the Default TTL is set again and read back,
        // because it may be what silenced the node.
        #expect(doubt.nodes == 1 && abs(doubt.more - 55) < 1, "\(doubt)")
        let others = (1...6).map { Step(change: 0, work: .configure(Self.uuid($0), .setProxy(false))) }
        #expect(try abs(#require(estimator.estimate(others, barriers: []).silence).more - 10) < 1)
        network.nodes[3].elements = [Element(models: [])]
        let unheard = PlanEstimator(profile: .ideal).relaying(in: network).estimate(steps, barriers: [])
        let never = try #require(unheard.silence)
        // A request and what reads it back.
        #expect(never.nodes == 1 && abs(never.more - 45) < 1, "\(never)")
        // Behind a barrier it is not asked any more.
        let more = steps + steps.map { Step(change: 0, work: .configure($0.node ?? Self.uuid(1), .setDefaultTTL(6))) }
        let apart = PlanEstimator(profile: .ideal).relaying(in: network).estimate(more, barriers: [steps.count])
        #expect(try abs(#require(apart.silence).more - 45) < 1, "\(apart)")
        #expect(unheard.total.median < 3)
    }

    @Test("What depends on a change of the database that waits for nodes comes after all of them")
    func stages() throws {
        let first = (1...6).map { Step(change: 0, work: .configure(Self.uuid($0), .setDefaultTTL(5))) }
        let edit = { (dependencies: [Int]) in
            Step(change: 0, work: .edit(.renameNetKey(.primary, name: "house")), dependencies: dependencies)
        }
        let second = (1...6).map {
            Step(change: 0, work: .configure(Self.uuid($0), .setDefaultTTL(6)), dependencies: [6])
        }
        let estimator = PlanEstimator(profile: .office, relays: 2)
        let waiting = estimator.estimate(first + [edit(Array(0..<6))] + second, barriers: []).total
        let barrier = estimator.estimate(first + [edit([])] + second, barriers: [6]).total
        let free = estimator.estimate(first + [edit([])] + second, barriers: []).total
        #expect(waiting == barrier && waiting != free, "\(waiting) \(barrier) \(free)")
    }

    /// The first device gets the keys of all subnets, and is then the only proxy of the second one's for a minute.
    @Test("A new node is a proxy of a subnet as soon as it has its key", arguments: [1, 2, 4])
    func newProxies(connections: Int) throws {
        let guests = try #require(NetKeyIndex(rawValue: 1))
        func provision(_ number: UInt64, _ subnet: NetKeyIndex) -> [Step] {
            let order = ProvisioningOrder(uuid: Self.uuid(number), name: "node-\(number)", netKeyIndex: subnet)
            let reading = ConfigurationAction.readComposition(page: 0)
            return [
                Step(change: 0, work: .provision(order)), Step(change: 0, work: .configure(Self.uuid(number), reading)),
            ]
        }
        func lasting(_ subnet: NetKeyIndex) -> Double {
            var steps = provision(1, .primary)
            steps.append(Step(change: 0, work: .configure(Self.uuid(1), .addNetKey(guests))))
            steps += provision(2, subnet) + provision(3, subnet)
            for number in 2...3 as ClosedRange<UInt64> {
                steps += (0..<5).map { _ in Step(change: 0, work: .configure(Self.uuid(number), .setDefaultTTL(5))) }
                // Only of what the plan says so it is certain that it has a GATT proxy.
                steps.append(Step(change: 0, work: .configure(Self.uuid(number), .setProxy(true))))
            }
            return PlanEstimator(profile: .ideal, connections: connections).estimate(steps, barriers: [2]).total.median
        }
        #expect(
            lasting(guests) < lasting(.primary) + 3 && lasting(guests) < 12,
            "\(lasting(guests)) \(lasting(.primary))"
        )
    }

    /// Provisions devices, reads who they are and binds keys, then sends each of them something more behind a barrier.
    private static func commissioning(
        _ count: UInt64,
        connections: Int,
        then last: [ConfigurationAction]
    ) throws -> PlanEstimate.Time {
        let key = try #require(AppKeyIndex(rawValue: 0))
        let configuration: [ConfigurationAction] =
            [.readComposition(page: 0), .addAppKey(key, boundTo: .primary)] + (0..<6).map { _ in .bind(model, key) }
        var steps: [Step] = []
        for number in 1...count {
            let order = ProvisioningOrder(uuid: uuid(number), name: "node-\(number)", netKeyIndex: .primary)
            steps.append(Step(change: 0, work: .provision(order)))
            steps += configuration.map { Step(change: 0, work: .configure(uuid(number), $0)) }
        }
        let barrier = steps.count
        for number in 1...count {
            steps += last.map { Step(change: 0, work: .configure(uuid(number), $0)) }
        }
        let estimator = PlanEstimator(profile: .office, connections: connections)
        return estimator.estimate(steps, barriers: [barrier]).total
    }

    /// Asks each of some nodes for one short value, or sets it.
    private static func asking(_ count: UInt64) -> [(node: DeviceUUID, cost: MessageCost)] {
        (1...count).map { (node: uuid($0), cost: ConfigurationAction.setDefaultTTL(5).cost) }
    }

    @Test("What only reads is given up sooner than what may have taken effect")
    func reading() throws {
        var profile = RadioProfile.office
        profile.hops = 1
        profile.copyLoss = 0.9
        var network = try Self.network(nodes: 12)
        for place in network.nodes.indices where place > 1 { network.nodes[place].features.relay = .notSupported }
        let estimator = PlanEstimator(profile: profile).relaying(in: network)
        let read = estimator.estimate(Self.asking(12)).total.median
        let steps = (1...12).map { Step(change: 0, work: .configure(Self.uuid($0), .setDefaultTTL(5))) }
        let set = estimator.estimate(steps, barriers: []).total.median
        #expect(read < set * 0.7, "\(read) \(set)")
    }

    @Test("Where more nodes are proxies, one is heard sooner")
    func otherProxies() throws {
        var profile = RadioProfile.ideal
        profile.copyLoss = 0.8
        var network = try Self.network(nodes: 12)
        let single = PlanEstimator(profile: profile).relaying(in: network).estimate(Self.asking(1)).total.median
        for place in network.nodes.indices.dropFirst() { network.nodes[place].features.proxy = .enabled }
        let many = PlanEstimator(profile: profile).relaying(in: network).estimate(Self.asking(1)).total.median
        #expect(many < single - 1, "\(many) \(single)")
    }

    /// Stock firmware that has a relay has a GATT proxy, too, and both are on at first.
    @Test(
        "Links of their own go to devices that have a GATT proxy, not to those that may have none",
        arguments: [.setProxy(false), .setRelay(false, nil), .setRelay(true, nil)] as [ConfigurationAction]
    )
    func proxiesAtFirst(last: ConfigurationAction) throws {
        let told = try Self.commissioning(16, connections: 8, then: [last])
        let untold = try Self.commissioning(16, connections: 8, then: [.setDefaultTTL(6)])
        #expect(told.median < untold.median * 0.95, "\(told) \(untold)")
    }

    @Test("When the last relay near a node is switched off, others reach the node")
    func relaysSwitchedOff() throws {
        var network = try Self.network(nodes: 24)
        for place in network.nodes.indices where place > 2 { network.nodes[place].features.proxy = .disabled }
        // The first stays a relay.
        let steps = (2...24).map {
            Step(change: 0, work: .configure(Self.uuid($0), .setRelay(false, TransmitParameters(octet: 0))))
        }
        let total = PlanEstimator(profile: .office).relaying(in: network).estimate(steps, barriers: []).total
        // A node that nobody reaches would be waited for 45 s in some runs.
        #expect(total.percentile95 < total.median * 1.6, "\(total)")
    }

    @Test("What nodes publish by themselves takes its share of the air")
    func publishing() throws {
        var network = try Self.network(nodes: 6)
        let steps = try (1...6).flatMap { try Self.job(of: $0) }
        let quiet = PlanEstimator(profile: .office).relaying(in: network).estimate(steps, barriers: []).total.median
        network.nodes[3].elements[0].models[0].publication = Publication(
            address: .group(.allNodes),
            appKeyIndex: .first,
            usesFriendshipCredentials: false,
            ttl: 5,
            period: try #require(PublishPeriod(milliseconds: 200)),
            retransmit: .none
        )
        let loud = PlanEstimator(profile: .office).relaying(in: network).estimate(steps, barriers: []).total.median
        // Five PDUs a second, each of which keeps a relay busy for 53.8 ms.
        let (before, after) = (quiet - 3.5, loud - 3.5)
        #expect(abs(after / before * (1 - 5 * 0.0538) - 1) < 0.15, "\(quiet) \(loud)")
    }

    @Test("What sends nothing takes no time and is bound by nothing")
    func nothing() {
        let estimate = PlanEstimator(profile: .office).estimate([], barriers: [])
        #expect(estimate.bound == nil && estimate.total == .zero && estimate.nodes.isEmpty && estimate.silence == nil)
    }

    @Test("What was learned is the median of what runs took, and keeps to runs that say something")
    func learning() throws {
        #expect(RadioProfile.learned(from: []) == nil)
        #expect(RadioProfile.learned(from: [.infinity, -1, 0]) == nil)
        let learned = try #require(RadioProfile.learned(from: [4, 1, 2]))
        #expect(learned.correction == 2 && learned.name == "learned")
        let steps = try Self.jobs(3)
        let usual = PlanEstimator(profile: .office).estimate(steps, barriers: [])
        let corrected = PlanEstimator(profile: learned).estimate(steps, barriers: [])
        #expect(abs(corrected.total.median / usual.total.median - 2) < 1e-9)
    }
}
