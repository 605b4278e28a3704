/// Identifies an advertiser for the life of the bearer: on Bluetooth an address with its type, opaque above the bearer,
/// at most 32 octets.
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
    /// The contents of an advertisement.
    package enum Content: Hashable, Sendable {
        /// A device that can be provisioned over GATT, with the hash of its URI if that was heard.
        case unprovisioned(ProvisioningAdvertisement, uriHash: UInt32?)
        /// A node with the proxy service.
        case proxy(ProxyAdvertisement)
    }

    /// The advertiser, to which one connects.
    package var advertiser: AdvertiserIdentifier
    package var content: Content
    /// The signal strength in dBm; nil if unknown.
    package var signal: Int8?

    package init(advertiser: AdvertiserIdentifier, content: Content, signal: Int8? = nil) {
        self.advertiser = advertiser
        self.content = content
        self.signal = signal
    }
}
