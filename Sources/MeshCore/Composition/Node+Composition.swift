extension Node {
    /// Records what Composition Data page 0 tells (Mesh Protocol 4.2.2.1).
    ///
    /// A model that is still there keeps its recorded configuration. Except for Low Power, the page tells only whether
    /// the node has a feature, not whether it is on. A recorded state stays, a feature that the node lacks becomes
    /// `notSupported`, and an unknown state of a feature that it has stays unknown.
    package mutating func record(_ composition: Composition) {
        product = Product(
            company: composition.company,
            product: composition.product,
            version: composition.version,
            replayListSize: composition.replayListSize
        )
        features.relay = state(features.relay, isSupported: composition.features.contains(.relay))
        features.proxy = state(features.proxy, isSupported: composition.features.contains(.proxy))
        features.friend = state(features.friend, isSupported: composition.features.contains(.friend))
        features.lowPower = state(features.lowPower, isSupported: composition.features.contains(.lowPower))
        let recorded = elements
        elements = composition.elements.enumerated().map { index, element in
            let old = index < recorded.count ? recorded[index] : nil
            var seen: Set<ModelIdentifier> = []
            let models = element.models.filter { seen.insert($0).inserted }.map { identifier in
                old?.models.first { $0.identifier == identifier } ?? Model(identifier: identifier)
            }
            return Element(name: old?.name, location: element.location, models: models)
        }
    }

    private func state(_ recorded: FeatureState?, isSupported: Bool) -> FeatureState? {
        guard isSupported else { return .notSupported }
        return recorded == .notSupported ? nil : recorded
    }

    /// Whether it has the same product, elements and models as another record of the node.
    package func isMade(as other: Node) -> Bool {
        product == other.product && elements.count == other.elements.count
            && zip(elements, other.elements).allSatisfy { left, right in
                left.location == right.location && left.models.map(\.identifier) == right.models.map(\.identifier)
            }
    }
}
