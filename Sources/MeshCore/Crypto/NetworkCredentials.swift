/// One set of keys that network PDUs are secured with (Mesh Protocol 3.9.6.3.1).
///
/// Prepared once and used for every PDU. Not shared between threads: an instance belongs to the thread of its stack.
package final class NetworkCredentials {
    /// Identifies the credentials in PDUs, 7 bits; several sets can have the same.
    package let nid: UInt8
    /// Encrypts and authenticates.
    let encryption: AuthenticatedCipher
    /// Obfuscates.
    let privacy: AESBlockCipher

    /// Credentials of derived keys.
    package init(_ keys: KeyDerivation.NetworkKeys) {
        nid = keys.nid & 0x7F
        encryption = AuthenticatedCipher(key: keys.encryptionKey.octets)
        privacy = AESBlockCipher(key: keys.privacyKey.octets)
    }

    /// The managed flooding credentials of a NetKey.
    package convenience init(flooding netKey: KeyMaterial) {
        self.init(KeyDerivation.k2(netKey, purpose: [0]))
    }
}
