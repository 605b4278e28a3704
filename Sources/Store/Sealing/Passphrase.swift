import MeshCore
// The standard library normalizes for itself, to compare strings. Foundation, which offers the same to everybody, would
// make the executable three times as large.
@_spi(_Unicode) import Swift

/// Rules for passphrases. Somebody who has the file can try as many as their machines allow, so a short one protects
/// nothing.
package enum Passphrase {
    /// The fewest characters of a new passphrase. Six random words have thirty.
    package static let leastCharacters = 12
    /// The most octets. Nobody types more; anything longer is a file given by mistake.
    package static let greatestOctets = 1000

    /// The secret for a passphrase.
    ///
    /// The text is brought into normalization form C, because one keyboard sends `é` as one character and another as
    /// two. Spaces count, also at the ends.
    ///
    /// - Parameter isNew: whether a new slot is made with it, so that a minimum length applies.
    /// - Throws: ``StoreError/Code/invalidPassphrase`` for an empty or overlong one, and for a new one that is short.
    ///   The error never holds the passphrase.
    package static func key(_ text: String, isNew: Bool) throws(StoreError) -> DatabaseSecret {
        guard !text.isEmpty else { throw StoreError(.invalidPassphrase, "the passphrase is empty") }
        guard text.utf8.count <= greatestOctets else {
            throw StoreError(.invalidPassphrase, "the passphrase is longer than \(greatestOctets) octets")
        }
        guard !isNew || text.count >= leastCharacters else {
            throw StoreError(
                .invalidPassphrase,
                "the passphrase has \(text.count) characters; at least \(leastCharacters) are needed",
                hint: "several words chosen by chance are easy to type and hard to guess"
            )
        }
        return DatabaseSecret(.passphrase, SecretOctets(Array(String(String.UnicodeScalarView(text._nfc)).utf8)))
    }

    /// The secret for a passphrase in a file: one line, whose line break does not count.
    ///
    /// - Throws: what ``key(_:isNew:)`` throws, and ``StoreError/Code/invalidPassphrase`` if the file is not one line
    ///   of UTF-8.
    package static func key(file bytes: [UInt8], isNew: Bool) throws(StoreError) -> DatabaseSecret {
        var line = bytes[...]
        if line.last == 0x0A { line.removeLast() }
        if line.last == 0x0D { line.removeLast() }
        guard !line.contains(0x0A), !line.contains(0), let text = String(validating: line, as: UTF8.self) else {
            throw StoreError(
                .invalidPassphrase,
                "the passphrase file does not hold one line of text",
                hint: "put the passphrase alone into it, in UTF-8"
            )
        }
        return try key(text, isNew: isNew)
    }
}
