import DefinitionModel
import Execution
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

@Suite("Ends that runs rarely come to")
struct OutcomeTests {
    @Test("A request that has no effect is repeated a few times, and then its step fails", arguments: [1, 2, 3])
    func withoutEffect(rounds: Int) throws {
        let site = try Site(lamps: 2)
        site.options.retry.maximumRounds = rounds
        site.world.setFaults(NodeFaults(quirks: [.silent(ConfigDefaultTTLSet.opcode)]), of: uuid(2))
        var tries = 0
        site.onEvent = { if case .stepUnknown = $0 { tries += 1 } }
        // Without a bound it would go on for ever.
        site.interrupts = { tries > 5 ? 2 : 0 }
        let actions: [ConfigurationAction] = [.setDefaultTTL(9), .setFriend(true)]
        let recap = try site.apply(site.plan(of: actions, on: uuid(2)))
        #expect(recap.failed.map(\.failure) == [.withoutEffect(rounds: rounds)], "\(recap)")
        #expect(recap.failed.map(\.step) == [0] && recap.blocked.map(\.step) == [1])
        #expect(tries == rounds && recap.ending == .completed && recap.inDoubt == 0)
        #expect(try site.lamp(2).defaultTTL == 5)
        // The node is there; with another request it works.
        site.world.setFaults(NodeFaults(), of: uuid(2))
        site.interrupts = { 0 }
        #expect(try site.apply(site.plan(of: actions, on: uuid(2))).isComplete)
    }

    @Test("When sequence numbers run out on the way, the run ends, keeps what was achieved, and goes on later")
    func sendingFailed() throws {
        let site = try Site(lamps: 2)
        let plan = try site.plan()
        // As many as the messages take at least; the proxy's filter takes some, too.
        let needed = plan.steps.reduce(0) { $0 + $1.cost.pdusToNode }
        let own = try unicast(1)
        try site.execute { _ in
            let lease = try required(site.lease)
            let numbers = try site.database.sequenceNumbers(with: lease, blockSize: UInt32((1 << 24) - needed))
            _ = try numbers.next(for: own, ivIndex: 5)
        }
        let recap = try site.apply(plan)
        guard case .sendingFailed(let reason) = recap.ending else {
            Issue.record("\(recap)")
            return
        }
        #expect(reason == "all sequence numbers of \(own) under this IV index are used")
        #expect(recap.applied > 0 && recap.failed.isEmpty && !recap.isComplete)
        #expect(site.world.violations == [])
        site.world.setIVIndex(IVIndex(value: 6))
        #expect(try site.execute { $0.recover(to: IVIndex(value: 6)) } == .completed)
        #expect(try site.resolveAndApply().isComplete)
        #expect(site.world.violations == [])
    }

    @Test("A database without a node of our own cannot begin, and nothing is sent")
    func noOwnNode() throws {
        var network = try House.network(lamps: 1)
        let air = network
        network.nodes.removeAll { $0.uuid == network.ownProvisioner }
        let site = try Site(network: network, world: air)
        let recap = try site.apply(site.plan(of: [.setDefaultTTL(9)], on: uuid(1)))
        #expect(recap.ending == .refused(.noOwnNode))
        #expect(recap.notStarted == 1 && recap.messagesSent == 0)
        #expect(site.world.node(uuid(1))?.defaultTTL == 5)
    }
}

@Suite("Why devices cannot be provisioned with this database")
struct ProvisioningProblemTests {
    private func failure(
        _ adjust: @escaping (inout ProvisioningOrder) -> Void = { _ in },
        lamps: Int = 1,
        database forget: (inout MeshNetwork) throws -> Void = { _ in }
    ) throws -> (problem: ProvisioningProblem?, isProvisioned: Bool?) {
        let site = try Commissioning([Commissioning.device(1)], lamps: lamps, database: forget)
        site.adjust = adjust
        let recap = try site.apply()
        #expect(recap.ending == .completed && recap.failed.count == 1, "\(recap)")
        #expect(try site.network.pendingProvisionings == [])
        guard case .provisioning(let problem) = recap.failed.first?.failure else { return (nil, nil) }
        return (problem, site.world.node(site.devices[0].uuid)?.isProvisioned)
    }

    @Test("Our ranges have no room for its elements")
    func noAddress() throws {
        let (problem, isProvisioned) = try failure(database: { network in
            // Ourselves and the lamp take 0x0001 and 0x0010 with two elements; one address is left.
            network.provisioners[0].unicastRanges = [0x0001...0x0002]
        })
        let reason = "the ranges of meshplan's provisioner have no 2 consecutive free addresses left"
        #expect(problem == .noAddress(reason) && isProvisioned == false)
    }

    @Test("The database has no key of the subnet that it is to join")
    func noNetKey() throws {
        let (problem, isProvisioned) = try failure({ $0.netKeyIndex = House.guests ?? .primary })
        #expect(problem == .noNetKey(try required(House.guests)) && isProvisioned == false)
    }

    @Test("The node that is to carry its session is none, or cannot be spoken to")
    func servers() throws {
        func through(_ server: DeviceUUID) -> (inout ProvisioningOrder) -> Void {
            { $0.route = .node(server) }
        }
        let (absent, _) = try failure(through(uuid(77)))
        guard case .server(.absent, _) = absent else {
            Issue.record("\(String(describing: absent))")
            return
        }
        let (noModel, _) = try failure(through(uuid(1)))
        #expect(noModel == .server(.noModel, name: "lamp-1"))
        let (noKey, _) = try failure(through(uuid(2)), lamps: 2) { network in
            network.nodes[2].elements[0].models.append(Model(identifier: .remoteProvisioningServer))
            network.nodes[2].deviceKey = nil
        }
        #expect(noKey == .server(.noKey, name: "lamp-2"))
        let (unknown, _) = try failure(through(uuid(2)), lamps: 2) { network in
            network.nodes[2].elements = network.nodes[2].elements.map { Element(location: $0.location) }
        }
        #expect(unknown == .server(.unknownComposition, name: "lamp-2"))
    }
}
