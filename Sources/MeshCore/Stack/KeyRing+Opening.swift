extension KeyRing {
    /// The credentials that may have secured a network PDU.
    ///
    /// - Throws: ``NetworkPDUError`` if the PDU is too short or too long, or no known key has its NID.
    func candidates(for bytes: [UInt8]) throws(NetworkPDUError) -> [SubnetEntry] {
        guard (NetworkPDU.minimumSize...NetworkPDU.maximumSize).contains(bytes.count),
            let nid = NetworkPDU.nid(of: bytes)
        else { throw .malformed(.length(bytes.count)) }
        let candidates = candidates(nid: nid)
        guard !candidates.isEmpty else { throw .unknownNID(nid) }
        return candidates
    }

    /// Opens a network PDU with the first IV index and key that authenticate it (Mesh Protocol 3.4.6.3).
    ///
    /// - Parameter ivIndexes: the IV indexes to try, in this order.
    /// - Throws: ``NetworkPDUError`` if the PDU is malformed, or none of them opens it.
    func open(
        _ bytes: [UInt8],
        as purpose: NetworkPDU.Purpose,
        under ivIndexes: some Sequence<UInt32>
    ) throws(NetworkPDUError) -> (pdu: NetworkPDU, netKeyIndex: NetKeyIndex) {
        let candidates = try candidates(for: bytes)
        for ivIndex in ivIndexes {
            for candidate in candidates {
                do throws(NetworkPDUError) {
                    let credentials = candidate.credentials.flooding
                    let pdu = try NetworkPDU(decoding: bytes, with: credentials, ivIndex: ivIndex, as: purpose)
                    return (pdu, candidate.index)
                } catch {
                    guard error == .notAuthentic else { throw error }
                }
            }
        }
        throw .notAuthentic
    }
}
