package import MeshCore

/// What is known of a device out of band, from a file that was delivered with the device. Nothing prints it.
package struct DeviceSecrets: Hashable, Sendable {
    package var staticValue: StaticOutOfBandValue?
    /// Its public key, if it was delivered.
    package var publicKey: P256PublicKey?
}

extension DeviceSecrets: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// One fixed word, never the secrets.
    package var description: String { "(secret)" }
    package var debugDescription: String { "(secret)" }
    /// No children, so that a dump does not show the secrets.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
