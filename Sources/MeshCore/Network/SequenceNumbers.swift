/// Hands out sequence numbers for outgoing network PDUs (Mesh Protocol 3.4.4.5, 3.9.3).
///
/// A number is handed out once in the life of an address and IV index. An implementation that stores numbers makes
/// the reservation durable before it returns the first number of it.
package protocol SequenceNumberSource: AnyObject {
    /// The next number for PDUs from `source` under `ivIndex`, 24 bits.
    ///
    /// - Throws: ``SequenceNumberError`` if the 24 bits are used up or the reservation cannot be made durable.
    func next(for source: UnicastAddress, ivIndex: UInt32) throws(SequenceNumberError) -> UInt32
}

/// Why there is no sequence number.
package enum SequenceNumberError: Error, Hashable, Sendable {
    /// All 2^24 numbers of the IV index are used; only an IV update helps.
    case exhausted(UnicastAddress)
    /// A block could not be reserved durably.
    case notDurable(String)
    /// Numbers were handed out under a higher IV index before, so those of this one may be used up.
    case ivIndexWentBack(UnicastAddress, reached: UInt32)
}

/// Sequence numbers kept in memory, for simulated nodes and tests.
package final class InMemorySequenceNumbers: SequenceNumberSource {
    private var nextNumbers: [UnicastAddress: UInt32]
    private var ivIndexes: [UnicastAddress: UInt32] = [:]

    /// Starts from given numbers, 0 for addresses not named.
    package init(next: [UnicastAddress: UInt32] = [:]) {
        nextNumbers = next
    }

    /// The next number of every address that sent so far.
    package var next: [UnicastAddress: UInt32] { nextNumbers }

    /// The next number; starts again from 0 at a higher IV index.
    ///
    /// - Throws: ``SequenceNumberError/exhausted(_:)`` if all are used, and for an IV index below one that was used
    ///   before, whose numbers are forgotten.
    package func next(for source: UnicastAddress, ivIndex: UInt32) throws(SequenceNumberError) -> UInt32 {
        if let last = ivIndexes[source], last != ivIndex {
            guard ivIndex > last else { throw .exhausted(source) }
            nextNumbers[source] = 0
        }
        let number = nextNumbers[source, default: 0]
        guard number <= 0xFF_FFFF else { throw .exhausted(source) }
        ivIndexes[source] = ivIndex
        nextNumbers[source] = number + 1
        return number
    }
}
