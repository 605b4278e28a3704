import DefinitionModel
import MeshCore

/// The declarations of one document, before the documents of a network are put together.
struct Fragment {
    var location: SourceLocation
    /// The network that it names, if it names one.
    var network: Located<String>?
    /// Whether it names a network, even in a wrong way.
    var namesNetwork = false
    var hasVersion = false
    /// Its declarations. The network's name in it has no meaning.
    var definition: Definition
    /// The names whose declarations had to be left out.
    var broken: Set<BrokenName> = []
    /// The products that profiles and nodes name, which stand in files that are read last.
    var productNames: [ProductName] = []

    init(location: SourceLocation) {
        self.location = location
        definition = Definition(network: Located("", at: location))
    }
}

/// The name of a product in a profile or node.
struct ProductName {
    /// The profile or node.
    var user: User
    var name: Located<String>

    /// What is made as the product, by its place in the fragment.
    enum User {
        case profile(Int)
        case node(Int)
    }
}

/// A name whose declaration had to be left out.
struct BrokenName: Hashable {
    var section: Keyword
    var name: String
}
