import MeshCore

/// A PDU to ask nodes about: whether it is among the last ones that they heard. Copies, and what two relays send alike,
/// then need no decryption.
struct HeardPDU {
    /// How many PDUs a node remembers.
    static let capacity = 32

    private let key: UInt64
    /// Where the last search found it, so that asking about many nodes costs one search.
    private var hint = 0

    /// A PDU, known by its digest.
    init(_ pdu: SharedNetworkPDU) {
        key = max(pdu.digest, 1)
    }

    mutating func isKnown(to node: Int, in heard: SharedRecency) -> Bool {
        heard.contains(key, node, hint: &hint)
    }

    /// A node hears the PDU, or sends it itself.
    ///
    /// - Returns: false if the node remembers it already.
    mutating func reach(_ node: Int, in heard: SharedRecency) -> Bool {
        heard.insert(key, node, hint: &hint)
    }
}
