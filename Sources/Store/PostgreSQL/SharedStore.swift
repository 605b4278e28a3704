import MeshCore
import PostgreSQL

/// A PostgreSQL database, or one that speaks its protocol and language, which holds the mesh databases of a team. It
/// contains sealed rows only. The server's administrator sees how many there are, how large they are, and when they
/// change.
package struct SharedStore {
    let address: PostgreSQLAddress
    let clock: StoreClock
    let timing: LockTiming
    /// What its copies share.
    let kept = KeptConnection()

    /// Whether a text names a shared store rather than a file.
    package static func isAddress(_ text: String) -> Bool { PostgreSQLAddress.isAddress(text) }

    /// A store at an address `postgres://HOST/DATABASE`. It does not connect yet.
    ///
    /// - Throws: ``StoreError/Code/invalidDocument`` if the address cannot be read. The error never quotes it.
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

    /// The name of a network in it, for messages.
    func name(of network: String) -> String { "\(name), network \(network)" }

    /// Creates the tables and the networks' locks that are missing. Several processes may do so at once.
    ///
    /// - Returns: whether anything was missing.
    /// - Throws: ``StoreError/Code/unreachable``, ``StoreError/Code/newerFormat``,
    ///   ``StoreError/Code/permissionDenied``, and other codes if the server fails.
    package func prepare() throws(StoreError) -> Bool {
        let session = PostgreSQLSession(self, name: name)
        if try PostgreSQLSchema.version(session) != nil { return try PostgreSQLLock.restore(in: session) }
        for statement in PostgreSQLSchema.statements { try session.runAgainAfterConflict([statement]) }
        // Whoever may create tables now may not be there when the first run of a fleet begins.
        _ = try FleetRunStore.shared(self, creating: true)
        return try PostgreSQLSchema.version(session) != nil
    }

    /// The names of the networks in it, sorted.
    ///
    /// - Throws: ``StoreError/Code/unreachable``, ``StoreError/Code/missing`` if there are no tables, and other codes
    ///   if the server fails.
    package func networks() throws(StoreError) -> [String] {
        let session = PostgreSQLSession(self, name: name)
        // Whoever asks for the names and finds one opens it next.
        let names = SQLStatement("SELECT name FROM meshplan_networks")
        let results = try PostgreSQLSchema.checkedRun([names] + SharedOpening.statements(of: nil), session)
        let rows = results[0].rows
        // What is wrong with that network is told when it is opened.
        kept.opening = try? SharedOpening(results.dropFirst(), session)
        return try session.reading { () throws(PostgreSQLError) in
            var names: [String] = []
            for row in rows { names.append(try row.text(0)) }
            return names.sorted()
        }
    }

    /// Whether it holds a network.
    package func contains(_ network: String) throws(StoreError) -> Bool {
        let session = PostgreSQLSession(self, name: name)
        let sql = "SELECT name FROM meshplan_networks WHERE name = $1"
        return try !PostgreSQLSchema.checkedRun([SQLStatement(sql, .text(network))], session)[0].rows.isEmpty
    }

    func exists(_ network: String) -> StoreError {
        StoreError(.exists, "exists already", hint: "choose another name", path: name(of: network))
    }
}
