import DefinitionModel
import MeshCore

/// The declarations of one document, before the documents of a network are put together.
struct Fragment {
    /// Where the document starts.
    var location: SourceLocation
    /// The network that it names, if it names one.
    var network: Located<String>?
    /// Whether it names a network, even in a wrong way.
    var namesNetwork = false
    /// Whether it gives the version of the language.
    var hasVersion = false
    /// Its declarations. The network's name in it has no meaning.
    var definition: Definition
    /// The names whose declarations had to be left out.
    var broken: Set<BrokenName> = []
    /// The products that profiles and nodes name, which stand in files that are read last.
    var productNames: [ProductName] = []

    /// An empty fragment.
    init(location: SourceLocation) {
        self.location = location
        definition = Definition(network: Located("", at: location))
    }
}

/// The name of a product in a profile or node.
struct ProductName {
    /// The profile or node.
    var user: User
    /// The name.
    var name: Located<String>

    /// What is made as the product, by its place in the fragment.
    enum User {
        case profile(Int)
        case node(Int)
    }
}

/// A name whose declaration had to be left out.
struct BrokenName: Hashable {
    /// The section that declares it.
    var section: Keyword
    /// The name.
    var name: String
}
