/// The limits of a definition. They are far above any real network (10,000 nodes with five models each are 1.2 million
/// nodes of YAML in 12 MB) and keep hostile files from using up memory and time.
struct ReadingLimits: Hashable, Sendable {
    var fileSize = 128 << 20
    /// Octets of one scalar. The longest value of the language is the path of a key file.
    var scalarSize = 4096
    /// Depth of nested mappings and lists, with aliases expanded.
    var depth = 64
    var documents = 10_000
    /// Scalars, lists and mappings in one document, with aliases expanded.
    var nodes = 5_000_000
    /// Instances of modules, and repetitions of entries, in all documents together.
    var instances = 200_000
    /// Entries of each section of named things, in all documents together. No mesh has as many addresses.
    var things = 100_000
    /// How often the selectors of one network may look at a node.
    var selectionWork = 10_000_000
    /// Tags that the nodes of one network take over from profiles and `defaults` together.
    var inheritedTags = 1_000_000
    /// Entries around an edit that have no more octets than this are parsed again together: the more stands around an
    /// edit, the more edits leave whole entries.
    var separateOctets = 1 << 16
    /// Diagnostics of each severity that are kept. Further ones are only counted.
    var diagnostics = 100
}
