// FoundationEssentials has no Unicode normalization. The package of SQLite links all of Foundation anyway.
internal import Foundation
internal import MeshCore

/// Rules for passphrases. Whoever has the file can try as many as they have machines for, so a short one protects nothing.
package enum Passphrase {
    /// The fewest characters of a new passphrase. Six random words have thirty.
    package static let leastCharacters = 12
    /// The most octets, more than anybody types: what is longer is a file given by mistake.
    package static let greatestOctets = 1000

    /// What a passphrase opens, or, where it is new, is to open.
    ///
    /// The text is brought into normalization form C, because one keyboard sends `é` as one character and another as two.
    /// Spaces count, at the ends too.
    ///
    /// - Throws: ``StoreError/Code/invalidPassphrase`` for an empty or overlong one, and for a new one that is short; never
    ///   with the passphrase.
    package static func key(_ text: String, isNew: Bool) throws(StoreError) -> DatabaseKey {
        guard !text.isEmpty else { throw StoreError(.invalidPassphrase, "the passphrase is empty") }
        guard text.utf8.count <= greatestOctets else {
            throw StoreError(.invalidPassphrase, "the passphrase is longer than \(greatestOctets) octets")
        }
        guard !isNew || text.count >= leastCharacters else {
            throw StoreError(
                .invalidPassphrase,
                "the passphrase has \(text.count) characters, and \(leastCharacters) are the least",
                hint: "several words chosen by chance are easy to type and hard to guess"
            )
        }
        return DatabaseKey(.passphrase, Array(text.precomposedStringWithCanonicalMapping.utf8))
    }

    /// The same for the contents of a file: one line, whose line break does not belong to it.
    ///
    /// - Throws: as ``key(_:isNew:)``, and where it is not one line of UTF-8.
    package static func key(file bytes: [UInt8], isNew: Bool) throws(StoreError) -> DatabaseKey {
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
