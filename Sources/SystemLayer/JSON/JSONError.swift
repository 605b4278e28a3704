/// What is wrong in a JSON document. Who tells a user of it adds what to do about it.
package struct JSONError: Error, Hashable, Sendable {
    /// What kind of trouble it is.
    package enum Kind: Hashable, Sendable {
        /// The document is too large to be read.
        case tooLarge
        /// It is a database of SQLite.
        case database
        /// It is text in UTF-16.
        case utf16
        /// There is nothing in it.
        case empty
        /// It ends too early.
        case cutOff
        /// Already its first character is wrong.
        case foreign
        /// Anything else.
        case malformed
    }

    /// What kind of trouble it is.
    package var kind: Kind
    /// What is wrong and where, without a full stop.
    package var message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}
