package import MeshCore

/// Sequence numbers kept in memory, for simulated nodes and tests.
package final class InMemorySequenceNumbers: SequenceNumberSource {
    private var nextNumbers: [UnicastAddress: UInt32]
    private var ivIndexes: [UnicastAddress: UInt32] = [:]

    /// Starts with the given numbers, and with 0 for all other addresses.
    package init(next: [UnicastAddress: UInt32] = [:]) {
        nextNumbers = next
    }

    /// The next number of every address that has sent so far.
    package var next: [UnicastAddress: UInt32] { nextNumbers }

    /// The next number. At a higher IV index it starts again with 0.
    ///
    /// - Throws: ``SequenceNumberError/exhausted(_:)`` if all are used, or if the IV index is below one that was used
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
