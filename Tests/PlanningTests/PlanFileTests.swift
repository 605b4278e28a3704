import DefinitionModel
import MeshCore
import Planning
import Testing

@Suite("Plan files")
struct PlanFileTests {
    private let uuid = DeviceUUID(rawValue: Octets16(high: 1, low: 2))

    /// Orders that leave everything open and nothing.
    private func orders() -> [ProvisioningOrder] {
        var order = ProvisioningOrder(uuid: uuid, name: "n", netKeyIndex: .primary)
        let open = order
        order.address = .last
        order.isProtected = true
        order.removalPolicy = .reset
        order.method = .staticOOB
        order.assurance = .authenticated
        order.product = ProductIdentifier(company: 0x0059, product: 7)
        order.productKnowsHMAC = true
        order.staticValue = .environment("S")
        order.publicKeyFile = "keys/é"
        order.algorithm = .hmacSHA256
        order.attention = 255
        order.isReplacement = true
        var other = open
        other.staticValue = .file("")
        let routed = [.direct, .remote, .node(uuid)].map { (route: ProvisioningRoute<DeviceUUID>) in
            var order = order
            order.route = route
            return order
        }
        var named = routed[2]
        named.serverName = "hall"
        return [open, order, other, named] + routed
    }

    /// A configuration with every kind of part.
    private func deferred(_ key: AppKeyIndex) throws -> DeferredConfiguration {
        let group = SubscriptionAddress.group(try #require(GroupAddress(rawValue: 0xC000)))
        let label = SubscriptionAddress.virtual(LabelUUID(rawValue: Octets16(high: 3, low: 4)))
        let publication = DesiredPublication(
            target: .element(of: uuid, index: 3),
            key: nil,
            ttl: 7,
            period: PublishPeriod(octet: 0xC5),
            retransmit: PublishRetransmit(octet: 0x1A),
            usesFriendshipCredentials: true
        )
        var other = publication
        other.target = .address(.group(.allNodes))
        other.key = key
        var configuration = DeferredConfiguration(node: uuid, name: "n")
        configuration.subnetLosses = .later
        configuration.target = uuid
        configuration.subnets = [.primary]
        configuration.applicationKeys = []
        configuration.relay = true
        configuration.relayRetransmit = TransmitParameters(octet: 9)
        configuration.proxy = false
        configuration.friend = true
        configuration.optionalFeatures = [.relay, .friend]
        let addresses = (0..<4).map { ModelAddress(element: $0, model: .sig(0x1000)) }
        configuration.models = [
            DeferredModel(address: addresses[0], bindings: [key], subscriptions: [group, label]),
            DeferredModel(address: addresses[1], publication: .off),
            DeferredModel(address: addresses[2], bindings: [], publication: .on(publication)),
            DeferredModel(address: addresses[3], subscriptions: [], publication: .on(other)),
        ]
        configuration.rules = [
            ModelRule(model: .sig(0x1000), element: 1, isRequired: true, effect: .subscribe([group, label])),
            ModelRule(
                model: .vendor(company: 0, model: 1),
                element: nil,
                isRequired: false,
                effect: .publish(publication)
            ),
        ]
        return configuration
    }

    /// A plan with every kind of edit, action and other work.
    private func plan() throws -> Plan {
        let key = try #require(AppKeyIndex(rawValue: 0xFFF))
        let group = SubscriptionAddress.group(try #require(GroupAddress(rawValue: 0xC000)))
        let label = SubscriptionAddress.virtual(LabelUUID(rawValue: Octets16(high: 3, low: 4)))
        let sig = ModelAddress(element: 1, model: .sig(0x1000))
        let vendor = ModelAddress(element: 2, model: .vendor(company: 0, model: 1))
        let publication = Publication(
            address: .virtual(LabelUUID(rawValue: Octets16(high: 3, low: 4))),
            appKeyIndex: key,
            usesFriendshipCredentials: true,
            ttl: 7,
            period: PublishPeriod(octet: 0xC5),
            retransmit: PublishRetransmit(octet: 0x1A)
        )
        var managed = Group(name: "m", address: group)
        managed.isManaged = true
        managed.isProtected = true
        let edits: [DatabaseEdit] = [
            .putGroup(managed),
            .createNetKey(.primary, name: "é", source: .generated),
            .createAppKey(key, name: "a", boundTo: .primary, source: .file("keys/a.hex")),
            .createAppKey(key, name: "b", boundTo: .primary, source: .environment("B")),
            .renameNetKey(.primary, name: ""), .renameAppKey(key, name: "x"),
            .putGroup(Group(name: "g", address: group, parent: label)), .putGroup(Group(name: "h", address: label)),
            .manage(uuid, name: "n", isProtected: true, removalPolicy: .reset), .forget(uuid),
            .protect(.netKey(.primary), isProtected: true), .protect(.appKey(key), isProtected: false),
            .remove(.group(group)), .remove(.group(label)), .remove(.appKey(key)),
        ]
        var claim = ModelClaim(address: vendor)
        claim.bindings = [.first, key]
        claim.subscriptions = [group, label]
        claim.publication = true
        let claims = Claims(
            resources: [.group(label), .appKey(key), .netKey(.primary)],
            nodes: [NodeClaim(node: uuid, models: [ModelClaim(address: sig), claim])]
        )
        let entry = BridgingTableEntry(
            subnets: NetKeyIndexPair(first: .primary, second: .primary),
            addresses: BridgedAddresses(first: .first, second: Address(rawValue: 0xC000), directions: .oneWay)
        )
        let actions: [ConfigurationAction] = [
            .readComposition(page: 0), .addNetKey(.primary), .deleteNetKey(.primary),
            .addAppKey(key, boundTo: .primary), .deleteAppKey(key, boundTo: .primary), .bind(sig, key),
            .unbind(vendor, key), .addSubscription(sig, group), .deleteSubscription(vendor, label),
            .overwriteSubscriptions(sig, label), .deleteAllSubscriptions(vendor), .setPublication(sig, publication),
            .setPublication(sig, Publication(address: .unicast(.last), appKeyIndex: key)),
            .setPublication(vendor, Publication(address: .group(.allNodes), appKeyIndex: key)),
            .setPublication(vendor, nil), .setDefaultTTL(127), .setSecureNetworkBeacon(true), .setRelay(true, nil),
            .setRelay(false, TransmitParameters(octet: 0xFF)), .setProxy(false), .setFriend(true),
            .setNetworkTransmit(TransmitParameters(octet: 0x80)), .resetNode,
            .set(.heartbeatPublication(.off(netKeyIndex: .primary))), .set(.heartbeatSubscription(.off)),
            .set(.nodeIdentity(.primary, .stopped)), .set(.sarTransmitter(.standard)), .set(.sarReceiver(.standard)),
            .set(.privateBeacon(PrivateBeaconState(isEnabled: true))),
            .set(.privateBeacon(PrivateBeaconState(isEnabled: false, randomUpdateIntervalSteps: 3))),
            .set(.privateGATTProxy(.enabled)), .set(.onDemandPrivateProxy(seconds: 9)),
            .set(.privateNodeIdentity(.primary, .running)), .set(.subnetBridge(true)), .addBridging(entry),
            .removeBridging(entry), .removeAllBridging(entry.subnets),
        ]
        let configurations = try [deferred(key), DeferredConfiguration(node: uuid, name: "")]
        let works =
            edits.map { Step.Work.edit($0) } + actions.map { Step.Work.configure(uuid, $0) }
            + orders().map { Step.Work.provision($0) } + configurations.map { Step.Work.configureWhenKnown($0) }
        let steps = works.enumerated().map { position, work in
            Step(change: position % 2, work: work, dependencies: position > 2 ? [0, position - 1] : [])
        }
        return Plan(
            identifier: Octets16(high: 5, low: 6),
            lineage: Octets16(high: 7, low: 8),
            serial: .max,
            network: "hq",
            nodes: [
                NodeSummary(
                    uuid: uuid,
                    name: "n",
                    address: .first,
                    action: .update,
                    changes: 1..<2,
                    cost: (actions.map(\.cost) + configurations.map(\.foreseenCost)).reduce(.zero, +)
                )
            ],
            changes: [
                Change(
                    address: "subnet.é",
                    kind: .subnet,
                    action: .create,
                    after: "name é",
                    previousAddress: "subnet.ê"
                ),
                Change(address: "node.n", kind: .node, action: .delete, node: uuid, before: "x", isImplied: true),
                Change(address: "node.n", kind: .provisioning, action: .replace, node: uuid, isDeferred: true),
            ],
            steps: steps,
            barriers: [4, 9],
            notes: ["One.", "Two."],
            findings: [
                GuardFinding(.lastProxy, "no proxy", nodes: ["n"], resources: ["node.n.proxy"]),
                GuardFinding(.protectedNode, "protected", isAllowed: true),
            ],
            scope: PlanScope(options: ["--node n*"], nodesLeftOut: 2, changesLeftOut: 1),
            purpose: .destroy,
            claims: claims,
            dependencies: [
                PlanDependency(.key, "the file k", fingerprint: [UInt8](repeating: 7, count: 32)),
                PlanDependency(.secrets, "", fingerprint: nil),
                PlanDependency(.way, "é", fingerprint: [UInt8](repeating: 0, count: 32)),
            ]
        )
    }

    @Test("A plan with every kind of step comes back as it was")
    func roundTrip() throws {
        let plan = try plan()
        #expect(try PlanFile.decode(PlanFile.encode(plan)) == plan)
    }

    @Test("The octets of a plan with every kind of step are those of 0.3.0")
    func octetsStay() throws {
        let digest = try #require(SHA256.hash(PlanFile.encode(try plan())))
        #expect(Hexadecimal.encode(digest) == "aea2fcf7228d910cc17bd3a54d67618e8dc7101f50c95a454947ff60eb491bbd")
    }

    @Test("A file that ends early or goes on is refused")
    func length() throws {
        let bytes = PlanFile.encode(try plan())
        for count in 0..<bytes.count {
            #expect(throws: DecodeError.self) { try PlanFile.decode(Array(bytes.prefix(count))) }
        }
        #expect(throws: DecodeError.trailing(offset: bytes.count, count: 1)) { try PlanFile.decode(bytes + [0]) }
    }

    @Test("A changed octet gives an error or another plan, whose encoding is the changed file; nothing traps")
    func corruption() throws {
        let bytes = PlanFile.encode(try plan())
        for position in bytes.indices {
            for flip: UInt8 in [0x01, 0x80, 0xFF] {
                var changed = bytes
                changed[position] ^= flip
                guard let decoded = try? PlanFile.decode(changed) else { continue }
                #expect(PlanFile.encode(decoded) == changed, "octet \(position)")
            }
        }
    }

    @Test("Other versions are refused by their numbers")
    func version() throws {
        var bytes = PlanFile.encode(try plan())
        for version: UInt8 in [0, 2, 7] {
            bytes[9] = version
            #expect(throws: DecodeError.prohibited(field: "the version of the plan format", value: UInt64(version))) {
                try PlanFile.decode(bytes)
            }
        }
    }

    @Test("A value that no message can set is refused")
    func unsettable() throws {
        let good = try plan()
        let place = try #require(good.steps.firstIndex { if case .configure = $0.work { true } else { false } })
        var heartbeat = HeartbeatPublication.off(netKeyIndex: .primary)
        heartbeat.countLog = nil
        for state in [.privateGATTProxy(.notSupported), .heartbeatPublication(heartbeat)] as [FoundationState] {
            var plan = good
            plan.steps[place].work = .configure(uuid, .set(state))
            #expect(throws: DecodeError.prohibited(field: "value of \(state.kind.word)", value: 0)) {
                try PlanFile.decode(PlanFile.encode(plan))
            }
        }
    }

    @Test("Lists of a deferred configuration that are not in their order are refused")
    func order() throws {
        let good = try plan()
        let place = try #require(
            good.steps.firstIndex { if case .configureWhenKnown = $0.work { true } else { false } }
        )
        guard case .configureWhenKnown(let configuration) = good.steps[place].work else { return }
        let key = try #require(AppKeyIndex(rawValue: 0xFFF))
        let groups = try #require(configuration.models[0].subscriptions)
        let changes: [(inout DeferredConfiguration) -> Void] = [
            { $0.models.swapAt(0, 1) }, { $0.models[1].address.element = 0 }, { $0.models[0].subscriptions?.reverse() },
            { $0.models[2].bindings = [key, key] }, { $0.subnets? += [.primary] },
            { $0.rules[0].effect = .subscribe(groups.reversed()) }, { $0.optionalFeatures = .lowPower },
        ]
        for (number, change) in changes.enumerated() {
            var (plan, wrong) = (good, configuration)
            change(&wrong)
            plan.steps[place].work = .configureWhenKnown(wrong)
            #expect(throws: DecodeError.self, "\(number)") { try PlanFile.decode(PlanFile.encode(plan)) }
        }
    }

    @Test("Positions that lead nowhere are refused")
    func positions() throws {
        let good = try plan()
        let changes: [(inout Plan) -> Void] = [
            { $0.steps[0].change = 3 }, { $0.steps[3].dependencies = [3] }, { $0.steps[5].dependencies = [2, 1] },
            { $0.steps[5].dependencies = [1, 1] }, { $0.barriers = [$0.steps.count] }, { $0.barriers = [5, 2] },
            { $0.nodes[0].changes = 1..<4 }, { $0.nodes.append($0.nodes[0]) }, { $0.nodes = [] },
            { $0.changes[1].node = DeviceUUID(rawValue: Octets16(high: 0, low: 0)) },
            { $0.steps[0].work = .edit(.forget(DeviceUUID(rawValue: Octets16(high: 0, low: 0)))) },
        ]
        for (number, change) in changes.enumerated() {
            var plan = good
            change(&plan)
            #expect(throws: DecodeError.self, "\(number)") { try PlanFile.decode(PlanFile.encode(plan)) }
        }
    }

    @Test("The digest changes with what the plan does and depends on, and not with when it was made")
    func digest() throws {
        let plan = try plan()
        let digest = try #require(plan.digest)
        #expect(digest.count == 64)
        var again = plan
        again.identifier = Octets16(high: 1, low: 1)
        #expect(again.digest == digest)
        let changes: [(inout Plan) -> Void] = [
            { $0.lineage = Octets16(high: 9, low: 9) }, { $0.steps.removeLast() }, { $0.findings[0].isAllowed = true },
            { $0.scope = nil }, { $0.purpose = .converge }, { $0.serial -= 1 }, { $0.dependencies.removeLast() },
            { $0.dependencies[0].fingerprint?[31] = 0 },
        ]
        for (number, change) in changes.enumerated() {
            var other = plan
            change(&other)
            #expect(other.digest != digest, "\(number)")
        }
    }
}
