import MeshCore
import TestSupport
import Testing

@testable import Store

@Suite("Row codecs")
struct CodecTests {
    @Test("Every node comes back as it was")
    func nodes() throws {
        for node in try richNetwork(nodes: 30).nodes { #expect(try NodeCodec.decode(NodeCodec.encode(node)) == node) }
        let bare = Node(uuid: uuid(1), name: "", unicastAddress: .last, deviceKey: nil)
        #expect(try NodeCodec.decode(NodeCodec.encode(bare)) == bare)
        #expect(NodeCodec.encode(bare).count < 30)
    }

    @Test("The network comes back as it was, without its nodes")
    func network() throws {
        var network = try richNetwork(nodes: 3)
        let bytes = NetworkCodec.encode(network)
        network.nodes = []
        network.pendingProvisionings = []
        network.retiredNodes = []
        #expect(try NetworkCodec.decode(bytes) == network)
    }

    @Test("What is known of the room in lists comes back as it was, and cut off or prolonged it is refused")
    func capacities() throws {
        let product = Node.Product(company: 1, product: 2, version: 3, replayListSize: 4)
        let vendor = ModelIdentifier.vendor(company: 5, model: 6)
        let lists: [ListCapacity.List] = [
            .netKeys, .appKeys, .bindings(element: 1, model: .sig(0x1000)), .subscriptions(element: 2, model: vendor),
        ]
        let capacities = lists.enumerated().map { ListCapacity(product: product, list: $1, entries: $0) }
        let bytes = CapacityCodec.encode(capacities)
        #expect(try CapacityCodec.decode(bytes) == capacities)
        for length in bytes.indices {
            #expect(throws: DecodeError.self) { try CapacityCodec.decode(Array(bytes[..<length])) }
        }
        #expect(throws: DecodeError.self) { try CapacityCodec.decode(bytes + [0]) }
    }

    @Test("What is known of shared lists comes back as it was, and cut off or prolonged it is refused")
    func listSharings() throws {
        let product = Node.Product(company: 1, product: 2, version: 3, replayListSize: 4)
        let vendor = ModelIdentifier.vendor(company: 5, model: 6)
        let sharings = [
            ListSharing(product: product, element: 0, .sig(0x1000), .sig(0x1006), isShared: true),
            ListSharing(product: product, element: 3, vendor, .sig(0x1000), isShared: false),
        ]
        let bytes = ListSharingCodec.encode(sharings)
        #expect(try ListSharingCodec.decode(bytes) == sharings)
        for length in bytes.indices {
            #expect(throws: DecodeError.self) { try ListSharingCodec.decode(Array(bytes[..<length])) }
        }
        #expect(throws: DecodeError.self) { try ListSharingCodec.decode(bytes + [0]) }
    }

    @Test("Records of provisioning come back as they were, and cut off or prolonged they are refused")
    func provisioningRecords() throws {
        let network = try richNetwork()
        for pending in network.pendingProvisionings {
            let bytes = PendingProvisioningCodec.encode(pending)
            #expect(try PendingProvisioningCodec.decode(bytes) == pending)
            for length in bytes.indices {
                #expect(throws: DecodeError.self) { try PendingProvisioningCodec.decode(Array(bytes[..<length])) }
            }
            #expect(throws: DecodeError.self) { try PendingProvisioningCodec.decode(bytes + [0]) }
            #expect(throws: DecodeError.unknownType(9)) { try PendingProvisioningCodec.decode([9] + bytes.dropFirst()) }
        }
        for node in network.nodes {
            let retired = RetiredNode(node: node, reason: .replaced, retiredAt: now)
            let bytes = RetiredNodeCodec.encode(retired)
            #expect(try RetiredNodeCodec.decode(bytes) == retired)
            for length in bytes.indices {
                #expect(throws: DecodeError.self) { try RetiredNodeCodec.decode(Array(bytes[..<length])) }
            }
            #expect(throws: DecodeError.self) { try RetiredNodeCodec.decode(bytes + [0]) }
            #expect(throws: DecodeError.unknownType(9)) { try RetiredNodeCodec.decode([9] + bytes.dropFirst()) }
            #expect(throws: DecodeError.self) {
                try RetiredNodeCodec.decode(bytes.prefix(1) + [9] + bytes.dropFirst(2))
            }
        }
    }

    @Test("Flags of a key or group that nobody knows are refused")
    func networkFlags() throws {
        let network = try richNetwork()
        var bytes = NetworkCodec.encode(network)
        // Behind the name of the group there are its virtual address and that it has no parent.
        let flags = try #require(bytes.firstRange(of: Array("label".utf8))?.upperBound) + 18 + 3
        #expect(bytes[flags] < 4)
        bytes[flags] |= 4
        #expect(throws: DecodeError.self) { try NetworkCodec.decode(bytes) }
    }

    @Test("What of a model is managed comes back as it was, and takes no room where it is all or nothing")
    func managedValues() throws {
        var node = try richNetwork().nodes[0]
        let group = SubscriptionAddress.group(try #require(GroupAddress(rawValue: 0xC000)))
        func encode(_ bindings: [AppKeyIndex], _ subscriptions: [SubscriptionAddress], _ isManaged: Bool) -> [UInt8] {
            node.elements[0].models[1].managedBindings = bindings
            node.elements[0].models[1].managedSubscriptions = subscriptions
            node.elements[0].models[1].isPublicationManaged = isManaged
            return NodeCodec.encode(node)
        }
        let model = node.elements[0].models[1]
        let none = encode([], [], false)
        #expect(try NodeCodec.decode(none) == node)
        let all = encode(model.bindings, model.subscriptions, true)
        #expect(try NodeCodec.decode(all) == node)
        #expect(all.count == none.count)
        let some = encode([], [group], false)
        #expect(try NodeCodec.decode(some) == node)
        #expect(some.count == none.count + 3)
    }

    @Test("Cut off or prolonged bodies are refused")
    func lengths() throws {
        let network = try richNetwork()
        for bytes in [NodeCodec.encode(network.nodes[0])] {
            for length in bytes.indices {
                #expect(throws: DecodeError.self) { try NodeCodec.decode(Array(bytes[..<length])) }
            }
            #expect(throws: DecodeError.trailing(offset: bytes.count, count: 1)) { try NodeCodec.decode(bytes + [0]) }
        }
        let bytes = NetworkCodec.encode(network)
        for length in bytes.indices {
            #expect(throws: DecodeError.self) { try NetworkCodec.decode(Array(bytes[..<length])) }
        }
    }

    @Test("Changed bodies are refused or are another canonical body, never a trap")
    func mutations() throws {
        let network = try richNetwork()
        var generator = SplitMix64(seed: 8)
        let node = NodeCodec.encode(network.nodes[0])
        let header = NetworkCodec.encode(network)
        var accepted = 0
        for _ in 0..<4000 {
            var changed = node
            changed[Int.random(in: 0..<node.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            if changed[0] == node[0], let decoded = try? NodeCodec.decode(changed) {
                #expect(NodeCodec.encode(decoded) == changed)
                accepted += 1
            }
            changed = header
            changed[Int.random(in: 0..<header.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            if changed[0] == header[0], let decoded = try? NetworkCodec.decode(changed) {
                #expect(NetworkCodec.encode(decoded) == changed)
            }
        }
        #expect(accepted > 100)
    }

    @Test("States, entries and pages that are not in their order are refused")
    func order() throws {
        let node = try richNetwork(nodes: 1).nodes[0]
        let changes: [(inout Node) -> Void] = [
            { $0.states.swapAt(0, 1) }, { $0.states[1] = $0.states[0] }, { $0.bridgingTable?.reverse() },
        ]
        for (number, change) in changes.enumerated() {
            var wrong = node
            change(&wrong)
            #expect(throws: DecodeError.self, "\(number)") { try NodeCodec.decode(NodeCodec.encode(wrong)) }
        }
    }

    @Test("A body of a later version is told apart from damage")
    func versions() throws {
        var bytes = NodeCodec.encode(try richNetwork().nodes[0])
        bytes[0] = 2
        #expect(throws: DecodeError.unknownType(2)) { try NodeCodec.decode(bytes) }
    }

    @Test("A count that promises more than there is reserves nothing")
    func counts() {
        var reader = ByteReader([0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 1, 2])
        #expect(throws: DecodeError.self) { try reader.readOctets() }
        var long = ByteReader([0x80, 0x00])
        #expect(throws: DecodeError.self) { try long.readCount() }
        var endless = ByteReader([UInt8](repeating: 0x80, count: 20))
        #expect(throws: DecodeError.self) { try endless.readCount() }
    }

    @Test(
        "An index of the history without an undoable entry comes back; one whose numbers contradict each other does not"
    )
    func historyIndex() throws {
        var index = HistoryIndex()
        #expect(try HistoryIndex(decoding: index.encoded()) == index)
        index.next = 9
        index.first = 9
        index.firstUndoable = 9
        index.firstUnswept = 9
        #expect(try HistoryIndex(decoding: index.encoded()) == index)
        let changes: [(inout HistoryIndex) -> Void] = [
            { $0.first = 10 }, { $0.firstUndoable = 10 }, { $0.firstUndoable = 8 }, { $0.next = 8 },
        ]
        for (number, change) in changes.enumerated() {
            var wrong = index
            change(&wrong)
            #expect(throws: DecodeError.self, "\(number)") { try HistoryIndex(decoding: wrong.encoded()) }
        }
        index.next = 0
        index.first = 0
        index.firstUndoable = 0
        index.firstUnswept = 0
        #expect(throws: DecodeError.self) { try HistoryIndex(decoding: index.encoded()) }
    }
}
