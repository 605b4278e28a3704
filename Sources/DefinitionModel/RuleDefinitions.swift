package import MeshCore

/// Which nodes a top-level rule selects. All given parts must match.
package struct NodeSelector: Hashable, Sendable {
    /// Node names; `*` matches any run of characters. Nil for any name.
    package var names: [Located<String>]?
    /// Tags that must have these values; a value may contain `*`.
    package var tags: [String: Located<String>]
    /// Whether its patterns and tags may select no node: `allow_empty: true`. Otherwise that is an error, because it is
    /// usually a mistake.
    package var mayBeEmpty = false
    package var location: SourceLocation

    package init(location: SourceLocation) {
        tags = [:]
        self.location = location
    }

    /// Whether it is the word `all`, which contains no name that could be misspelt.
    package var isAll: Bool { names == nil && tags.isEmpty }

    /// How much it costs to look at one node, at least 1.
    package var cost: Int {
        max(((names ?? []) + tags.values).reduce(0) { $0 + Glob($1.value).cost }, 1)
    }
}

/// One entry of `subscriptions`: adds groups to models on the selected nodes.
package struct SubscriptionDefinition: Hashable, Sendable {
    package var groups: [Located<String>]
    package var models: [Located<ModelIdentifier>]
    package var nodes: NodeSelector
    /// The element, or nil for every element that has the model.
    package var element: Located<UInt8>?
    package var location: SourceLocation

    package init(
        groups: [Located<String>],
        models: [Located<ModelIdentifier>],
        nodes: NodeSelector,
        element: Located<UInt8>? = nil,
        location: SourceLocation
    ) {
        self.groups = groups
        self.models = models
        self.nodes = nodes
        self.element = element
        self.location = location
    }
}

/// One entry of `publications`: sets the publication of a model on the selected nodes.
package struct PublicationDefinition: Hashable, Sendable {
    /// The nodes; `node: NAME` selects one.
    package var nodes: NodeSelector
    package var model: Located<ModelIdentifier>
    /// The element, or nil for the first one that has the model.
    package var element: Located<UInt8>?
    package var settings: PublishSettings
    package var location: SourceLocation

    package init(
        nodes: NodeSelector,
        model: Located<ModelIdentifier>,
        element: Located<UInt8>? = nil,
        settings: PublishSettings,
        location: SourceLocation
    ) {
        self.nodes = nodes
        self.model = model
        self.element = element
        self.settings = settings
        self.location = location
    }
}
