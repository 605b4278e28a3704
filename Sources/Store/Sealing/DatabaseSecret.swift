import MeshCore

/// How the owner of a key slot keeps its secret. The numbers are stored, so they never change their meaning.
package enum KeySlotKind: UInt8, CaseIterable, Sendable {
    /// A file of 256 random bits.
    case keyFile = 1
    /// A passphrase, in somebody's head or in a file.
    case passphrase = 2
    /// A command that fetches the secret: from a password manager, a hardware token or a vault.
    case command = 3
}

/// A secret that opens a mesh database, or will open it: the content of a key file, a passphrase, or the output of a
/// command. Nothing prints it.
package struct DatabaseSecret: Sendable {
    package let kind: KeySlotKind
    /// 32 octets of a key file; otherwise the octets that a key is derived from. Never log or print them or put them
    /// into an error.
    let octets: SecretOctets

    /// The secret of a key file; nil unless there are exactly 32 octets.
    package init?(secret: [UInt8]) {
        guard secret.count == AESGCM.keyLength else { return nil }
        self.init(.keyFile, SecretOctets(secret))
    }

    /// A new secret for a key file from `generator`, which must be cryptographically secure outside tests.
    package static func random(using generator: inout some RandomNumberGenerator) -> DatabaseSecret {
        DatabaseSecret(.keyFile, SecretOctets(randomOctets(AESGCM.keyLength, using: &generator)))
    }

    init(_ kind: KeySlotKind, _ octets: SecretOctets) {
        self.kind = kind
        self.octets = octets
    }

    /// The fewest octets that a command may print. Its output is not stretched as a passphrase is, so nobody must be
    /// able to guess it.
    package static let leastPrinted = 32
    /// The most octets that a command may print.
    package static let greatestPrinted = 4096

    /// The secret in the output of a command, without the line breaks at its end. 64 hexadecimal digits also open the
    /// slot of the key file with the same digits.
    ///
    /// - Throws: ``StoreError/Code/invalidKeyFile`` for fewer than ``leastPrinted`` octets, more than
    ///   ``greatestPrinted``, or several lines. The error never holds what was printed.
    package static func command(printed: [UInt8]) throws(StoreError) -> DatabaseSecret {
        var line = printed[...]
        while let last = line.last, last == 0x0A || last == 0x0D { line.removeLast() }
        guard !line.isEmpty else {
            throw StoreError(.invalidKeyFile, "the key command printed nothing", hint: "run it yourself to see why")
        }
        guard line.count <= greatestPrinted else {
            throw StoreError(.invalidKeyFile, "the key command printed more than \(greatestPrinted) octets")
        }
        guard !line.contains(0x0A), !line.contains(0x0D) else {
            throw StoreError(
                .invalidKeyFile,
                "the key command printed more than one line",
                hint: "let it print only the secret, and everything else to standard error"
            )
        }
        guard line.count >= leastPrinted else {
            throw StoreError(
                .invalidKeyFile,
                "the key command printed \(line.count) octets; it must print at least \(leastPrinted)",
                hint:
                    "keep a long random secret there, made with `openssl rand -hex 32` for instance; a passphrase has a "
                    + "slot of another kind"
            )
        }
        return DatabaseSecret(.command, SecretOctets(Array(line)))
    }

    /// The key that wraps the data key in a slot with those parameters. Nil if this secret does not fit the kind of the
    /// slot, or if the derivation would cost more than is allowed.
    ///
    /// - Throws: ``StoreError/Code/cryptography`` if there is not enough memory for the derivation.
    func wrappingKey(
        for kind: KeySlotKind,
        _ derivation: KeySlotParameters.Derivation
    ) throws(StoreError) -> SecretOctets? {
        switch (kind, derivation) {
        case (.keyFile, .none):
            // 256 random bits; no derivation could improve them.
            if self.kind == .keyFile { return octets }
            return self.kind == .command ? octets.withOctets(KeyFile.secret).map { SecretOctets($0) } : nil
        case (.passphrase, .scrypt(let cost, let salt)):
            guard self.kind == .passphrase, cost.isAcceptable else { return nil }
            guard let key = octets.withOctets({ Scrypt.derive($0, salt: salt, cost: cost) }) else {
                let memory = (cost.memory ?? 0) >> 20
                throw StoreError(
                    .cryptography,
                    "there is not enough memory to derive a key from the passphrase",
                    hint: "it takes \(memory) MiB; close something else"
                )
            }
            return SecretOctets(key)
        case (.command, .hkdf(let salt)):
            let info = Array("meshplan key command 1".utf8)
            guard self.kind == .command else { return nil }
            return SecretOctets(octets.withOctets { HKDF.derive($0, salt: salt, info: info) })
        default: return nil
        }
    }
}

extension DatabaseSecret: CustomStringConvertible, CustomReflectable {
    /// A text that stands for the secret and never contains it.
    package var description: String { "(secret)" }
    /// Shows no children.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
