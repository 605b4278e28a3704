package import MeshCore

/// The state of a database at one moment.
package struct Snapshot: Hashable, Sendable {
    /// Fixed when the database is created.
    package var lineage: Octets16
    /// Rises by one with every commit that changes network, nodes, their drift, records of provisioning or extras;
    /// starts at 1. A commit that only records when something was observed does not count.
    package var serial: UInt64
    /// The network with its nodes and records of provisioning.
    package var network: MeshNetwork
    /// The replay list, sorted by source.
    package var replay: [ReplayProtection.Entry]
    /// Intents without a certain outcome, oldest run first.
    package var unresolved: [JournalIntent]
}

extension MeshDatabase {
    /// Everything that is known, as of one moment.
    ///
    /// - Throws: ``StoreError/Code/damaged`` with the name of the row, ``StoreError/Code/newerFormat``, and other codes
    ///   if a file or the server fails.
    package func snapshot() throws(StoreError) -> Snapshot {
        try readSnapshot().snapshot
    }

    /// Everything that is known, for the holder of the lock. The rows are read again only if what a snapshot shows may
    /// have changed since the last call with this lease.
    ///
    /// Somebody who takes the lock away and writes is noticed: then this shows what they wrote, and the next commit
    /// under the lease is refused.
    package func snapshot(with lease: WriteLease) throws(StoreError) -> Snapshot {
        guard lease.database == ObjectIdentifier(self), lease.isHeld else { return try snapshot() }
        if let known = lease.known, try store.rows(named: [Manifest.name]).header == lease.header { return known }
        lease.known = nil
        let (snapshot, header) = try readSnapshot()
        if header == lease.header { lease.known = snapshot }
        return snapshot
    }

    private func readSnapshot() throws(StoreError) -> (snapshot: Snapshot, header: StoreHeader) {
        do {
            return try readSnapshotOnce()
        } catch {
            // Another server may have taken over.
            guard error.isOfHalfAnswer else { throw error }
            return try readSnapshotOnce()
        }
    }

    private func readSnapshotOnce() throws(StoreError) -> (snapshot: Snapshot, header: StoreHeader) {
        var builder = SnapshotBuilder()
        var replay: [ReplayProtection.Entry] = []
        var unresolved: [JournalIntent] = []
        let (header, manifest) = try scan { row throws(StoreError) in
            switch row.name.kind {
            case .replay: replay += try decode(row, ReplayCodec.decode)
            case .intent: unresolved.append(try decode(row, JournalCodec.decodeIntent))
            case .extras: break
            default:
                guard row.name.kind.isState || row.name.kind == .deviceMemory else { return }
                try decode(row) { bytes throws(DecodeError) in try builder.add(row.name, bytes) }
            }
        }
        guard let network = builder.finished() else { throw .damaged("the network's row", path: path) }
        let snapshot = Snapshot(
            lineage: header.lineage,
            serial: manifest.serial,
            network: network,
            replay: replay,
            unresolved: unresolved
        )
        return (snapshot, header)
    }
}

extension RowKind {
    /// Whether a snapshot shows what rows of this kind hold.
    var isInSnapshots: Bool { isState || self == .replay || self == .intent }
}

extension Snapshot {
    /// Whether the IV index is known to be the network's. Database formats do not hold it, so an imported database has
    /// 0. That is a mere assumption until a node of the network was heard or a person has stated the index.
    package var isIVIndexKnown: Bool {
        if network.ivIndex != IVIndex(value: 0) || network.ivIndexChangedAt != nil || !replay.isEmpty { return true }
        if network.ivIndexStatedAt != nil { return true }
        // Without nodes nobody could have raised it.
        let provisioners = Set(network.provisioners.map(\.uuid))
        return network.nodes.allSatisfy { provisioners.contains($0.uuid) } && network.pendingProvisionings.isEmpty
    }
}
