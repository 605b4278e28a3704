import MeshCore
import TestSupport
import Testing

@Suite("AESGCM and SHA256")
struct AESGCMTests {
    struct Vector: Sendable {
        let name: String
        let key: String
        let nonce: String
        let associatedData: String
        let plaintext: String
        let sealed: String
    }

    /// The AES-256 cases with a 96-bit nonce of the GCM specification that NIST SP 800-38D refers to, appendix B.
    static let vectors = [
        Vector(
            name: "test case 13",
            key: String(repeating: "00", count: 32),
            nonce: String(repeating: "00", count: 12),
            associatedData: "",
            plaintext: "",
            sealed: "530f8afbc74536b9a963b4f1c4cb738b"
        ),
        Vector(
            name: "test case 14",
            key: String(repeating: "00", count: 32),
            nonce: String(repeating: "00", count: 12),
            associatedData: "",
            plaintext: String(repeating: "00", count: 16),
            sealed: "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"
        ),
        Vector(
            name: "test case 15",
            key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
            nonce: "cafebabefacedbaddecaf888",
            associatedData: "",
            plaintext: """
                d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525
                b16aedf5aa0de657ba637b391aafd255
                """,
            sealed: """
                522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838
                c5f61e6393ba7a0abcc9f662898015adb094dac5d93471bdec1a502270e3cc6c
                """
        ),
        Vector(
            name: "test case 16",
            key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
            nonce: "cafebabefacedbaddecaf888",
            associatedData: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            plaintext: """
                d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525
                b16aedf5aa0de657ba637b39
                """,
            sealed: """
                522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838
                c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b
                """
        ),
    ]

    @Test("GCM specification vectors seal and open", arguments: vectors)
    func vector(_ vector: Vector) throws {
        let cipher = try AESGCM(key: hex(vector.key))
        let nonce = hex(vector.nonce)
        let associated = hex(vector.associatedData)
        let sealed = try cipher.seal(hex(vector.plaintext), nonce: nonce, associatedData: associated)
        #expect(sealed == hex(vector.sealed))
        #expect(try cipher.open(sealed[...], nonce: nonce[...], associatedData: associated) == hex(vector.plaintext))
    }

    @Test("One cipher seals and opens many messages in any order")
    func reuse() throws {
        let cipher = try AESGCM(key: hex(AESGCMTests.vectors[3].key))
        for _ in 0..<2 {
            for vector in AESGCMTests.vectors[2...] {
                let sealed = hex(vector.sealed)
                let associated = hex(vector.associatedData)
                #expect(
                    try cipher.open(sealed[...], nonce: hex(vector.nonce)[...], associatedData: associated)
                        == hex(vector.plaintext)
                )
            }
        }
    }

    @Test("Any changed bit is refused, in ciphertext, tag, nonce and associated data")
    func changes() throws {
        let vector = AESGCMTests.vectors[3]
        let cipher = try AESGCM(key: hex(vector.key))
        let whole = hex(vector.nonce) + hex(vector.associatedData) + hex(vector.sealed)
        for bit in 0..<whole.count * 8 {
            var changed = whole
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: AESGCMError.authentication) {
                try cipher.open(changed[32...], nonce: changed[..<12], associatedData: Array(changed[12..<32]))
            }
        }
        let sealed = hex(vector.sealed)
        #expect(throws: AESGCMError.authentication) {
            try cipher.open(sealed.dropLast(), nonce: whole[..<12], associatedData: Array(whole[12..<32]))
        }
    }

    @Test("Wrong lengths are refused")
    func lengths() throws {
        #expect(throws: AESGCMError.length(16)) { try AESGCM(key: [UInt8](repeating: 0, count: 16)) }
        let cipher = try AESGCM(key: [UInt8](repeating: 0, count: 32))
        #expect(throws: AESGCMError.length(11)) {
            try cipher.seal([1], nonce: [UInt8](repeating: 0, count: 11), associatedData: [])
        }
        #expect(throws: AESGCMError.length(15)) {
            try cipher.open(
                [UInt8](repeating: 0, count: 15)[...],
                nonce: [UInt8](repeating: 0, count: 12)[...],
                associatedData: []
            )
        }
    }

    @Test(
        "SHA-256 examples of FIPS 180",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ]
    )
    func sha256(_ text: String, _ digest: String) {
        #expect(SHA256.hash(Array(text.utf8)) == hex(digest))
    }
}
