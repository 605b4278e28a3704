/// The reason why a server could not be reached or did not do what it was asked. It never holds a password.
package struct PostgreSQLError: Error, Hashable, Sendable {
    /// What failed.
    package enum Kind: Hashable, Sendable {
        /// The address cannot be read.
        case address
        /// There is no connection, or it broke. What was under way may or may not have been done.
        case connection
        /// The server refused; what was under way was not done.
        case refused
        /// The answer does not have the columns or types that the program expects from its own tables.
        case shape
    }

    package var kind: Kind
    /// The five characters of the server's reason (SQLSTATE), if it gave one.
    package var state: String?
    /// The message of libpq or of the server, in one line.
    package var message: String
    /// Whether somebody took the connection and closed it before a server spoke. So does a proxy that has no server to
    /// lead to.
    package var isDropped = false

    package init(_ kind: Kind, state: String? = nil, _ message: String) {
        self.kind = kind
        self.state = state
        self.message = message
    }

    /// Whether a conflict with another transaction stopped the server. The same request can then be repeated.
    package var isConflict: Bool { state == "40001" || state == "40P01" }

    /// One line of printable text without the secrets.
    static func line(_ text: String, hiding secrets: [String] = []) -> String {
        var text = text
        for secret in secrets where !secret.isEmpty { text = text.split(separator: secret).joined(separator: "…") }
        let words = text.unicodeScalars.split { $0.properties.isWhitespace || $0.value < 0x20 || $0.value == 0x7F }
        return String(words.map { String(Substring($0)) }.joined(separator: " ").prefix(400))
    }
}
