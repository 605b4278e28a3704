import DefinitionModel

/// Which variables the texts of a test may hold: those that its `for_each` binds.
struct TestVariables {
    /// What the runs go over; nil if the test has no variables.
    let name: String?

    /// A text with a name in place of each variable, so that it can be checked like any other.
    ///
    /// - Throws: `ScalarProblem` for a variable that stands for nothing.
    func filled(_ text: String) throws(ScalarProblem) -> String {
        for variable in TestVariable.names(in: text) where !isBound(variable) {
            throw ScalarProblem("`$(\(variable))` stands for nothing here", hint: hint(variable))
        }
        return TestVariable.replacing(in: text) { _ in "x" }
    }

    private func isBound(_ variable: String) -> Bool {
        // Whether a node has a tag is known when all nodes are.
        variable == name || name == TestBinding.node && Name.isValid(variable)
    }

    private func hint(_ variable: String) -> String {
        guard let name else {
            return
                "give the test a `for_each: { tag: \(Name.isValid(variable) ? variable : "room") }` and `steps:`"
        }
        return name == TestBinding.node
            ? "this test has `$(node)`, and tags of the node such as `$(room)`" : "this test has `$(\(name))`"
    }
}
