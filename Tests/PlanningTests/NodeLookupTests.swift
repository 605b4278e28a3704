import DefinitionModel
import MeshCore
import Planning
import TestSupport
import Testing

@Suite("Finding the node that is meant")
struct NodeLookupTests {
    /// The office with a second `lamp-1` at 0x0040, which nobody manages.
    private func office(_ change: (inout Node) -> Void = { _ in }) throws -> MeshNetwork {
        var network = try Office().network
        var old = try required(network.nodes.first { $0.name == "lamp-1" })
        old.uuid = DeviceUUID(rawValue: Octets16(high: 4, low: 4))
        old.unicastAddress = try required(UnicastAddress(rawValue: 0x0040))
        old.isManaged = false
        change(&old)
        network.nodes.append(old)
        return network
    }

    private func text(_ found: NodeLookup.Found) -> String {
        switch found {
        case .nobody: "nobody"
        case .one(let node, let namesakes):
            node.address + (namesakes.isEmpty ? "" : " beside " + namesakes.map(\.text).joined(separator: ", "))
        case .several(let nodes): "one of " + nodes.map(\.text).joined(separator: ", ")
        }
    }

    @Test("Whoever looks at a name gets the managed one, whoever changes something has to say which")
    func namesakes() throws {
        let first = "0x0010 (managed, UUID 00000000-0000-0000-0000-000000000011)"
        let second = "0x0040 (not managed, UUID 00000000-0000-0004-0000-000000000004)"
        let network = try office()
        #expect(text(NodeLookup.find("lamp-1", in: network, for: .looking)) == "0x0010 beside \(second)")
        #expect(text(NodeLookup.find("lamp-1", in: network, for: .changing)) == "one of \(first), \(second)")
        for use in [NodeLookup.Use.looking, .changing] {
            #expect(text(NodeLookup.find("lamp-2", in: network, for: use)) == "0x0012")
            #expect(text(NodeLookup.find("lamp-3", in: network, for: use)) == "nobody")
            // What the lists offer means one node when it is typed.
            #expect(text(NodeLookup.find("0x0040", in: network, for: use)) == "0x0040")
            #expect(text(NodeLookup.find("0X0011", in: network, for: use)) == "0x0010")
            #expect(text(NodeLookup.find("00000000000000040000000000000004", in: network, for: use)) == "0x0040")
        }
        let excluded = try office { $0.isExcluded = true }
        #expect(text(NodeLookup.find("lamp-1", in: excluded, for: .looking)).contains("0x0040 (excluded,"))
    }

    @Test("Where several are managed, or none, nobody can tell which is meant")
    func ambiguous() throws {
        let both = try office { $0.isManaged = true }
        #expect(text(NodeLookup.find("lamp-1", in: both, for: .looking)).hasPrefix("one of 0x0010 (managed"))
        var none = try office()
        for place in none.nodes.indices { none.nodes[place].isManaged = false }
        #expect(text(NodeLookup.find("lamp-1", in: none, for: .looking)).hasPrefix("one of 0x0010 (not managed"))
    }
}
