import Testing

@testable import MeshCore

@Suite("Clocks that cannot be right")
struct CredibleClockTests {
    private let seen = Timestamp(rawValue: 1_795_000_000)

    private func network() throws -> MeshNetwork {
        var node = try node(1, at: 2)
        node.observedAt = seen
        var network = MeshNetwork(
            uuid: Octets16(high: 0, low: 1),
            name: "house",
            ivIndex: IVIndex(value: 10),
            netKeys: [NetKey(index: .primary, name: "primary", key: key(9))],
            provisioners: [Provisioner(name: "we", uuid: device(1), unicastRanges: [1...0x7FFF])],
            ownProvisioner: device(1),
            nodes: [node]
        )
        network.ivIndexChangedAt = Timestamp(rawValue: seen.rawValue - 1_000_000)
        return network
    }

    @Test("A clock before the latest time that is known, or before 2020, is none; some minutes are no matter")
    func credible() throws {
        let network = try network()
        #expect(network.latestKnownTime == seen)
        #expect(network.isCredible(seen) && network.isCredible(Timestamp(rawValue: seen.rawValue - 600)))
        #expect(network.isCredible(Timestamp(rawValue: seen.rawValue + 1_000_000_000)))
        #expect(!network.isCredible(Timestamp(rawValue: seen.rawValue - 86_400)))
        var empty = network
        (empty.nodes, empty.ivIndexChangedAt) = ([], nil)
        #expect(!empty.isCredible(Timestamp(rawValue: 1)) && empty.isCredible(Timestamp(rawValue: 1_600_000_000)))
    }

    @Test("When the IV index changes under such a clock, no time of it is recorded, and the clock is told of")
    func ivIndex() throws {
        var network = try network()
        let wrong = Timestamp(rawValue: 1)
        network.record(IVIndex(value: 12), isCorrection: false, at: wrong)
        #expect(network.ivIndex.value == 12)
        #expect(network.ivIndexChangedAt == nil && network.ivIndexRecoveredAt == nil)
        let health = SequenceHealth(of: .first, in: network, isIVIndexKnown: true, reserved: nil, at: wrong)
        #expect(health.findings == [.clockBehind(seen)])
        network.record(IVIndex(value: 13), isCorrection: false, at: seen)
        #expect(network.ivIndexChangedAt == seen)
    }
}
