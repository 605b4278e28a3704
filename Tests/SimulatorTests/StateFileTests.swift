import MeshCore
import Simulator
import Testing

@Suite("StateFile")
struct StateFileTests {
    /// A node with something in every field.
    private func richNode() -> NodeConfigurationState {
        var node = TestNetwork.node(3)
        node.name = "Küche"
        node.netKeys = [NodeKey(index: .primary), NodeKey(index: TestNetwork.netKey(1), isUpdated: true)]
        node.appKeys = [NodeKey(index: TestNetwork.appKey(0)), NodeKey(index: TestNetwork.appKey(2), isUpdated: true)]
        node.elements[0].name = "left"
        node.elements[0].models[2].bindings = [TestNetwork.appKey(0)]
        node.elements[0].models[2].subscriptions = [
            .group(TestNetwork.group(0xC000)), .virtual(TestNetwork.label(5)),
        ]
        node.elements[0].models[2].publication = Publication(
            address: .virtual(TestNetwork.label(6)),
            appKeyIndex: TestNetwork.appKey(0),
            ttl: 9,
            period: PublishPeriod(octet: 0x44),
            retransmit: PublishRetransmit(octet: 0x12)
        )
        node.elements[1].models[1].publication = Publication(
            address: .unicast(TestNetwork.address(0x0099)),
            appKeyIndex: TestNetwork.appKey(2)
        )
        var network = TestNetwork.network([node])
        network.netKeys[1].oldKey = TestNetwork.key(0x70)
        network.netKeys[1].phase = .usingNewKeys
        network.appKeys[2].oldKey = TestNetwork.key(0x71)
        return NodeConfigurationState(of: node, in: network)
    }

    private func records() -> [StateRecord] {
        let stream = SequenceStream(source: TestNetwork.clientAddress, ivIndex: 5)
        return [
            .hops(3),
            .place(TestNetwork.uuid(3), RadioPlace(level: 2, bearing: 0xABCD)),
            .node(richNode()),
            .ivIndex(TestNetwork.uuid(3), IVIndex(value: 7, isUpdateInProgress: true)),
            .replay(TestNetwork.uuid(3), stream, 77),
            .reservation(SequenceStream(source: TestNetwork.address(0x40), ivIndex: 5), end: 512),
            .used(stream, 3...9),
        ]
    }

    @Test("What is appended is read back, and compacting changes nothing")
    func roundTrip() throws {
        let bytes = StateFile.header + records().flatMap(StateFile.encode)
        let (state, whole) = try StateFile.decode(bytes)
        #expect(whole == bytes.count)
        #expect(state.nodes[TestNetwork.uuid(3)] == richNode())
        #expect(state.places == [TestNetwork.uuid(3): RadioPlace(level: 2, bearing: 0xABCD)])
        #expect(state.used.values.first?.ranges == [3...9])
        #expect(try StateFile.decode(state.compacted).state == state)
        #expect(state.records == records())
    }

    @Test("States of the foundation models of 1.1 are read back")
    func foundationStates() throws {
        var node = richNode()
        node.foundation.sarTransmitter.segmentIntervalStep = 9
        node.foundation.sarReceiver.discardTimeout = 4
        node.foundation.isPrivateBeaconEnabled = true
        node.foundation.randomUpdateIntervalSteps = 3
        node.foundation.isPrivateGATTProxyEnabled = true
        node.foundation.onDemandPrivateProxySeconds = 77
        node.foundation.isSubnetBridgeEnabled = true
        node.foundation.bridgingTable = [
            BridgingTableEntry(
                subnets: NetKeyIndexPair(first: .primary, second: TestNetwork.netKey(0xFFF)),
                addresses: BridgedAddresses(
                    first: TestNetwork.address(0x7FFF),
                    second: Address(rawValue: 0xC000),
                    directions: .oneWay
                )
            )
        ]
        node.foundation.solicitationReplay = [TestNetwork.address(9): 0xFF_FFFF, TestNetwork.address(3): 0]
        node.foundation.compositionPages = [1: [1, 2], 128: [UInt8](repeating: 3, count: 700)]
        for record in [StateRecord.node(node), .provisioned(node, IVIndex(value: 5))] {
            let bytes = StateFile.header + StateFile.encode(record)
            let (state, whole) = try StateFile.decode(bytes)
            #expect(whole == bytes.count && state.nodes[node.uuid] == node)
            #expect(state.records == [record])
            for length in StateFile.header.count..<bytes.count {
                #expect(try StateFile.decode(Array(bytes.prefix(length))).state.nodes.isEmpty)
            }
        }
    }

    @Test("The last record of a node counts, and ranges are merged by compacting")
    func lastCounts() throws {
        var node = richNode()
        var bytes = StateFile.header + StateFile.encode(.node(node))
        node.defaultTTL = 33
        bytes += StateFile.encode(.node(node))
        let stream = SequenceStream(source: TestNetwork.clientAddress, ivIndex: 5)
        for number in UInt32(0)..<500 { bytes += StateFile.encode(.used(stream, number...number)) }
        let state = try StateFile.decode(bytes).state
        #expect(state.nodes[node.uuid]?.defaultTTL == 33)
        #expect(state.records == [.node(node), .used(stream, 0...499)])
        #expect(state.compacted.count < bytes.count / 10)
    }

    @Test("A file that ends anywhere within a record holds everything before it")
    func torn() throws {
        let pieces = records().map(StateFile.encode)
        let bytes = StateFile.header + pieces.flatMap { $0 }
        var ends = [StateFile.header.count]
        for piece in pieces { ends.append((ends.last ?? 0) + piece.count) }
        for length in StateFile.header.count...bytes.count {
            let (_, whole) = try StateFile.decode(Array(bytes.prefix(length)))
            #expect(whole == ends.last { $0 <= length })
        }
        for length in 0..<StateFile.header.count {
            #expect(try StateFile.decode(Array(bytes.prefix(length))).wholeOctets == 0)
        }
    }

    @Test("A flipped bit is damage, in the last record its end, and never a trap")
    func flippedBits() throws {
        let pieces = records().map(StateFile.encode)
        let bytes = StateFile.header + pieces.flatMap { $0 }
        let last = bytes.count - (pieces.last?.count ?? 0)
        for offset in StateFile.header.count..<bytes.count {
            var damaged = bytes
            damaged[offset] ^= 1 << UInt8(offset % 8)
            if offset >= last {
                #expect(try StateFile.decode(damaged).wholeOctets == last)
                continue
            }
            do {
                _ = try StateFile.decode(damaged)
                Issue.record("the flipped bit at \(offset) was not noticed")
            } catch {
                guard case .damaged(let place) = error else {
                    Issue.record("at \(offset): \(error)")
                    continue
                }
                #expect(place <= offset)
            }
        }
    }

    @Test("Zeros behind the last record are no damage")
    func zeros() throws {
        let bytes = StateFile.header + records().flatMap(StateFile.encode)
        for count in [1, 7, 8, 100, 5_000] {
            #expect(try StateFile.decode(bytes + [UInt8](repeating: 0, count: count)).wholeOctets == bytes.count)
        }
    }

    @Test("Foreign files are refused", arguments: ["SQLite format 3", "MSIM\u{0}\u{2}rest", "{}"])
    func foreign(text: String) {
        #expect(throws: StateFile.ReadError.notAStateFile) { _ = try StateFile.decode(Array(text.utf8)) }
    }

    @Test("CRC-32 has the check value of its definition")
    func checksum() {
        #expect(Checksum.crc32("123456789".utf8) == 0xCBF4_3926)
    }
}
