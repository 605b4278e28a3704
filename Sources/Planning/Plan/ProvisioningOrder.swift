package import DefinitionModel
package import MeshCore

/// How to make a device a node; holds no secret.
package struct ProvisioningOrder: Hashable, Sendable {
    package var uuid: DeviceUUID
    package var name: String
    /// The address of its primary element if the definition fixes it; otherwise it is chosen when the number of
    /// elements is known.
    package var address: UnicastAddress?
    /// The subnet whose key it gets first.
    package var netKeyIndex: NetKeyIndex
    /// Whether the node will refuse removal and reset.
    package var isProtected: Bool
    /// What happens to the node when its line is removed from the definition.
    package var removalPolicy: RemovalPolicy
    /// The only authentication method to use; nil for the safest possible one.
    package var method: AuthenticationMethod.Kind?
    /// What has to be proved about the device, whatever else it offers.
    package var assurance: ProvisioningAssurance
    /// The source of the static OOB value, if the definition names one.
    package var staticValue: SecretSource?
    /// The file with the public key, if the definition names one.
    package var publicKeyFile: String?
    /// The only algorithm to use; nil for the safest possible one.
    package var algorithm: ProvisioningAlgorithm?
    /// What the definition says that the device is made as; nil if it does not.
    package var product: ProductIdentifier?
    /// Whether the file of the product says that its devices know HMAC-SHA256.
    package var productKnowsHMAC: Bool
    /// Seconds of attention with the invitation.
    package var attention: UInt8
    /// The way to reach the device, and the node on that way.
    package var route: ProvisioningRoute<DeviceUUID>
    /// The definition's name for the node on the way, if a certain one is required. A limited plan may leave that node
    /// out, and then nothing else contains its name.
    package var serverName: String?
    /// Whether the database has a node with this UUID that was seen unprovisioned. That node is then retired.
    package var isReplacement: Bool

    package init(uuid: DeviceUUID, name: String, netKeyIndex: NetKeyIndex) {
        self.uuid = uuid
        self.name = name
        self.netKeyIndex = netKeyIndex
        isProtected = false
        removalPolicy = .forget
        assurance = .nothing
        productKnowsHMAC = false
        attention = 0
        route = .any
        isReplacement = false
    }
}
