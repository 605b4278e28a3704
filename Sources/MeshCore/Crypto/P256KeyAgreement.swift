import CCrypto

/// The curve P-256 (FIPS 186-5, SP 800-186 3.2.1.3) in libcrypto.
private enum P256 {
    // Made once and never changed, so threads can share it.
    nonisolated(unsafe) static let group: OpaquePointer = {
        guard let group = ccrypto_p256_new() else { libcryptoFailed("P-256") }
        return group
    }()

    /// The order of the group. Private keys lie strictly between 0 and it.
    static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]
}

/// A public key of P-256 (Mesh Protocol 5.4.1.4): the coordinates of a point on the curve.
///
/// Every value of this type is a valid point, so nobody needs to check it again.
package struct P256PublicKey: Hashable, Sendable {
    /// The number of octets of both coordinates.
    package static let size = 64

    /// X and Y, 32 octets each, big-endian.
    package let coordinates: [UInt8]

    /// The key with those coordinates; nil unless there are 64 octets that form a point of the curve.
    package init?(_ coordinates: some Collection<UInt8>) {
        guard coordinates.count == P256PublicKey.size else { return nil }
        let coordinates = Array(coordinates)
        let isPoint = coordinates.withUnsafeBufferPointer { ccrypto_p256_is_point(P256.group, $0.baseAddress) }
        guard isPoint == 1 else { return nil }
        self.coordinates = coordinates
    }

    fileprivate init(unchecked coordinates: [UInt8]) {
        self.coordinates = coordinates
    }

    /// X, 32 octets. Two keys with the same X are equal or opposite, so they lead to the same secrets.
    var x: ArraySlice<UInt8> { coordinates.prefix(32) }
}

/// A private key of P-256 with its public key, for the agreement on a secret (Mesh Protocol 5.4.2.3, SP 800-56A
/// 5.7.1.2).
///
/// Nothing prints the private key.
package struct P256KeyPair: Sendable {
    /// The number of octets of a private key.
    package static let privateKeySize = 32

    /// The key for the peer.
    package let publicKey: P256PublicKey
    private let scalar: [UInt8]

    /// The pair for a private key of 32 octets, big-endian. Nil for another length, for zero, and for numbers not below
    /// the order of the group.
    package init?(privateKey scalar: some Collection<UInt8>) {
        guard scalar.count == P256KeyPair.privateKeySize,
            scalar.contains(where: { $0 != 0 }),
            scalar.lexicographicallyPrecedes(P256.order)
        else { return nil }
        let scalar = Array(scalar)
        guard let product = P256KeyPair.multiply(scalar, nil) else { libcryptoFailed("a multiplication on P-256") }
        self.scalar = scalar
        publicKey = P256PublicKey(unchecked: product)
    }

    /// A new pair from `generator`, which must be cryptographically secure outside tests.
    package static func random(using generator: inout some RandomNumberGenerator) -> P256KeyPair {
        // One draw in 2^32 lies above the order. A generator that never yields a key is broken.
        for _ in 0..<64 {
            var writer = ByteWriter(capacity: privateKeySize)
            for _ in 0..<4 { writer.write(generator.next()) }
            if let pair = P256KeyPair(privateKey: writer.bytes) { return pair }
        }
        preconditionFailure("the random number generator yields no private key")
    }

    /// The secret shared with the holder of the private key to `publicKey`: X of the product, 32 octets, big-endian.
    package func sharedSecret(with publicKey: P256PublicKey) -> [UInt8] {
        // The product of a valid point and a scalar below the prime order is never the point at infinity.
        guard let product = P256KeyPair.multiply(scalar, publicKey.coordinates) else {
            libcryptoFailed("a multiplication on P-256")
        }
        return Array(product.prefix(32))
    }

    private static func multiply(_ scalar: [UInt8], _ coordinates: [UInt8]?) -> [UInt8]? {
        var isDone: Int32 = 0
        let product = [UInt8](unsafeUninitializedCapacity: P256PublicKey.size) { output, count in
            isDone = scalar.withUnsafeBufferPointer { scalar in
                guard let coordinates else {
                    return ccrypto_p256_multiply(P256.group, scalar.baseAddress, nil, output.baseAddress)
                }
                return coordinates.withUnsafeBufferPointer {
                    ccrypto_p256_multiply(P256.group, scalar.baseAddress, $0.baseAddress, output.baseAddress)
                }
            }
            count = isDone == 1 ? P256PublicKey.size : 0
        }
        return isDone == 1 ? product : nil
    }
}

extension P256KeyPair: Hashable {
    /// Pairs with the same public key are the same pair.
    package static func == (left: P256KeyPair, right: P256KeyPair) -> Bool { left.publicKey == right.publicKey }

    /// Hashes the public key.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(publicKey)
    }
}

extension P256KeyPair: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Hides the key's octets.
    package var description: String { "(secret)" }
    /// Hides the key's octets.
    package var debugDescription: String { "(secret)" }
    /// Hides the key's octets.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
