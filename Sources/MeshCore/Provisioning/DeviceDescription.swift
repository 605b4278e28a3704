/// How a device without a network can be provisioned (Mesh Protocol 5.2).
package struct ProvisioningBearers: OptionSet, Hashable, Sendable {
    /// A bit a bearer.
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// PB-ADV: by nodes with a Remote Provisioning Server that hear it.
    package static let advertising = ProvisioningBearers(rawValue: 1)
    /// PB-GATT: over a connection.
    package static let gatt = ProvisioningBearers(rawValue: 2)
}

/// What a device without a network is: for simulators, as a vendor's data sheet for engineers.
package struct DeviceDescription: Hashable, Sendable {
    /// Its identity.
    package var uuid: DeviceUUID
    /// What people call it.
    package var name: String
    /// Its elements, models and features, as Composition Data page 0 tells once it is a node.
    package var composition: Composition
    /// What its Capabilities PDU tells; the number of elements is that of the composition, whatever stands here.
    package var capabilities: ProvisioningCapabilities
    /// Its static value, nil if it has none.
    package var staticValue: StaticOutOfBandValue?
    /// Its key pair, where the public key is known out of band; nil to make one for each session.
    package var keyPair: P256KeyPair?
    /// Where its out-of-band data is to be found.
    package var outOfBandInformation: OutOfBandInformation
    /// The URI that it advertises, if it does; its hash is in the beacon.
    package var uri: String?
    /// How it can be provisioned.
    package var provisioningBearers: ProvisioningBearers = [.advertising, .gatt]
    /// Its Composition Data pages other than 0, as octets: 1 for the relations of its models, 2 for the profiles it
    /// supports, 128 and above for what it becomes by a Node Composition Refresh.
    package var compositionPages: [UInt8: [UInt8]] = [:]
    /// Whether models of it that extend each other on one element share one subscription list, as its stack has it; nil
    /// if nobody says.
    package var sharesSubscriptionLists: Bool?
    /// What it does otherwise than others.
    package var habits: Set<DeviceHabit> = []

    /// A device that offers nothing out of band.
    package init(uuid: DeviceUUID, name: String, composition: Composition, capabilities: ProvisioningCapabilities) {
        self.uuid = uuid
        self.name = name
        self.composition = composition
        self.capabilities = capabilities
        outOfBandInformation = []
    }

    /// The hash of its URI, nil if it advertises none.
    package var uriHash: UInt32? { uri.map { UnprovisionedDeviceBeacon.hash(ofURI: $0) } }
}
