import MeshCore
import Simulator
import TestSupport
import Testing

@Suite("SimulatedWorld: nodes draw attention")
struct AttentionTests {
    /// A node whose Health Server has an AppKey, and a client that speaks to it.
    private func site(isBound: Bool = true) throws -> (world: SimulatedWorld, client: TestClient, node: Node) {
        var node = TestNetwork.node(1, proxy: .enabled)
        node.appKeys = [NodeKey(index: TestNetwork.appKey(0))]
        if isBound { node.elements[0].models[1].bindings = [TestNetwork.appKey(0)] }
        let network = TestNetwork.network([node])
        let world = SimulatedWorld(network: network, seed: 1)
        return (world, try TestClient.connected(to: world, network: network), node)
    }

    private func send(_ message: some AccessMessage, to node: Node, _ client: TestClient) throws -> [UInt8] {
        let seen = client.messages.count
        try client.send(message.encoded, to: node.unicastAddress, under: .application(TestNetwork.appKey(0)))
        try client.wait(.milliseconds(500))
        let answers = client.messages[seen...].map(\.payload)
        return answers.map { Array($0) }.last ?? []
    }

    @Test("The timer is set, runs down, is asked for and ended")
    func timer() throws {
        let (world, client, node) = try site()
        #expect(try send(HealthAttentionGet(), to: node, client) == HealthAttentionStatus(seconds: 0).encoded)
        #expect(
            try send(HealthAttentionSet(seconds: 10), to: node, client) == HealthAttentionStatus(seconds: 10).encoded
        )
        #expect(world.observations.map(\.event) == [.attentionStarted(seconds: 10)])
        try client.wait(.seconds(4))
        #expect(try send(HealthAttentionGet(), to: node, client) == HealthAttentionStatus(seconds: 6).encoded)
        try client.wait(.seconds(6))
        #expect(world.observations.map(\.event) == [.attentionStarted(seconds: 10), .attentionEnded])
        #expect(try send(HealthAttentionSetUnacknowledged(seconds: 3), to: node, client) == [])
        #expect(try send(HealthAttentionSet(seconds: 0), to: node, client) == HealthAttentionStatus(seconds: 0).encoded)
        #expect(world.observations.count == 4)
        try client.wait(.seconds(10))
        #expect(world.observations.count == 4, "an old timer ends nothing")
    }

    @Test("An AppKey that is not bound to the Health Server has no say")
    func notBound() throws {
        let (world, client, node) = try site(isBound: false)
        #expect(try send(HealthAttentionSet(seconds: 10), to: node, client) == [])
        #expect(world.observations == [])
    }
}
