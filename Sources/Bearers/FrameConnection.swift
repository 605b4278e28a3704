internal import MeshCore

/// One stream of frames: a socket with its decoder and what could not be written yet.
struct FrameConnection {
    /// The socket.
    let descriptor: Descriptor
    private var decoder = FrameDecoder()
    private var outgoing: [UInt8] = []
    private var written = 0

    /// The most octets that wait to be written before the other side counts as too slow: some 4,000 packets.
    static let outgoingLimit = 256 * 1024

    /// A stream over a connected socket.
    init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
    }

    /// Whether octets wait to be written.
    var isWriting: Bool { written < outgoing.count }

    /// What came of reading or writing: packets and, at the end, why the stream is over.
    struct Outcome {
        /// Whole packets.
        var packets: [[UInt8]] = []
        /// Why nothing more comes, nil while the stream is open.
        var end: String?
    }

    /// Reads what has arrived, at most one buffer full.
    mutating func receive(into buffer: inout [UInt8]) -> Outcome {
        var outcome = Outcome()
        do {
            switch try descriptor.read(into: &buffer) {
            case .bytes(let bytes): decoder.append(bytes)
            case .nothingYet: return outcome
            case .end:
                outcome.end =
                    decoder.pending == 0
                    ? "the other side closed the connection"
                    : "the other side closed the connection inside a frame"
                return outcome
            }
        } catch {
            outcome.end = error.text
            return outcome
        }
        do {
            while let packet = try decoder.next() { outcome.packets.append(packet) }
        } catch {
            outcome.end = "the other side sent \(error)"
        }
        return outcome
    }

    /// Queues a packet and writes what the system takes.
    ///
    /// - Returns: why the stream is over, nil while it is open.
    mutating func send(_ packet: [UInt8]) -> String? {
        do {
            outgoing.append(contentsOf: try Frame.encode(packet))
        } catch {
            return "a packet cannot be framed: \(error)"
        }
        if let end = flush() { return end }
        return outgoing.count - written > Self.outgoingLimit ? "the other side reads too slowly" : nil
    }

    /// Writes what the system takes of what is queued.
    ///
    /// - Returns: why the stream is over, nil while it is open.
    mutating func flush() -> String? {
        while isWriting {
            do {
                let count = try descriptor.write(outgoing[written...])
                if count == 0 { break }
                written += count
            } catch {
                return error.text
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
