import MeshCore
import TLS

/// A stream of octets: a connected socket and what waits to be written to it, with TLS or without.
struct ByteStream {
    let descriptor: Descriptor
    /// TLS; nil on a plain connection.
    private var session: TLSSession?
    private var outgoing: [UInt8] = []
    private var written = 0

    /// The most octets that may wait to be written before the other side counts as too slow: thousands of packets.
    static let outgoingLimit = 256 * 1024

    /// What a stream that the other side has closed is told to be over for.
    static let closedText = "the other side closed the connection"
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
        /// Whether the other side closed the connection without a word.
        var isSilent = false
    }

    /// The result of reading.
    struct Arrival {
        /// What has arrived, without TLS.
        var octets: ArraySlice<UInt8> = []
        /// Whether anything has arrived.
        var hasRead = false
        /// Whether the other side sends nothing more. ``ByteStream/ended(isInside:)`` says why.
        var isOver = false
        /// Why the stream broke; nil if it did not.
        var end: End?
    }

    /// Reads what has arrived, at most one full buffer.
    mutating func receive(into buffer: inout [UInt8]) -> Arrival {
        var arrival = Arrival()
        do {
            switch try descriptor.read(into: &buffer) {
            case .bytes(let bytes):
                arrival.hasRead = true
                decrypt(bytes, &arrival)
            case .nothingYet: break
            case .end: arrival.isOver = true
            }
        } catch {
            arrival.end = End(
                message: error.isClosedByPeer ? Self.closedText : error.text,
                isSilent: error.isClosedByPeer
            )
        }
        return arrival
    }

    private mutating func decrypt(_ bytes: ArraySlice<UInt8>, _ arrival: inout Arrival) {
        guard let session else {
            arrival.octets = bytes
            return
        }
        do {
            try session.receive(bytes)
        } catch {
            arrival.end = End(message: error.message, hint: error.hint, isSecurity: true)
            // A peer that does not speak TLS must be answered without it.
            if error.kind == .notTLS, session.role == .server { self.session = nil }
        }
        arrival.octets = session.read()[...]
        arrival.isOver = session.isClosedByPeer
        outgoing += session.takeOutgoing()
        if let failure = flush() { arrival.end = arrival.end ?? End(message: failure) }
        // TLS answers some messages by itself, such as key updates. A peer that sends them for ever and reads nothing
        // must not fill the memory.
        if waiting > Self.outgoingLimit { arrival.end = arrival.end ?? End(message: Self.slowText) }
    }

    /// Why a stream is over whose other side sends nothing more.
    ///
    /// - Parameter isInside: whether it stopped in the middle of a frame.
    func ended(isInside: Bool) -> End {
        if let session, !session.isEstablished {
            do {
                try session.receiveEnd()
            } catch {
                return End(
                    message: error.message,
                    hint: error.hint,
                    isSecurity: true,
                    isSilent: error.kind == .truncated
                )
            }
        }
        return End(
            message: isInside ? "the other side closed the connection inside a frame" : Self.closedText,
            isSilent: !isInside
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

    /// Queues octets and writes what the system takes.
    ///
    /// - Returns: why the stream is over; nil while it is open.
    mutating func send(_ octets: some Collection<UInt8>) -> String? {
        if let session {
            do {
                try session.write(octets)
            } catch {
                return error.message
            }
            outgoing += session.takeOutgoing()
        } else {
            outgoing += octets
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
            outgoing.removeAll(keepingCapacity: outgoing.capacity <= Self.keptCapacity)
            written = 0
        } else if written > Self.outgoingLimit {
            outgoing.removeFirst(written)
            written = 0
        }
        return nil
    }

    /// The most octets of an empty queue that are kept for the next: many connections are idle at once.
    private static let keptCapacity = 4 * 1024
}
