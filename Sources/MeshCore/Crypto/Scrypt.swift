import CCrypto

/// The password-based key derivation function scrypt (RFC 7914). Its cost sets how much memory and time it takes, so
/// that nobody can try passphrases by the billion.
package enum Scrypt {
    /// The cost of one derivation.
    package struct Cost: Hashable, Sendable {
        /// The base-2 logarithm of the parameter N.
        package var logN: UInt8
        /// The block size r, in units of 128 octets.
        package var r: UInt32
        package var p: UInt32

        /// A cost of any size; ``isAcceptable`` judges it.
        package init(logN: UInt8, r: UInt32, p: UInt32) {
            self.logN = logN
            self.r = r
            self.p = p
        }

        /// N = 2^17, r = 8, p = 1: 128 MiB and some tenths of a second, the least that OWASP advises for scrypt.
        package static let standard = Cost(logN: 17, r: 8, p: 1)

        /// The most memory that a derivation may take, 256 MiB and a little. Otherwise anybody who can write to a file
        /// that we read could make us take more.
        package static let greatestMemory: UInt64 = 257 << 20

        /// The most work, N · r · p, that a derivation may take: 4 times that of ``standard``.
        package static let greatestWork: UInt64 = 1 << 22

        /// N · r · p; nil if it overflows.
        package var work: UInt64? {
            guard logN < 32 else { return nil }
            let product = (UInt64(1) << UInt64(logN)).multipliedReportingOverflow(by: UInt64(r) * UInt64(p))
            return product.overflow ? nil : product.partialValue
        }

        /// 128 · N · r octets; nil if it overflows.
        package var memory: UInt64? {
            guard logN < 25 else { return nil }
            return (UInt64(128) << UInt64(logN)) * UInt64(r)
        }

        /// Whether RFC 7914 allows the parameters and they keep within the bounds of memory and work.
        package var isAcceptable: Bool {
            // Section 2: N greater than 1, and less than 2^(128 · r / 8).
            guard logN >= 1, r >= 1, p >= 1, UInt64(logN) < 16 * UInt64(r), let work, let memory else { return false }
            return work <= Cost.greatestWork && memory <= Cost.greatestMemory
        }

        /// Whether guessing is cheaper than under another cost, in work or in memory.
        package func isWeaker(than other: Cost) -> Bool {
            (work ?? .max) < (other.work ?? .max) || (memory ?? .max) < (other.memory ?? .max)
        }
    }

    /// Derives `length` octets from a passphrase.
    ///
    /// - Returns: nil if the cost is not acceptable or libcrypto does not get the memory.
    package static func derive(_ passphrase: [UInt8], salt: [UInt8], cost: Cost, length: Int = 32) -> [UInt8]? {
        guard cost.isAcceptable, length > 0 else { return nil }
        var key = [UInt8](repeating: 0, count: length)
        let count = key.count
        // libcrypto counts a little more than the large table. The check above enforces our own limit.
        let done = passphrase.withUnsafeBytes { passphrase in
            EVP_PBE_scrypt(
                passphrase.bindMemory(to: CChar.self).baseAddress,
                passphrase.count,
                salt,
                salt.count,
                UInt64(1) << UInt64(cost.logN),
                UInt64(cost.r),
                UInt64(cost.p),
                Cost.greatestMemory * 4,
                &key,
                count
            )
        }
        return done == 1 ? key : nil
    }
}
