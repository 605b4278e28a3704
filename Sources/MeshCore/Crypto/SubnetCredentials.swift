/// Everything that is derived from one NetKey, prepared for use (Mesh Protocol 3.9.6.3).
///
/// Not shared between threads: an instance belongs to the thread of its stack.
package final class SubnetCredentials {
    /// Secures network PDUs.
    package let flooding: NetworkCredentials
    /// The Network ID, 64 bits.
    package let networkID: UInt64
    /// Authenticates secure network beacons.
    let beacon: CMAC
    private let key: KeyMaterial

    /// Derives and prepares everything from `key`.
    package init(_ key: KeyMaterial) {
        self.key = key
        flooding = NetworkCredentials(flooding: key)
        networkID = KeyDerivation.k3(key)
        beacon = CMAC(key: KeyDerivation.beaconKey(of: key))
    }

    /// Hashes node identities in advertising; derived when first used.
    package private(set) lazy var identity = AESBlockCipher(key: KeyDerivation.identityKey(of: key))

    /// Secures mesh private beacons; derived when first used.
    private(set) lazy var privateBeacon = AuthenticatedCipher(key: KeyDerivation.privateBeaconKey(of: key))
}

/// An application key prepared for use (Mesh Protocol 3.9.6.2).
///
/// Not shared between threads: an instance belongs to the thread of its stack.
package final class ApplicationCredentials {
    /// Identifies the key in PDUs, 6 bits; several keys can have the same.
    package let aid: UInt8
    let cipher: AuthenticatedCipher

    /// Derives and prepares everything from `key`.
    package init(_ key: KeyMaterial) {
        aid = KeyDerivation.k4(key)
        cipher = AuthenticatedCipher(key: key.octets)
    }
}

/// Prepared keys by their octets, so that the same key known to many stacks of one thread, as in the simulator, is
/// derived and scheduled once. It keeps what it was asked for as long as it lives.
package final class KeySchedules {
    private var subnets: [KeyMaterial: SubnetCredentials] = [:]
    private var applications: [KeyMaterial: ApplicationCredentials] = [:]
    private var devices: [KeyMaterial: AuthenticatedCipher] = [:]

    /// An empty collection.
    package init() {}

    /// The prepared form of a NetKey.
    package func subnet(_ key: KeyMaterial) -> SubnetCredentials {
        if let known = subnets[key] { return known }
        let prepared = SubnetCredentials(key)
        subnets[key] = prepared
        return prepared
    }

    /// The prepared form of an AppKey.
    package func application(_ key: KeyMaterial) -> ApplicationCredentials {
        if let known = applications[key] { return known }
        let prepared = ApplicationCredentials(key)
        applications[key] = prepared
        return prepared
    }

    /// The prepared form of a device key.
    package func device(_ key: KeyMaterial) -> AuthenticatedCipher {
        if let known = devices[key] { return known }
        let prepared = AuthenticatedCipher(key: key.octets)
        devices[key] = prepared
        return prepared
    }
}
