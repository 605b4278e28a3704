import TestSupport
import Testing

@testable import MeshCore

@Suite("Crypto vectors")
struct CryptoVectorTests {
    static func vectors(_ prefix: String) -> [Vector] {
        Vector.list("crypto", "vectors").filter { $0.text("function").hasPrefix(prefix) }
    }

    @Test("every vector of the file is covered by a test here")
    func covered() {
        let prefixes = ["e (", "AES-CMAC", "AES-CCM", "HMAC", "s1", "s2", "k1", "k2", "k3", "k4", "k5", "virtual"]
        let all = Vector.list("crypto", "vectors")
        #expect(all.count == 37)
        for vector in all {
            #expect(prefixes.filter { vector.text("function").hasPrefix($0) }.count == 1, "\(vector.testDescription)")
        }
        for prefix in prefixes { #expect(!Self.vectors(prefix).isEmpty, "\(prefix)") }
    }

    @Test("AES-128 encrypts a block, again and again", arguments: vectors("e ("))
    func block(vector: Vector) {
        let cipher = AESBlockCipher(key: vector.octets16("key"))
        for _ in 0..<2 { #expect(cipher.encrypt(vector.octets16("plaintext")).bytes == vector.octets("result")) }
    }

    @Test("CMAC of messages, with a key prepared once", arguments: vectors("AES-CMAC"))
    func cmac(vector: Vector) {
        let mac = CMAC(key: vector.octets16("key"))
        for _ in 0..<3 { #expect(mac.code(of: vector.octets("message")).bytes == vector.octets("result")) }
        _ = mac.code(of: [1, 2, 3])
        #expect(mac.code(of: vector.octets("message")).bytes == vector.octets("result"))
    }

    @Test("CCM seals and opens, with a key prepared once", arguments: vectors("AES-CCM"))
    func ccm(vector: Vector) throws {
        let cipher = AuthenticatedCipher(key: vector.octets16("key"))
        let nonce = try #require(Nonce(vector.octets("nonce")))
        #expect(nonce.bytes == vector.octets("nonce"))
        let mic = try #require(MICSize(rawValue: Int(vector.number("micBytes"))))
        let additional = vector.octets("aad")
        let plaintext = vector.octets("plaintext")
        let result = vector.octets("result")
        for _ in 0..<2 {
            let sealed = cipher.seal(plaintext, nonce: nonce, additional: additional, mic: mic)
            #expect(sealed == result)
            #expect(cipher.open(sealed[...], nonce: nonce, additional: additional, mic: mic) == plaintext)
        }
    }

    @Test("CCM refuses every altered bit and every other length", arguments: [MICSize.bits32, .bits64])
    func ccmRefuses(mic: MICSize) throws {
        let cipher = AuthenticatedCipher(key: Octets16(high: 1, low: 2))
        let nonce = try #require(Nonce((0..<13).map { UInt8($0) }))
        let label = Octets16(high: 3, low: 4).bytes
        let sealed = cipher.seal([1, 2, 3, 4, 5], nonce: nonce, additional: label, mic: mic)
        #expect(cipher.open(sealed[...], nonce: nonce, additional: label, mic: mic) == [1, 2, 3, 4, 5])
        #expect(cipher.open(sealed[...], nonce: nonce, mic: mic) == nil)
        for bit in 0..<sealed.count * 8 {
            var altered = sealed
            altered[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(cipher.open(altered[...], nonce: nonce, additional: label, mic: mic) == nil)
        }
        for length in 0..<sealed.count {
            #expect(cipher.open(sealed.prefix(length), nonce: nonce, additional: label, mic: mic) == nil)
        }
        #expect(cipher.open((sealed + [0])[...], nonce: nonce, additional: label, mic: mic) == nil)
        // A refusal leaves the prepared key usable.
        #expect(cipher.open(sealed[...], nonce: nonce, additional: label, mic: mic) == [1, 2, 3, 4, 5])
    }

    @Test("HMAC-SHA256", arguments: vectors("HMAC"))
    func hmac(vector: Vector) {
        #expect(HMACSHA256.code(of: vector.octets("message"), key: vector.octets("key")) == vector.octets("result"))
    }

    @Test("s1 makes salts", arguments: vectors("s1"))
    func s1(vector: Vector) {
        #expect(KeyDerivation.s1(vector.octets("m")).bytes == vector.octets("result"))
    }

    @Test("s2 makes salts", arguments: vectors("s2"))
    func s2(vector: Vector) {
        #expect(KeyDerivation.s2(vector.octets("m")) == vector.octets("result"))
    }

    @Test("k1 and the keys that are made with it", arguments: vectors("k1"))
    func k1(vector: Vector) {
        let n = vector.octets("n")
        let salt = vector.octets16("salt")
        let purpose = vector.has("p") ? vector.octets("p") : Array("id128".utf8) + [1]
        #expect(KeyDerivation.k1(n, salt: salt, purpose: purpose).bytes == vector.octets("result"))
        guard vector.has("keyName") else { return }
        switch vector.text("keyName") {
        case "IdentityKey": #expect(KeyDerivation.identityKey(of: vector.key("n")).bytes == vector.octets("result"))
        case "BeaconKey": #expect(KeyDerivation.beaconKey(of: vector.key("n")).bytes == vector.octets("result"))
        default: #expect(KeyDerivation.privateBeaconKey(of: vector.key("n")).bytes == vector.octets("result"))
        }
    }

    @Test("k2 for flooding, friendship and directed forwarding", arguments: vectors("k2"))
    func k2(vector: Vector) {
        let keys = KeyDerivation.k2(vector.key("n"), purpose: vector.octets("p"))
        #expect([keys.nid] == vector.octets("nid"))
        #expect(keys.encryptionKey == vector.key("encryptionKey"))
        #expect(keys.privacyKey == vector.key("privacyKey"))
    }

    @Test("k3 makes Network IDs", arguments: vectors("k3"))
    func k3(vector: Vector) {
        #expect(KeyDerivation.k3(vector.key("n")) == vector.number("result"))
        #expect(SubnetCredentials(vector.key("n")).networkID == vector.number("result"))
    }

    @Test("k4 makes AIDs", arguments: vectors("k4"))
    func k4(vector: Vector) {
        #expect([KeyDerivation.k4(vector.key("n"))] == vector.octets("result"))
    }

    @Test("k5", arguments: vectors("k5"))
    func k5(vector: Vector) {
        let result = KeyDerivation.k5(vector.octets("n"), salt: vector.octets("salt"), purpose: vector.octets("p"))
        #expect(result == vector.octets("result"))
    }

    @Test("labels have virtual addresses", arguments: vectors("virtual"))
    func virtualAddress(vector: Vector) {
        let label = LabelUUID(rawValue: vector.octets16("labelUuid"))
        #expect(label.virtualAddress == vector.address("result"))
    }
}
