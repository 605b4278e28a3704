import DefinitionModel
import Execution
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

@Suite("Nodes with the quirks of shipped stacks, over the simulated network")
struct QuirkRunTests {
    private static let vendor = ModelAddress(element: 1, model: House.vendorModel)
    private static let server = ModelAddress(element: 0, model: House.onOffServer)

    /// A house in which one lamp has those quirks.
    private func site(_ quirks: Set<DeviceQuirk>, lamps: Int = 2) throws -> Site {
        let site = try Site(lamps: lamps)
        site.world.setFaults(NodeFaults(quirks: quirks), of: uuid(2))
        return site
    }

    private func outcome(_ site: Site, of lamp: UInt64 = 2) throws -> ReadBackOutcome {
        var found: ReadBackOutcome?
        for case .nodeReadBack(uuid(lamp), let outcome) in site.events { found = outcome }
        return try #require(found)
    }

    private func quirks(_ site: Site) -> [KnownQuirk] {
        site.events.compactMap { if case .quirkMet(_, let quirk) = $0 { quirk } else { nil } }
    }

    private func opcode(_ value: UInt32) throws -> Opcode { try #require(Opcode(rawValue: value)) }

    @Test("Exchanged vendor identifiers are understood while configuring and while reading back")
    func exchanged() throws {
        let site = try site([.swappedVendorIdentifiers])
        let recap = try site.apply(try site.plan())
        #expect(recap.isComplete && recap.retries == 0, "\(recap)")
        #expect(quirks(site) == [.exchangedVendorModels], "told once")
        #expect(try site.plan().isEmpty)
        let read = try site.execute { $0.readBack([uuid(1), uuid(2)]) }
        #expect(read.isComplete && read.unread == 0)
        #expect(try outcome(site).unread.isEmpty && outcome(site).drifted.isEmpty)
        #expect(quirks(site) == [.exchangedVendorModels])
    }

    @Test("Network key 0xFFFF without heartbeats is understood")
    func heartbeat() throws {
        let site = try site([.answersFFFF])
        #expect(try site.apply(try site.plan()).isComplete)
        let read = try site.execute { $0.readBack([uuid(1), uuid(2)]) }
        #expect(read.isComplete && read.retries == 0)
        #expect(quirks(site) == [.heartbeatWithoutNetKey])
        #expect(try site.lamp(2).states.contains { $0.kind == .heartbeatPublication })
    }

    @Test("Address 0x0000 for a label is read back at once, and the subscription is there")
    func zeroVirtualAddress() throws {
        let site = try site([.zeroVirtualAddress])
        let start = site.world.now
        let recap = try site.apply(try site.plan())
        #expect(recap.isComplete, "\(recap)")
        #expect(start.duration(to: site.world.now) < .seconds(10))
        #expect(recap.retries == 0, "nothing is asked for twice")
        let odd = site.events.compactMap {
            if case .stepAnsweredOddly(_, let answer) = $0 { answer.quirk } else { nil }
        }
        #expect(odd == [.unassignedVirtualAddress])
        #expect(quirks(site) == [.unassignedVirtualAddress])
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(try site.plan().isEmpty)
    }

    @Test(
        "One list that cannot be read costs that list: the others are recorded, their drift is noticed, and it is asked twice"
    )
    func oneBadAnswer() throws {
        let site = try site([.wrongKeyIndex])
        #expect(try site.apply(try site.plan()).isComplete)
        let before = try site.lamp(2)
        site.world.change(uuid(2)) { state in
            state.defaultTTL = 9
            state.elements[1].models[0].subscriptions = []
        }
        let start = site.world.now
        let read = try site.execute { $0.readBack([uuid(1), uuid(2)]) }
        #expect(
            !read.isComplete && read.ending == .completed && read.pending.isEmpty && read.failed.isEmpty
        )
        #expect(start.duration(to: site.world.now) < .seconds(20))
        let outcome = try outcome(site)
        #expect(outcome.isComplete)
        let guests = try #require(House.guests)
        #expect(outcome.unread.map(\.reading) == [.appKeys(.primary), .appKeys(guests)])
        for value in outcome.unread {
            #expect(value.answer?.problem == .aboutElse)
            #expect(
                value.answer?.payload.starts(with: [0x80, 0x02]) == true,
                "an AppKey List, as it came"
            )
        }
        #expect(read.unread == 2 && read.retries == 2)
        #expect(outcome.drifted.contains(.defaultTTL) && outcome.drifted.count == 2)
        let after = try site.lamp(2)
        #expect(after.appKeys == before.appKeys && after.readBackAt == Site.now)
        #expect(after.unread.compactMap(\.reading) == outcome.unread.map(\.reading), "it is kept")
        #expect(after.unread.compactMap(\.answer) == outcome.unread.compactMap(\.answer?.payload))
        // The node answers in order again.
        site.world.setFaults(NodeFaults(), of: uuid(2))
        #expect(try site.execute { $0.readBack([uuid(2)]) }.isComplete)
        #expect(try site.lamp(2).unread == [])
    }

    @Test("A Get that is never answered costs its value, not the node")
    func unansweredGet() throws {
        // Heartbeat Publication Get.
        let site = try site([.silent(try opcode(0x8038))])
        #expect(try site.apply(try site.plan()).isComplete)
        let read = try site.execute { $0.readBack([uuid(1), uuid(2)]) }
        #expect(read.pending.isEmpty && !read.isComplete && read.unread == 1)
        #expect(try outcome(site).isComplete)
        #expect(try outcome(site).unread == [UnreadValue(.state(.heartbeatPublication), answer: nil)])
        #expect(try site.lamp(2).unread.map(\.answer) == [nil])
    }

    @Test(
        "Of several Gets that are never answered each costs its value only, and the later ones less time"
    )
    func unansweredGets() throws {
        // SIG Model Subscription Get, of two models.
        let site = try site([.silent(try opcode(0x8029))])
        #expect(try site.apply(try site.plan(of: [.setDefaultTTL(7)], on: uuid(2))).isComplete)
        let start = site.world.now
        let read = try site.execute { $0.readBack([uuid(2)]) }
        let unread = try outcome(site).unread
        #expect(read.pending.isEmpty && unread.count == 3, "\(unread)")
        #expect(
            unread.allSatisfy { if case .subscriptions = $0.reading { $0.answer == nil } else { false } }
        )
        #expect(start.duration(to: site.world.now) < .seconds(30 + 15 + 15 + 5))
    }

    @Test(
        "A node that falls silent while it is read back is pending as before, with what it told until then"
    )
    func fallsSilent() throws {
        // Default TTL Get, and Beacon Get, with which it is seen whether the node answers anything.
        let site = try site([.silent(try opcode(0x800C)), .silent(try opcode(0x8009))])
        let read = try site.execute { $0.readBack([uuid(1), uuid(2)]) }
        #expect(read.pending.map(\.node) == [uuid(2)] && read.unread == 0)
        #expect(
            try !outcome(site).isComplete && outcome(site).reports == 3,
            "composition, NetKeys, AppKeys"
        )
        #expect(try outcome(site, of: 1).isComplete)
        #expect(try site.lamp(2).unread == [] && site.lamp(2).readBackAt == nil)
    }

    @Test("What a node keeps of a key that it does not have counts as gone, read back or taken away")
    func keepsBindings() throws {
        let site = try site([.keepsBindings])
        #expect(try site.apply(try site.plan()).isComplete)
        let node = try site.lamp(2)
        let guests = try #require(House.guests)
        let key = try #require(try site.network.appKeys.first { $0.boundNetKey == guests }?.index)
        #expect(node.model(at: Self.server)?.bindings.contains(key) == true)
        // Somebody else deletes the key; the node keeps the binding.
        let other = try site.plan(of: [.deleteAppKey(key, boundTo: guests)], on: uuid(2))
        #expect(try site.apply(other).isComplete)
        #expect(try site.execute { $0.readBack([uuid(2)]) }.isComplete)
        #expect(quirks(site) == [.keepsBindings])
        #expect(try site.lamp(2).model(at: Self.server)?.bindings.contains(key) == false)
        #expect(try site.network.drifts[uuid(2)] == nil, "what cannot be used is no drift")
    }
}
