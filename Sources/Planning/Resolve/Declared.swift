internal import MeshCore

/// Through which part of a definition a value comes to a node.
enum DeclarationOrigin: Hashable {
    /// The node itself.
    case node
    /// The profile at that position.
    case profile(Int)
    /// The entry of the defaults at that position.
    case defaults(Int)
    /// The top-level subscription at that position.
    case subscription(Int)
    /// The top-level publication at that position.
    case publication(Int)

    /// Whether it is a policy for many nodes, which those that cannot follow it are left out of.
    var isDefault: Bool {
        if case .defaults = self { true } else { false }
    }
}

/// A value that is desired of a node, and where it comes from.
struct Declared<Value> {
    var value: Value
    /// Where it stands.
    var location: SourceLocation
    /// Through what it comes to the node. With YAML's aliases it may stand elsewhere.
    var origin: DeclarationOrigin

    init(_ value: Value, at location: SourceLocation, by origin: DeclarationOrigin = .node) {
        self.value = value
        self.location = location
        self.origin = origin
    }

    init(_ located: Located<Value>, by origin: DeclarationOrigin) {
        self.init(located.value, at: located.location, by: origin)
    }
}
