import DefinitionModel
import Definitions
import Execution
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

@Suite("Executor: nodes are reprovisioned over their Node Provisioning Protocol Interface")
struct ReprovisionSessionTests {
    private func result(_ outcome: ReprovisionOutcome) throws -> MeshNetwork.ReprovisionResult {
        guard case .reprovisioned(let result, _) = outcome else {
            Issue.record("\(outcome)")
            throw MissingValue()
        }
        return result
    }

    @Test("A new DeviceKey replaces the old one, which is kept, and all else stays")
    func deviceKey() throws {
        let site = try ReprovisionField.site()
        let before = try site.lamp(2)
        let outcome = try site.reprovision(.deviceKeyRefresh)
        guard case .reprovisioned(let result, let authentication) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(authentication?.assurance == .nothing, "there is nothing out of band")
        let run = try required(site.database.runs().first)
        #expect(run.outcome == .completed && run.ended != nil && run.counts.succeeded == 1, "\(run)")
        let network = try site.network
        var expected = before
        expected.deviceKey = result.node.deviceKey
        expected.observedAt = Site.now
        #expect(try site.lamp(2) == expected)
        #expect(result.node.deviceKey != before.deviceKey)
        #expect(network.retiredNodes.map(\.node) == [before] && network.retiredNodes.map(\.reason) == [.reprovisioned])
        #expect(network.exclusions == [], "its addresses are still its own")
        try site.expectSettled()
        let again = try self.result(site.reprovision(.deviceKeyRefresh))
        #expect(again.former.node.deviceKey == result.node.deviceKey)
        try site.expectSettled()
    }

    @Test("A node moves to free addresses, keeps its keys, and leaves its former addresses for good")
    func address() throws {
        let site = try ReprovisionField.site()
        let plan = try site.reprovisionPlan(.nodeAddressRefresh)
        #expect(plan.before == 0x20...0x21 && plan.after == 0x02...0x03)
        #expect(plan.references.publishers == ["lamp-1"])
        let moved = try result(site.reprovision(.nodeAddressRefresh)).node
        #expect(moved.addresses == 0x02...0x03)
        #expect(moved.netKeys.map(\.index) == [.primary] && moved.appKeys.map(\.index) == [.first])
        #expect(moved.isCompositionKnown && moved.elements.flatMap(\.models).allSatisfy { $0.bindings.isEmpty })
        let network = try site.network
        #expect(network.exclusions.map(\.addresses) == [[try unicast(0x20), try unicast(0x21)]])
        try site.expectSettled()
        // And on from there, by name: once more, to an address that is asked for.
        #expect(throws: ReprovisionRefusal.self) { try site.reprovisionPlan(.nodeAddressRefresh, to: unicast(0x21)) }
        #expect(throws: ReprovisionRefusal.self) { try site.reprovisionPlan(.nodeAddressRefresh, to: unicast(0x03)) }
        #expect(throws: ReprovisionRefusal.self) { try site.reprovisionPlan(.nodeAddressRefresh, to: unicast(0x11)) }
        let again = try result(site.reprovision(.nodeAddressRefresh, to: unicast(0x300))).node
        #expect(again.addresses == 0x300...0x301)
        try site.expectSettled()
        #expect(try site.network.exclusions.flatMap(\.addresses).map(\.rawValue) == [0x02, 0x03, 0x20, 0x21])
    }

    @Test("A plan after an address refresh restores the configuration, and changes what others publish to the node")
    func planAfterwards() throws {
        let site = try ReprovisionField.site()
        site.definition = try House.definition(lamps: 2) { text in
            text.replacing(
                "node: lamp-1, model: generic-onoff-client, to: all",
                with: "node: lamp-1, model: generic-onoff-client, to: lamp-2"
            )
        }
        #expect(try site.resolveAndApply().isComplete)
        #expect(try site.plan().steps == [])
        _ = try result(site.reprovision(.nodeAddressRefresh))
        let plan = try site.plan()
        let publications = plan.changes.filter { $0.node == uuid(1) }
        #expect(publications.map(\.address) == ["node.lamp-1.element[0].generic-onoff-client.publication"])
        #expect(
            plan.changes.contains { $0.node == uuid(2) && $0.address.contains("binding") || $0.address.contains("key") }
        )
        #expect(try site.resolveAndApply().isComplete)
        #expect(try site.plan().steps == [])
        let client = try site.lamp(1).elements[0].models[3]
        #expect(client.publication?.address == .unicast(try site.lamp(2).unicastAddress))
        try site.expectSettled()
    }

    @Test("A plan after an address refresh mends the heartbeats and bridging entries of others that name the node")
    func foundationAfterwards() throws {
        var network = try ReprovisionField.network()
        network.nodes[1].elements[0].models.append(Model(identifier: .bridgeConfigurationServer))
        let uuids = (1...2).map { uuid(UInt64($0)).rawValue.hexadecimal }
        let text = """
            version: 1
            network: house
            subnets: { home: { index: 0 }, guests: { index: 1 } }
            nodes:
              lamp-1:
                uuid: \(uuids[0])
                heartbeat: { publish: { to: lamp-2, period: 64s, count: 8, ttl: 5 }, subscribe: { from: lamp-2, period: 32s } }
                subnet_bridge:
                  state: on
                  table: [{ subnets: [home, guests], addresses: [lamp-1, lamp-2], direction: both }]
              lamp-2: { uuid: \(uuids[1]) }
            """
        let file = SourceFiles.File(path: "house.yaml", bytes: Array(text.utf8))
        let (definitions, diagnostics) = DefinitionReader.read(files: SourceFiles(files: [file]))
        #expect(diagnostics == [])
        let site = try Site(lamps: 2, database: network, definition: try required(definitions.first))
        #expect(try site.resolveAndApply().isComplete)
        #expect(try site.plan().steps == [])
        _ = try result(site.reprovision(.nodeAddressRefresh))
        let moved = try site.lamp(2).unicastAddress
        #expect(moved != (try unicast(0x20)))
        let plan = try site.plan()
        let actions = plan.steps.compactMap { step -> ConfigurationAction? in
            guard case .configure(uuid(1), let action) = step.work else { return nil }
            return action
        }
        let kinds = actions.map { action in
            switch action {
            case .set(.heartbeatPublication(let heartbeat)): "publish to \(heartbeat.destination == moved.address)"
            case .set(.heartbeatSubscription(let heartbeat)): "subscribe from \(heartbeat.source == moved)"
            case .addBridging(let entry): "bridge to \(entry.addresses.second == moved.address)"
            case .removeBridging(let entry): "stop bridging to \(entry.addresses.second.rawValue)"
            case .removeAllBridging: "stop bridging"
            default: "\(action)"
            }
        }
        #expect(
            kinds.sorted() == ["bridge to true", "publish to true", "stop bridging to 32", "subscribe from true"],
            "\(kinds)"
        )
        // What takes the former address out comes last.
        #expect(kinds.last?.hasPrefix("stop") == true)
        #expect(try site.resolveAndApply().isComplete)
        #expect(try site.plan().steps == [])
        let bridge = try site.lamp(1)
        #expect(bridge.bridgingTable?.map(\.addresses.second) == [moved.address])
        try site.expectSettled()
    }

    @Test("A node becomes what it has prepared; what is gone is told, and what stays keeps its configuration")
    func composition() throws {
        let site = try ReprovisionField.site(preparing: 2)
        let result = try self.result(site.reprovision(.nodeCompositionRefresh))
        #expect(result.node.product?.version == 3)
        #expect(result.node.elements[1].models.map(\.identifier) == [.sig(0x1002)])
        #expect(result.node.elements[0].models[2].bindings == [.first])
        #expect(result.droppedModels == [ModelAddress(element: 1, model: House.vendorModel)])
        try site.expectSettled()
        #expect(try site.reprovision(.nodeCompositionRefresh) == .unchanged(.nothingToBecome))
        try site.expectSettled()
    }

    @Test("Without another composition there is nothing to become, and one with more elements needs other addresses")
    func elementCount() throws {
        let plain = try ReprovisionField.site()
        #expect(try plain.reprovision(.nodeCompositionRefresh) == .unchanged(.nothingToBecome))
        let site = try ReprovisionField.site(preparing: 3)
        #expect(try site.reprovision(.nodeCompositionRefresh) == .unchanged(.elementCount(3, before: 2)))
        #expect(try site.reprovision(.nodeAddressRefresh) == .unchanged(.otherElementCount(3)))
        #expect(throws: ReprovisionRefusal.elementCount(3, of: try site.lamp(2))) {
            try site.reprovisionPlan(.nodeCompositionRefresh)
        }
        let plan = try site.reprovisionPlan(.nodeAddressRefresh)
        #expect(plan.after == 0x02...0x04)
        let moved = try result(site.reprovision(.nodeAddressRefresh)).node
        #expect(moved.addresses == 0x02...0x04 && moved.elements.count == 3 && moved.product?.version == 3)
        try site.expectSettled()
    }

    @Test(
        "A node without a Remote Provisioning Server, in a key refresh, or unknown is refused before anything is sent"
    )
    func refused() throws {
        let plain = try ReprovisionField.site(isServer: false)
        // A node that nobody knows is a mistake of the request, not a state of the network.
        let unknown = ReprovisionRequest(node: uuid(99), procedure: .deviceKeyRefresh)
        let mistake = #expect(throws: ReprovisionRefusal.self) {
            try ReprovisionPlanner(ReprovisionField.network(), definition: nil, heard: []).plan(unknown)
        }
        #expect(mistake?.isUsage == true)
        #expect(throws: ReprovisionRefusal.self) { try plain.reprovisionPlan(.deviceKeyRefresh) }
        func refusal(_ change: (inout MeshNetwork) -> Void) throws -> String? {
            var network = try ReprovisionField.network()
            change(&network)
            do throws(ReprovisionRefusal) {
                _ = try ReprovisionPlanner(network, definition: nil, heard: [])
                    .plan(ReprovisionRequest(node: uuid(2), procedure: .deviceKeyRefresh))
                return nil
            } catch {
                return error.message
            }
        }
        #expect(try refusal { _ in } == nil)
        let changes: [(inout MeshNetwork) -> Void] = [
            { $0.nodes[2].deviceKey = nil }, { $0.nodes[2].isExcluded = true }, { $0.nodes[2].netKeys = [] },
            { $0.nodes[2].elements[0].models.removeLast() }, { $0.nodes[2].elements = [Element(), Element()] },
            { $0.netKeys[0].phase = .keyDistribution }, { $0.nodes[2].netKeys[0].progress = .updated },
            { $0.nodes[2].unprovisionedSeenAt = Site.now }, { $0.nodes.remove(at: 2) },
            { $0.ownProvisioner = uuid(2) },
        ]
        let messages = try changes.map { try refusal($0) }
        #expect(messages.allSatisfy { $0 != nil }, "\(messages)")
    }

    @Test("A node that does not answer is left as it is, and so is one whose static value is not at hand")
    func failed() throws {
        let site = try ReprovisionField.site()
        site.world.setFaults(NodeFaults(isOff: true), of: uuid(2))
        #expect(try site.reprovision(.deviceKeyRefresh) == .unanswered)
        site.world.setFaults(NodeFaults(isOff: false), of: uuid(2))
        #expect(try site.network == (try ReprovisionField.network()))
        var plan = try site.reprovisionPlan(.deviceKeyRefresh)
        plan.provisioning.assurance = .authenticated
        let outcome = try site.execute { $0.reprovision(plan, identifier: Octets16(high: 1, low: 1)) }
        guard case .unchanged(.provisioning(.policy)) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(try site.lamp(2).deviceKey == secret(0xD002))
        try site.expectSettled()
    }

    @Test(
        "10 % loss over two hops: every procedure comes through, or goes through with the next attempt",
        arguments: 1...4
    )
    func lossy(seed: UInt64) throws {
        var settings = WorldSettings.ideal
        settings.copyLoss = 0.1
        settings.topology = .hops(2)
        let site = try ReprovisionField.site(preparing: 2, settings: settings, seed: seed)
        for procedure in [NodeProvisioningProcedure.deviceKeyRefresh, .nodeCompositionRefresh, .nodeAddressRefresh] {
            var outcome = try site.reprovision(procedure)
            for _ in 0..<3 {
                if case .reprovisioned = outcome { break }
                try site.expectNothingLost()
                outcome = try site.reprovision(procedure)
            }
            _ = try result(outcome)
        }
        try site.expectSettled()
        #expect(try site.network.retiredNodes.count == 3)
    }

    @Test("One interrupt after the node has its new data lets it finish; a second one leaves the outcome open")
    func interrupts() throws {
        for count in [1, 2] {
            let site = try ReprovisionField.site()
            site.interrupts = {
                let pending = try? site.database.snapshot().network.pendingReprovisions
                return pending?.isEmpty == false ? count : 0
            }
            let outcome = try site.reprovision(.deviceKeyRefresh)
            if count == 1 {
                _ = try result(outcome)
            } else {
                #expect(outcome == .unresolved(reason: nil, hint: nil))
                #expect(try !site.network.pendingReprovisions.isEmpty)
                site.interrupts = { 0 }
                _ = try site.reprovision(.deviceKeyRefresh)
            }
            site.interrupts = { 0 }
            try site.expectSettled("\(count) interrupts")
        }
    }

    @Test("A second interrupt ends the wait for a node that has gone silent with its new data")
    func silentAfterInterrupts() throws {
        let site = try ReprovisionField.site()
        var stored: Instant?
        site.interrupts = {
            guard stored == nil else { return 2 }
            guard let network = try? site.network, !network.pendingReprovisions.isEmpty else { return 0 }
            stored = site.world.now
            site.world.setPower(uuid(2), isOn: false)
            return 2
        }
        #expect(try site.reprovision(.deviceKeyRefresh) == .unresolved(reason: nil, hint: nil))
        let waited = try #require(stored).duration(to: site.world.now)
        #expect(waited < .seconds(2), "\(waited)")
        site.interrupts = { 0 }
        site.world.setPower(uuid(2), isOn: true)
        _ = try site.reprovision(.deviceKeyRefresh)
        try site.expectSettled()
    }
}
