package import DefinitionModel
package import MeshCore

/// The devices of a definition as they come out of their boxes. They offer nothing out of band, so that nobody has to
/// be there when they are provisioned.
package struct RehearsedDevices {
    /// A device for each node, in the order of the definition.
    package private(set) var devices: [DeviceDescription] = []
    /// The names of the nodes whose composition was read from files.
    package private(set) var described: [String] = []
    /// The names of the nodes whose composition the database knows.
    package private(set) var recorded: [String] = []
    /// The names of the nodes whose composition was assumed from what the definition uses.
    package private(set) var assumed: [String] = []

    /// The devices of a definition.
    ///
    /// - Parameters:
    ///   - known: devices from files; they are found by their UUIDs, or else by what they are made as. Products whose
    ///     files the definition names come after them.
    ///   - network: the network as a database knows it; nil if there is none.
    package init(of definition: Definition, known: [DeviceDescription], recorded network: MeshNetwork?) {
        let files = Dictionary(firstOf: known.map { ($0.uuid, $0) })
        let nodes = Dictionary(firstOf: (network?.nodes ?? []).map { ($0.uuid, $0) })
        let guess = AssumedCompositions(definition)
        let profiles = definition.profilePlaces
        let products = Dictionary(
            firstOf: (network?.nodes ?? []).compactMap { node in
                Composition(of: node).map { (ProductIdentifier(company: $0.company, product: $0.product), $0) }
            }
        )
        let filed = Dictionary(
            firstOf: known.map {
                (ProductIdentifier(company: $0.composition.company, product: $0.composition.product), $0)
            }
        )
        for (position, node) in definition.nodes.enumerated() {
            let (uuid, name) = (node.uuid.value, node.name.value)
            var device: DeviceDescription
            let product = definition.product(of: node, profiles: profiles)
            if let file = files[uuid] ?? product.flatMap({ filed[$0] }) {
                device = DeviceDescription(uuid, name, file.composition)
                device.compositionPages = file.compositionPages
                device.sharesSubscriptionLists = file.sharesSubscriptionLists
                device.quirks = file.quirks
                described.append(name)
            } else if let described = definition.describedProduct(of: node, profiles: profiles),
                nodes[uuid].flatMap(Composition.init(of:)) == nil
            {
                device = DeviceDescription(uuid, name, described.composition)
                device.sharesSubscriptionLists = described.sharesSubscriptionLists
                self.described.append(name)
            } else if let composition = nodes[uuid].flatMap(Composition.init(of:)) ?? product.flatMap({ products[$0] })
            {
                device = DeviceDescription(uuid, name, composition)
                recorded.append(name)
            } else {
                device = DeviceDescription(uuid, name, guess.composition(of: position))
                assumed.append(name)
            }
            devices.append(device)
        }
    }
}

extension DeviceDescription {
    fileprivate init(_ uuid: DeviceUUID, _ name: String, _ composition: Composition) {
        self.init(
            uuid: uuid,
            name: name,
            composition: composition,
            capabilities: ProvisioningCapabilities(elementCount: UInt8(clamping: composition.elements.count))
        )
    }
}

extension Composition {
    fileprivate init?(of node: Node) {
        guard node.isCompositionKnown, let product = node.product else { return nil }
        var features: FeatureSet = []
        for (state, feature) in [
            (node.features.relay, FeatureSet.relay), (node.features.proxy, .proxy), (node.features.friend, .friend),
            (node.features.lowPower, .lowPower),
        ] where state != nil && state != .notSupported {
            features.insert(feature)
        }
        self.init(
            company: product.company,
            product: product.product,
            version: product.version,
            replayListSize: product.replayListSize,
            features: features,
            elements: node.elements.map { element in
                CompositionElement(location: element.location, models: element.models.map(\.identifier))
            }
        )
    }
}
