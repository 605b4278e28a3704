import Catalogue
import MeshCore
import Simulator
import TestSupport
import Testing

@testable import Execution

@Suite("Setting states")
struct StateSettingTests {
    private static func change(_ words: [String], transition: Int? = nil, delay: Int = 0) throws -> StateChange {
        let state = try required(StateCatalogue.state(named: "onoff"))
        return try StateChange(state, words: words, transition: transition, delay: delay)
    }

    /// Three lamps that the database knows in the kitchen.
    private static func kitchen() throws -> MeshNetwork {
        var network = try LitHouse.network(lamps: 3)
        let place = try required(network.nodes[3].elements[0].place(of: House.onOffServer))
        network.nodes[3].elements[0].models[place].subscriptions = network.groups.map(\.address)
        return network
    }

    private struct Recap {
        var outcomes: [StateSettingOutcome]
        var states: [OperatingOutcome]
    }

    /// Sets all lamps of a target and reads them again, in one session.
    private func set(
        _ words: [String],
        of target: String,
        at site: Site,
        transition: Int? = nil,
        transaction: UInt8 = 9,
        isUnacknowledged: Bool = false
    ) throws -> Recap {
        let network = try site.network
        let resolved = try TargetResolver(network).resolve(OperatingTarget(target))
        let places = try StateChangePlaces(Self.change(words, transition: transition), on: resolved, in: network)
        let change = try Self.change(words, transition: transition)
        let inquiry = try StateInquiry(resolved, StateSelector.read(["onoff"]), in: network)
        let setting = StateSetting(change, at: places, in: network, transaction: transaction)
        let (recap, ending) = try site.execute { executor in
            executor.operate(with: places.needs) { session -> Recap in
                do throws(StateError) {
                    let outcomes: [StateSettingOutcome]
                    if let group = resolved.group, let key = places.keys.first {
                        outcomes = try setting.set(
                            group: group.address,
                            under: key,
                            isCollected: !isUnacknowledged,
                            in: session
                        )
                    } else {
                        outcomes =
                            try isUnacknowledged
                            ? setting.sendEach(in: session) : setting.setEach(in: session)
                    }
                    session.pause(for: .seconds(1))
                    return Recap(outcomes: outcomes, states: session.ask(inquiry.requests))
                } catch {
                    Issue.record(error)
                    return Recap(outcomes: [], states: [])
                }
            }
        }
        #expect(ending == .completed)
        return try required(recap)
    }

    @Test("Nodes are set side by side, and say what they have")
    func each() throws {
        let site = try Site(network: LitHouse.network(lamps: 3))
        site.world.setFaults(NodeFaults(isOff: true), of: uuid(3))
        let recap = try set(["on"], of: "lamp-*", at: site)
        #expect(recap.outcomes == [.asAsked, .asAsked, .unknown(.unanswered)])
        #expect(recap.states == [.answered([1]), .answered([1]), .unanswered])
        let key = try LitHouse.lightKey()
        let own = try required(site.network.nodes.first)
        #expect(own.elements[0].models == [Model(identifier: House.onOffClient, bindings: [key])])
    }

    @Test("A transaction that a node has heard just before is noticed by its answer, and sent again under another")
    func sameTransaction() throws {
        let site = try Site(network: LitHouse.network(lamps: 1))
        #expect(try set(["on"], of: "lamp-1", at: site, transaction: 255).outcomes == [.asAsked])
        let second = try set(["off"], of: "lamp-1", at: site, transaction: 255)
        #expect(second.outcomes == [.repaired] && second.states == [.answered([0])])
    }

    @Test("A group is set with three messages; who missed them is set by itself, and who is off is told")
    func group() throws {
        let network = try Self.kitchen()
        var air = network
        // The second lamp has lost its subscription, and nobody knows.
        let place = try required(air.nodes[2].elements[0].place(of: House.onOffServer))
        air.nodes[2].elements[0].models[place].subscriptions = []
        let site = try Site(network: network, world: air)
        site.world.setFaults(NodeFaults(isOff: true), of: uuid(3))
        let recap = try set(["on"], of: "group.kitchen", at: site, transition: 0)
        #expect(recap.outcomes == [.asAsked, .repaired, .unknown(.unanswered)])
        #expect(recap.states == [.answered([1]), .answered([1]), .unanswered])
    }

    @Test("Without answers, a group and single nodes are set all the same")
    func unacknowledged() throws {
        for target in ["group.kitchen", "lamp-*"] {
            let site = try Site(network: Self.kitchen())
            let recap = try set(["on"], of: target, at: site, isUnacknowledged: true)
            #expect(recap.outcomes == [.sent, .sent, .sent])
            #expect(recap.states == [.answered([1]), .answered([1]), .answered([1])], "\(target)")
        }
    }

    @Test("The delays of copies end at the same time, also when a copy is late")
    func delays() throws {
        let copies = GroupCopies()
        #expect([0, 75, 150].map { copies.delay(last: 0, elapsed: .milliseconds($0)) } == [30, 15, 0])
        #expect(copies.delay(last: 20, elapsed: .milliseconds(90)) == 32)
        #expect(copies.delay(last: 20, elapsed: .milliseconds(900)) == 20)
        #expect(copies.delay(last: 250, elapsed: .zero) == 255, "no message can say more")
        let change = try Self.change(["on"], transition: 2_000)
        let payload = try change.payload(transaction: 7, isAcknowledged: false, delay: 30)
        #expect(payload == [0x82, 0x03, 0x01, 0x07, 0x14, 0x1E])
    }

    @Test("A change says what it cannot be")
    func mistakes() throws {
        let period = try required(StateCatalogue.state(named: "health-period"))
        let battery = try required(StateCatalogue.state(named: "battery"))
        #expect(throws: StateError.readOnly("battery")) { try StateChange(battery, words: ["1"]) }
        #expect(throws: StateError.self) { try StateChange(period, words: ["1"], transition: 5) }
        #expect(throws: StateError.self) { try Self.change(["on"], delay: 1_300) }
        #expect(throws: StateError.self) { try Self.change(["on"], transition: 40_000_000) }
        #expect(throws: StateError.self) { try Self.change(["maybe"]) }
        #expect(throws: StateError.self) { try Self.change([]) }
        #expect(try Self.change(["on"], delay: 1_275).payload(transaction: 0) == [0x82, 0x02, 1, 0, 0, 255])
    }

    @Test("A selector that acts on much of a network needs approval; a group and a name do not")
    func approval() throws {
        let network = try LitHouse.network(lamps: 10)
        let selector = try TargetResolver(network).resolve(OperatingTarget("lamp-*"))
        #expect(!selector.needsApproval(actingOn: 3, in: network) && selector.needsApproval(actingOn: 4, in: network))
        let small = try LitHouse.network(lamps: 9)
        #expect(!selector.needsApproval(actingOn: 9, in: small))
        for target in ["group.kitchen", "lamp-1"] {
            let resolved = try TargetResolver(network).resolve(OperatingTarget(target))
            #expect(!resolved.needsApproval(actingOn: 10, in: network))
        }
    }
}
