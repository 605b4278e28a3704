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
                    if resolved.isForSeveral, transition != nil {
                        let cover = places.cover(change, named: resolved.group?.address, in: network)
                        outcomes = try setting.setTogether(cover, isCollected: !isUnacknowledged, in: session)
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
            let recap = try set(["on"], of: target, at: site, transition: 0, isUnacknowledged: true)
            #expect(recap.outcomes == [.sent, .sent, .sent])
            #expect(recap.states == [.answered([1]), .answered([1]), .answered([1])], "\(target)")
        }
    }

    @Test("A delay is what is left until the change begins, also when a copy is late")
    func delays() throws {
        let start = Instant(microseconds: 1_150_000)
        let sent: [Int64] = [1_000_000, 1_075_000, 1_077_600, 1_150_000, 1_900_000, 0, -500_000]
        let delays = sent.map { StateChange.delay(from: Instant(microseconds: $0), to: start) }
        #expect(delays == [30, 15, 14, 0, 0, 230, 255], "no message can say more than 255 steps")
        let change = try Self.change(["on"], transition: 2_000)
        let payload = try change.payload(transaction: 7, isAcknowledged: false, delay: 30)
        #expect(payload == [0x82, 0x03, 0x01, 0x07, 0x14, 0x1E])
        let late = start.advanced(by: .milliseconds(600))
        #expect(change.transition(at: late, since: start) == 14, "who is late ends with the others")
        #expect(change.transition(at: start.advanced(by: .seconds(9)), since: start) == 0)
    }

    @Test("Each transmission of a request says what is left of its delay")
    func timedRequest() throws {
        let change = try Self.change(["on"], transition: 2_000)
        var request = OperatingRequest(
            node: uuid(1),
            destination: try unicast(0x10),
            payload: try change.payload(transaction: 7),
            key: nil,
            subnets: [.primary],
            answer: 0x8204
        )
        let inquiry = ConfigurationInquiry(request)
        #expect(inquiry.payload(at: .zero) == [0x82, 0x02, 1, 7, 0x14, 0], "nothing says when it begins")
        request.delayEnd = Instant(microseconds: 500_000)
        let timed = ConfigurationInquiry(request)
        #expect(timed.payload(at: .zero) == [0x82, 0x02, 1, 7, 0x14, 100])
        #expect(timed.payload(at: Instant(microseconds: 400_000)) == [0x82, 0x02, 1, 7, 0x14, 20])
        #expect(timed.payload(at: Instant(microseconds: 700_000)) == [0x82, 0x02, 1, 7, 0x14, 0])
    }

    @Test("Messages have left before the change begins, as far as a delay can say")
    func lead() {
        let copies = GroupCopies()
        #expect(copies.lead(groups: 1, singles: 0) == .milliseconds(150))
        #expect(copies.lead(groups: 1, singles: 2) == .milliseconds(230))
        #expect(copies.lead(groups: 0, singles: 3) == .milliseconds(120))
        #expect(copies.lead(groups: 2, singles: 0) == .milliseconds(275))
        #expect(copies.lead(groups: 4, singles: 90) == .milliseconds(1_275))
    }

    @Test("A state that is kept in other numbers, or goes on by itself, is as asked all the same")
    func agreement() throws {
        func agrees(_ name: String, _ field: String, _ found: Int64, _ wanted: Int64) throws -> Bool {
            let state = try required(StateCatalogue.state(named: name))
            return state.agrees(field, .integer(found), with: .integer(wanted))
        }
        #expect(try agrees("lightness-linear", "lightness", 26_215, 26_214))
        #expect(try !agrees("lightness-linear", "lightness", 0, 1) && !agrees("lightness", "lightness", 26_215, 26_214))
        #expect(try agrees("level", "level", -10_365, -10_348) && !agrees("level", "level", 100, 0))
        #expect(try agrees("attention", "attention", 3, 5) && !agrees("attention", "attention", 0, 5))
        #expect(try !agrees("attention", "attention", 6, 5))
        #expect(try agrees("time", "tai", 1_001, 1_000) && agrees("time", "subsecond", 3, 0))
        #expect(try !agrees("time", "tai", 999, 1_000) && !agrees("time", "zone", 1, 0))
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
