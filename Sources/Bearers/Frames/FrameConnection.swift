import MeshCore
import TLS

/// A stream of frames: a socket, its decoder and what waits to be written, with TLS or without.
struct FrameConnection {
    /// The socket.
    let descriptor: Descriptor
    /// TLS; nil on a plain connection.
    private var session: TLSSession?
    private var decoder = FrameDecoder()
    private var outgoing: [UInt8] = []
    private var written = 0

    /// The most octets that may wait to be written before the other side counts as too slow: thousands of packets.
    static let outgoingLimit = 256 * 1024
    /// The most octets that may wait while optional frames are still added.
    static let droppingLimit = 16 * 1024

    private static let closedText = "the other side closed the connection"
    private static let slowText = "the other side reads too slowly"

    /// A stream over a connected socket.
    ///
    /// - Parameter session: secures the stream, if given. A client's session has something to send at once.
    init(_ descriptor: Descriptor, session: TLSSession? = nil) {
        self.descriptor = descriptor
        self.session = session
        outgoing = session?.takeOutgoing() ?? []
    }

    /// How many octets wait to be written.
    var waiting: Int { outgoing.count - written }

    /// Whether octets wait to be written.
    var isWriting: Bool { waiting > 0 }

    /// Whether the connection uses TLS.
    var isSecured: Bool { session != nil }

    /// The name in the other side's certificate; nil on a plain connection, and before the certificate has arrived.
    var peerName: String? { session?.peer?.name }

    /// The fingerprint of the other side's certificate.
    var peerFingerprint: [UInt8]? { session?.peer?.fingerprint }

    /// Why a stream is over.
    struct End {
        /// What has happened, as the end of “the connection is lost: …”.
        var message: String
        /// How to mend it; nil if nothing is known.
        var hint: Advice?
        /// Whether the other side broke the rules of the frames.
        var isViolation = false
        /// Whether TLS could not be set up, or broke.
        var isSecurity = false
    }

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
        var outcome = Outcome()
        var isOver = false
        do {
            switch try descriptor.read(into: &buffer) {
            case .bytes(let bytes):
                outcome.hasRead = true
                outcome.end = decode(bytes)
                isOver = session?.isClosedByPeer ?? false
            case .nothingYet: return outcome
            case .end: isOver = true
            }
        } catch {
            outcome.end = End(message: error.isClosedByPeer ? Self.closedText : error.text)
        }
        do {
            while let content = try decoder.next() { outcome.contents.append(content) }
        } catch {
            outcome.end = outcome.end ?? End(message: "the other side sent \(error)", isViolation: true)
        }
        // Whole frames that arrived together with the end have been taken out by now.
        if isOver, outcome.end == nil { outcome.end = ended() }
        return outcome
    }

    private mutating func decode(_ bytes: ArraySlice<UInt8>) -> End? {
        guard let session else {
            decoder.append(bytes)
            return nil
        }
        var end: End?
        do {
            try session.receive(bytes)
        } catch {
            end = End(message: error.message, hint: error.hint, isSecurity: true)
            // A peer that does not speak TLS must be answered without it.
            if error.kind == .notTLS, session.role == .server { self.session = nil }
        }
        decoder.append(session.read())
        outgoing += session.takeOutgoing()
        if let failure = flush() { end = end ?? End(message: failure) }
        // TLS answers some messages by itself, such as key updates. A peer that sends them for ever and reads nothing
        // must not fill the memory.
        if waiting > Self.outgoingLimit { end = end ?? End(message: Self.slowText) }
        return end
    }

    private func ended() -> End {
        if let session, !session.isEstablished {
            do {
                try session.receiveEnd()
            } catch {
                return End(message: error.message, hint: error.hint, isSecurity: true)
            }
        }
        return End(
            message: decoder.pending == 0
                ? Self.closedText : "the other side closed the connection inside a frame"
        )
    }

    /// Throws away what has arrived on a stream that is over.
    ///
    /// - Returns: whether nothing more will arrive.
    func discard(into buffer: inout [UInt8]) -> Bool {
        do {
            if case .end = try descriptor.read(into: &buffer) { return true }
            return false
        } catch { return true }
    }

    /// Queues the content of a frame and writes what the system takes.
    ///
    /// - Parameter canBeMissed: whether to leave the frame out if much waits already.
    /// - Returns: why the stream is over; nil while it is open.
    mutating func send(_ content: [UInt8], canBeMissed: Bool = false) -> String? {
        if canBeMissed, waiting > Self.droppingLimit { return nil }
        let frame: [UInt8]
        do {
            frame = try Frame.encode(content)
        } catch {
            return "something cannot be framed: \(error)"
        }
        if let session {
            do {
                try session.write(frame)
            } catch {
                return error.message
            }
            outgoing += session.takeOutgoing()
        } else {
            outgoing += frame
        }
        if let end = flush() { return end }
        return waiting > Self.outgoingLimit ? Self.slowText : nil
    }

    /// Ends sending, with TLS's own message if TLS is used, and writes what the system takes.
    mutating func close() {
        guard let session else { return }
        session.close()
        outgoing += session.takeOutgoing()
        _ = flush()
    }

    /// Writes as much of the queue as the system takes.
    ///
    /// - Returns: why the stream is over; nil while it is open.
    mutating func flush() -> String? {
        while isWriting {
            do {
                let count = try descriptor.write(outgoing[written...])
                if count == 0 { break }
                written += count
            } catch {
                return error.isClosedByPeer ? Self.closedText : error.text
            }
        }
        if !isWriting {
            outgoing.removeAll(keepingCapacity: true)
            written = 0
        } else if written > Self.outgoingLimit {
            outgoing.removeFirst(written)
            written = 0
        }
        return nil
    }
}
