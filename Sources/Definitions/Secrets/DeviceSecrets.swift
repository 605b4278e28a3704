package import MeshCore

/// What is known of a device out of band, from a file that was delivered with it. Nothing prints it.
package struct DeviceSecrets: Hashable, Sendable {
    /// Its static value, if it has one.
    package var staticValue: StaticOutOfBandValue?
    /// Its public key, if it was delivered.
    package var publicKey: P256PublicKey?

    /// Secrets of those kinds.
    package init(staticValue: StaticOutOfBandValue? = nil, publicKey: P256PublicKey? = nil) {
        self.staticValue = staticValue
        self.publicKey = publicKey
    }
}

extension DeviceSecrets: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Never the secrets.
    package var description: String { "(secret)" }
    /// Never the secrets.
    package var debugDescription: String { "(secret)" }
    /// Shows no children.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
