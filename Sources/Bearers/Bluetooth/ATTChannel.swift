#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The socket of one connection: each read and each write is one PDU of the attribute protocol.
final class ATTChannel {
    let descriptor: Descriptor
    var isConnected = false
    /// The error number with which the connection ended, 0 for an orderly end; nil while the connection is open.
    private(set) var end: Int32?
    private var outgoing: [[UInt8]] = []
    /// The octets of PDUs that wait to be written.
    private(set) var waiting = 0
    private var error: Int32?

    /// The most octets that may wait to be written.
    /// A gateway lets 8 KiB wait, and then reads at most 24 KiB more from its client before it checks again. So a quick
    /// client of a gateway never reaches this limit.
    static let outgoingLimit = 40 * 1024

    /// Wraps a socket that is still connecting.
    init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
    }

    /// Whether PDUs wait to be written.
    var isWriting: Bool { !outgoing.isEmpty }

    /// Whether writing has failed. The next read reports the end.
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

    /// Writes what waits, as much as the kernel takes.
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
            // What arrived before the failure is read first. Reading also reports the end.
            written = outgoing.count
            waiting = 0
            self.error = self.error ?? error.number
        }
    }

    /// The next PDU; nil if none is there now, or if the connection has ended (see ``end``).
    ///
    /// A socket reports its error ahead of data that arrived before it, so this reads on until the end.
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
