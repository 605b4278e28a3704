import DefinitionModel
import MeshCore

/// The part of a definition that gives a node a value.
enum DeclarationOrigin: Hashable {
    case node
    /// The profile at that index.
    case profile(Int)
    /// The entry of the defaults at that index.
    case defaults(Int)
    /// The top-level subscription at that index.
    case subscription(Int)
    /// The top-level publication at that index.
    case publication(Int)
    /// The schedule at that index.
    case schedule(Int)
    case timeOfSchedules

    /// Whether it is a policy for many nodes. It does not apply to nodes that do not support it.
    var isDefault: Bool {
        if case .defaults = self { true } else { false }
    }
}

/// A desired value of a node, and its origin.
struct Declared<Value> {
    var value: Value
    var location: SourceLocation
    /// The part that gives the node the value. With aliases in YAML, the location may lie in another part.
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
