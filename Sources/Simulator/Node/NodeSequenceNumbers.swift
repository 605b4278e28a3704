import MeshCore

/// The sequence numbers of virtual nodes. They are reserved in blocks, and a block is recorded before its first number
/// is used. So a node never repeats a number, even if the simulator was killed.
final class NodeSequenceNumbers: SequenceNumberSource {
    private static let block: UInt32 = 256
    private var nextNumbers: [SequenceStream: UInt32]
    private var reservedEnds: [SequenceStream: UInt32]
    /// Records that numbers below the given one may be in use; returns false if that failed.
    private let record: (SequenceStream, UInt32) -> Bool

    /// Continues after the reservations of earlier runs.
    init(reservedEnds: [SequenceStream: UInt32], record: @escaping (SequenceStream, UInt32) -> Bool) {
        nextNumbers = reservedEnds
        self.reservedEnds = reservedEnds
        self.record = record
    }

    /// Lets a stream begin at 0 again, as for a device that becomes a node again. This needs no record of its own,
    /// because the record of the provisioning implies it.
    func restart(_ stream: SequenceStream) {
        nextNumbers[stream] = nil
        reservedEnds[stream] = nil
    }

    func next(for source: UnicastAddress, ivIndex: UInt32) throws(SequenceNumberError) -> UInt32 {
        let stream = SequenceStream(source: source, ivIndex: ivIndex)
        let number = nextNumbers[stream, default: 0]
        guard number <= 0xFF_FFFF else { throw .exhausted(source) }
        if number >= reservedEnds[stream, default: 0] {
            let end = min(number + Self.block, 0x100_0000)
            guard record(stream, end) else { throw .notDurable("the simulator cannot record a reservation") }
            reservedEnds[stream] = end
        }
        nextNumbers[stream] = number + 1
        return number
    }
}
