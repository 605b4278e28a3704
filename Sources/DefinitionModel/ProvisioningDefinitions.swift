package import MeshCore

/// What a network demands of devices that become its nodes: `provisioning:` at the top level.
package struct ProvisioningRules: Hashable, Sendable {
    package var location: SourceLocation
    /// What has to be proved about devices; nil is nothing.
    package var requirement: Located<ProvisioningAssurance>?

    package init(location: SourceLocation) {
        self.location = location
    }
}

/// Where a secret of one device comes from. YAML never holds it.
package enum SecretSource: Hashable, Sendable {
    /// Hexadecimal digits in a file, its path relative to the definition file.
    case file(String)
    /// Hexadecimal digits in an environment variable.
    case environment(String)
}

/// How a device becomes a node: `provisioning:` of a node or profile. Absent values follow from what the device can do,
/// the safest first.
package struct ProvisioningSettings: Hashable, Sendable {
    package var location: SourceLocation
    /// The only kind of authentication allowed; nil for any.
    package var method: Located<AuthenticationMethod.Kind>?
    /// Where the static value comes from; never in a profile.
    package var staticValue: Located<SecretSource>?
    /// The file with the device's public key, 64 octets as 128 hexadecimal digits, its path relative to the definition
    /// file; never in a profile.
    package var publicKeyFile: Located<String>?
    /// The only algorithm allowed; nil for any.
    package var algorithm: Located<ProvisioningAlgorithm>?
    /// How long the device attracts attention when it is invited, in seconds, 0...255; nil for 0.
    package var attention: Located<UInt8>?
    /// The way to the device, and the node that it passes through; nil for any. If it names a node, the location is
    /// that of the name.
    package var route: Located<ProvisioningRoute<String>>?

    /// Settings that leave everything open.
    package init(location: SourceLocation) {
        self.location = location
    }

    /// A node's settings, completed by those of its profile value by value; nil if neither has any.
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
