import Store

extension Workspace {
    /// Opens and locks the database of a network for a command that changes it.
    ///
    /// - Parameters:
    ///   - network: the name of the network; nil for the only one.
    ///   - operation: the name of the command, for others who want the lock.
    ///   - isForNetwork: whether the command changes the network and not only the database. Then it is refused while
    ///     earlier changes wait for confirmation.
    /// - Throws: ``Failure`` if no such network exists or changes wait for confirmation, and errors of the database.
    func openToChange(
        _ network: String?,
        for operation: String,
        isForNetwork: Bool = true
    ) throws -> (name: String, database: MeshDatabase, lease: WriteLease) {
        let name = try only(network)
        let database = try open(name)
        let lease = try lock(database, for: operation)
        if isForNetwork { try Confirmation(context: context, network: name).check(database) }
        return (name, database, lease)
    }

    /// Opens the database of a network for a command that changes it, or only shows what it would change.
    ///
    /// - Parameter isOnlyLooking: whether nothing changes, so that no lock is needed.
    /// - Returns: the lease is nil without a lock.
    /// - Throws: as ``openToChange(_:for:isForNetwork:)``.
    func open(
        _ network: String?,
        toChangeUnless isOnlyLooking: Bool,
        for operation: String
    ) throws -> (name: String, database: MeshDatabase, lease: WriteLease?) {
        guard isOnlyLooking else { return try openToChange(network, for: operation) }
        let name = try only(network)
        let database = try open(name)
        try Confirmation(context: context, network: name).check(database)
        return (name, database, nil)
    }
}
