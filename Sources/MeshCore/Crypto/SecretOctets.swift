import CCrypto

/// Octets of a secret, overwritten when nobody holds them any more.
///
/// They reach other functions through ``withOctets(_:)`` only. A function that keeps the array keeps the secret, and
/// then nothing overwrites it.
package final class SecretOctets: Sendable {
    // Written once more, in deinit, when nobody else is left.
    nonisolated(unsafe) private var octets: [UInt8]

    /// Takes an array over. The caller must not keep it.
    package init(_ octets: consuming [UInt8]) {
        self.octets = octets
    }

    deinit {
        octets.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
    }

    package var count: Int { octets.count }

    /// Calls `body` with the octets, which it must not keep.
    package func withOctets<Result, Failure: Error>(
        _ body: ([UInt8]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(octets)
    }
}

extension SecretOctets: Equatable {
    /// Whether the octets are the same. How long this takes does not tell where they differ.
    package static func == (one: SecretOctets, other: SecretOctets) -> Bool {
        one.count == other.count && CRYPTO_memcmp(one.octets, other.octets, one.count) == 0
    }
}

extension SecretOctets: CustomStringConvertible, CustomReflectable {
    /// A text that stands for the secret and never contains it.
    package var description: String { "(secret)" }
    /// Shows no children.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
