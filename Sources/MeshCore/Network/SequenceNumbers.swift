/// Gives out sequence numbers for outgoing network PDUs (Mesh Protocol 3.4.4.5, 3.9.3).
///
/// Each number is given out only once for an address and IV index. An implementation that stores numbers must make a
/// reservation durable before it returns the first number of it.
package protocol SequenceNumberSource: AnyObject {
    /// The next number for PDUs from `source` with `ivIndex`, 24 bits.
    ///
    /// - Throws: ``SequenceNumberError`` if all 2^24 numbers are used, a reservation cannot be made durable, or the IV
    ///   index is below one that was used before.
    func next(for source: UnicastAddress, ivIndex: UInt32) throws(SequenceNumberError) -> UInt32
}

/// Why no sequence number is available.
package enum SequenceNumberError: Error, Hashable, Sendable {
    /// All 2^24 numbers of the IV index are used. Only an IV update helps.
    case exhausted(UnicastAddress)
    /// A block could not be reserved durably; the text tells why.
    case notDurable(String)
    /// Numbers were given out with a higher IV index before, so those of this one may be used up.
    case ivIndexWentBack(UnicastAddress, reached: UInt32)
}
