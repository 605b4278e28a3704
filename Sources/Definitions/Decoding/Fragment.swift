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

    /// An empty fragment.
    init(location: SourceLocation) {
        self.location = location
        definition = Definition(network: Located("", at: location))
    }
}

/// A name whose declaration had to be left out.
struct BrokenName: Hashable {
    /// The section that declares it.
    var section: Keyword
    /// The name.
    var name: String
}
