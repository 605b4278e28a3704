internal import MeshCore

/// How the secret of a key slot is held by its owner. The numbers are stored; they never change their meaning.
package enum KeySlotKind: UInt8, CaseIterable, Sendable {
    /// In a file of 256 random bits.
    case keyFile = 1
    /// In somebody's head, or a file with a passphrase.
    case passphrase = 2
    /// Somewhere from where a command fetches it: a password manager, a hardware token, a vault.
    case command = 3
}

/// A secret that opens a mesh database, or is to open it: that of a key file, a passphrase, or what a command has printed.
/// Nothing prints it.
package struct DatabaseKey: Sendable {
    /// Which kind of slot is made for it.
    package let kind: KeySlotKind
    /// Never log, print or put them into an error. Of a key file 32 octets, of the others what they are derived from.
    let octets: [UInt8]

    /// The secret of a key file; nil unless there are exactly 32 octets.
    package init?(secret: [UInt8]) {
        guard secret.count == AESGCM.keyLength else { return nil }
        self.init(.keyFile, secret)
    }

    /// A new secret of a key file from `generator`, which must be cryptographically secure outside tests.
    package static func random(using generator: inout some RandomNumberGenerator) -> DatabaseKey {
        DatabaseKey(.keyFile, randomOctets(AESGCM.keyLength, using: &generator))
    }

    init(_ kind: KeySlotKind, _ octets: [UInt8]) {
        self.kind = kind
        self.octets = octets
    }

    /// The fewest octets that a command may print. What it prints is not stretched as a passphrase is, so it has to be
    /// beyond guessing.
    package static let leastPrinted = 32
    /// The most octets that a command may print.
    package static let greatestPrinted = 4096

    /// What a command has printed, without the line breaks at its end. 64 hexadecimal digits open the slot of the key file
    /// that holds the same, too.
    ///
    /// - Throws: ``StoreError/Code/invalidKeyFile`` for less than ``leastPrinted`` octets, more than ``greatestPrinted``, or
    ///   several lines; never with what was printed.
    package static func command(printed: [UInt8]) throws(StoreError) -> DatabaseKey {
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
                hint: "have it print the secret alone; whatever else it says belongs on standard error"
            )
        }
        guard line.count >= leastPrinted else {
            throw StoreError(
                .invalidKeyFile,
                "the key command printed \(line.count) octets, and \(leastPrinted) are the least",
                hint:
                    "keep a long random secret there, made with `openssl rand -hex 32` for instance; a passphrase has a "
                    + "slot of another kind"
            )
        }
        return DatabaseKey(.command, Array(line))
    }

    /// The key that wraps the data key in a slot with those parameters; nil if this secret is not of the slot's kind, or
    /// the derivation would take more than it may.
    ///
    /// - Throws: ``StoreError/Code/cryptography`` if there is not enough memory for the derivation.
    func wrappingKey(
        for kind: KeySlotKind,
        _ derivation: KeySlotParameters.Derivation
    ) throws(StoreError) -> [UInt8]? {
        switch (kind, derivation) {
        case (.keyFile, .none):
            // 256 random bits; no derivation could make them better.
            if self.kind == .keyFile { return octets }
            return self.kind == .command ? KeyFile.secret(in: octets) : nil
        case (.passphrase, .scrypt(let cost, let salt)):
            guard self.kind == .passphrase, cost.isAcceptable else { return nil }
            guard let key = Scrypt.derive(octets, salt: salt, cost: cost) else {
                let memory = (cost.memory ?? 0) >> 20
                throw StoreError(
                    .cryptography,
                    "there is not enough memory to derive a key from the passphrase",
                    hint: "it takes \(memory) MiB; close something else"
                )
            }
            return key
        case (.command, .hkdf(let salt)):
            let info = Array("meshplan key command 1".utf8)
            return self.kind == .command ? HKDF.derive(octets, salt: salt, info: info) : nil
        default: return nil
        }
    }
}

extension DatabaseKey: CustomStringConvertible, CustomReflectable {
    /// Never the key.
    package var description: String { "(secret)" }
    /// Shows no children.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
