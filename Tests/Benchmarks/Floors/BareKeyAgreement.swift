import CCrypto

/// One key generation and one key agreement with libcrypto only, in two ways.
final class BareKeyAgreement {
    private let group: OpaquePointer
    private let generation: OpaquePointer
    private let peer: OpaquePointer
    private let peerPoint: [UInt8]
    private let scalar: [UInt8]

    init?() {
        guard let group = ccrypto_p256_new(), let generation = EVP_PKEY_CTX_new_from_name(nil, "EC", nil),
            EVP_PKEY_keygen_init(generation) == 1,
            EVP_PKEY_CTX_set_group_name(generation, "P-256") == 1
        else { return nil }
        var key: OpaquePointer?
        guard EVP_PKEY_generate(generation, &key) == 1, let key else { return nil }
        self.group = group
        self.generation = generation
        peer = key
        scalar = (1...32).map { $0 }
        var point = [UInt8](repeating: 0, count: 64)
        guard ccrypto_p256_multiply(group, scalar, nil, &point) == 1 else { return nil }
        peerPoint = point
    }

    deinit {
        EVP_PKEY_free(peer)
        EVP_PKEY_CTX_free(generation)
        EC_GROUP_free(group)
    }

    /// With key objects, as OpenSSL recommends. The peer's key was read before and is not validated again.
    func agree() -> Bool {
        var key: OpaquePointer?
        guard EVP_PKEY_generate(generation, &key) == 1, let key else { return false }
        defer { EVP_PKEY_free(key) }
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { return false }
        defer { EVP_PKEY_CTX_free(context) }
        var secret = [UInt8](repeating: 0, count: 32)
        var length = 32
        return EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_derive_set_peer_ex(context, peer, 0) == 1
            && EVP_PKEY_derive(context, &secret, &length) == 1 && length == 32
    }

    /// With points and numbers, which takes the fewest operations.
    func multiply() -> Bool {
        var (publicKey, product) = ([UInt8](repeating: 0, count: 64), [UInt8](repeating: 0, count: 64))
        return ccrypto_p256_multiply(group, scalar, nil, &publicKey) == 1
            && ccrypto_p256_multiply(group, scalar, peerPoint, &product) == 1
    }
}
