import MeshCore

extension MeshDatabase {
    /// Lets this database go on although another copy of it is known to be further, or another database of the same
    /// network was used in its place.
    ///
    /// One transaction does two things. It raises the serial above both, so no serial stands for two states and no plan
    /// made for the other one fits. And it makes every source of sequence numbers, always including our own node, leave
    /// out ``DurableSequenceNumbers/skippedAfterRestore`` numbers under its IV index and under all that follow, because
    /// the other copy may have used them.
    ///
    /// - Parameter serial: the highest known serial.
    /// - Returns: the new serial.
    /// - Throws: ``StoreError/Code/damaged`` if the serial cannot rise any further, ``StoreError/Code/notLocked`` if
    ///   the lease is not held, ``StoreError/Code/stale`` if somebody else has written since it began, and other codes
    ///   if a file or the server fails.
    @discardableResult
    package func goOn(after serial: UInt64, with lease: WriteLease) throws(StoreError) -> UInt64 {
        try check(lease)
        let network = try snapshot().network
        let own = network.nodes.first { $0.uuid == network.ownProvisioner }?.unicastAddress
        var batch = RowBatch()
        try skipSequenceNumbers(
            own.map { ($0, network.ivIndex.transmitValue) },
            in: &batch
        )
        let page = try historyPage(keeping: [], in: &batch, lease)
        var manifest = lease.manifest
        let (next, overflow) = max(manifest.serial, serial).addingReportingOverflow(1)
        guard !overflow else { throw .damaged("the serial", path: path) }
        manifest.serial = next
        try write(batch, manifest: manifest, with: lease)
        lease.book.page = page
        return next
    }
}
