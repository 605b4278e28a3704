import TestSupport
import Testing

@testable import MeshCore

@Suite("IV update")
struct IVUpdateTests {
    private let credentials = SubnetCredentials(Sample.netKey)

    private func beacon(_ value: UInt32, updating: Bool = false) -> [UInt8] {
        SecureNetworkBeacon(
            isKeyRefreshing: false,
            ivIndex: IVIndex(value: value, isUpdateInProgress: updating),
            credentials: credentials
        ).encoded
    }

    @Test(
        "what a beacon does to the known state",
        arguments: [
            ((10, false), (10, false), true, .unchanged),
            ((10, true), (10, true), true, .unchanged),
            ((10, false), (10, true), true, .ignored(.older)),
            ((10, true), (10, false), true, .changed(IVIndex(value: 10))),
            ((10, true), (10, false), false, .changed(IVIndex(value: 10))),
            ((10, false), (9, false), true, .ignored(.older)),
            ((10, false), (11, true), true, .changed(IVIndex(value: 11, isUpdateInProgress: true))),
            ((10, false), (11, true), false, .ignored(.secondarySubnet)),
            ((10, false), (11, false), true, .changed(IVIndex(value: 11))),
            ((10, true), (11, true), true, .changed(IVIndex(value: 11, isUpdateInProgress: true))),
            ((10, false), (52, false), true, .changed(IVIndex(value: 52))),
            ((10, false), (52, false), false, .ignored(.secondarySubnet)),
            ((10, false), (53, false), true, .ignored(.tooFarAhead)),
            ((10, false), (.max, true), true, .ignored(.tooFarAhead)),
            ((.max - 1, false), (.max, true), true, .changed(IVIndex(value: .max, isUpdateInProgress: true))),
        ] as [((UInt32, Bool), (UInt32, Bool), Bool, IVIndexMonitor.Verdict)]
    )
    func verdicts(known: (UInt32, Bool), heard: (UInt32, Bool), mayRaise: Bool, verdict: IVIndexMonitor.Verdict) {
        let monitor = IVIndexMonitor(IVIndex(value: known.0, isUpdateInProgress: known.1))
        let announced = IVIndex(value: heard.0, isUpdateInProgress: heard.1)
        #expect(monitor.verdict(announced, mayRaise: mayRaise, at: .zero) == verdict)
    }

    @Test("a state is held for 96 hours, and a recovery happens once in 192 hours")
    func stays() {
        let hour: Int64 = 3_600_000
        var monitor = IVIndexMonitor(IVIndex(value: 1))
        let updating = IVIndex(value: 2, isUpdateInProgress: true)
        monitor.change(to: updating, at: .ms(hour))
        let early = monitor.verdict(IVIndex(value: 2), mayRaise: true, at: .ms(97 * hour - 1))
        #expect(early == .ignored(.tooSoon(until: .ms(97 * hour))))
        #expect(monitor.verdict(IVIndex(value: 2), mayRaise: true, at: .ms(97 * hour)) == .changed(IVIndex(value: 2)))

        monitor.change(to: IVIndex(value: 9), at: .ms(100 * hour))
        let again = monitor.verdict(IVIndex(value: 12), mayRaise: true, at: .ms(292 * hour - 1))
        #expect(again == .ignored(.recoveredLately(until: .ms(292 * hour))))
        let later = monitor.verdict(IVIndex(value: 12), mayRaise: true, at: .ms(292 * hour))
        #expect(later == .changed(IVIndex(value: 12)))
    }

    @Test("an update goes through both states: what is sent and what is accepted")
    func update() throws {
        var node = Sample.stack(Sample.node, next: 100, ivIndex: IVIndex(value: 8))
        func sentIVIndex(_ node: inout MeshStack) throws -> (UInt32, UInt32) {
            let message = Sample.message([1, 2], from: Sample.node, to: .unicast(Sample.client))
            let bytes = try node.send(message, at: .zero).1.transmitted[0]
            let reader = Sample.stack(Sample.client, ivIndex: node.ivIndex)
            let pdu = try reader.decode(networkPDU: bytes).pdu
            return (pdu.ivIndex, pdu.sequence)
        }
        #expect(try sentIVIndex(&node) == (8, 100))
        let updating = IVIndex(value: 9, isUpdateInProgress: true)
        #expect(node.receive(beacon: beacon(9, updating: true), at: .zero) == [.ivIndexChanged(updating)])
        #expect(try sentIVIndex(&node) == (8, 101), "sequence numbers go on")
        node.ivIndex = updating
        #expect(node.receive(beacon: beacon(9), at: .zero) == [.ivIndexChanged(IVIndex(value: 9))])
        #expect(try sentIVIndex(&node) == (9, 0), "sequence numbers start again")

        for (value, isAccepted) in [(7, false), (8, true), (9, true), (10, false), (11, false)] as [(UInt32, Bool)] {
            var client = Sample.stack(Sample.client, next: 50 + value, ivIndex: IVIndex(value: value))
            let pdu = try client.send(Sample.message([3]), at: .zero).1.transmitted[0]
            #expect((node.receive(networkPDU: pdu, at: .zero).delivered.count == 1) == isAccepted, "\(value)")
        }
    }

    @Test("the end of an update waits for segments under way, and new ones wait for it")
    func deferred() throws {
        let updating = IVIndex(value: 9, isUpdateInProgress: true)
        var client = Sample.stack(Sample.client, next: 70, ivIndex: updating)
        client.sar.segmentInterval = .zero
        var node = Sample.stack(Sample.node, ivIndex: updating)
        let (first, actions) = try client.send(Sample.message([UInt8](0..<30)), at: .zero)
        #expect(client.receive(beacon: beacon(9), at: .ms(1)).isEmpty)
        #expect(client.ivIndex == updating)
        #expect(try client.send(Sample.message([UInt8](0..<30)), at: .ms(2)).1.isEmpty)
        let acknowledgment = actions.transmitted.flatMap { node.receive(networkPDU: $0, at: .ms(3)) }.transmitted[0]
        let after = client.receive(networkPDU: acknowledgment, at: .ms(4))
        #expect(after.prefix(2) == [.completed(first), .ivIndexChanged(IVIndex(value: 9))])
        let pdus = try after.transmitted.map { try node.decode(networkPDU: $0).pdu }
        #expect(pdus.map(\.ivIndex) == [9, 9, 9])
        #expect(pdus.map(\.sequence) == [0, 1, 2])
    }

    @Test("a mesh private beacon tells what a secure network beacon tells")
    func privateBeacon() throws {
        var node = Sample.stack(Sample.node, ivIndex: IVIndex(value: 8))
        node.keys.set(NetKey(index: Sample.netIndex(3), name: "", key: Sample.appKey))
        func beacon(_ key: KeyMaterial, _ value: UInt32) throws -> [UInt8] {
            let random = try #require(Nonce([UInt8](0..<13)))
            return MeshPrivateBeacon(isKeyRefreshing: false, ivIndex: IVIndex(value: value), random: random)
                .encoded(with: SubnetCredentials(key))
        }
        #expect(node.receive(beacon: try beacon(Sample.deviceKey, 9), at: .zero) == [.dropped(.foreignBeacon)])
        #expect(node.receive(beacon: try beacon(Sample.appKey, 9), at: .zero) == [.dropped(.ivIndexIgnored)])
        #expect(node.receive(beacon: try beacon(Sample.netKey, 9), at: .zero) == [.ivIndexChanged(IVIndex(value: 9))])
        var forged = try beacon(Sample.netKey, 10)
        forged[26] ^= 1
        #expect(node.receive(beacon: forged, at: .zero) == [.dropped(.foreignBeacon)])
        #expect(node.receive(beacon: [2] + [UInt8](repeating: 0, count: 3), at: .zero).dropped.count == 1)
    }

    @Test("beacons of others, of secondary subnets and of the wrong form change nothing")
    func refused() {
        var node = Sample.stack(Sample.node, ivIndex: IVIndex(value: 8))
        let other = SubnetCredentials(Sample.appKey)
        let foreign = SecureNetworkBeacon(isKeyRefreshing: false, ivIndex: IVIndex(value: 9), credentials: other)
            .encoded
        #expect(node.receive(beacon: foreign, at: .zero) == [.dropped(.foreignBeacon)])
        var forged = beacon(9)
        forged[21] ^= 1
        #expect(node.receive(beacon: forged, at: .zero) == [.dropped(.foreignBeacon)])
        #expect(node.receive(beacon: [], at: .zero).dropped.count == 1)
        node.keys.set(NetKey(index: Sample.netIndex(3), name: "", key: Sample.appKey))
        #expect(node.receive(beacon: foreign, at: .zero) == [.dropped(.ivIndexIgnored)])
        node.keys.removeNetKey(.primary)
        #expect(node.receive(beacon: foreign, at: .zero) == [.ivIndexChanged(IVIndex(value: 9))])
    }

    @Test("at 0xFFFFFF there are no more sequence numbers, and the sender is told")
    func exhausted() throws {
        var client = Sample.stack(Sample.client, next: 0xFF_FFFF)
        #expect(try client.send(Sample.message([1]), at: .zero).1.transmitted.count == 1)
        #expect(throws: StackError.sequenceNumbers(.exhausted(Sample.client))) {
            try client.send(Sample.message([1]), at: .zero)
        }
        let (identifier, actions) = try client.send(Sample.message([UInt8](0..<30)), at: .zero)
        #expect(actions == [.failed(identifier, .sequenceNumbers(.exhausted(Sample.client)))])
        var late = Sample.stack(Sample.client, next: 0xFF_FFFE)
        late.sar.segmentInterval = .zero
        let (broken, partial) = try late.send(Sample.message([UInt8](0..<30)), at: .zero)
        #expect(partial.transmitted.count == 2)
        #expect(partial.last == .failed(broken, .sequenceNumbers(.exhausted(Sample.client))))
    }
}

@Suite("Key refresh")
struct KeyRefreshTests {
    private let newKey = Sample.key("00112233445566778899aabbccddeeff")
    private let newAppKey = Sample.key("ffeeddccbbaa99887766554433221100")

    private func stack(_ address: UnicastAddress, _ phase: KeyRefreshPhase, next: UInt32 = 0) -> MeshStack {
        var keys = Sample.keys()
        keys.set(NetKey(index: .primary, name: "", key: newKey, oldKey: Sample.netKey, phase: phase))
        keys.set(
            AppKey(
                index: Sample.appKeyIndex,
                name: "",
                boundNetKey: .primary,
                key: newAppKey,
                oldKey: Sample.appKey
            )
        )
        return Sample.stack(address, next: next, keys: keys)
    }

    private func beacon(_ key: KeyMaterial, flag: Bool) -> [UInt8] {
        SecureNetworkBeacon(isKeyRefreshing: flag, ivIndex: Sample.ivIndex, credentials: SubnetCredentials(key)).encoded
    }

    @Test("the first phase sends with the old keys and the second with the new; both are received in both")
    func phases() throws {
        let nids = (
            old: KeyDerivation.k2(Sample.netKey, purpose: [0]).nid, new: KeyDerivation.k2(newKey, purpose: [0]).nid
        )
        for (phase, nid) in [(KeyRefreshPhase.keyDistribution, nids.old), (.usingNewKeys, nids.new)] {
            var sender = stack(Sample.client, phase)
            let message = Sample.message([1, 2], security: .application(Sample.appKeyIndex))
            let pdu = try sender.send(message, at: .zero).1.transmitted[0]
            #expect(NetworkPDU.nid(of: pdu) == nid)
            for receiving in [KeyRefreshPhase.keyDistribution, .usingNewKeys] {
                var receiver = stack(Sample.node, receiving)
                #expect(receiver.receive(networkPDU: pdu, at: .zero).delivered.count == 1)
            }
            var behind = Sample.stack(Sample.node)
            #expect((behind.receive(networkPDU: pdu, at: .zero).delivered.count == 1) == (phase == .keyDistribution))
        }
    }

    @Test("in the second phase a PDU under the new key may have the NID of the old one, as BTstack sends it")
    func oldIdentifier() throws {
        let old = KeyDerivation.k2(Sample.netKey, purpose: [0]).nid
        var sender = stack(Sample.client, .usingNewKeys)
        let message = Sample.message([1, 2], security: .application(Sample.appKeyIndex))
        var pdu = try sender.send(message, at: .zero).1.transmitted[0]
        pdu[0] = pdu[0] & 0x80 | old
        for (phase, isHeard) in [(KeyRefreshPhase.usingNewKeys, true), (.keyDistribution, false)] {
            var receiver = stack(Sample.node, phase)
            #expect((receiver.receive(networkPDU: pdu, at: .zero).delivered.count == 1) == isHeard, "\(phase)")
        }
        var over = stack(Sample.node, .usingNewKeys)
        _ = over.receive(beacon: beacon(newKey, flag: false), at: .zero)
        #expect(over.receive(networkPDU: pdu, at: .zero).delivered.isEmpty, "the refresh is over")
    }

    @Test("beacons under the new key move the phase on; the old key is forgotten at the end")
    func beacons() throws {
        var node = stack(Sample.node, .keyDistribution)
        #expect(node.secureNetworkBeacon(.primary) == beacon(Sample.netKey, flag: false))
        #expect(node.receive(beacon: beacon(Sample.netKey, flag: false), at: .zero).isEmpty)
        #expect(node.receive(beacon: beacon(Sample.netKey, flag: true), at: .zero).isEmpty)
        #expect(
            node.receive(beacon: beacon(newKey, flag: true), at: .zero)
                == [.keyRefreshPhaseChanged(.primary, .usingNewKeys)]
        )
        #expect(node.secureNetworkBeacon(.primary) == beacon(newKey, flag: true))
        #expect(
            node.receive(beacon: beacon(newKey, flag: false), at: .zero) == [.keyRefreshPhaseChanged(.primary, .normal)]
        )
        #expect(node.secureNetworkBeacon(.primary) == beacon(newKey, flag: false))
        #expect(node.receive(beacon: beacon(Sample.netKey, flag: false), at: .zero) == [.dropped(.foreignBeacon)])
        #expect(node.keys.netKey(.primary)?.oldKey == nil)
        #expect(node.keys.appKey(Sample.appKeyIndex)?.oldKey == nil)
        var behind = Sample.stack(Sample.client)
        let pdu = try behind.send(Sample.message([1]), at: .zero).1.transmitted[0]
        #expect(node.receive(networkPDU: pdu, at: .zero).delivered.isEmpty)
        #expect(node.receive(beacon: beacon(newKey, flag: true), at: .zero).isEmpty, "it is over")
    }

    @Test("who drives the refresh keeps the old keys, and reaches those who have missed the new one")
    func driver() throws {
        var client = stack(Sample.client, .keyDistribution)
        client.forgetsOldKeysByBeacon = false
        #expect(
            client.receive(beacon: beacon(newKey, flag: false), at: .zero)
                == [.keyRefreshPhaseChanged(.primary, .usingNewKeys)]
        )
        #expect(client.receive(beacon: beacon(newKey, flag: false), at: .zero).isEmpty)
        for payload in [[1, 2], [UInt8](repeating: 7, count: 40)] {
            for usesOld in [false, true] {
                var message = Sample.message(payload, security: .device(node: Sample.node))
                message.usesOldNetKey = usesOld
                var sender = client
                let pdus = try sender.send(message, at: .zero).1.transmitted
                var behind = Sample.stack(Sample.node)
                let isUnderstood = pdus.allSatisfy { pdu in
                    !behind.receive(networkPDU: pdu, at: .zero).contains {
                        if case .dropped(.network) = $0 { true } else { false }
                    }
                }
                #expect(!pdus.isEmpty && isUnderstood == usesOld)
            }
        }
    }

    @Test("in the second phase beacons under the old key tell nothing: who is left out of the refresh has it, too")
    func oldBeacons() {
        let later = IVIndex(value: Sample.ivIndex.value + 1, isUpdateInProgress: true)
        let old = SecureNetworkBeacon(
            isKeyRefreshing: false,
            ivIndex: later,
            credentials: SubnetCredentials(Sample.netKey)
        ).encoded
        var behind = stack(Sample.node, .keyDistribution)
        #expect(behind.receive(beacon: old, at: .zero) == [.ivIndexChanged(later)])
        var node = stack(Sample.node, .usingNewKeys)
        #expect(node.receive(beacon: old, at: .zero) == [.dropped(.revokedBeacon)])
        #expect(node.ivIndex == Sample.ivIndex)
    }

    @Test("an old application key that a database has kept does not open messages without a refresh")
    func leftOver() throws {
        var keys = Sample.keys()
        keys.set(
            AppKey(
                index: Sample.appKeyIndex,
                name: "",
                boundNetKey: .primary,
                key: newAppKey,
                oldKey: Sample.appKey
            )
        )
        var excluded = Sample.stack(Sample.client)
        let message = Sample.message([1, 2], security: .application(Sample.appKeyIndex))
        let pdu = try excluded.send(message, at: .zero).1.transmitted[0]
        var node = Sample.stack(Sample.node, keys: keys)
        #expect(node.receive(networkPDU: pdu, at: .zero) == [.dropped(.undecryptable)])
    }

    @Test("a beacon without the flag ends the refresh from the first phase, too")
    func skipped() {
        var node = stack(Sample.node, .keyDistribution)
        #expect(
            node.receive(beacon: beacon(newKey, flag: false), at: .zero) == [.keyRefreshPhaseChanged(.primary, .normal)]
        )
    }
}

@Suite("KeyRing")
struct KeyRingTests {
    @Test("thousands of keys: those that share an identifier are told apart by what they open")
    func many() throws {
        var generator = SplitMix64(seed: 3)
        var keys = KeyRing()
        for index in 0..<600 as Range<UInt16> {
            keys.set(NetKey(index: Sample.netIndex(index), name: "", key: .random(using: &generator)))
            let bound = Sample.netIndex(index)
            keys.set(
                AppKey(index: Sample.appIndex(index), name: "", boundNetKey: bound, key: .random(using: &generator))
            )
        }
        #expect(keys.netKeys.map(\.index.rawValue) == Array(0..<600))
        #expect((0..<128 as Range<UInt8>).contains { keys.candidates(nid: $0).count > 1 })
        var client = Sample.stack(Sample.client, keys: keys)
        var node = Sample.stack(Sample.node, keys: keys)
        for index in stride(from: UInt16(0), to: 600, by: 7) {
            var message = Sample.message([1, 2], security: .application(Sample.appIndex(index)))
            message.netKeyIndex = Sample.netIndex(index)
            let pdu = try client.send(message, at: .zero).1.transmitted[0]
            let delivered = node.receive(networkPDU: pdu, at: .zero).delivered
            #expect(delivered.map(\.netKeyIndex) == [message.netKeyIndex])
            #expect(delivered.map(\.security) == [message.security])
        }
        for index in 0..<600 as Range<UInt16> {
            keys.removeNetKey(Sample.netIndex(index))
            keys.removeAppKey(Sample.appIndex(index))
        }
        #expect((0..<128 as Range<UInt8>).allSatisfy { keys.candidates(nid: $0).isEmpty })
        #expect((0..<64 as Range<UInt8>).allSatisfy { keys.candidates(aid: $0).isEmpty })
    }

    @Test("an application key counts only in the subnet it is bound to")
    func bound() throws {
        var keys = Sample.keys()
        let second = Sample.netIndex(1)
        keys.set(NetKey(index: second, name: "", key: Sample.deviceKey))
        var client = Sample.stack(Sample.client, keys: keys)
        var message = Sample.message([1, 2], security: .application(Sample.appKeyIndex))
        message.netKeyIndex = second
        #expect(throws: StackError.appKeyNotBound(Sample.appKeyIndex, second)) { try client.send(message, at: .zero) }
        keys.set(AppKey(index: Sample.appKeyIndex, name: "", boundNetKey: second, key: Sample.appKey))
        client.keys = keys
        let pdu = try client.send(message, at: .zero).1.transmitted[0]
        keys.set(AppKey(index: Sample.appKeyIndex, name: "", boundNetKey: .primary, key: Sample.appKey))
        var node = Sample.stack(Sample.node, keys: keys)
        #expect(node.receive(networkPDU: pdu, at: .zero) == [.dropped(.undecryptable)])
    }

    @Test("nothing of it prints keys")
    func secret() {
        var keys = Sample.keys()
        keys.setDeviceKey(Sample.deviceKey, of: Sample.client)
        var text = ""
        dump(keys, to: &text)
        text += "\(keys)"
        let numbers = [Sample.netKey, Sample.appKey, Sample.deviceKey].flatMap {
            ["\($0.octets.high)", "\($0.octets.low)", $0.octets.hexadecimal]
        }
        for number in numbers { #expect(!text.lowercased().contains(number)) }
    }

    @Test("labels that share a virtual address are told apart by what they open")
    func labels() throws {
        var byAddress: [Address: LabelUUID] = [:]
        var twins: (LabelUUID, LabelUUID)?
        for low in 0... as PartialRangeFrom<UInt64> {
            let label = LabelUUID(rawValue: Octets16(high: 7, low: low))
            if let other = byAddress.updateValue(label, forKey: label.virtualAddress) {
                twins = (other, label)
                break
            }
        }
        let (first, second) = try #require(twins)
        var keys = Sample.keys()
        keys.add(first)
        keys.add(second)
        keys.add(second)
        #expect(keys.labels == [first, second].sorted())
        var client = Sample.stack(Sample.client, keys: keys)
        var node = Sample.stack(Sample.node, keys: keys)
        for label in [first, second] {
            let message = Sample.message([1], to: .virtual(label), security: .application(Sample.appKeyIndex))
            let pdu = try client.send(message, at: .zero).1.transmitted[0]
            #expect(node.receive(networkPDU: pdu, at: .zero).delivered.map(\.label) == [label])
        }
        keys.remove(first)
        #expect(keys.labels == [second])
    }
}
