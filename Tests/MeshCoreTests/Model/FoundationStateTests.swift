import MeshCore
import TestSupport
import Testing

@Suite("Foundation states")
struct FoundationStateTests {
    private static let subnet = NetKeyIndex(rawValue: 0xABC) ?? .primary

    private static func publication(
        to destination: UInt16 = 0xC000,
        count: UInt32? = 16,
        period: UInt32 = 64
    ) throws -> HeartbeatPublication {
        HeartbeatPublication(
            destination: Address(rawValue: destination),
            countLog: try count.map { try required(HeartbeatPublicationCountLog(count: $0)) },
            periodLog: try required(HeartbeatPeriodLog(seconds: period)),
            ttl: 5,
            features: [.relay, .lowPower],
            netKeyIndex: subnet
        )
    }

    private static func subscription(seconds: UInt32?) throws -> HeartbeatSubscription {
        HeartbeatSubscription(
            source: UnicastAddress(rawValue: 0x0102),
            destination: Address(rawValue: 0xC000),
            periodLog: try seconds.map { try required(HeartbeatPeriodLog(seconds: $0)) }
        )
    }

    private static let node = Node(
        uuid: DeviceUUID(rawValue: Octets16(high: 0, low: 1)),
        name: "n",
        unicastAddress: .first,
        deviceKey: nil
    )

    /// Every kind with its octets.
    private static func states() throws -> [(FoundationState, String)] {
        [
            (.heartbeatPublication(try publication()), "000100c0050705" + "0900" + "bc0a"),
            (.heartbeatPublication(try publication(count: nil)), "000000c0000705" + "0900" + "bc0a"),
            (.heartbeatSubscription(try subscription(seconds: 4)), "0101020100c003"),
            (.heartbeatSubscription(try subscription(seconds: nil)), "0100020100c000"),
            (.nodeIdentity(subnet, .running), "02bc0a01"),
            (.sarTransmitter(.standard), "0325722109"),
            (.sarReceiver(.standard), "04235100"),
            (.privateBeacon(PrivateBeaconState(isEnabled: true, randomUpdateIntervalSteps: 9)), "05010109"),
            (.privateBeacon(PrivateBeaconState(isEnabled: false)), "050000"),
            (.privateGATTProxy(.notSupported), "0602"),
            (.onDemandPrivateProxy(seconds: 255), "07ff"),
            (.privateNodeIdentity(.primary, .notSupported), "08000002"),
            (.subnetBridge(true), "0901"),
        ]
    }

    @Test("Every kind has one encoding, which comes back, and nothing else is read")
    func encoding() throws {
        for (state, text) in try Self.states() {
            let bytes = hex(text)
            var writer = ByteWriter()
            state.write(to: &writer)
            #expect(writer.bytes == bytes, "\(state)")
            var reader = ByteReader(bytes + [1])
            #expect(try FoundationState(reading: &reader) == state)
            #expect(reader.remaining == 1)
            for count in bytes.indices {
                var short = ByteReader(Array(bytes.prefix(count)))
                #expect(throws: DecodeError.self) { try FoundationState(reading: &short) }
            }
        }
        // Reserved bits, a count beside the flag that says it is unknown, and no state at all.
        for text in ["0325722119", "04235104", "000000c0050705" + "0900" + "bc0a", "02bc1a01", "0a00", "0903"] {
            var reader = ByteReader(hex(text))
            #expect(throws: DecodeError.self, "\(text)") { try FoundationState(reading: &reader) }
        }
    }

    @Test("Set and Get of a kind are answered by the status that tells its value")
    func messages() throws {
        for (state, _) in try Self.states() {
            let set = try #require(state.kind.settable.set)
            #expect(statusOpcode(of: state.kind.get) == statusOpcode(of: set))
            #expect(state.kind.settable.kind == state.kind)
        }
        #expect(try Self.states().filter { $0.0.set == nil }.count == 4)
        let set = try #require(FoundationState.heartbeatPublication(try Self.publication()).set)
        #expect(set.encoded == hex("803900c0050705" + "0900" + "bc0a"))
        let identity = try #require(FoundationState.nodeIdentity(Self.subnet, .stopped).set)
        #expect(identity.encoded == hex("8047bc0a00"))
    }

    @Test("A value agrees with what is as good, and explains what has run down")
    func agreement() throws {
        let set = FoundationState.heartbeatPublication(try Self.publication(count: 16))
        let left = FoundationState.heartbeatPublication(try Self.publication(count: 4))
        #expect(set.agrees(with: set) && !set.agrees(with: left) && !set.agrees(with: nil))
        #expect(set.explains(left) && !left.explains(set))
        #expect(!set.explains(.heartbeatPublication(try Self.publication(count: 4, period: 32))))
        var endless = try Self.publication()
        endless.countLog = .endless
        #expect(
            !FoundationState.heartbeatPublication(endless).explains(left)
                && !left.explains(.heartbeatPublication(endless))
        )
        let unknown = FoundationState.heartbeatPublication(try Self.publication(count: nil))
        #expect(unknown.explains(left) && !set.agrees(with: unknown))
        let off = FoundationState.heartbeatPublication(.off(netKeyIndex: .primary))
        #expect(off.agrees(with: .heartbeatPublication(try Self.publication(to: 0, count: 2))))
        #expect(!off.agrees(with: set) && !set.agrees(with: off) && !set.explains(off))

        let counted = FoundationState.heartbeatSubscription(try Self.subscription(seconds: 64))
        #expect(counted.explains(.heartbeatSubscription(try Self.subscription(seconds: 0))))
        #expect(counted.explains(.heartbeatSubscription(.off)) && !counted.agrees(with: .heartbeatSubscription(.off)))
        #expect(!counted.explains(.heartbeatSubscription(try Self.subscription(seconds: 128))))

        let open = FoundationState.privateBeacon(PrivateBeaconState(isEnabled: true))
        let known = FoundationState.privateBeacon(PrivateBeaconState(isEnabled: true, randomUpdateIntervalSteps: 6))
        #expect(open.agrees(with: known) && !known.agrees(with: open) && open.completed(by: known) == known)
        #expect(!open.agrees(with: .privateBeacon(PrivateBeaconState(isEnabled: false))))
        #expect(!FoundationState.subnetBridge(true).agrees(with: .sarReceiver(.standard)))
    }

    @Test("A node records one value a kind in their order; a running identity is not known for long")
    func record() throws {
        var node = Self.node
        for (state, _) in try Self.states().reversed() { node.record(state) }
        #expect(node.states.map(\.kind) == node.states.map(\.kind).sorted())
        #expect(node.states.count == 9 && node.state(.nodeIdentity(Self.subnet)) == nil)
        #expect(
            node.state(.privateBeacon)
                == .privateBeacon(PrivateBeaconState(isEnabled: true, randomUpdateIntervalSteps: 9))
        )
        node.record(.privateBeacon(PrivateBeaconState(isEnabled: false)))
        #expect(
            node.state(.privateBeacon)
                == .privateBeacon(PrivateBeaconState(isEnabled: false, randomUpdateIntervalSteps: 9))
        )
        node.record(.nodeIdentity(Self.subnet, .stopped))
        node.record(.nodeIdentity(Self.subnet, .running))
        #expect(node.state(.nodeIdentity(Self.subnet)) == nil)

        node.recordReport(.heartbeatPublication(try Self.publication(count: 4)))
        #expect(node.state(.heartbeatPublication) == .heartbeatPublication(try Self.publication(count: 16)))
        node.recordReport(.heartbeatPublication(try Self.publication(count: 32)))
        #expect(node.state(.heartbeatPublication) == .heartbeatPublication(try Self.publication(count: 32)))
    }

    @Test("A subnet takes its states, the heartbeats that it secures and its bridging entries along")
    func subnetLeaves() throws {
        var node = Self.node
        for (state, _) in try Self.states() { node.record(state) }
        node.record(.nodeIdentity(Self.subnet, .stopped))
        let addresses = BridgedAddresses(first: .first, second: Address(rawValue: 0xC000), directions: .oneWay)
        let other = NetKeyIndex(rawValue: 7) ?? .primary
        let kept = BridgingTableEntry(subnets: NetKeyIndexPair(first: other, second: .primary), addresses: addresses)
        node.recordBridging(kept)
        for pair in [(NetKeyIndex.primary, Self.subnet), (Self.subnet, NetKeyIndex.primary)] {
            node.recordBridging(
                BridgingTableEntry(subnets: NetKeyIndexPair(first: pair.0, second: pair.1), addresses: addresses)
            )
        }
        #expect(node.bridgingTable?.count == 3)
        #expect(node.bridgingTable == node.bridgingTable?.sorted())
        node.forgetStates(of: Self.subnet)
        #expect(node.bridgingTable == [kept])
        #expect(node.state(.nodeIdentity(Self.subnet)) == nil && node.state(.heartbeatPublication) == nil)
        #expect(node.state(.privateNodeIdentity(.primary)) != nil)
        var turned = kept
        turned.addresses.directions = .bothWays
        node.recordBridging(turned)
        #expect(node.bridgingTable == [turned])
        node.removeBridging(kept)
        #expect(node.bridgingTable == [])
    }

    @Test("Values are told in words")
    func text() throws {
        let words: [(FoundationState, String)] = [
            (
                .heartbeatPublication(try Self.publication()),
                "to 0xC000, period 64s, count 16, features relay low_power, ttl 5, subnet 2748"
            ),
            (.heartbeatPublication(.off(netKeyIndex: .primary)), "off"),
            (.heartbeatSubscription(try Self.subscription(seconds: 64)), "from 0x0102 to 0xC000, period 64s"),
            (.nodeIdentity(.primary, .running), "on"),
            (
                .sarTransmitter(.standard),
                "segment interval 60ms, unicast retransmissions 2 (2 without progress) after 200ms + 50ms per hop, "
                    + "multicast retransmissions 2 after 250ms"
            ),
            (
                .sarReceiver(.standard),
                "segments threshold 3, acknowledgment delay 2.5 segments, discard timeout 10s, segment interval 60ms, "
                    + "acknowledgment retransmissions 0"
            ),
            (
                .privateBeacon(PrivateBeaconState(isEnabled: true, randomUpdateIntervalSteps: 60)),
                "on, random update 10m"
            ),
            (.privateGATTProxy(.notSupported), "not supported"), (.onDemandPrivateProxy(seconds: 30), "30s"),
            (.onDemandPrivateProxy(seconds: 0), "off"), (.subnetBridge(false), "off"),
        ]
        for (state, text) in words { #expect(state.text() == text) }
        let entry = BridgingTableEntry(
            subnets: NetKeyIndexPair(first: .primary, second: Self.subnet),
            addresses: BridgedAddresses(first: .first, second: Address(rawValue: 0xC000), directions: .oneWay)
        )
        #expect(entry.text() == "0x0001 in 0 -> 0xC000 in 2748")
    }

    @Test("Counts of heartbeats are powers of two, the highest number or without end")
    func counts() {
        for (count, raw) in [(0, 0), (1, 1), (2, 2), (32_768, 0x10), (65_534, 0x11)] as [(UInt32, UInt8)] {
            #expect(HeartbeatPublicationCountLog(count: count)?.rawValue == raw)
            #expect(HeartbeatPublicationCountLog(rawValue: raw)?.count == count)
        }
        for count in [3, 65_535, 65_536, .max] as [UInt32] {
            #expect(HeartbeatPublicationCountLog(count: count) == nil)
        }
        #expect(HeartbeatPublicationCountLog.endless.count == nil)
    }
}

private func statusOpcode<Request: FoundationStateRequest>(of request: Request) -> Opcode { Request.Status.opcode }

extension FoundationState.Kind {
    /// A value of the kind that can be set.
    fileprivate var settable: FoundationState {
        switch self {
        case .heartbeatPublication: .heartbeatPublication(.off(netKeyIndex: .primary))
        case .heartbeatSubscription: .heartbeatSubscription(.off)
        case .nodeIdentity(let subnet): .nodeIdentity(subnet, .stopped)
        case .sarTransmitter: .sarTransmitter(.standard)
        case .sarReceiver: .sarReceiver(.standard)
        case .privateBeacon: .privateBeacon(PrivateBeaconState(isEnabled: true))
        case .privateGATTProxy: .privateGATTProxy(.enabled)
        case .onDemandPrivateProxy: .onDemandPrivateProxy(seconds: 1)
        case .privateNodeIdentity(let subnet): .privateNodeIdentity(subnet, .stopped)
        case .subnetBridge: .subnetBridge(true)
        }
    }
}
