import MeshCore
import TestSupport
import Testing

@testable import Store

@Suite("Keys for Wireshark")
struct WiresharkKeysTests {
    private static func network() throws -> MeshNetwork {
        var generator = SplitMix64(seed: 5)
        return MeshNetwork.new(name: "x", at: Timestamp(rawValue: 1), using: &generator)
    }

    private static func rows(_ network: MeshNetwork) -> [String: [String]] {
        Dictionary(
            WiresharkKeys(network).tables.map { table in
                (table.name, table.text.split(separator: "\n").map(String.init))
            },
            uniquingKeysWith: { first, _ in first }
        )
    }

    @Test("a new network has a row for its NetKey and one for our own device key")
    func fresh() throws {
        let network = try Self.network()
        let rows = Self.rows(network)
        let key = network.netKeys[0].key.octets.hexadecimal
        #expect(rows["btmesh_nw_keys"] == ["\"0x\(key)\",\"0x\(String(repeating: "0", count: 32))\",\"0x00000000\""])
        let device = try required(network.nodes[0].deviceKey).octets.hexadecimal
        #expect(rows["btmesh_dev_keys"] == ["\"0x\(device)\",\"0x0001\""])
        #expect(rows["btmesh_label_uuids"] == [])
        #expect("\(WiresharkKeys(network))" == "(secret)")
    }

    @Test("keys in a key refresh stand there in both forms, under both IV indexes, and a node's key under both senders")
    func busy() throws {
        var network = try Self.network()
        var generator = SplitMix64(seed: 6)
        network.ivIndex = IVIndex(value: 0x12)
        network.netKeys[0].oldKey = .random(using: &generator)
        network.appKeys = [
            AppKey(
                index: try required(AppKeyIndex(rawValue: 0)),
                name: "a",
                boundNetKey: .primary,
                key: .random(using: &generator),
                oldKey: .random(using: &generator)
            )
        ]
        network.groups = [Group(name: "g", address: .virtual(LabelUUID(rawValue: Octets16(high: 1, low: 2))))]
        network.nodes.append(
            Node(
                uuid: DeviceUUID(rawValue: Octets16(high: 1, low: 1)),
                name: "lamp",
                unicastAddress: try required(UnicastAddress(rawValue: 0x0105)),
                deviceKey: .random(using: &generator)
            )
        )
        let rows = Self.rows(network)
        let keys = try required(rows["btmesh_nw_keys"])
        #expect(keys.count == 8 && Set(keys).count == 8)
        #expect(keys.filter { $0.hasSuffix("\"0x00000011\"") }.count == 4)
        #expect(
            try required(rows["btmesh_dev_keys"]).map { $0.suffix(9) } == [",\"0x0001\"", ",\"0x0105\"", ",\"0x0001\""]
        )
        #expect(rows["btmesh_label_uuids"] == ["\"0x00000000000000010000000000000002\""])
    }
}
