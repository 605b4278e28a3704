import DefinitionModel
import Execution
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

@Suite("Conversations with nodes outside of plans")
struct ConversationTests {
    private static func network(with models: [ModelIdentifier], key: AppKeyIndex? = nil) throws -> MeshNetwork {
        var network = try House.network(lamps: 2)
        let bindings = key.map { [$0] } ?? []
        network.nodes[2].elements[0].models += models.map { Model(identifier: $0, bindings: bindings) }
        if let key {
            network.appKeys = [AppKey(index: key, name: "light", boundNetKey: .primary, key: secret(0x20))]
            network.nodes[2].appKeys = [NodeKey(index: key)]
        }
        return network
    }

    @Test("Pages are read whole or in parts, and kept", arguments: [false, true])
    func pages(isLarge: Bool) throws {
        let network = try Self.network(with: isLarge ? [.largeCompositionDataServer] : [])
        var air = network
        let pages: [UInt8: [UInt8]] = [
            1: [UInt8](repeating: 5, count: 300), 2: [], 128: [1, 2, 3],
            129: (0..<(isLarge ? 1000 : 370)).map { UInt8(truncatingIfNeeded: $0) },
        ]
        air.nodes[2].compositionPages = pages
        let site = try Site(network: network, world: air)
        let node = try site.lamp(2)
        #expect(node.compositionPages == nil)
        let answer = try site.execute { $0.readPages(of: node) }
        guard case .answered(let read) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(try site.lamp(2) == read)
        #expect(read.compositionPages == pages)
        #expect(read.observedAt == Site.now)
        #expect((read.modelsMetadata != nil) == isLarge)
        if isLarge { #expect(read.modelsMetadata?.keys.sorted() == [0]) }
        var unread = read
        unread.compositionPages = nil
        unread.modelsMetadata = nil
        unread.observedAt = nil
        #expect(unread == node, "nothing else is changed")
    }

    @Test("Solicitation PDUs of a range are forgotten; a node that is off is told")
    func solicitations() throws {
        let key = try required(AppKeyIndex(rawValue: 3))
        let site = try Site(network: Self.network(with: [.solicitationReplayServer], key: key))
        let node = try site.lamp(2)
        let appKey = try required(site.network.appKeys.first)
        let range = UnicastAddressRange(first: try unicast(0x0030), count: 4)
        #expect(try site.execute { $0.clearSolicitations(of: range, at: node, under: appKey) } == .answered(range))
        site.world.setFaults(NodeFaults(isOff: true), of: uuid(2))
        #expect(try site.execute { $0.clearSolicitations(of: range, at: node, under: appKey) } == .unanswered)
    }

    @Test("A node that is nobody's Friend says so")
    func pollTimeout() throws {
        let site = try Site(lamps: 2)
        let node = try site.lamp(2)
        let other = try unicast(0x0010)
        #expect(try site.execute { $0.pollTimeout(of: other, at: node) } == .answered(0))
    }
}
