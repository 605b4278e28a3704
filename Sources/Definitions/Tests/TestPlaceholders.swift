import DefinitionModel

/// Which placeholders the texts of a test may hold: those that its `for_each` binds.
struct TestPlaceholders {
    /// What the runs go over; nil if the test has no placeholders.
    let name: String?

    /// A text with a name in place of each placeholder, so that it can be checked like any other.
    ///
    /// - Throws: `ScalarProblem` for a placeholder that stands for nothing.
    func filled(_ text: String) throws(ScalarProblem) -> String {
        for placeholder in TestPlaceholder.names(in: text) where !isBound(placeholder) {
            throw ScalarProblem("`$(\(placeholder))` stands for nothing here", hint: hint(placeholder))
        }
        return TestPlaceholder.replacing(in: text) { _ in "x" }
    }

    private func isBound(_ placeholder: String) -> Bool {
        // Whether a node has a tag is known when all nodes are.
        placeholder == name || name == TestBinding.node && Name.isValid(placeholder)
    }

    private func hint(_ placeholder: String) -> String {
        guard let name else {
            return
                "give the test a `for_each: { tag: \(Name.isValid(placeholder) ? placeholder : "room") }` and `steps:`"
        }
        return name == TestBinding.node
            ? "this test has `$(node)`, and tags of the node such as `$(room)`" : "this test has `$(\(name))`"
    }
}
