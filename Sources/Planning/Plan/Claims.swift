package import MeshCore

/// What the definition asks for and the network already has, although no definition has managed it so far, such as
/// after an import. It is managed from now on, so that it can be removed with its line in the definition. This takes no
/// message and no change.
package struct Claims: Hashable, Sendable {
    /// Subnets, application keys and groups, in the order of the definition.
    package var resources: [NetworkResource] = []
    /// Values of models, by node.
    package var nodes: [NodeClaim] = []

    package init(resources: [NetworkResource] = [], nodes: [NodeClaim] = []) {
        self.resources = resources
        self.nodes = nodes
    }

    package var isEmpty: Bool { resources.isEmpty && nodes.isEmpty }
}

/// What a definition claims on one node.
package struct NodeClaim: Hashable, Sendable {
    package var node: DeviceUUID
    /// The claims on its models, each model once.
    package var models: [ModelClaim]

    package init(node: DeviceUUID, models: [ModelClaim]) {
        self.node = node
        self.models = models
    }
}

/// What a definition claims of one model.
package struct ModelClaim: Hashable, Sendable {
    package var address: ModelAddress
    /// AppKeys bound to it, ascending.
    package var bindings: [AppKeyIndex] = []
    /// Its subscriptions, ascending.
    package var subscriptions: [SubscriptionAddress] = []
    package var publication = false

    package init(address: ModelAddress) {
        self.address = address
    }

    package var isEmpty: Bool { bindings.isEmpty && subscriptions.isEmpty && !publication }
}

extension MeshNetwork {
    /// Records claims. It ignores claims on what is not there, or not any more.
    package mutating func apply(_ claims: Claims) {
        for resource in claims.resources { manage(resource) }
        guard !claims.nodes.isEmpty else { return }
        let places = nodePlaces
        for claim in claims.nodes {
            if let index = places[claim.node] { nodes[index].apply(claim) }
        }
    }
}

extension Node {
    package mutating func apply(_ claim: NodeClaim) {
        for claimed in claim.models {
            let element = Int(claimed.address.element)
            guard elements.indices.contains(element),
                let index = elements[element].models.firstIndex(where: { $0.identifier == claimed.address.model })
            else { continue }
            elements[element].models[index].apply(claimed)
        }
    }

    /// Whether both nodes are the same, except for what definitions have asked for.
    package func hasConfiguration(of other: Node) -> Bool {
        if self == other { return true }
        var left = self
        var right = other
        left.disownConfiguration()
        right.disownConfiguration()
        return left == right
    }

    /// Forgets that a definition has asked for anything on the node.
    mutating func disownConfiguration() {
        for element in elements.indices {
            for model in elements[element].models.indices {
                elements[element].models[model].managedBindings = []
                elements[element].models[model].managedSubscriptions = []
                elements[element].models[model].isPublicationManaged = false
            }
        }
    }
}

extension Model {
    fileprivate mutating func apply(_ claim: ModelClaim) {
        for key in claim.bindings where bindings.contains(key) { managedBindings.insertSorted(key) }
        for group in claim.subscriptions where subscriptions.contains(group) {
            managedSubscriptions.insertSorted(group)
        }
        if claim.publication, publication != nil { isPublicationManaged = true }
    }
}
