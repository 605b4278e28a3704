import CTLS

/// An OpenSSL buffer in memory. The library reads and writes it like a file.
final class MemoryBIO {
    /// The pointer for calls of the library.
    let pointer: OpaquePointer
    private let isSecret: Bool

    /// Makes an empty buffer.
    ///
    /// - Parameter isSecret: whether its memory is overwritten at the end.
    init(isSecret: Bool = false) throws(TLSError) {
        ErrorQueue.clear()
        guard let pointer = BIO_new(isSecret ? BIO_s_secmem() : BIO_s_mem()) else {
            throw ErrorQueue.failure("make a buffer")
        }
        self.pointer = pointer
        self.isSecret = isSecret
    }

    /// Makes a buffer that holds octets for reading.
    convenience init(_ octets: [UInt8]) throws(TLSError) {
        try self.init(isSecret: true)
        try write(octets[...])
    }

    deinit { BIO_free(pointer) }

    func write(_ octets: ArraySlice<UInt8>) throws(TLSError) {
        guard !octets.isEmpty else { return }
        let written = octets.withUnsafeBufferPointer { BIO_write(pointer, $0.baseAddress, Int32($0.count)) }
        guard written == octets.count else { throw ErrorQueue.failure("fill a buffer") }
    }

    var count: Int { BIO_ctrl_pending(pointer) }

    /// Removes and returns all octets.
    func drain() -> [UInt8] {
        let count = self.count
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = max(Int(BIO_read(pointer, buffer.baseAddress, Int32(count))), 0)
        }
    }
}
