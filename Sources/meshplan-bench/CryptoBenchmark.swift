internal import CCrypto
internal import MeshCore

/// Compares the encryption of network PDUs, keys prepared, with a bare loop of libcrypto calls that makes the same PDUs.
enum CryptoBenchmark {
    /// PDUs in one timed run; long enough for the clock, short enough to slip between other processes.
    private static let count = 20_000
    private static let rounds = 41

    /// Prints both rates and their ratio, from the fastest of interleaved runs, for a full access PDU.
    static func run() {
        let keys = KeyDerivation.NetworkKeys(
            nid: 0x68,
            encryptionKey: KeyMaterial(Octets16(high: 0x0953_FA93_E7CA_AC96, low: 0x38F5_8820_220A_398E)),
            privacyKey: KeyMaterial(Octets16(high: 0x8B84_EEDE_C100_067D, low: 0x6709_71DD_2AA7_00CF))
        )
        let credentials = NetworkCredentials(keys)
        guard let bare = BareNetworkEncryption(keys) else {
            print("libcrypto has no AES-128-CCM")
            return
        }
        let transportPDU = (0..<16).map { UInt8($0 * 7 + 1) }
        guard (0..<UInt32(64)).allSatisfy({ ours($0, transportPDU, credentials) == bare.encrypt($0, transportPDU) })
        else {
            print("the two loops make different PDUs")
            return
        }

        var fastest = (ours: Int64.max, bare: Int64.max)
        var checksum: UInt64 = 0
        for _ in 0..<rounds {
            fastest.ours = min(fastest.ours, time { checksum &+= UInt64(ours($0, transportPDU, credentials)[28]) })
            fastest.bare = min(fastest.bare, time { checksum &+= UInt64(bare.encryptInPlace($0, transportPDU)) })
        }
        let rate = (ours: perSecond(fastest.ours), bare: perSecond(fastest.bare))
        print("network PDU encryption (CCM and obfuscation, 29 octets, keys prepared), best of \(rounds) x \(count)")
        print("meshplan:  \(rate.ours) PDUs/s")
        print("libcrypto: \(rate.bare) PDUs/s (bare EVP loop, same octets, checksum \(checksum & 0xFF))")
        print("ratio:     \(rate.ours * 100 / max(1, rate.bare)) %")
    }

    @inline(never)
    private static func ours(_ sequence: UInt32, _ transportPDU: [UInt8], _ credentials: NetworkCredentials) -> [UInt8]
    {
        let pdu = NetworkPDU(
            ivIndex: 0x1234_5678,
            isControl: false,
            ttl: 4,
            sequence: sequence,
            source: .first,
            destination: Address(rawValue: 0x1201),
            transportPDU: transportPDU
        )
        return (try? pdu.encoded(with: credentials)) ?? []
    }

    private static func time(_ body: (UInt32) -> Void) -> Int64 {
        let clock = ContinuousClock()
        let elapsed = clock.measure {
            for sequence in 0..<UInt32(count) { body(sequence) }
        }
        return elapsed.microseconds
    }

    private static func perSecond(_ microseconds: Int64) -> Int64 {
        Int64(count) * 1_000_000 / max(1, microseconds)
    }
}

/// The fewest EVP calls that make a network PDU: set the nonce, encrypt, fetch the MIC, encrypt the privacy block.
private final class BareNetworkEncryption {
    private let ccm: OpaquePointer
    private let block: OpaquePointer
    private let nid: UInt8
    private let nonce = UnsafeMutablePointer<UInt8>.allocate(capacity: 13)
    private let privacy = UnsafeMutablePointer<UInt8>.allocate(capacity: 16)
    private let mask = UnsafeMutablePointer<UInt8>.allocate(capacity: 16)
    private let pdu = UnsafeMutablePointer<UInt8>.allocate(capacity: 29)

    init?(_ keys: KeyDerivation.NetworkKeys) {
        let encryptionKey = keys.encryptionKey.octets.bytes
        let privacyKey = keys.privacyKey.octets.bytes
        guard let ccm = EVP_CIPHER_CTX_new(), let block = EVP_CIPHER_CTX_new(),
            EVP_EncryptInit_ex(ccm, EVP_aes_128_ccm(), nil, nil, nil) == 1,
            EVP_CIPHER_CTX_ctrl(ccm, EVP_CTRL_AEAD_SET_IVLEN, 13, nil) == 1,
            EVP_CIPHER_CTX_ctrl(ccm, EVP_CTRL_AEAD_SET_TAG, 4, nil) == 1,
            EVP_EncryptInit_ex(ccm, nil, nil, encryptionKey, nil) == 1,
            EVP_EncryptInit_ex(block, EVP_aes_128_ecb(), nil, privacyKey, nil) == 1,
            EVP_CIPHER_CTX_set_padding(block, 0) == 1
        else { return nil }
        self.ccm = ccm
        self.block = block
        nid = keys.nid
        nonce.initialize(repeating: 0, count: 13)
        privacy.initialize(repeating: 0, count: 16)
        mask.initialize(repeating: 0, count: 16)
        pdu.initialize(repeating: 0, count: 29)
        for (index, octet) in [0x12, 0x34, 0x56, 0x78].enumerated() {
            nonce[9 + index] = UInt8(octet)
            privacy[5 + index] = UInt8(octet)
        }
        nonce[1] = 4
        nonce[6] = 1
    }

    deinit {
        EVP_CIPHER_CTX_free(ccm)
        EVP_CIPHER_CTX_free(block)
        for buffer in [nonce, privacy, mask, pdu] { buffer.deallocate() }
    }

    func encrypt(_ sequence: UInt32, _ transportPDU: [UInt8]) -> [UInt8] {
        _ = encryptInPlace(sequence, transportPDU)
        return (0..<29).map { pdu[$0] }
    }

    /// Makes the PDU in one buffer and returns its last octet.
    @inline(never)
    func encryptInPlace(_ sequence: UInt32, _ transportPDU: [UInt8]) -> UInt8 {
        nonce[2] = UInt8(truncatingIfNeeded: sequence >> 16)
        nonce[3] = UInt8(truncatingIfNeeded: sequence >> 8)
        nonce[4] = UInt8(truncatingIfNeeded: sequence)
        pdu[0] = nid
        pdu[7] = 0x12
        pdu[8] = 0x01
        transportPDU.withUnsafeBufferPointer { transport in
            for index in 0..<16 { pdu[9 + index] = transport[index] }
        }
        var written: Int32 = 0
        EVP_EncryptInit_ex(ccm, nil, nil, nil, nonce)
        EVP_EncryptUpdate(ccm, pdu + 7, &written, pdu + 7, 18)
        EVP_CIPHER_CTX_ctrl(ccm, EVP_CTRL_AEAD_GET_TAG, 4, pdu + 25)
        for index in 0..<7 { privacy[9 + index] = pdu[7 + index] }
        EVP_EncryptUpdate(block, mask, &written, privacy, 16)
        for index in 0..<6 { pdu[1 + index] = nonce[1 + index] ^ mask[index] }
        return pdu[28]
    }
}
