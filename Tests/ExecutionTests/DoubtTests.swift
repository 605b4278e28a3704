import DefinitionModel
import Definitions
import Execution
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

@Suite("A doubt is never a dead end")
struct DoubtTests {
    private let lampTwo = uuid(2)

    /// A house whose second lamp has got its configuration but for one request, of which nobody knows what became of it.
    ///
    /// - Parameter edit: changes the text of the definition for that request.
    private func site(
        doubting edit: @escaping (String) -> String,
        _ faults: NodeFaults = NodeFaults(isMute: true)
    ) throws -> Site {
        let site = try Site(lamps: 2)
        #expect(try site.apply(site.plan()).isComplete)
        site.definition = try House.definition(lamps: 2, edit)
        site.world.setFaults(faults, of: lampTwo)
        let recap = try site.apply(site.plan())
        #expect(recap.inDoubt == 1 && recap.pending.map(\.name) == ["lamp-2"], "\(recap)")
        site.world.setFaults(NodeFaults(), of: lampTwo)
        return site
    }

    private func otherTTL(_ text: String) -> String {
        text.replacing("ttl: 7", with: "ttl: 9")
    }

    private func ends(of site: Site) -> [DoubtEnd] {
        site.events.compactMap { if case .doubtAbandoned(_, _, let end) = $0 { end } else { nil } }
    }

    @Test("A silent node leaves its doubt as it is, within seconds")
    func silence() throws {
        let site = try site(doubting: otherTTL)
        site.world.setFaults(NodeFaults(isOff: true), of: lampTwo)
        let recap = try site.execute { $0.resolveInDoubt() }
        #expect(recap.ending == .completed)
        #expect(recap.inDoubt == 1 && recap.doubtsAbandoned == 0)
        #expect(recap.pending.map(\.name) == ["lamp-2"])
        #expect(recap.duration < .seconds(15), "\(recap.duration)")
    }

    @Test("How far a node is becomes known by its answers, and outdates no plan")
    func distances() throws {
        var settings = WorldSettings.ideal
        settings.topology = .hops(3)
        let site = try Site(lamps: 4, settings: settings)
        #expect(try site.apply(site.plan()).isComplete)
        let hops = try (2...4).compactMap { try site.lamp($0).hops }
        #expect(hops.count == 3 && hops.max() ?? 0 > 2, "\(hops)")
        #expect(try site.lamp(1).hops == nil, "a link leads to it")
        #expect(try site.execute { $0.readBack([uuid(4)]) }.isComplete)
        // Now all that it can tell is known. It has moved meanwhile, as far as the record goes.
        var moved = try site.lamp(4)
        moved.hops = 9
        try site.store(moved)
        let serial = try site.database.snapshot().serial
        #expect(try site.execute { $0.readBack([uuid(4)]) }.isComplete)
        #expect(try site.lamp(4).hops == hops.last)
        #expect(try site.database.snapshot().serial == serial)
    }

    @Test("A Default TTL that may have silenced a node is set again, and so heals it")
    func silencedByTTL() throws {
        let short = { (text: String) in text.replacing("ttl: 7", with: "ttl: 3") }
        let site = try site(doubting: short)
        // It hears, but its answers only arrive once its TTL is that of before.
        site.definition = try House.definition(lamps: 2)
        site.world.setFaults(NodeFaults(isMute: true), of: lampTwo)
        site.onEvent = { event in
            if case .stepSent = event { site.world.setFaults(NodeFaults(), of: self.lampTwo) }
        }
        let recap = try site.resolveAndApply()
        #expect(recap.isComplete && recap.applied == 2, "that of the first lamp goes back, too: \(recap)")
        #expect(try site.lamp(2).defaultTTL == 7)
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(try site.plan().isEmpty)
    }

    @Test(
        "A node that answers, but never to the question, leaves the value not known; it is planned again, and the rest goes on"
    )
    func answersSomethingElse() throws {
        let site = try site(doubting: otherTTL)
        let get = ConfigDefaultTTLGet.opcode
        let set = ConfigDefaultTTLSet.opcode
        site.world.setFaults(NodeFaults(quirks: [.silent(get), .silent(set)]), of: lampTwo)
        let recap = try site.execute { $0.resolveInDoubt() }
        #expect(recap.inDoubt == 0 && recap.doubtsAbandoned == 1 && recap.pending.isEmpty, "\(recap)")
        #expect(recap.duration < .seconds(25), "\(recap.duration)")
        #expect(ends(of: site) == [.answersOtherwise])
        #expect(try site.lamp(2).defaultTTL == nil, "known means that a status or a read-back said so")
        #expect(try site.database.snapshot().unresolved == [])

        // Another change of the same node is made, although the value is never answered for.
        site.definition = try House.definition(lamps: 2) { text in
            otherTTL(text).replacing("features: { friend: on }", with: "features: { friend: off }")
        }
        let again = try site.apply(site.plan())
        #expect(again.pending.isEmpty && again.inDoubt == 0, "\(again)")
        #expect(again.failed.map(\.failure) == [.notKnown])
        #expect(try site.lamp(2).features.friend == .disabled)
        // Once it answers, the next plan has what is left.
        site.world.setFaults(NodeFaults(), of: lampTwo)
        #expect(try site.resolveAndApply().isComplete)
        #expect(try site.lamp(2).defaultTTL == 9)
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(site.world.violations == [])
    }

    /// A request whose answer is lost: what asks for it, and what reads it back.
    struct Lost: Sendable, CustomTestStringConvertible {
        var testDescription: String
        let request: Opcode
        let readings: [Opcode]
        /// What is written instead of what in the definition.
        let edit: [String: String]
    }

    static let lost = [
        Lost(
            testDescription: "Subscription Add",
            request: ConfigModelSubscriptionAdd.opcode,
            readings: [ConfigSIGModelSubscriptionGet.opcode, ConfigVendorModelSubscriptionGet.opcode],
            edit: ["subscribe: [kitchen] }": "subscribe: [kitchen, all] }"]
        ),
        Lost(
            testDescription: "Bind",
            request: ConfigModelAppBind.opcode,
            readings: [ConfigSIGModelAppGet.opcode, ConfigVendorModelAppGet.opcode],
            edit: ["{ keys: [lighting], subscribe: [kitchen] }": "{ keys: [lighting, visitors], subscribe: [kitchen] }"]
        ),
        Lost(
            testDescription: "Publication Set",
            request: ConfigModelPublicationVirtualAddressSet.opcode,
            readings: [ConfigModelPublicationGet.opcode],
            edit: ["period: 10s": "period: 20s"]
        ),
        Lost(
            testDescription: "AppKey Add",
            request: ConfigAppKeyAdd.opcode,
            readings: [ConfigAppKeyGet.opcode],
            edit: [
                "  visitors: {": "  scenes: { subnet: home }\n  visitors: {",
                "[lighting, visitors], subscribe": "[lighting, visitors, scenes], subscribe",
            ]
        ),
    ]

    @Test(
        "A request of which no reading tells what became of it is asked again by the next apply, which heals",
        arguments: lost,
        [true, false]
    )
    func lostAnswer(lost: Lost, hasArrived: Bool) throws {
        let site = try Site(lamps: 2)
        #expect(try site.apply(site.plan()).isComplete)
        site.definition = try House.definition(lamps: 2) { text in
            lost.edit.reduce(text) { $0.replacing($1.key, with: $1.value) }
        }
        // The request takes effect and no answer comes, or it is lost itself while the node answers all else but what
        // would tell.
        let quirks = Set((lost.readings + [lost.request]).map(DeviceQuirk.silent))
        site.world.setFaults(hasArrived ? NodeFaults(isMute: true) : NodeFaults(quirks: quirks), of: lampTwo)
        let recap = try site.apply(site.plan())
        #expect(!recap.isComplete && recap.inDoubt == (hasArrived ? 1 : 0), "\(recap)")
        // From now on it answers the request, and still not what would read it back.
        site.world.setFaults(NodeFaults(quirks: Set(lost.readings.map(DeviceQuirk.silent))), of: lampTwo)
        let again = try site.resolveAndApply()
        #expect(again.isComplete, "\(again)")
        #expect(try site.database.snapshot().unresolved == [] && site.lamp(2).doubtfulEntries == [])
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(try site.plan().isEmpty && site.world.violations == [])
    }

    @Test("A list with a wrong key index is no answer to what became of a key, and blocks nothing")
    func wrongKeyIndex() throws {
        let site = try Site(lamps: 2)
        #expect(try site.apply(site.plan()).isComplete)
        let scenes = { (text: String) in
            text.replacing("  visitors: {", with: "  scenes: { subnet: home }\n  visitors: {")
                .replacing("[lighting, visitors]", with: "[lighting, visitors, scenes]")
        }
        site.definition = try House.definition(lamps: 2, scenes)
        site.world.setFaults(NodeFaults(isMute: true), of: lampTwo)
        #expect(try site.apply(site.plan()).inDoubt == 1)
        site.world.setFaults(NodeFaults(quirks: [.wrongKeyIndex]), of: lampTwo)
        let resolved = try site.execute { $0.resolveInDoubt() }
        #expect(resolved.inDoubt == 0 && resolved.doubtsAbandoned == 1 && resolved.pending.isEmpty, "\(resolved)")
        #expect(resolved.duration < .seconds(25))
        let key = try #require(site.network.appKeys.first { $0.name == "scenes" })
        #expect(try site.lamp(2).doubtfulEntries == [.appKey(key.index)])
        // The key is added again, which changes nothing on the node, and its status says that it is there.
        #expect(try site.resolveAndApply().isComplete)
        #expect(try site.lamp(2).doubtfulEntries == [])
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(try site.plan().isEmpty)
    }

    @Test("Swapped company and model are no answer to what became of a vendor model, whose node goes on all the same")
    func swappedVendorIdentifiers() throws {
        let vendor = { (text: String) in text.replacing("subscribe: [kitchen] }", with: "subscribe: [kitchen, all] }") }
        let site = try site(doubting: vendor)
        site.world.setFaults(NodeFaults(quirks: [.swappedVendorIdentifiers]), of: lampTwo)
        let resolved = try site.execute { $0.resolveInDoubt() }
        #expect(resolved.inDoubt == 0 && resolved.pending.isEmpty, "\(resolved)")
        #expect(resolved.doubtsAbandoned + resolved.doubtsResolved == 1)
        site.definition = try House.definition(lamps: 2) { vendor(otherTTL($0)) }
        let recap = try site.apply(site.plan())
        #expect(try site.lamp(2).defaultTTL == 9)
        #expect(recap.pending.isEmpty && recap.inDoubt == 0, "\(recap)")
    }

    @Test("A node that was seen unprovisioned since is not asked")
    func resetMeanwhile() throws {
        let site = try Commissioning([Commissioning.device(1), Commissioning.device(2)])
        #expect(try site.apply().isComplete)
        let (first, second) = (site.devices[0].uuid, site.devices[1].uuid)
        let doubtful = try doubtfulPlan(site, second)
        site.world.setFaults(NodeFaults(isOff: true), of: second)
        #expect(try site.execute { $0.apply(doubtful) }.inDoubt == 1)
        // The only proxy that is left is off, and the other device is reset by hand.
        site.world.setFaults(NodeFaults(), of: second)
        site.world.factoryReset(second)
        site.world.setFaults(NodeFaults(isOff: true), of: first)
        #expect(try site.execute { $0.listen(for: .seconds(3)) }.foundUnprovisioned == [second])
        let start = site.world.now
        let resolved = try site.execute { $0.resolveInDoubt() }
        #expect(resolved.ending == .completed && resolved.messagesSent == 0)
        #expect(resolved.doubtsAbandoned == 1 && resolved.inDoubt == 0, "\(resolved)")
        #expect(start.duration(to: site.world.now) < .seconds(2))
        #expect(try site.apply().isComplete)
        #expect(try site.node(2)?.unprovisionedSeenAt == nil && site.node(2)?.isCompositionKnown == true)
    }

    @Test("Without a proxy in reach a doubt stays, and devices are provisioned all the same")
    func noProxyInReach() throws {
        let site = try Commissioning([Commissioning.device(1), Commissioning.device(2)])
        site.world.setFaults(NodeFaults(isOff: true), of: site.devices[1].uuid)
        #expect(try site.apply().provisioned == 1)
        let first = site.devices[0].uuid
        let doubtful = try doubtfulPlan(site, first)
        // It is the only proxy, and falls silent when it has got the request.
        site.onEvent = { event in
            if case .stepSent = event { site.world.setFaults(NodeFaults(isOff: true), of: first) }
        }
        #expect(try site.execute { $0.apply(doubtful) }.inDoubt == 1)
        site.onEvent = { _ in }
        site.world.setFaults(NodeFaults(), of: site.devices[1].uuid)
        var resolving = Duration.zero
        let recap = try site.execute { executor in
            let resolved = executor.resolveInDoubt()
            #expect(resolved.ending == .completed && resolved.inDoubt == 1, "\(resolved)")
            resolving = resolved.duration
            return executor.apply(try site.plan())
        }
        #expect(resolving < .seconds(15), "\(resolving)")
        #expect(recap.ending == .completed && recap.provisioned == 1, "\(recap)")
        #expect(try site.node(2)?.isCompositionKnown == true)
        #expect(try site.database.snapshot().unresolved.map(\.node) == [first])
        // Once the node is back, it is asked.
        site.world.setFaults(NodeFaults(), of: first)
        #expect(try site.execute { $0.resolveInDoubt() }.doubtsResolved == 1)
    }

    @Test("What the definition names no more is not asked about, and neither is a model that the node does not have")
    func goneFromDefinition() throws {
        let vendor = { (text: String) in text.replacing("subscribe: [kitchen] }", with: "subscribe: [kitchen, all] }") }
        let site = try site(doubting: vendor)
        let without = try House.definition(lamps: 2) { text in
            text.replacing("      1:\n        0x0059:0x0001: { keys: [lighting], subscribe: [kitchen] }\n", with: "")
                .replacing(
                    "    elements:\n      0:\n",
                    with: "    elements:\n      0:\n"
                )
        }
        let parts = DeclaredParts(without, in: try site.network)
        let named = DeclaredParts(site.definition, in: try site.network)
        let doubt = try #require(try site.database.snapshot().unresolved.first)
        let action = try ConfigurationAction(decoding: doubt.action)
        #expect(named.declares(action, on: lampTwo) && !parts.declares(action, on: lampTwo))
        #expect(!parts.declares(action, on: uuid(77)) && parts.declares(.setDefaultTTL(3), on: lampTwo))
        #expect(parts.declares(.resetNode, on: uuid(77)), "whoever leaves is not named")
        let recap = try site.execute { executor in executor.resolveInDoubt { parts.declares($1, on: $0) } }
        #expect(recap.messagesSent == 0 && recap.doubtsAbandoned == 1 && recap.inDoubt == 0, "\(recap)")
        #expect(ends(of: site) == [.isNotDeclared])
    }

    @Test("Excluded nodes, and models that a composition has lost, are not asked about")
    func notToBeAsked() throws {
        for change in [{ $0.isExcluded = true }, { $0.elements[1].models = [] }] as [(inout Node) -> Void] {
            let site = try site { $0.replacing("subscribe: [kitchen] }", with: "subscribe: [kitchen, all] }") }
            _ = try site.execute { _ in
                var node = try site.lamp(2)
                change(&node)
                var changes = StoreChanges()
                changes.nodes = [node]
                if let lease = site.lease { _ = try site.database.commit(changes, with: lease) }
                return Recap()
            }
            let recap = try site.execute { $0.resolveInDoubt() }
            #expect(recap.messagesSent == 0 && recap.doubtsAbandoned == 1 && recap.inDoubt == 0, "\(recap)")
        }
    }

    /// A plan of one change of a node, with a Status to wait for.
    private func doubtfulPlan(_ site: Commissioning, _ node: DeviceUUID) throws -> Plan {
        let snapshot = try site.database.snapshot()
        return Plan(
            identifier: Octets16(high: 0xD0, low: snapshot.serial),
            lineage: snapshot.lineage,
            serial: snapshot.serial,
            network: "site",
            changes: [Change(address: "node", kind: .node, action: .update, node: node)],
            steps: [Step(change: 0, work: .configure(node, .setDefaultTTL(9)))]
        )
    }
}
