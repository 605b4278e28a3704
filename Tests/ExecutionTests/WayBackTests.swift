import DefinitionModel
import MeshCore
import Planning
import Simulator
import Testing

@testable import Execution

@Suite("The way back during a run")
struct WayBackTests {
    /// A house whose proxy is lamp-1. Its definition makes lamp-2 the proxy instead.
    private func swap(lamps: Int = 3, _ edit: @escaping (String) -> String = { $0 }) throws -> Site {
        let definition = try House.definition(lamps: lamps) { text in
            edit(text)
                .replacing("0001, profile: lamp }", with: "0001, profile: lamp, features: { proxy: off } }")
                .replacing("0002, profile: lamp }", with: "0002, profile: lamp, features: { proxy: on } }")
        }
        return try Site(lamps: lamps, definition: definition)
    }

    private func isProxy(_ number: Int, in site: Site) throws -> Bool {
        try site.lamp(number).features.proxy == .enabled
    }

    @Test("A proxy goes off when the one in its place was heard, and not before")
    func swapped() throws {
        let site = try swap()
        let recap = try site.apply(site.plan())
        #expect(recap.isComplete && recap.changesWaiting == [], "\(recap)")
        #expect(try !isProxy(1, in: site) && isProxy(2, in: site))
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(try site.plan().isEmpty)
    }

    @Test("The last proxy stays on while the one in its place does not answer, and goes off when it does")
    func silentHeir() throws {
        let site = try swap()
        site.world.setFaults(NodeFaults(isOff: true), of: uuid(2))
        let recap = try site.apply(site.plan())
        #expect(!recap.isComplete && recap.pending.map(\.name) == ["lamp-2"])
        let waiting = try #require(recap.changesWaiting.first)
        #expect(waiting.nodes == ["lamp-1"] && waiting.change.kind == .proxyOff)
        #expect(waiting.change.carriers == ["lamp-2"] && waiting.change.reason == .silent)
        #expect(try isProxy(1, in: site) && site.lamp(1).defaultTTL == 7, "all else is done")
        site.world.setFaults(NodeFaults(), of: uuid(2))
        let again = try site.resolveAndApply()
        #expect(again.isComplete && again.changesWaiting == [], "\(again)")
        #expect(try !isProxy(1, in: site) && isProxy(2, in: site))
        #expect(try site.world.mismatches(against: site.network) == [])
    }

    @Test("The last proxy stays on while the device in its place is not heard")
    func missingHeir() throws {
        let definition = try House.definition(lamps: 4) { text in
            text.replacing("0001, profile: lamp }", with: "0001, profile: lamp, features: { proxy: off } }")
                .replacing("0004, profile: lamp }", with: "0004, profile: lamp, features: { relay: on, proxy: on } }")
        }
        let site = try Site(lamps: 3, definition: definition)
        let recap = try site.apply(site.plan())
        let waiting = try #require(recap.changesWaiting.first)
        #expect(waiting.nodes == ["lamp-1"] && waiting.change.kind == .proxyOff)
        #expect(waiting.change.carriers == ["lamp-4"] && waiting.change.reason == .notNodes)
        #expect(try isProxy(1, in: site))
    }

    @Test("A proxy stays in a subnet while the one in its place there does not answer")
    func silentHeirOfSubnet() throws {
        let site = try Site(lamps: 3)
        #expect(try site.apply(site.plan()).isComplete)
        site.definition = try House.definition(lamps: 3) { text in
            text.replacing(
                "0001, profile: lamp }",
                with: "0001, profile: lamp, subnets: [home], application_keys: [lighting] }"
            )
            .replacing("0003, profile: lamp }", with: "0003, profile: lamp, features: { proxy: on } }")
            .replacing("[lighting, visitors]", with: "[lighting]")
        }
        site.world.setFaults(NodeFaults(isOff: true), of: uuid(3))
        let recap = try site.apply(site.plan())
        let waiting = try #require(recap.changesWaiting.first)
        #expect(waiting.nodes == ["lamp-1"] && waiting.change.kind == .subnetLoss)
        #expect(waiting.change.role == .proxy && waiting.change.carriers == ["lamp-3"])
        #expect(try site.lamp(1).netKeys.count == 2)
        site.world.setFaults(NodeFaults(), of: uuid(3))
        #expect(try site.resolveAndApply().isComplete)
        #expect(try site.lamp(1).netKeys.count == 1)
        #expect(try site.world.mismatches(against: site.network) == [])
    }

    @Test("A proxy that answers, but that the bearer does not hear, replaces none")
    func unheardHeir() throws {
        let site = try swap()
        site.wrap = { DeafBearer($0) }
        let recap = try site.apply(site.plan())
        #expect(!recap.isComplete && recap.pending == [] && recap.failed == [])
        let waiting = try #require(recap.changesWaiting.first)
        #expect(waiting.change.carriers == ["lamp-2"] && waiting.change.reason == .unheard)
        #expect(try isProxy(1, in: site) && isProxy(2, in: site))
        site.wrap = { $0 }
        #expect(try site.apply(site.plan()).isComplete)
        #expect(try !isProxy(1, in: site))
    }

    @Test("A proxy goes off beside one that was there before only if that answers")
    func silentOther() throws {
        var network = try House.network(lamps: 3)
        network.nodes[2].features.proxy = .enabled
        let definition = try House.definition(lamps: 3) { text in
            text.replacing("0001, profile: lamp }", with: "0001, profile: lamp, features: { proxy: off } }")
        }
        for isOff in [true, false] {
            let site = try Site(lamps: 3, database: network, definition: definition)
            site.world.setFaults(NodeFaults(isOff: isOff), of: uuid(2))
            let recap = try site.apply(site.plan())
            #expect(recap.changesWaiting.map(\.change.reason) == (isOff ? [.silent] : []))
            #expect(try isProxy(1, in: site) == isOff)
        }
    }

    @Test(
        "A proxy that answers over its own link alone replaces none, because nothing comes through it",
        arguments: [1, 2]
    )
    func proxyOutside(links: Int) throws {
        var network = try House.network(lamps: 3)
        network.nodes[2].features.proxy = .enabled
        let definition = try House.definition(lamps: 3) { text in
            text.replacing("0002, profile: lamp }", with: "0002, profile: lamp, features: { proxy: off } }")
        }
        for isOutside in [true, false] {
            var settings = WorldSettings.ideal
            let others: [UInt64] = isOutside ? [3] : [1, 3]
            settings.topology = .links(others.map { WorldSettings.RadioLink(uuid(2), uuid($0)) })
            settings.maximumLinks = links
            let site = try Site(lamps: 3, settings: settings, database: network, definition: definition)
            let recap = try site.apply(site.plan())
            // An only link has moved on when the proxy is asked; then it does not answer at all.
            let reason: WaitingChange.Reason = links == 1 ? .silent : .outside
            #expect(recap.changesWaiting.map(\.change.reason) == (isOutside ? [reason] : []), "\(recap)")
            #expect(try isProxy(2, in: site) == isOutside)
            #expect(try site.lamp(1).defaultTTL == 7, "it was reached over its own link")
        }
    }

    @Test("A proxy of which nobody knows that it is one stays on, too, until the one in its place answers")
    func unknownProxy() throws {
        let site = try swap()
        var lamp = try site.lamp(1)
        lamp.features.proxy = nil
        try site.store(lamp)
        site.world.setFaults(NodeFaults(isOff: true), of: uuid(2))
        let recap = try site.apply(site.plan())
        #expect(recap.changesWaiting.map(\.change.kind) == [.proxyOff], "\(recap)")
        #expect(site.world.node(uuid(1))?.proxy == .enabled)
        site.world.setFaults(NodeFaults(), of: uuid(2))
        #expect(try site.resolveAndApply().isComplete)
        #expect(site.world.node(uuid(1))?.proxy == .disabled)
        #expect(try site.world.mismatches(against: site.network) == [])
    }

    @Test("A replaced proxy is excluded when the device in its place answers, and not before")
    func substituted() throws {
        let device = Commissioning.device(1)
        let site = try Commissioning([device], lamps: 2) { network in
            for place in network.nodes.indices.dropFirst() { network.nodes[place].isManaged = true }
        }
        site.definition = try House.definition(lamps: 1) { _ in
            """
            version: 1
            network: house
            subnets: { home: { index: 0 } }
            nodes:
              lamp-1: { uuid: \(device.uuid.rawValue.hexadecimal), features: { proxy: on, relay: on } }
              lamp-2: { uuid: \(uuid(2).rawValue.hexadecimal), ttl: 7 }
            """
        }
        // The device becomes a node and falls silent.
        site.onEvent = { event in
            if case .provisioned(device.uuid, address: _, elementCount: _, authentication: _) = event {
                site.world.setFaults(NodeFaults(isOff: true), of: device.uuid)
            }
        }
        let recap = try site.apply()
        #expect(recap.provisioned == 1, "\(recap)")
        let waiting = try #require(recap.changesWaiting.first, "\(recap)")
        #expect(waiting.nodes == ["lamp-1"] && waiting.change.kind == .exclusion && waiting.change.role == .proxy)
        let former = try #require(site.network.nodes.first { $0.uuid == uuid(1) })
        #expect(!former.isExcluded && former.isManaged, "the next plan knows whose place is taken")
        site.onEvent = { _ in }
        site.world.setFaults(NodeFaults(), of: device.uuid)
        let again = try site.resolveAndApply()
        #expect(again.isComplete, "\(again)")
        let gone = try #require(site.network.nodes.first { $0.uuid == uuid(1) })
        #expect(gone.isExcluded && !gone.isManaged)
    }

    @Test("A relay goes off when those in its place relay")
    func relays() throws {
        let definition = try House.definition(lamps: 3) { text in
            text.replacing("0002, profile: lamp }", with: "0002, profile: lamp, features: { relay: off } }")
                .replacing("0003, profile: lamp }", with: "0003, profile: lamp, features: { relay: on } }")
        }
        var network = try House.network(lamps: 3)
        network.nodes[3].features.relay = .disabled
        for isOff in [true, false] {
            let site = try Site(lamps: 3, database: network, definition: definition)
            site.world.setFaults(NodeFaults(isOff: isOff), of: uuid(3))
            let recap = try site.apply(site.plan())
            #expect(recap.changesWaiting.map(\.change.kind) == (isOff ? [.relayOff] : []))
            #expect(try site.lamp(2).features.relay == (isOff ? .enabled : .disabled))
        }
    }
}

/// A bearer that hears no node advertise its identity.
private final class DeafBearer: Bearer {
    private let inner: any Bearer

    init(_ inner: any Bearer) { self.inner = inner }

    var now: Instant { inner.now }
    var maximumLinks: Int { 1 }

    func connect(to target: LinkTarget) throws(BearerError) -> LinkIdentifier { try inner.connect(to: target) }
    func scan(_ isOn: Bool) throws(BearerError) { try inner.scan(isOn) }
    func send(_ packet: [UInt8], on link: LinkIdentifier) throws(BearerError) { try inner.send(packet, on: link) }
    func close(_ link: LinkIdentifier) { inner.close(link) }

    func next(until deadline: Instant) throws(BearerError) -> BearerEvent? {
        while let event = try inner.next(until: deadline) {
            guard case .heard(let advertisement) = event, case .proxy(let content) = advertisement.content else {
                return event
            }
            if case .networkID = content { return event }
        }
        return nil
    }
}
