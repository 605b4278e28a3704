internal import MeshCore

extension MeshDatabase {
    /// Lets this database go on although it is known that another copy of it was further, or that another database of the
    /// same network was used in its place.
    ///
    /// In one transaction the serial rises above both, so that no serial stands for two states and no plan made for the
    /// other one fits; and every source of sequence numbers, that of our own node in any case, leaves out
    /// ``DurableSequenceNumbers/skippedAfterRestore`` numbers under its IV index and under all that follow, because the
    /// other copy may have used them.
    ///
    /// - Parameter serial: the highest serial that is known of.
    /// - Returns: the new serial.
    /// - Throws: ``StoreError/Code/damaged`` where the serial is at its end, ``StoreError/Code/notLocked``,
    ///   ``StoreError/Code/stale`` and file trouble.
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
