/// A set of keys that secures network PDUs (Mesh Protocol 3.9.6.3.1).
///
/// It is prepared once and used for every PDU. Threads must not share an instance: it belongs to the thread of its
/// stack.
package final class NetworkCredentials {
    /// Identifies the credentials in PDUs, 7 bits; several sets can have the same NID.
    package let nid: UInt8
    let encryption: AuthenticatedCipher
    /// Obfuscates headers.
    let privacy: AESBlockCipher

    package init(_ keys: KeyDerivation.NetworkKeys) {
        nid = keys.nid & 0x7F
        encryption = AuthenticatedCipher(key: keys.encryptionKey.octets)
        privacy = AESBlockCipher(key: keys.privacyKey.octets)
    }

    package convenience init(flooding netKey: KeyMaterial) {
        self.init(KeyDerivation.k2(netKey, purpose: [0]))
    }
}
