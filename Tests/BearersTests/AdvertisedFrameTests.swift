import TestSupport
import Testing

@testable import Bearers

@Suite("Frames that stand for what arrived over GATT")
struct AdvertisedFrameTests {
    /// The transactions of the specification's sample (Mesh Protocol 8.7), without the AD length and type.
    private static let invite = "23af585000000002140000"
    private static let capabilities = "23af58508000000cd6010100010000000000000000"
    private static let publicKey = [
        "23af585002080041d1032c31a47b5779809ef44cb5eaaf5c3e43d5f8fa",
        "23af58500206ad4a8794cb987e9b03745c78dd919512183898dfbecd52",
        "23af5850020ae2408e43871fd021109117bd3ed4eaf8437743715d4f",
    ]

    @Test("provisioning PDUs become the transactions of the specification's sample")
    func transactions() throws {
        let link: UInt32 = 0x23AF_5850
        let key = """
            032c31a47b5779809ef44cb5eaaf5c3e43d5f8faad4a8794cb987e9b03745c78dd919512183898dfbecd52e2408e43871fd0\
            21109117bd3ed4eaf8437743715d4f
            """
        let cases: [(pdu: String, transaction: UInt8, frames: [String])] = [
            ("0000", 0x00, [Self.invite]), ("010100010000000000000000", 0x80, [Self.capabilities]),
            (key, 0x02, Self.publicKey),
        ]
        for (pdu, transaction, frames) in cases {
            let made = AdvertisedFrame.provisioning(hex(pdu), link: link, transaction: transaction)
            #expect(try made.map { try Self.data(of: $0, type: 0x29) } == frames.map { hex($0) })
        }
    }

    @Test("a beacon stands in an advertisement, and one that is too long in none")
    func beacon() throws {
        let octets = [UInt8](1...22)
        let frame = try required(AdvertisedFrame.beacon(octets, link: 7))
        #expect(try Self.data(of: frame, type: 0x2B) == octets)
        #expect(AdvertisedFrame.beacon(Array(repeating: 0, count: 30), link: 7) == nil)
    }

    /// The octets behind the AD type of a frame that is well-formed.
    private static func data(of frame: [UInt8], type: UInt8) throws -> [UInt8] {
        try #require(frame.count > 17)
        #expect(Array(frame[..<5]) == [0xD6, 0xBE, 0x89, 0x8E, 0x42])
        #expect(Int(frame[5]) == frame.count - 9, "the PDU's length counts neither header nor CRC")
        #expect(Int(frame[5]) <= 37)
        #expect(Int(frame[12]) == frame.count - 16, "the AD length counts its type")
        #expect(frame[13] == type)
        return Array(frame[14..<frame.count - 3])
    }
}
