/// Why a server could not be reached or did not do what it was asked. Never holds a password.
package struct PostgreSQLError: Error, Hashable, Sendable {
    /// What failed.
    package enum Kind: Hashable, Sendable {
        /// The address cannot be read.
        case address
        /// There is no connection, or it broke: what was under way may have been done or not.
        case connection
        /// The server refused; what was under way was not done.
        case refused
        /// The answer is not what the statement gives on the tables that it was written for.
        case shape
    }

    /// What failed.
    package var kind: Kind
    /// The five characters of the server's reason (SQLSTATE), if it gave one.
    package var state: String?
    /// What libpq or the server says, one line.
    package var message: String

    /// An error with those parts.
    package init(_ kind: Kind, state: String? = nil, _ message: String) {
        self.kind = kind
        self.state = state
        self.message = message
    }

    /// Whether the server did not do it because of others who did something at the same time; then it is asked again.
    package var isConflict: Bool { state == "40001" || state == "40P01" }

    /// One line of printable text, without what must not be seen.
    static func line(_ text: String, hiding secrets: [String] = []) -> String {
        var text = text
        for secret in secrets where !secret.isEmpty { text = text.split(separator: secret).joined(separator: "…") }
        let words = text.unicodeScalars.split { $0.properties.isWhitespace || $0.value < 0x20 || $0.value == 0x7F }
        return String(words.map { String(Substring($0)) }.joined(separator: " ").prefix(400))
    }
}
