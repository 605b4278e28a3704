import MeshCore

// The parts of nodes, as far as the configuration database format can express them.

extension NetworkMerge {
    mutating func node(_ base: Node?, _ ours: Node, _ theirs: Node) -> Node {
        var merged = ours
        let resource = "node.\(ours.name)"
        merged.name = pick("name", of: resource, base?.name, ours.name, theirs.name) { $0 }
        // A node that was provisioned again has another address and another key; both belong together.
        let identity = pick(
            "address and device key",
            of: resource,
            base.map { Place($0, else: ours) },
            Place(ours, else: theirs),
            Place(theirs, else: ours)
        ) { $0.address.description }
        if let key = ours.deviceKey, key != identity.deviceKey { replaced.append(ours) }
        (merged.unicastAddress, merged.deviceKey) = (identity.address, identity.deviceKey)
        merged.isSecurelyProvisioned = pick(
            "security",
            of: resource,
            base?.isSecurelyProvisioned,
            ours.isSecurelyProvisioned,
            theirs.isSecurelyProvisioned
        ) { $0 ? "secure" : "insecure" }
        merged.isExcluded = pick("exclusion", of: resource, base?.isExcluded, ours.isExcluded, theirs.isExcluded) {
            $0 ? "excluded" : "not excluded"
        }
        merged.isConfigComplete = ours.isConfigComplete || theirs.isConfigComplete
        merged.product = pick("product", of: resource, base.map(\.product), ours.product, theirs.product)
        merged.features.relay = feature(\.relay, "relay", resource, base, ours, theirs)
        merged.features.proxy = feature(\.proxy, "proxy", resource, base, ours, theirs)
        merged.features.friend = feature(\.friend, "friend", resource, base, ours, theirs)
        merged.features.lowPower = feature(\.lowPower, "low power", resource, base, ours, theirs)
        merged.netKeys = keys("network keys", resource, base?.netKeys, ours.netKeys, theirs.netKeys)
        merged.appKeys = keys("application keys", resource, base?.appKeys, ours.appKeys, theirs.appKeys)
        merged.secureNetworkBeacon = known(\.secureNetworkBeacon, "beacon", resource, base, ours, theirs)
        merged.defaultTTL = known(\.defaultTTL, "ttl", resource, base, ours, theirs)
        merged.networkTransmit = known(\.networkTransmit, "network transmit", resource, base, ours, theirs)
        merged.relayRetransmit = known(\.relayRetransmit, "relay retransmit", resource, base, ours, theirs)
        merged.elements = elements(resource, base, ours, theirs)
        return merged
    }

    private struct Place: Equatable {
        var address: UnicastAddress
        var deviceKey: KeyMaterial?

        /// A side that does not know the key says nothing about it.
        init(_ node: Node, else other: Node) {
            (address, deviceKey) = (node.unicastAddress, node.deviceKey ?? other.deviceKey)
        }
    }

    private mutating func feature(
        _ path: KeyPath<Node.Features, FeatureState?>,
        _ field: String,
        _ resource: String,
        _ base: Node?,
        _ ours: Node,
        _ theirs: Node
    ) -> FeatureState? {
        value(
            field,
            resource,
            base.map { $0.features[keyPath: path] },
            ours.features[keyPath: path],
            theirs.features[keyPath: path]
        )
    }

    private mutating func known<Value: Equatable>(
        _ path: KeyPath<Node, Value?>,
        _ field: String,
        _ resource: String,
        _ base: Node?,
        _ ours: Node,
        _ theirs: Node
    ) -> Value? {
        value(field, resource, base.map { $0[keyPath: path] }, ours[keyPath: path], theirs[keyPath: path])
    }

    /// A value that one side does not know comes from the other side.
    private mutating func value<Value: Equatable>(
        _ field: String,
        _ resource: String,
        _ base: Value??,
        _ ours: Value?,
        _ theirs: Value?
    ) -> Value? {
        guard let theirs else { return ours }
        guard let ours else {
            note(.changed, resource, field)
            return theirs
        }
        return pick(field, of: resource, base.flatMap(\.self), ours, theirs) { "\($0)" }
    }

    private mutating func keys<Index: KeyIndex>(
        _ field: String,
        _ resource: String,
        _ base: [NodeKey<Index>]?,
        _ ours: [NodeKey<Index>],
        _ theirs: [NodeKey<Index>]
    ) -> [NodeKey<Index>] {
        let indexes = pick(list: field, of: resource, base?.map(\.index), ours.map(\.index), theirs.map(\.index))
        return indexes.compactMap { index in
            let our = ours.first { $0.index == index }
            let their = theirs.first { $0.index == index }
            guard let our else { return their }
            guard let their else { return our }
            // A refresh only moves forward.
            return our.progress < their.progress ? their : our
        }
    }

    private mutating func elements(_ resource: String, _ base: Node?, _ ours: Node, _ theirs: Node) -> [Element] {
        guard theirs.isCompositionKnown else { return ours.elements }
        guard ours.isCompositionKnown else {
            note(.changed, resource, "composition")
            return theirs.elements
        }
        guard ours.composition == theirs.composition else {
            return pick("composition", of: resource, base?.elements, ours.elements, theirs.elements)
        }
        var merged = ours.elements
        for element in merged.indices {
            merged[element].name = pick(
                "name of element \(element)",
                of: resource,
                base.map { $0.elements.indices.contains(element) ? $0.elements[element].name : nil },
                ours.elements[element].name,
                theirs.elements[element].name
            ) { $0 ?? "none" }
            for model in merged[element].models.indices {
                let (our, their) = (ours.elements[element].models[model], theirs.elements[element].models[model])
                let old = base.flatMap { $0.model(our.identifier, on: element) }
                merged[element].models[model] = self.model(element, resource, old, our, their)
            }
        }
        return merged
    }

    private mutating func model(
        _ element: Int,
        _ resource: String,
        _ base: Model?,
        _ ours: Model,
        _ theirs: Model
    ) -> Model {
        var merged = ours
        let place = "element[\(element)].\(ours.identifier)"
        merged.bindings = pick(
            list: "\(place).keys",
            of: resource,
            base?.bindings,
            ours.bindings,
            theirs.bindings
        )
        merged.subscriptions = pick(
            list: "\(place).subscriptions",
            of: resource,
            base?.subscriptions,
            ours.subscriptions,
            theirs.subscriptions
        )
        merged.publication = pick(
            "\(place).publication",
            of: resource,
            base.map(\.publication),
            ours.publication,
            theirs.publication
        ) { $0.map { "to \($0.address)" } ?? "none" }
        merged.managedBindings.removeAll { !merged.bindings.contains($0) }
        merged.managedSubscriptions.removeAll { !merged.subscriptions.contains($0) }
        if merged.publication != ours.publication { merged.isPublicationManaged = false }
        return merged
    }
}

extension Node: Mergeable {
    var identity: DeviceUUID { uuid }
    var mergeName: String { name }

    /// What a configuration database can express about a node.
    var shared: Node {
        var node = self
        (node.isManaged, node.isProtected, node.removalPolicy) = (false, false, .forget)
        (node.observedAt, node.readBackAt, node.unprovisionedSeenAt) = (nil, nil, nil)
        node.unread = []
        (node.compositionPages, node.modelsMetadata, node.bridgingTable) = (nil, nil, nil)
        node.states = []
        for element in node.elements.indices {
            for model in node.elements[element].models.indices { node.elements[element].models[model].states = [] }
        }
        node.disownConfiguration()
        return node
    }

    /// The models of all elements, without their configuration.
    fileprivate var composition: [[ModelIdentifier]] { elements.map { $0.models.map(\.identifier) } }

    fileprivate func model(_ identifier: ModelIdentifier, on element: Int) -> Model? {
        guard elements.indices.contains(element) else { return nil }
        return elements[element].models.first { $0.identifier == identifier }
    }
}
