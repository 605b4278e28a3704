package import MeshCore

/// That a device is to be made a node, and how; holds no secret.
package struct ProvisioningOrder: Hashable, Sendable {
    /// The device.
    package var uuid: DeviceUUID
    /// The name of the node.
    package var name: String
    /// The address of its primary element if the definition fixes it; else it is chosen when the number of elements is
    /// known.
    package var address: UnicastAddress?
    /// The subnet whose key it is given first.
    package var netKeyIndex: NetKeyIndex
    /// Whether removal and reset will be refused.
    package var isProtected: Bool
    /// What becomes of it when its line is gone from the definition.
    package var removalPolicy: RemovalPolicy
    /// The only kind of authentication that is used, nil for the safest that is possible.
    package var method: AuthenticationMethod.Kind?
    /// Whether no OOB is refused even where the device offers nothing else.
    package var requiresAuthentication: Bool
    /// Where the static value comes from, if the definition says so.
    package var staticValue: SecretSource?
    /// The file with the public key, if the definition names one.
    package var publicKeyFile: String?
    /// The only algorithm that is used, nil for the safest that is possible.
    package var algorithm: ProvisioningAlgorithm?
    /// Seconds of attention at the invitation.
    package var attention: UInt8
    /// By which way it is reached, and through which node.
    package var route: ProvisioningRoute<DeviceUUID>
    /// What the definition calls the node that it has to go through, if it has to go through a certain one: a plan that is
    /// limited may leave that node out, and then nobody else knows its name.
    package var serverName: String?
    /// Whether the database has a node with this UUID, which was seen unprovisioned and is retired then.
    package var isReplacement: Bool

    /// An order that leaves everything open.
    package init(uuid: DeviceUUID, name: String, netKeyIndex: NetKeyIndex) {
        self.uuid = uuid
        self.name = name
        self.netKeyIndex = netKeyIndex
        isProtected = false
        removalPolicy = .forget
        requiresAuthentication = false
        attention = 0
        route = .any
        isReplacement = false
    }
}
