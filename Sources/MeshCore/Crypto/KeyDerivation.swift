/// The key derivation functions (Mesh Protocol 3.9.2.5 to 3.9.2.10).
package enum KeyDerivation {
    /// The salt generation function s1, of a message of any length.
    package static func s1(_ message: [UInt8]) -> Octets16 {
        CMAC.code(of: message, key: Octets16(high: 0, low: 0))
    }

    /// The salt generation function s2 of 1.1: 32 octets from a message of any length.
    package static func s2(_ message: [UInt8]) -> [UInt8] {
        HMACSHA256.code(of: message, key: [UInt8](repeating: 0, count: 32))
    }

    /// The derivation function k1, from a secret `n` of any length, a salt and a purpose.
    package static func k1(_ n: [UInt8], salt: Octets16, purpose: [UInt8]) -> Octets16 {
        k1(n, salt: salt).code(of: purpose)
    }

    /// The function k1 from a secret and a salt, prepared for several purposes. Its code of a purpose is the key.
    static func k1(_ n: [UInt8], salt: Octets16) -> CMAC {
        CMAC(key: CMAC.code(of: n, key: salt))
    }

    /// What k2 derives: the NID (7 bits) and two keys.
    package struct NetworkKeys: Hashable, Sendable {
        /// The 7 bits that identify the key in network PDUs.
        package var nid: UInt8
        package var encryptionKey: KeyMaterial
        /// The key that obfuscates the headers of network PDUs.
        package var privacyKey: KeyMaterial

        /// Keys that were derived elsewhere.
        package init(nid: UInt8, encryptionKey: KeyMaterial, privacyKey: KeyMaterial) {
            self.nid = nid
            self.encryptionKey = encryptionKey
            self.privacyKey = privacyKey
        }
    }

    /// The network key material derivation function k2.
    ///
    /// - Parameter purpose: 00 for flooding; 01, LPNAddress, FriendAddress, LPNCounter, FriendCounter for friendship;
    ///   02 for directed forwarding.
    package static func k2(_ netKey: KeyMaterial, purpose: [UInt8]) -> NetworkKeys {
        let expansion = CMAC(key: CMAC.code(of: netKey.octets.bytes, key: Salt.smk2))
        let first = expansion.code(of: purpose + [1])
        let second = expansion.code(of: first.bytes + purpose + [2])
        let third = expansion.code(of: second.bytes + purpose + [3])
        return NetworkKeys(
            nid: UInt8(truncatingIfNeeded: first.low) & 0x7F,
            encryptionKey: KeyMaterial(second),
            privacyKey: KeyMaterial(third)
        )
    }

    /// The derivation function k3 of the Network ID: 64 bits, big-endian in beacons and advertising.
    package static func k3(_ netKey: KeyMaterial) -> UInt64 {
        k1(netKey.octets.bytes, salt: Salt.smk3, purpose: Array("id64".utf8) + [1]).low
    }

    /// The derivation function k4 of the AID of an application key: 6 bits.
    package static func k4(_ appKey: KeyMaterial) -> UInt8 {
        let code = k1(appKey.octets.bytes, salt: Salt.smk4, purpose: Array("id6".utf8) + [1])
        return UInt8(truncatingIfNeeded: code.low) & 0x3F
    }

    /// The derivation function k5 of 1.1: 32 octets from a secret `n` of any length, a salt and a purpose.
    package static func k5(_ n: [UInt8], salt: [UInt8], purpose: [UInt8]) -> [UInt8] {
        HMACSHA256.code(of: purpose, key: HMACSHA256.code(of: n, key: salt))
    }

    /// The identity key of a subnet (3.9.6.3.3).
    package static func identityKey(of netKey: KeyMaterial) -> Octets16 {
        k1(netKey.octets.bytes, salt: Salt.nkik, purpose: id128)
    }

    /// The key that authenticates secure network beacons (3.9.6.3.4).
    package static func beaconKey(of netKey: KeyMaterial) -> Octets16 {
        k1(netKey.octets.bytes, salt: Salt.nkbk, purpose: id128)
    }

    /// The key of mesh private beacons of 1.1 (3.9.6.3.5).
    package static func privateBeaconKey(of netKey: KeyMaterial) -> Octets16 {
        k1(netKey.octets.bytes, salt: Salt.nkpk, purpose: id128)
    }

    private static let id128 = Array("id128".utf8) + [1]

    /// s1 of the names of the salts in the specification.
    private enum Salt {
        static let smk2 = s1(Array("smk2".utf8))
        static let smk3 = s1(Array("smk3".utf8))
        static let smk4 = s1(Array("smk4".utf8))
        static let nkik = s1(Array("nkik".utf8))
        static let nkbk = s1(Array("nkbk".utf8))
        static let nkpk = s1(Array("nkpk".utf8))
    }
}

extension LabelUUID {
    private static let salt = KeyDerivation.s1(Array("vtad".utf8))

    /// The virtual address that stands for the label in PDUs, 0x8000 to 0xBFFF. Several labels can have the same (Mesh
    /// Protocol 3.4.2.3).
    package var virtualAddress: Address {
        let hash = CMAC.code(of: rawValue.bytes, key: LabelUUID.salt)
        return Address(rawValue: 0x8000 | UInt16(truncatingIfNeeded: hash.low) & 0x3FFF)
    }
}
