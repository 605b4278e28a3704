package import MeshCore
package import Store

/// An IV index that a person states because no beacon tells it, and whether the database can adopt it.
package struct IVIndexStatement {
    /// Why the database cannot adopt it.
    package enum Refusal: Hashable, Sendable {
        /// The network was heard at a higher IV index.
        case behind
        /// Our address has sent under a higher one, so sequence numbers would be used twice.
        case sent(UnicastAddress, under: UInt32)
    }

    package let ivIndex: IVIndex
    /// The network of the database before the statement.
    package let before: MeshNetwork
    /// Whether the IV index of the database is only a supposition, or was stated before and never used.
    package let isCorrection: Bool
    /// Why the database cannot adopt it; nil if it can.
    package let refusal: Refusal?
    private let wasKnown: Bool

    /// Judges a statement about the network of a database.
    package init(_ ivIndex: IVIndex, on snapshot: Snapshot, of database: MeshDatabase) throws(StoreError) {
        self.ivIndex = ivIndex
        before = snapshot.network
        let own = before.nodes.first { $0.uuid == snapshot.network.ownProvisioner }?.unicastAddress
        let reserved = try own.flatMap { (address) throws(StoreError) in try database.reservation(of: address) }
        let wasStated = before.ivIndexStatedAt != nil
        wasKnown = snapshot.isIVIndexKnown && !wasStated
        isCorrection = !snapshot.isIVIndexKnown || wasStated && reserved == nil
        if let own, let reserved, reserved.ivIndex > ivIndex.transmitValue {
            refusal = .sent(own, under: reserved.ivIndex)
        } else {
            refusal = !isCorrection && Self.isBehind(ivIndex, before.ivIndex) ? .behind : nil
        }
    }

    /// Whether the database already has this IV index, and not from a statement.
    package var isKnownAlready: Bool { wasKnown && before.ivIndex == ivIndex }

    package func network(at now: Timestamp) -> MeshNetwork {
        var network = before
        network.state(ivIndex, isCorrection: isCorrection, at: now)
        return network
    }

    private static func isBehind(_ ivIndex: IVIndex, _ known: IVIndex) -> Bool {
        guard ivIndex.value == known.value else { return ivIndex.value < known.value }
        return ivIndex.isUpdateInProgress && !known.isUpdateInProgress
    }
}
