/// Names whoever advertises, for as long as the bearer lives: an address with its type on Bluetooth, opaque above the
/// bearer, at most 32 octets.
package struct AdvertiserIdentifier: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: [UInt8]

    package init(rawValue: [UInt8]) {
        self.rawValue = rawValue
    }

    package static func < (left: AdvertiserIdentifier, right: AdvertiserIdentifier) -> Bool {
        left.rawValue.lexicographicallyPrecedes(right.rawValue)
    }
}

/// One advertisement that concerns Bluetooth Mesh over GATT.
package struct Advertisement: Hashable, Sendable {
    /// What is advertised.
    package enum Content: Hashable, Sendable {
        /// A device that can be provisioned over GATT, with the hash of the URI it advertises if that was heard.
        case unprovisioned(ProvisioningAdvertisement, uriHash: UInt32?)
        /// A node with the proxy service.
        case proxy(ProxyAdvertisement)
    }

    /// Who advertises; what to connect to.
    package var advertiser: AdvertiserIdentifier
    /// What is advertised.
    package var content: Content
    /// The strength of the signal in dBm, nil if it is not known.
    package var signal: Int8?

    package init(advertiser: AdvertiserIdentifier, content: Content, signal: Int8? = nil) {
        self.advertiser = advertiser
        self.content = content
        self.signal = signal
    }
}
