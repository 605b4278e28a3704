import DefinitionModel

/// A module: a part of a definition with parameters.
struct ModuleDeclaration {
    var name: Located<String>
    /// Its parameters in reading order.
    var parameters: [ParameterDeclaration]
    /// The symbols of their names.
    var parameterNames: Set<UInt32>
    var tree: DocumentTree
    /// The node of its body.
    var body: Int
    /// The file in which it stands.
    var file: UInt32

    /// What stands between the name of a module and that of one that is declared in it, in full names. Only full names
    /// hold it.
    static let separator = "/"
}

/// What is known while the documents of a run are expanded.
struct ExpansionState {
    /// The modules by the symbols of their full names.
    var modules: [UInt32: ModuleDeclaration] = [:]
    /// Modules that had to be left out.
    var brokenModules: Set<UInt32> = []
    /// The variables by the symbols of their names.
    var variables: [UInt32: (declaration: ParameterDeclaration, location: SourceLocation)] = [:]
    /// The values that documents give to variables, in reading order.
    var givenValues: [(name: UInt32, value: ParameterScope.Value, location: SourceLocation)] = []
    /// The variables with their values.
    var globalScope = ParameterScope()
    var files = SourceFiles()
    /// The file with the values that the environment gives to variables; nil if there is none.
    var environmentFile: UInt32?
    /// Tables of rows by their paths; nil for one that cannot be read, which was reported.
    var tables: [String: RowsTable?] = [:]
    /// Texts with references, taken apart, by their symbols.
    var templates: [UInt32: TextTemplate] = [:]
    /// Entries that are repeated for every value of a tag, until the tags of all nodes are known.
    var entriesForTags: [EntryForTag] = []
    /// The modules that are being expanded, the outermost first, by the symbols of their full names.
    var path: [UInt32] = []
    /// The network of the document that is being expanded, as a place among the fragments.
    var fragment = 0

    /// The most octets of a text that is made.
    let textLimit: Int
    /// How many values may still be made.
    var remaining: Int
    /// The most values.
    let limit: Int
    /// How many instances may still be made.
    var remainingInstances: Int
    let instanceLimit: Int
    /// How many modules may be inside each other.
    let depthLimit: Int
    /// The most entries of a section of named things.
    let thingLimit: Int
    /// How many entries of such sections there are.
    var things: [Keyword: Int] = [:]
    /// Whether there were too many, which was reported.
    var isExhausted = false
    /// Memory that the copy for an earlier instance needed.
    private var room = DocumentTree()

    /// An empty tree for the copy of an instance, with the memory of an earlier one if nobody has taken it.
    mutating func takeRoom() -> DocumentTree {
        var taken = DocumentTree()
        swap(&taken, &room)
        return taken
    }

    /// Keeps the memory of a copy that is not needed any more.
    mutating func giveBack(_ tree: consuming DocumentTree) {
        // Moved, because memory that two have would be copied to be emptied.
        room = consume tree
        room.nodes.removeAll(keepingCapacity: true)
        room.origins.removeAll(keepingCapacity: true)
    }

    /// The key in ``tables`` of a file by its name.
    func tableKey(_ name: Located<String>, _ instances: SourceInstances) -> String {
        NamedFiles.normalized(files.resolving(name.value, namedAt: instances.place(of: name.location)))
    }

    /// Nothing is known yet.
    init(limits: ReadingLimits) {
        textLimit = limits.scalarSize
        limit = limits.nodes
        remaining = limits.nodes
        depthLimit = limits.depth
        thingLimit = limits.things
        instanceLimit = limits.instances
        remainingInstances = limits.instances
    }
}

/// An entry with `each`: one for every value of a tag.
struct EntryForTag {
    var tree: DocumentTree
    /// The section: `groups`, `subscriptions` or `publications`.
    var section: Keyword
    /// The node of its name; nil in a list.
    var key: Int?
    /// The node of the entry.
    var value: Int
    /// The node of the name of the tag.
    var tag: Int
    /// What other references stand for.
    var scope: ParameterScope
    /// The file or instance.
    var origin: UInt32
    /// The fragment of its network.
    var fragment: Int
}
