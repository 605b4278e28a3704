extension Octets16 {
    /// Lends the 16 octets in transmission order to a call into C.
    @inline(__always)
    func withUnsafeOctets<Result>(_ body: (UnsafePointer<UInt8>?) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2) { words in
            words[0] = high.bigEndian
            words[1] = low.bigEndian
            return words.withMemoryRebound(to: UInt8.self) { body(UnsafePointer($0.baseAddress)) }
        }
    }

    /// Takes the 16 octets that `body` writes in transmission order. If `body` returns false, the program ends.
    @inline(__always)
    static func filled(_ body: (UnsafeMutablePointer<UInt8>?) -> Bool) -> Octets16 {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2) { words in
            words[0] = 0
            words[1] = 0
            guard words.withMemoryRebound(to: UInt8.self, { body($0.baseAddress) }) else {
                libcryptoFailed("a block operation")
            }
            return Octets16(high: UInt64(bigEndian: words[0]), low: UInt64(bigEndian: words[1]))
        }
    }
}

/// Ends the program because libcrypto refused an operation with valid arguments: it is out of memory or was built
/// without the algorithm. Nothing that a peer sends can cause this.
func libcryptoFailed(_ operation: StaticString) -> Never {
    preconditionFailure("libcrypto cannot do \(operation)")
}
