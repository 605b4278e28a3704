import MeshCore
import TestSupport
import Testing

@Suite("Key index lists")
struct KeyIndexPackingTests {
    @Test(
        "pairs take three octets and an odd last index two",
        arguments: [
            ([], ""), ([0x123], "2301"), ([0x123, 0x456], "236145"), ([0x123, 0x456, 0x789], "2361458907"),
            ([0xFFF, 0x000], "ff0f00"), ([0x000, 0xFFF], "00f0ff"), ([0, 0, 0, 0xFFF], "00000000f0ff"),
        ] as [([UInt16], String)]
    )
    func packs(indexes: [UInt16], octets: String) throws {
        let list = ConfigNetKeyList(netKeyIndexes: indexes.compactMap { NetKeyIndex(rawValue: $0) })
        #expect(list.parameters == hex(octets))
        #expect(try ConfigNetKeyList(parameters: hex(octets)[...]) == list)
    }

    @Test("every number of indexes survives", arguments: 0...40)
    func roundTrip(count: Int) throws {
        let indexes = (0..<count).compactMap { AppKeyIndex(rawValue: UInt16($0 * 97 % 4096)) }
        let list = ConfigAppKeyList(status: .success, netKeyIndex: .primary, appKeyIndexes: indexes)
        #expect(list.parameters.count == 3 + (count / 2) * 3 + (count % 2) * 2)
        #expect(try ConfigAppKeyList(parameters: list.parameters[...]) == list)
    }

    @Test(
        "a single octet at the end and bits above an odd last index are refused",
        arguments: ["23", "23614589", "0010"]
    )
    func refused(octets: String) {
        #expect(throws: DecodeError.self) { try ConfigNetKeyList(parameters: hex(octets)[...]) }
    }
}

@Suite("Heartbeat values")
struct HeartbeatValuesTests {
    @Test(
        "periods are powers of two seconds",
        arguments: [(0, 0), (1, 1), (2, 2), (8, 4), (32_768, 16), (65_535, 17)] as [(UInt32, UInt8)]
    )
    func periods(seconds: UInt32, octet: UInt8) throws {
        let period = try #require(HeartbeatPeriodLog(seconds: seconds))
        #expect(period.rawValue == octet)
        #expect(period.seconds == seconds)
    }

    @Test("other periods do not exist", arguments: [3, 7, 100, 32_767, 65_534, 65_536, .max] as [UInt32])
    func otherPeriods(seconds: UInt32) {
        #expect(HeartbeatPeriodLog(seconds: seconds) == nil)
    }
}
