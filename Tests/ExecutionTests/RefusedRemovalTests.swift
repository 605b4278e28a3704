import DefinitionModel
import Execution
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

@Suite("Removals of what is not there, over the simulated network")
struct RefusedRemovalTests {
    private static let vendor = ModelAddress(element: 1, model: House.vendorModel)
    private static let server = ModelAddress(element: 0, model: House.onOffServer)

    private func opcode(_ value: UInt32) throws -> Opcode { try #require(Opcode(rawValue: value)) }

    @Test("An Unbind that is answered with Invalid AppKey Index has reached its aim, with a note")
    func removalOfNothing() throws {
        let site = try Site(lamps: 2)
        #expect(try site.apply(try site.plan()).isComplete)
        let key = try #require(try site.lamp(2).model(at: Self.server)?.bindings.first)
        let status = NodeFaults.Answer(opcode: try opcode(0x803F), status: .invalidAppKeyIndex)
        site.world.setFaults(NodeFaults(answers: [status]), of: uuid(2))
        let recap = try site.apply(try site.plan(of: [.unbind(Self.server, key)], on: uuid(2)))
        #expect(recap.isComplete && recap.applied == 1)
        #expect(recap.foundGone.map(\.status) == [.invalidAppKeyIndex] && recap.foundGone.map(\.step) == [0])
        #expect(recap.messagesSent == 1, "nobody has to be asked what that means")
        #expect(try site.lamp(2).model(at: Self.server)?.bindings.contains(key) == false)
    }

    @Test(
        "A removal that is refused for a reason with two meanings is read back: gone with a note, or failed",
        arguments: [true, false]
    )
    func ambiguousRefusal(isGone: Bool) throws {
        let site = try Site(lamps: 2)
        #expect(try site.apply(try site.plan()).isComplete)
        let group = SubscriptionAddress.group(try #require(GroupAddress(rawValue: 0xC000)))
        if isGone { site.world.change(uuid(2)) { $0.elements[0].models[2].subscriptions.removeAll { $0 == group } } }
        let status = NodeFaults.Answer(opcode: try opcode(0x801C), status: .invalidAddress)
        site.world.setFaults(NodeFaults(answers: [status]), of: uuid(2))
        let recap = try site.apply(try site.plan(of: [.deleteSubscription(Self.server, group)], on: uuid(2)))
        #expect(recap.messagesSent == 2)
        #expect(recap.foundGone.map(\.status) == (isGone ? [.invalidAddress] : []))
        #expect(recap.failed.map(\.failure) == (isGone ? [] : [.refused(.invalidAddress)]))
        #expect(try site.lamp(2).model(at: Self.server)?.subscriptions.contains(group) == !isGone)
    }

    @Test("A removal from a model that is not there is gone when the node says so twice")
    func missingModel() throws {
        let site = try Site(lamps: 2)
        #expect(try site.apply(try site.plan()).isComplete)
        let group = try #require(try site.lamp(2).model(at: Self.server)?.subscriptions.first)
        let answers = try [0x801C, 0x8029].map { NodeFaults.Answer(opcode: try opcode($0), status: .invalidModel) }
        site.world.setFaults(NodeFaults(answers: answers), of: uuid(2))
        let recap = try site.apply(try site.plan(of: [.deleteSubscription(Self.server, group)], on: uuid(2)))
        #expect(recap.isComplete && recap.foundGone.map(\.status) == [.invalidModel])
    }

    @Test("A refusal with another meaning fails as before, and an addition is never found gone")
    func otherRefusals() throws {
        let site = try Site(lamps: 2)
        #expect(try site.apply(try site.plan()).isComplete)
        let key = try #require(try site.lamp(2).model(at: Self.server)?.bindings.first)
        let faults = try NodeFaults(answers: [
            NodeFaults.Answer(opcode: opcode(0x803F), status: .storageFailure),
            NodeFaults.Answer(opcode: opcode(0x803D), status: .invalidAppKeyIndex),
        ])
        site.world.setFaults(faults, of: uuid(2))
        let unbind = try site.apply(try site.plan(of: [.unbind(Self.server, key)], on: uuid(2)))
        #expect(unbind.failed.map(\.failure) == [.refused(.storageFailure)] && unbind.foundGone.isEmpty)
        let visitors = try #require(try site.network.appKeys.first { $0.index != .first }?.index)
        let bind = try site.apply(try site.plan(of: [.bind(Self.vendor, visitors)], on: uuid(2)))
        #expect(bind.failed.map(\.failure) == [.refused(.invalidAppKeyIndex)] && bind.foundGone.isEmpty)
    }

    @Test(
        "A publication that a node ends only under a key that it uses is ended with a second message that names the key"
    )
    func namedKey() throws {
        let site = try Site(lamps: 2)
        #expect(try site.apply(try site.plan()).isComplete)
        let client = ModelAddress(element: 0, model: House.onOffClient)
        var publication = try #require(try site.lamp(2).model(at: client)?.publication)
        let visitors = try #require(try site.network.appKeys.first { $0.index != .first }?.index)
        publication.appKeyIndex = visitors
        let move = try site.plan(of: [.bind(client, visitors), .setPublication(client, publication)], on: uuid(2))
        #expect(try site.apply(move).isComplete)
        let status = NodeFaults.Answer(opcode: try opcode(0x03), status: .invalidAppKeyIndex, count: 1)
        site.world.setFaults(NodeFaults(answers: [status]), of: uuid(2))
        let recap = try site.apply(try site.plan(of: [.setPublication(client, nil)], on: uuid(2)))
        #expect(recap.isComplete && recap.messagesSent == 2 && recap.foundGone.isEmpty, "\(recap)")
        #expect(try site.world.mismatches(against: site.network) == [])
        let met = site.events.compactMap { if case .quirkMet(_, let quirk) = $0 { quirk } else { nil } }
        #expect(met == [.namedKeyEndsPublication])
    }

    @Test("A binding to a key that the node has lost, which it still lists, is neither drift nor a change")
    func danglingBinding() throws {
        let site = try Site(lamps: 2)
        #expect(try site.apply(try site.plan()).isComplete)
        let guests = try #require(House.guests)
        let key = try #require(try site.network.appKeys.first { $0.boundNetKey == guests }?.index)
        #expect(try site.apply(try site.plan(of: [.deleteAppKey(key, boundTo: guests)], on: uuid(2))).isComplete)
        site.world.change(uuid(2)) { $0.elements[0].models[2].bindings.append(key) }
        let read = try site.execute { $0.readBack([uuid(2)]) }
        #expect(read.isComplete)
        let met = site.events.compactMap { if case .quirkMet(_, let quirk) = $0 { quirk } else { nil } }
        #expect(met == [.keepsBindings])
        #expect(try site.lamp(2).model(at: Self.server)?.bindings.contains(key) == false)
        #expect(try site.network.drifts[uuid(2)] == nil)
    }
}
