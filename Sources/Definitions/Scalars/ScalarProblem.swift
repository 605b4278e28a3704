/// The reason why a text is no value for its field.
struct ScalarProblem: Error, Hashable {
    var message: String
    var hint: String?

    init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}
