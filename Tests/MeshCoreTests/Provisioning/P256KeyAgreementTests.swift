import TestSupport
import Testing

@testable import MeshCore

@Suite("P256KeyAgreement")
struct P256KeyAgreementTests {
    static let generator = hex(
        """
        6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296
        4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5
        """
    )
    static let prime = hex("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff")
    static let order = hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")

    /// p - y, of 32 octets.
    static func negated(_ y: [UInt8]) -> [UInt8] { subtract(prime, y) }

    static func subtract(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        var borrow = 0
        var result = left
        for index in left.indices.reversed() {
            let difference = Int(left[index]) - Int(right[index]) - borrow
            borrow = difference < 0 ? 1 : 0
            result[index] = UInt8(truncatingIfNeeded: difference)
        }
        return result
    }

    static func scalar(_ value: UInt8) -> [UInt8] { [UInt8](repeating: 0, count: 31) + [value] }

    /// The first test of NIST CAVS 14.1 for ECC CDH on P-256.
    @Test("the secret of the NIST example")
    func nist() throws {
        let pair = try #require(
            P256KeyPair(privateKey: hex("7d7dc5f71eb29ddaf80d6214632eeae03d9058af1fb6d22ed80badb62bc1a534"))
        )
        let peer = try #require(
            P256PublicKey(
                hex(
                    """
                    700c48f77f56584c5cc632ca65640db91b6bacce3a4df6b42ce7cc838833d287
                    db71e509e3fd9b060ddb20ba5c51dcc5948d46fbf640dfe0441782cab85fa4ac
                    """
                )
            )
        )
        #expect(
            pair.publicKey.coordinates
                == hex(
                    """
                    ead218590119e8876b29146ff89ca61770c4edbbf97d38ce385ed281d8a6b230
                    28af61281fd35e2fa7002523acc85a429cb06ee6648325389f59edfce1405141
                    """
                )
        )
        #expect(
            pair.sharedSecret(with: peer)
                == hex("46fc62106420ff012e54a434fbdd2d25ccc5852060561e68040dd7778997bd7b")
        )
    }

    @Test("private keys lie between 0 and the order of the group")
    func range() throws {
        #expect(P256KeyPair(privateKey: Self.scalar(0)) == nil)
        #expect(P256KeyPair(privateKey: Self.order) == nil)
        #expect(P256KeyPair(privateKey: [UInt8](repeating: 0xFF, count: 32)) == nil)
        #expect(P256KeyPair(privateKey: [UInt8](repeating: 1, count: 31)) == nil)
        #expect(P256KeyPair(privateKey: [UInt8](repeating: 1, count: 33)) == nil)
        #expect(try #require(P256KeyPair(privateKey: Self.scalar(1))).publicKey.coordinates == Self.generator)
        let last = try #require(P256KeyPair(privateKey: Self.subtract(Self.order, Self.scalar(1))))
        #expect(
            last.publicKey.coordinates == Self.generator.prefix(32) + Self.negated(Array(Self.generator.suffix(32)))
        )
    }

    @Test("both sides agree on a secret, and no two pairs on the same")
    func agreement() {
        var generator = SplitMix64(seed: 1)
        var secrets: Set<[UInt8]> = []
        for _ in 0..<50 {
            let (left, right) = (P256KeyPair.random(using: &generator), P256KeyPair.random(using: &generator))
            let secret = left.sharedSecret(with: right.publicKey)
            #expect(secret.count == 32 && right.sharedSecret(with: left.publicKey) == secret)
            secrets.insert(secret)
        }
        #expect(secrets.count == 50)
    }

    @Test("only points of the curve are public keys")
    func points() {
        #expect(P256PublicKey(Self.generator)?.coordinates == Self.generator)
        #expect(P256PublicKey([UInt8](repeating: 0, count: 64)) == nil)
        #expect(P256PublicKey(Self.generator.dropLast()) == nil)
        #expect(P256PublicKey(Self.generator + [0]) == nil)
        #expect(P256PublicKey([UInt8]()) == nil)
        for bit in 0..<512 {
            var altered = Self.generator
            altered[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(P256PublicKey(altered) == nil, "\(bit)")
        }
        // Coordinates must be reduced: (0, y) with x written as the prime is another form of a valid point.
        let zeroX =
            Self.scalar(0) + hex("66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4")
        #expect(P256PublicKey(zeroX) != nil)
        #expect(P256PublicKey(Self.prime + zeroX.suffix(32)) == nil)
    }
}
