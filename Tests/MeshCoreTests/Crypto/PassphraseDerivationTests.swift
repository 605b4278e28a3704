import MeshCore
import TestSupport
import Testing

@Suite("Derivation of keys from secrets")
struct PassphraseDerivationTests {
    @Test(
        "scrypt gives the vectors of RFC 7914, section 12",
        arguments: [
            (
                "", "", Scrypt.Cost(logN: 4, r: 1, p: 1),
                "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                    + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
            ),
            (
                "password", "NaCl", Scrypt.Cost(logN: 10, r: 8, p: 16),
                "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                    + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
            ),
            (
                "pleaseletmein", "SodiumChloride", Scrypt.Cost(logN: 14, r: 8, p: 1),
                "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
                    + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"
            ),
        ]
    )
    func scrypt(passphrase: String, salt: String, cost: Scrypt.Cost, expected: String) throws {
        let derived = Scrypt.derive(Array(passphrase.utf8), salt: Array(salt.utf8), cost: cost, length: 64)
        #expect(derived == hex(expected))
    }

    @Test(
        "Costs that RFC 7914 forbids, or that would take the machine's memory, are refused before anything is reserved",
        arguments: [
            Scrypt.Cost(logN: 0, r: 8, p: 1), Scrypt.Cost(logN: 17, r: 0, p: 1), Scrypt.Cost(logN: 17, r: 8, p: 0),
            Scrypt.Cost(logN: 16, r: 1, p: 1), Scrypt.Cost(logN: 21, r: 8, p: 1),
            Scrypt.Cost(logN: 33, r: 1 << 20, p: 1),
            Scrypt.Cost(logN: 255, r: .max, p: .max), Scrypt.Cost(logN: 14, r: 8, p: 1 << 30),
            Scrypt.Cost(logN: 1, r: .max, p: 1), Scrypt.Cost(logN: 17, r: 8, p: 17),
        ]
    )
    func bounds(cost: Scrypt.Cost) {
        #expect(!cost.isAcceptable)
        #expect(Scrypt.derive([1], salt: [2], cost: cost) == nil)
    }

    @Test("The standard cost takes 128 MiB, is acceptable, and stronger than any with less of anything")
    func standard() {
        #expect(Scrypt.Cost.standard.memory == 128 << 20)
        #expect(Scrypt.Cost.standard.isAcceptable)
        #expect(!Scrypt.Cost.standard.isWeaker(than: .standard))
        #expect(Scrypt.Cost(logN: 16, r: 8, p: 1).isWeaker(than: .standard))
        #expect(Scrypt.Cost(logN: 16, r: 8, p: 8).isWeaker(than: .standard), "half the memory, whatever the time")
        #expect(!Scrypt.Cost(logN: 18, r: 8, p: 1).isWeaker(than: .standard))
    }

    @Test(
        "HKDF gives the vectors of RFC 5869, appendix A",
        arguments: [
            (
                String(repeating: "0b", count: 22), "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9", 42,
                "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
            ),
            (
                String(repeating: "0b", count: 22), "", "", 42,
                "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
            ),
        ]
    )
    func hkdf(input: String, salt: String, info: String, length: Int, expected: String) throws {
        #expect(HKDF.derive(hex(input), salt: hex(salt), info: hex(info), length: length) == hex(expected))
    }
}
