import MeshCore
import TestSupport
import Testing

@Suite("Reprovisioning of nodes")
struct ReprovisionTests {
    private let key = NetKey(
        index: .primary,
        name: "",
        key: KeyMaterial(Octets16(high: 1, low: 2)),
        oldKey: KeyMaterial(Octets16(high: 3, low: 4)),
        phase: .keyDistribution
    )

    private func rules(_ procedure: NodeProvisioningProcedure, phase: KeyRefreshPhase = .normal) -> ReprovisionRules {
        var key = key
        key.phase = phase
        return ReprovisionRules(
            procedure: procedure,
            netKeys: [key],
            ivIndex: IVIndex(value: 9, isUpdateInProgress: true),
            addresses: 0x0100...0x0103
        )
    }

    private func data(at address: UInt16, phase: KeyRefreshPhase = .normal) throws -> ProvisioningData {
        var key = key
        key.phase = phase
        return ProvisioningData(
            subnet: key,
            ivIndex: IVIndex(value: 9, isUpdateInProgress: true),
            address: try #require(UnicastAddress(rawValue: address))
        )
    }

    @Test("The address stays, or its range is beside the old one", arguments: 1...3 as ClosedRange<UInt8>)
    func addresses(elements: UInt8) throws {
        for address in 0x00FA...0x0108 as ClosedRange<UInt16> {
            let data = try data(at: address)
            let isBeside = address + UInt16(elements) <= 0x0100 || address > 0x0103
            let moved = rules(.nodeAddressRefresh).mismatch(of: data, elementCount: elements)
            #expect((moved == nil) == isBeside, "\(address)")
            for procedure in [NodeProvisioningProcedure.deviceKeyRefresh, .nodeCompositionRefresh] {
                let kept = rules(procedure).mismatch(of: data, elementCount: elements)
                #expect((kept == nil) == (address == 0x0100))
            }
        }
    }

    private static let everyPhase: [KeyRefreshPhase] = [.normal, .keyDistribution, .usingNewKeys]

    @Test("Each phase of a key refresh asks for its key and flag", arguments: everyPhase)
    func phases(phase: KeyRefreshPhase) throws {
        for other in Self.everyPhase {
            let mismatch = rules(.deviceKeyRefresh, phase: phase)
                .mismatch(of: try data(at: 0x0100, phase: other), elementCount: 4)
            #expect((mismatch == nil) == (other == phase))
        }
    }

    @Test("Subnet, IV index and its flag are the node's own")
    func otherFields() throws {
        let good = try data(at: 0x0100)
        var changed = [good, good, good]
        changed[0].netKeyIndex = try #require(NetKeyIndex(rawValue: 1))
        changed[1].ivIndex.value = 8
        changed[2].ivIndex.isUpdateInProgress = false
        let rules = rules(.deviceKeyRefresh)
        #expect(rules.mismatch(of: good, elementCount: 4) == nil)
        for data in changed { #expect(rules.mismatch(of: data, elementCount: 4) != nil) }
    }

    @Test("Both DeviceKeys are read until the candidate is used; then only that one is")
    func candidate() throws {
        let node = try #require(UnicastAddress(rawValue: 0x0100))
        let client = try #require(UnicastAddress(rawValue: 0x0001))
        let (old, new) = (KeyMaterial(Octets16(high: 5, low: 5)), KeyMaterial(Octets16(high: 6, low: 6)))
        var netKey = key
        netKey.phase = .normal
        var ring = KeyRing()
        ring.set(netKey)
        ring.setDeviceKey(old, of: node)
        func stack(at address: UnicastAddress, _ keys: KeyRing) -> MeshStack {
            MeshStack(
                address: address,
                elementCount: 1,
                ivIndex: IVIndex(value: 9),
                keys: keys,
                sequenceNumbers: InMemorySequenceNumbers()
            )
        }
        var sender = stack(at: client, ring)
        ring.setDeviceKeyCandidate(new, of: node)
        var receiver = stack(at: node, ring)

        func deliver(under key: KeyMaterial, _ payload: [UInt8]) throws -> [StackAction] {
            sender.keys.setDeviceKey(key, of: node)
            let message = OutgoingMessage(
                source: client,
                destination: .unicast(node),
                payload: payload,
                security: .device(node: node),
                ttl: 5
            )
            return try sender.send(message, at: .zero).1.flatMap { action -> [StackAction] in
                guard case .transmit(let pdu, _) = action else { return [] }
                return receiver.receive(networkPDU: pdu, at: .zero)
            }
        }
        func isRead(_ actions: [StackAction]) -> Bool {
            actions.contains { if case .deliver = $0 { true } else { false } }
        }

        let first = try deliver(under: old, [0x80, 0x08, 0x00])
        #expect(isRead(first) && !first.contains(.deviceKeyActivated(node)))
        let second = try deliver(under: new, [0x80, 0x08, 0x00])
        #expect(isRead(second) && second.first == .deviceKeyActivated(node))
        #expect(try deliver(under: old, [0x80, 0x08, 0x00]) == [.dropped(.undecryptable)])
        let third = try deliver(under: new, [0x80, 0x08, 0x00])
        #expect(isRead(third) && !third.contains(.deviceKeyActivated(node)))
    }
}
