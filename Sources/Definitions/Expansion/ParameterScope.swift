/// What `$(name)` stands for at a place.
struct ParameterScope {
    /// The value of a parameter or variable.
    enum Value {
        /// A text, by its symbol, with or without quotes.
        case text(UInt32, DocumentTree.Kind)
        /// A list or mapping: a tree without aliases and references.
        case tree(DocumentTree)
        /// A value that was wrong and has been reported.
        case broken
    }

    /// The values by the symbols of their names.
    var values: [UInt32: Value] = [:]
    /// Whether `$(name)` stays as it is where no value has that name: in tests, which have a loop of their own, and in
    /// checks, where it is a tag of the node.
    var keepsUnbound = false

    /// The same with further values, which hide others of the same name.
    func adding(_ more: [(name: UInt32, value: Value)]) -> ParameterScope {
        var scope = self
        for (name, value) in more { scope.values[name] = value }
        return scope
    }
}
