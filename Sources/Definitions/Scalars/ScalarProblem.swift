/// Why a text is not a value of the kind that its field takes.
struct ScalarProblem: Error, Hashable {
    /// What is wrong.
    var message: String
    /// How to mend it.
    var hint: String?

    /// A problem.
    init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}
