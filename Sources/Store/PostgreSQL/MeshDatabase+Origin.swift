import MeshCore

extension MeshDatabase {
    /// Notes if the server is another one, or was promoted, since this machine has last written to it.
    func compareOrigin(with lease: WriteLease) throws(StoreError) {
        guard location.isShared, let present = try store.findOrigin(),
            let known = try SequenceNumberFile(at: witnessPath).origin, known != present
        else { return }
        lease.promotion = .before
    }
}

extension PostgreSQLRowStore {
    /// Refuses a server that a promotion has left behind, as far as this machine knows.
    ///
    /// - Throws: ``StoreError/Code/stale`` in that case.
    func refuse(formerPrimary present: StoreOrigin?) throws(StoreError) {
        guard let present, let known = try SequenceNumberFile(at: localPath + MeshDatabase.witnessEnding).origin,
            present.isLeftBehind(by: known)
        else { return }
        throw StoreError(
            .stale,
            "the server is a former primary: it is on timeline \(present.timeline), but this machine has already used "
                + "timeline \(known.timeline), to which a standby was promoted",
            hint: """
                stop that server, or make it a standby again with pg_rewind; name all servers in the address, as \
                postgres://ONE,OTHER/DATABASE, so that the promoted one is found
                """,
            path: session.name
        )
    }
}
