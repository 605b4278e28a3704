/// Everything that follows from one NetKey, prepared for use (Mesh Protocol 3.9.6.3).
///
/// Threads must not share an instance: it belongs to the thread of its stack.
package final class SubnetCredentials {
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
/// Threads must not share an instance: it belongs to the thread of its stack.
package final class ApplicationCredentials {
    /// Identifies the key in PDUs, 6 bits; several keys can have the same AID.
    package let aid: UInt8
    let cipher: AuthenticatedCipher

    /// Derives and prepares everything from `key`.
    package init(_ key: KeyMaterial) {
        aid = KeyDerivation.k4(key)
        cipher = AuthenticatedCipher(key: key.octets)
    }
}

/// Prepared keys, found by their octets. Many stacks of one thread, as in the simulator, can so share the work for a
/// key that they all know. The collection keeps every key that it prepared.
package final class KeySchedules {
    private var subnets: [KeyMaterial: SubnetCredentials] = [:]
    private var applications: [KeyMaterial: ApplicationCredentials] = [:]
    private var devices: [KeyMaterial: AuthenticatedCipher] = [:]
    private var views: [[NetworkView.Part]: NetworkView] = [:]

    package init() {}

    /// The prepared form of a NetKey.
    package func subnet(_ key: KeyMaterial) -> SubnetCredentials {
        if let known = subnets[key] { return known }
        let prepared = SubnetCredentials(key)
        subnets[key] = prepared
        return prepared
    }

    /// The view of all participants whose rings have these parts.
    func view(_ parts: [NetworkView.Part]) -> NetworkView {
        if let known = views[parts] { return known }
        let view = NetworkView()
        views[parts] = view
        return view
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
