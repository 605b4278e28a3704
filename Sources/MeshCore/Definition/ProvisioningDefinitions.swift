/// What a network demands of devices that are to become its nodes: `provisioning:` at the top level.
package struct ProvisioningRules: Hashable, Sendable {
    /// The weakest provisioning that is allowed.
    package enum Requirement: String, CaseIterable, Sendable {
        /// Anything, no OOB included.
        case nothing = "none"
        /// A value was carried out of band, or the public key was: nobody in between can have stayed unnoticed.
        case authenticated
    }

    /// Where it stands.
    package var location: SourceLocation
    /// The weakest provisioning that is allowed; nil is ``Requirement/nothing``.
    package var requirement: Located<Requirement>?

    /// Rules that demand nothing.
    package init(location: SourceLocation) {
        self.location = location
    }
}

/// Where a secret of one device comes from; it never stands in YAML.
package enum SecretSource: Hashable, Sendable {
    /// Hexadecimal digits in a file, its path relative to the definition file.
    case file(String)
    /// Hexadecimal digits in an environment variable.
    case environment(String)
}

/// How a device is made a node: `provisioning:` of a node or profile. What is absent is chosen by what the device can
/// do, the safest first.
package struct ProvisioningSettings: Hashable, Sendable {
    /// Where it stands.
    package var location: SourceLocation
    /// The only kind of authentication that is used.
    package var method: Located<AuthenticationMethod.Kind>?
    /// Where the static value comes from; never in a profile.
    package var staticValue: Located<SecretSource>?
    /// The file with the device's public key, 64 octets as 128 hexadecimal digits, its path relative to the definition
    /// file; never in a profile.
    package var publicKeyFile: Located<String>?
    /// The only algorithm that is used.
    package var algorithm: Located<ProvisioningAlgorithm>?
    /// For how many seconds, 0...255, the device draws attention to itself when it is invited; nil for 0.
    package var attention: Located<UInt8>?
    /// By which way the device is reached, and through which node; nil for any. Where a node is named, the place is that
    /// of its name.
    package var route: Located<ProvisioningRoute<String>>?

    /// Settings that leave everything open.
    package init(location: SourceLocation) {
        self.location = location
    }

    /// A node's settings over those of its profile, value by value; nil if neither says anything.
    package static func merged(
        _ own: ProvisioningSettings?,
        over profile: ProvisioningSettings?
    ) -> ProvisioningSettings? {
        guard var merged = own else { return profile }
        guard let profile else { return merged }
        merged.method = merged.method ?? profile.method
        merged.staticValue = merged.staticValue ?? profile.staticValue
        merged.publicKeyFile = merged.publicKeyFile ?? profile.publicKeyFile
        merged.algorithm = merged.algorithm ?? profile.algorithm
        merged.attention = merged.attention ?? profile.attention
        merged.route = merged.route ?? profile.route
        return merged
    }
}

extension ProvisioningRules {
    /// Whether devices that nobody vouches for are refused.
    package var requiresAuthentication: Bool { requirement?.value == .authenticated }
}
