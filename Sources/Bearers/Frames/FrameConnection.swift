import MeshCore
import TLS

/// A stream of frames: a connection and the decoder of what arrives on it.
struct FrameConnection {
    private var stream: ByteStream
    private var decoder = FrameDecoder()
    /// Whether TLS has begun by ``secure(_:)``.
    private(set) var isSecuring = false

    /// The most octets that may wait while optional frames are still added.
    static let droppingLimit = 16 * 1024

    /// Why a stream is over.
    typealias End = ByteStream.End

    /// The frames of a stream that is at their beginning.
    init(_ stream: ByteStream) {
        self.stream = stream
    }

    var descriptor: Descriptor { stream.descriptor }

    /// Begins TLS. Nothing may have been read or written before.
    mutating func secure(_ session: TLSSession) {
        stream = ByteStream(stream.descriptor, session: session)
        isSecuring = true
    }

    /// How many octets wait to be written.
    var waiting: Int { stream.waiting }

    /// Whether octets wait to be written.
    var isWriting: Bool { stream.isWriting }

    var isSecured: Bool { stream.isSecured }

    /// The name in the other side's certificate; nil on a plain connection, and before the certificate has arrived.
    var peerName: String? { stream.peerName }

    /// The fingerprint of the other side's certificate.
    var peerFingerprint: [UInt8]? { stream.peerFingerprint }

    /// The result of reading: contents of frames and, at the end, why the stream is over.
    struct Outcome {
        /// Contents of whole frames.
        var contents: [[UInt8]] = []
        /// Whether anything has arrived.
        var hasRead = false
        /// Why nothing more arrives; nil while the stream is open.
        var end: End?
    }

    /// Reads what has arrived, at most one full buffer.
    mutating func receive(into buffer: inout [UInt8]) -> Outcome {
        let arrival = stream.receive(into: &buffer)
        var outcome = Outcome(hasRead: arrival.hasRead, end: arrival.end)
        guard arrival.hasRead || arrival.isOver || arrival.end != nil else { return outcome }
        decoder.append(arrival.octets)
        do {
            while let content = try decoder.next() { outcome.contents.append(content) }
        } catch {
            outcome.end = outcome.end ?? End(message: "the other side sent \(error)", isViolation: true)
        }
        // Whole frames that arrived together with the end have been taken out by now.
        if arrival.isOver, outcome.end == nil { outcome.end = stream.ended(isInside: decoder.pending > 0) }
        return outcome
    }

    /// Throws away what has arrived on a stream that is over.
    ///
    /// - Returns: whether nothing more will arrive.
    func discard(into buffer: inout [UInt8]) -> Bool { stream.discard(into: &buffer) }

    /// Queues the content of a frame and writes what the system takes.
    ///
    /// - Parameter canBeMissed: whether to leave the frame out if much waits already.
    /// - Returns: why the stream is over; nil while it is open.
    mutating func send(_ content: [UInt8], canBeMissed: Bool = false) -> String? {
        if canBeMissed, waiting > Self.droppingLimit { return nil }
        do {
            return stream.send(try Frame.encode(content))
        } catch {
            return "something cannot be framed: \(error)"
        }
    }

    /// Ends sending, with TLS's own message if TLS is used, and writes what the system takes.
    mutating func close() { stream.close() }

    /// Writes as much of the queue as the system takes.
    ///
    /// - Returns: why the stream is over; nil while it is open.
    mutating func flush() -> String? { stream.flush() }
}
