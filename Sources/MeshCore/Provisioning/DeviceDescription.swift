/// The ways to provision a device without a network (Mesh Protocol 5.2).
package struct ProvisioningBearers: OptionSet, Hashable, Sendable {
    /// One bit for each bearer.
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// PB-ADV: nodes with a Remote Provisioning Server provision it when they hear it.
    package static let advertising = ProvisioningBearers(rawValue: 1)
    /// PB-GATT: a client provisions it over a connection.
    package static let gatt = ProvisioningBearers(rawValue: 2)
}

/// The description of a device without a network, for simulators; like a vendor's data sheet for engineers.
package struct DeviceDescription: Hashable, Sendable {
    /// Its device UUID: its identity.
    package var uuid: DeviceUUID
    package var name: String
    /// Its elements, models and features, which Composition Data page 0 contains once it is a node.
    package var composition: Composition
    /// The contents of its Capabilities PDU, except for the number of elements, which the composition sets.
    package var capabilities: ProvisioningCapabilities
    package var staticValue: StaticOutOfBandValue?
    /// Its key pair, if the public key is known out of band; nil to make one for each session.
    package var keyPair: P256KeyPair?
    package var outOfBandInformation: OutOfBandInformation
    /// The URI that it advertises, whose hash is in the beacon; nil if it advertises none.
    package var uri: String?
    package var provisioningBearers: ProvisioningBearers = [.advertising, .gatt]
    /// The octets of its Composition Data pages other than 0: page 1 for the relations of its models, 2 for the
    /// profiles that it supports, 128 and above for the pages after a Node Composition Refresh.
    package var compositionPages: [UInt8: [UInt8]] = [:]
    /// Whether its models that extend each other on one element share one Subscription List; nil if unspecified.
    package var sharesSubscriptionLists: Bool?
    package var quirks: Set<DeviceQuirk> = []

    /// A device that offers nothing out of band.
    package init(uuid: DeviceUUID, name: String, composition: Composition, capabilities: ProvisioningCapabilities) {
        self.uuid = uuid
        self.name = name
        self.composition = composition
        self.capabilities = capabilities
        outOfBandInformation = []
    }

    /// The hash of its URI; nil if it advertises none.
    package var uriHash: UInt32? { uri.map { UnprovisionedDeviceBeacon.hash(ofURI: $0) } }
}
