import MeshCore
import TestSupport
import Testing

@Suite("Health Attention messages")
struct HealthAttentionTests {
    @Test("Attention Set for ten seconds is 80 05 0A")
    func layout() throws {
        #expect(HealthAttentionSet(seconds: 10).encoded == [0x80, 0x05, 0x0A])
        #expect(HealthAttentionSetUnacknowledged(seconds: 255).encoded == [0x80, 0x06, 0xFF])
        #expect(HealthAttentionGet().encoded == [0x80, 0x04])
        #expect(try HealthAttentionStatus(parameters: [7]) == HealthAttentionStatus(seconds: 7))
    }

    @Test("Other lengths are refused", arguments: [[], [1, 2]] as [[UInt8]])
    func lengths(parameters: [UInt8]) {
        #expect(throws: DecodeError.self) { _ = try HealthAttentionSet(parameters: parameters[...]) }
        #expect(throws: DecodeError.self) { _ = try HealthAttentionStatus(parameters: parameters[...]) }
    }

    @Test(
        "A status answers a request that can have led to it",
        arguments: zip([10, 9, 11, 0], [true, true, false, false])
    )
    func answers(seconds: UInt8, isAnswer: Bool) {
        let status = HealthAttentionStatus(seconds: seconds)
        #expect(HealthAttentionSet(seconds: 10).isAnswered(by: status) == isAnswer)
        #expect(HealthAttentionSet(seconds: 0).isAnswered(by: status) == (seconds == 0))
        #expect(HealthAttentionGet().isAnswered(by: status))
    }
}

@Suite("AdvertisedURI")
struct AdvertisedURITests {
    @Test(
        "The scheme is one code point, and one that has none is written out",
        arguments: [
            ("https://example.org/a", [0x17] + Array("//example.org/a".utf8)),
            ("HTTP://example.org", [0x16] + Array("//example.org".utf8)),
            ("urn:x", [0x01] + Array("urn:x".utf8)), ("", [0x01]),
        ] as [(String, [UInt8])]
    )
    func encoding(uri: String, octets: [UInt8]) {
        #expect(AdvertisedURI.encode(uri) == octets)
        #expect(UnprovisionedDeviceBeacon.hash(ofURI: uri) == UnprovisionedDeviceBeacon.hash(ofURI: octets))
    }
}
