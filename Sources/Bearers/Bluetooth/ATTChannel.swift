#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The socket of one connection: each read and each write is one PDU of the attribute protocol.
final class ATTChannel {
    /// The socket.
    let descriptor: Descriptor
    /// Whether the connection has come about.
    var isConnected = false
    /// The error number with which the connection has ended, 0 for an orderly end; nil while it is there.
    private(set) var end: Int32?
    private var outgoing: [[UInt8]] = []
    /// The octets of PDUs that wait to be written.
    private(set) var waiting = 0
    private var error: Int32?

    /// The most octets that wait to be written. A gateway lets 8 KiB of them wait, and reads 24 KiB more at most from its
    /// client before it looks again, so none of its clients comes here by being quick.
    static let outgoingLimit = 40 * 1024

    /// A channel over a socket that is being connected.
    init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
    }

    /// Whether PDUs wait to be written.
    var isWriting: Bool { !outgoing.isEmpty }

    /// Whether writing has failed, so that reading will tell of the end.
    var hasFailed: Bool { error != nil }

    /// Writes a PDU, or queues it behind others.
    ///
    /// - Returns: false if too many wait.
    func write(_ pdu: [UInt8]) -> Bool {
        guard waiting + pdu.count <= ATTChannel.outgoingLimit else { return false }
        outgoing.append(pdu)
        waiting += pdu.count
        flush()
        return true
    }

    /// Writes what waits, as far as the kernel takes it.
    func flush() {
        var written = 0
        defer { outgoing.removeFirst(written) }
        do throws(SystemError) {
            while written < outgoing.count {
                guard try descriptor.write(outgoing[written][...]) > 0 else { return }
                waiting -= outgoing[written].count
                written += 1
            }
        } catch {
            // Whatever has arrived before is read first; reading tells of the end, too.
            written = outgoing.count
            waiting = 0
            self.error = self.error ?? error.number
        }
    }

    /// The next PDU, nil if there is none at present, or none any more: see ``end``.
    ///
    /// A socket tells its error before what has arrived ahead of it, so it is read on until the end.
    func read(into buffer: inout [UInt8]) -> [UInt8]? {
        for _ in 0..<2 {
            do throws(SystemError) {
                switch try descriptor.read(into: &buffer) {
                case .bytes(let bytes): return Array(bytes)
                case .nothingYet:
                    if let error { end = error }
                    return nil
                case .end:
                    end = error ?? 0
                    return nil
                }
            } catch {
                if self.error != nil {
                    end = self.error
                    return nil
                }
                self.error = error.number
            }
        }
        return nil
    }
}
