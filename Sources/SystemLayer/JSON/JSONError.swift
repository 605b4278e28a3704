/// What is wrong in a JSON document. Callers that report it to a user add what to do about it.
package struct JSONError: Error, Hashable, Sendable {
    /// The kind of error.
    package enum Kind: Hashable, Sendable {
        /// The document is too large to be read.
        case tooLarge
        /// It is a database of SQLite.
        case database
        /// It is text in UTF-16.
        case utf16
        case empty
        /// It ends too early.
        case cutOff
        /// Its very first character is wrong.
        case foreign
        /// Anything else.
        case malformed
    }

    package var kind: Kind
    /// What is wrong and where, without a full stop.
    package var message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}
