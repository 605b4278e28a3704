import Catalogue
import Execution
import MeshCore
import Simulator
import Store
import TestSupport
import Testing

@Suite("Operating nodes")
struct OperatingSessionTests {
    private func attention(_ target: String, in network: MeshNetwork) throws -> StateInquiry {
        let resolved = try TargetResolver(network).resolve(OperatingTarget(target))
        return try StateInquiry(resolved, StateSelector.read(["attention"]), in: network)
    }

    @Test("States of many nodes are read side by side; who is off is told, and what they said is remembered")
    func reading() throws {
        let site = try Site(network: LitHouse.network(lamps: 4))
        site.world.setFaults(NodeFaults(isOff: true), of: uuid(3))
        let inquiry = try attention("lamp-*", in: site.network)
        var told: [Int] = []
        let (outcomes, ending) = try site.execute { executor in
            executor.operate(with: inquiry.needs) { session in
                session.ask(inquiry.requests) { position, _ in told.append(position) }
            }
        }
        #expect(outcomes == [.answered([0]), .answered([0]), .unanswered, .answered([0])])
        #expect(ending == .completed && told.sorted() == [0, 1, 2, 3])
        #expect(told.last == 2, "nobody waits for the silent one")
        let heard = try site.database.snapshot().replay.map(\.source)
        #expect(try heard.contains(unicast(0x0020)), "what was accepted is stored against replays")
        let state = inquiry.places[0].state
        #expect(StateReading([0], of: state) == .value(["attention": 0], target: nil, remaining: nil))
    }

    @Test("Our own node gets the client model and the key, once")
    func ownModels() throws {
        let site = try Site(network: LitHouse.network(lamps: 1))
        let inquiry = try attention("lamp-1", in: site.network)
        let key = try LitHouse.lightKey()
        let client = ModelIdentifier.sig(0x0003)
        #expect(inquiry.needs == [OwnModel(client, key: key)])
        func read() throws {
            let (outcomes, _) = try site.execute { $0.operate(with: inquiry.needs) { $0.ask(inquiry.requests) } }
            #expect(outcomes == [.answered([0])])
        }
        let version = try site.database.snapshot().serial
        try read()
        #expect(try site.database.snapshot().serial == version, "operating outdates no plan")
        let own = try required(site.network.nodes.first)
        #expect(own.elements.first?.models == [Model(identifier: client, bindings: [key])])
        #expect(own.appKeys.map(\.index) == [key])
        #expect(try site.network.ownNode(with: inquiry.needs) == nil, "it has all that it needs")
        try read()
        #expect(try site.network.nodes.first == own)
        let all = try site.network
        var second = try required(all.nodes.first)
        second.elements[0].models[0].bindings = [try required(AppKeyIndex(rawValue: 9))]
        var other = all
        other.nodes[0] = second
        #expect(other.ownNode(with: inquiry.needs)?.elements[0].models[0].bindings.map(\.rawValue) == [3, 9])
    }

    @Test("An interrupt ends the waiting; what was answered before counts")
    func interrupt() throws {
        let site = try Site(network: LitHouse.network(lamps: 3))
        site.world.setFaults(NodeFaults(isOff: true), of: uuid(3))
        let inquiry = try attention("lamp-*", in: site.network)
        var answers = 0
        site.interrupts = { answers == 2 ? 1 : 0 }
        let (outcomes, ending) = try site.execute { executor in
            executor.operate(with: inquiry.needs) { session in session.ask(inquiry.requests) { _, _ in answers += 1 } }
        }
        #expect(outcomes == [.answered([0]), .answered([0]), .abandoned] && ending == .interrupted)
    }

    @Test("A session is used for several rounds over one link")
    func rounds() throws {
        let site = try Site(network: LitHouse.network(lamps: 2))
        let inquiry = try attention("lamp-*", in: site.network)
        var set = inquiry.requests
        for place in set.indices { set[place].payload = [0x80, 0x05, 7] }
        let (outcomes, _) = try site.execute { executor in
            executor.operate(with: inquiry.needs) { session in [session.ask(set), session.ask(inquiry.requests)] }
        }
        #expect(outcomes?.first == [.answered([7]), .answered([7])])
        let seconds = try required(outcomes?.last).map { outcome -> UInt8 in
            guard case .answered(let parameters) = outcome, parameters.count == 1 else { return 0 }
            return parameters[0]
        }
        #expect(seconds.allSatisfy { (1...7).contains($0) }, "\(seconds)")
    }

    @Test("What keeps a model from being asked is said")
    func problems() throws {
        var network = try LitHouse.network(lamps: 2)
        let node = network.nodes[1]
        let key = try LitHouse.lightKey()
        #expect(try network.operatingKey(of: .healthServer, element: 0, on: node).index == key)
        #expect(throws: OperatingProblem.noModel(.healthServer)) {
            try network.operatingKey(of: .healthServer, element: 1, on: node)
        }
        #expect(throws: OperatingProblem.noBinding(House.onOffClient)) {
            try network.operatingKey(of: House.onOffClient, element: 0, on: node)
        }
        network.appKeys = []
        #expect(throws: OperatingProblem.noUsableKey(.healthServer, [key])) {
            try network.operatingKey(of: .healthServer, element: 0, on: node)
        }
        var excluded = node
        excluded.isExcluded = true
        #expect(throws: OperatingProblem.excluded) {
            try network.operatingKey(of: .healthServer, element: 0, on: excluded)
        }
        let inquiry = try attention("lamp-*", in: network)
        #expect(inquiry.requests.isEmpty && inquiry.refusals.count == 2)
    }

    @Test("A key of a subnet in which the node is not is passed over for the next")
    func keyOfAnotherSubnet() throws {
        var network = try LitHouse.network(lamps: 1)
        let guests = try required(AppKeyIndex(rawValue: 1))
        let subnet = try required(House.guests)
        network.netKeys.append(NetKey(index: subnet, name: "guests", key: secret(0x11)))
        network.appKeys.insert(AppKey(index: guests, name: "g", boundNetKey: subnet, key: secret(0x21)), at: 0)
        let place = try required(network.nodes[1].elements[0].place(of: .healthServer))
        network.nodes[1].elements[0].models[place].bindings = [guests, try LitHouse.lightKey()]
        let inquiry = try attention("lamp-1", in: network)
        #expect(try inquiry.requests.map(\.key) == [LitHouse.lightKey()])
        #expect(inquiry.requests.map(\.subnets) == [[.primary]])
    }
}
