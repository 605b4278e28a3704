package import MeshCore

/// Tags, protection and removal policy in a profile or an entry of `defaults`: the nodes have them unless they say
/// otherwise themselves.
package struct InheritedValues: Hashable, Sendable {
    package var tags: [String: Located<String>] = [:]
    package var isProtected: Located<Bool>?
    /// What happens to nodes that leave the definition.
    package var removalPolicy: Located<RemovalPolicy>?

    package init() {}
}

extension NodeDefinition {
    /// Takes over what the node does not say itself.
    package mutating func inherit(_ values: InheritedValues) {
        if tags.isEmpty {
            // Nodes without tags share those of their profile.
            tags = values.tags
        } else if !values.tags.isEmpty {
            tags.merge(values.tags) { own, _ in own }
        }
        isProtected = isProtected ?? values.isProtected
        removalPolicy = removalPolicy ?? values.removalPolicy
    }
}
