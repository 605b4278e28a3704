/// One stream of frames: a socket with its decoder and what could not be written yet.
struct FrameConnection {
    /// The socket.
    let descriptor: Descriptor
    private var decoder = FrameDecoder()
    private var outgoing: [UInt8] = []
    private var written = 0

    /// The most octets that wait to be written before the other side counts as too slow: thousands of packets.
    static let outgoingLimit = 256 * 1024
    /// The most octets that wait to be written while frames that can be missed are still added.
    static let droppingLimit = 16 * 1024

    /// A stream over a connected socket.
    init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
    }

    /// How many octets wait to be written.
    var waiting: Int { outgoing.count - written }

    /// Whether octets wait to be written.
    var isWriting: Bool { waiting > 0 }

    /// What came of reading: contents of frames and, at the end, why the stream is over.
    struct Outcome {
        /// Whole contents.
        var contents: [[UInt8]] = []
        /// Whether anything has arrived.
        var hasRead = false
        /// Why nothing more comes, nil while the stream is open.
        var end: String?
        /// Whether it is over because the other side broke the rules.
        var isViolation = false
    }

    /// Reads what has arrived, at most one buffer full.
    mutating func receive(into buffer: inout [UInt8]) -> Outcome {
        var outcome = Outcome()
        do {
            switch try descriptor.read(into: &buffer) {
            case .bytes(let bytes):
                outcome.hasRead = true
                decoder.append(bytes)
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
            while let content = try decoder.next() { outcome.contents.append(content) }
        } catch {
            outcome.end = "the other side sent \(error)"
            outcome.isViolation = true
        }
        return outcome
    }

    /// Throws away what has arrived on a stream that is over.
    ///
    /// - Returns: whether nothing more comes.
    func discard(into buffer: inout [UInt8]) -> Bool {
        do {
            if case .end = try descriptor.read(into: &buffer) { return true }
            return false
        } catch { return true }
    }

    /// Queues the content of a frame and writes what the system takes.
    ///
    /// - Parameter canBeMissed: whether the frame is left out when much waits already.
    /// - Returns: why the stream is over, nil while it is open.
    mutating func send(_ content: [UInt8], canBeMissed: Bool = false) -> String? {
        if canBeMissed, waiting > Self.droppingLimit { return nil }
        do {
            outgoing.append(contentsOf: try Frame.encode(content))
        } catch {
            return "something cannot be framed: \(error)"
        }
        if let end = flush() { return end }
        return waiting > Self.outgoingLimit ? "the other side reads too slowly" : nil
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
