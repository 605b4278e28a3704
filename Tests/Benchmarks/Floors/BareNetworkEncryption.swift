import CCrypto
import MeshCore

/// The fewest EVP calls that make a network PDU: set the nonce, encrypt, fetch the MIC, encrypt the privacy block.
final class BareNetworkEncryption {
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

    /// Makes the PDU in one buffer, and returns the PDU's last octet.
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
