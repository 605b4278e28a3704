/// The parts of a node: Composition Data page 0 (Mesh Protocol 4.2.2.1).
package struct Composition: Hashable, Sendable {
    /// The company identifier of the manufacturer (CID).
    package var company: UInt16
    /// The manufacturer's product identifier (PID).
    package var product: UInt16
    /// The manufacturer's version of the product (VID).
    package var version: UInt16
    /// The least number of sources that the replay protection list holds (CRPL).
    package var replayListSize: UInt16
    /// The features that the node has, whether on or off.
    package var features: FeatureSet
    /// The elements in the order of their indexes.
    package var elements: [CompositionElement]

    package init(
        company: UInt16,
        product: UInt16,
        version: UInt16,
        replayListSize: UInt16,
        features: FeatureSet,
        elements: [CompositionElement]
    ) {
        self.company = company
        self.product = product
        self.version = version
        self.replayListSize = replayListSize
        self.features = features
        self.elements = elements
    }
}

/// One element of Composition Data page 0.
package struct CompositionElement: Hashable, Sendable {
    /// The place of the element, a GATT namespace descriptor (Assigned Numbers 2.4.2).
    package var location: UInt16
    /// The SIG models, then the vendor models, each in the node's order.
    package var models: [ModelIdentifier]

    package init(location: UInt16, models: [ModelIdentifier]) {
        self.location = location
        self.models = models
    }
}

/// The features a node may have (Mesh Protocol 4.2.2.1); bits of the Features field of page 0.
package struct FeatureSet: OptionSet, Hashable, Sendable {
    /// The 16 bits; 4 to 15 are reserved.
    package let rawValue: UInt16

    /// Every value is valid; unknown bits are kept.
    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Bit 0: relays messages.
    package static let relay = FeatureSet(rawValue: 1 << 0)
    /// Bit 1: serves as a GATT proxy.
    package static let proxy = FeatureSet(rawValue: 1 << 1)
    /// Bit 2: keeps messages for Low Power nodes.
    package static let friend = FeatureSet(rawValue: 1 << 2)
    /// Bit 3: sleeps and polls a Friend.
    package static let lowPower = FeatureSet(rawValue: 1 << 3)
}

/// The state of the Relay, GATT Proxy or Friend feature (Mesh Protocol 4.2.9, 4.2.12, 4.2.14).
package enum FeatureState: UInt8, Sendable {
    case disabled = 0
    case enabled = 1
    case notSupported = 2
}
