import MeshCore

/// What one document declares, before the documents of a network are put together.
struct Fragment {
    /// Where the document starts.
    var location: SourceLocation
    /// The network it names, if it does.
    var network: Located<String>?
    /// Whether it names a network, even if not well.
    var namesNetwork = false
    /// Whether it says which version of the language it is written in.
    var hasVersion = false
    /// Its declarations; the network's name in it means nothing.
    var definition: Definition
    /// Names that are declared, but so that the declaration had to be left out.
    var broken: Set<BrokenName> = []

    /// An empty fragment.
    init(location: SourceLocation) {
        self.location = location
        definition = Definition(network: Located("", at: location))
    }
}

/// A name whose declaration had to be left out.
struct BrokenName: Hashable {
    /// The section it stands in.
    var section: Keyword
    /// The name.
    var name: String
}
