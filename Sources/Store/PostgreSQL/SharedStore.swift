internal import PostgreSQL

/// A PostgreSQL database, or one that speaks its protocol and language, in which the mesh databases of a team lie. It
/// holds sealed rows only; whoever runs it sees how many there are, how large, and when they change.
package struct SharedStore {
    let address: PostgreSQLAddress
    let clock: StoreClock
    let timing: LockTiming

    /// Whether a text names a shared store rather than a file.
    package static func isAddress(_ text: String) -> Bool { PostgreSQLAddress.isAddress(text) }

    /// A store at an address `postgres://HOST/DATABASE`; nothing is connected to yet.
    ///
    /// - Throws: ``StoreError/Code/invalidDocument``, which never quotes the address.
    package init(_ url: String, clock: StoreClock, timing: LockTiming = LockTiming()) throws(StoreError) {
        do throws(PostgreSQLError) {
            address = try PostgreSQLAddress(url)
        } catch {
            throw StoreError(
                .invalidDocument,
                error.message,
                hint: "write it as postgres://USER@HOST/DATABASE, with special characters as %XX; a password is better "
                    + "kept in ~/.pgpass or PGPASSWORD"
            )
        }
        self.clock = clock
        self.timing = timing
    }

    /// Host and database, without anything secret.
    package var name: String { address.description }

    /// What people call a network in it.
    func name(of network: String) -> String { "\(name), network \(network)" }

    /// Makes the tables, and locks of networks, if they are not there yet or not any more. Several may do so at once.
    ///
    /// - Returns: whether they had to be made.
    /// - Throws: ``StoreError/Code/unreachable``, ``StoreError/Code/newerFormat``, ``StoreError/Code/permissionDenied`` and
    ///   other trouble with the server.
    package func prepare() throws(StoreError) -> Bool {
        let session = PostgreSQLSession(self, name: name)
        if try PostgreSQLSchema.version(session) != nil { return try PostgreSQLLock.restore(in: session) }
        for statement in PostgreSQLSchema.statements { try session.runAgainAfterConflict([statement]) }
        return try PostgreSQLSchema.version(session) != nil
    }

    /// The names of the networks in it, sorted.
    ///
    /// - Throws: ``StoreError/Code/unreachable``, ``StoreError/Code/missing`` if there are no tables, and other trouble with
    ///   the server.
    package func networks() throws(StoreError) -> [String] {
        let session = PostgreSQLSession(self, name: name)
        try PostgreSQLSchema.check(session)
        let rows = try session.run([SQLStatement("SELECT name FROM meshplan_networks")])[0].rows
        return try session.reading { () throws(PostgreSQLError) in
            var names: [String] = []
            for row in rows { names.append(try row.text(0)) }
            return names.sorted()
        }
    }

    /// The error for a network that is there already.
    func exists(_ network: String) -> StoreError {
        StoreError(.exists, "exists already", hint: "choose another name", path: name(of: network))
    }
}
