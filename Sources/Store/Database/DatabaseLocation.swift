package import MeshCore
import SystemLayer

/// Where a mesh database lies.
package enum DatabaseLocation {
    /// In a file of its own, at this path.
    case file(String)
    /// In a database that several people share, beside other networks.
    ///
    /// - `network`: its name there.
    /// - `localPath`: the beginning of the paths of the files that this machine keeps about it.
    case shared(SharedStore, network: String, localPath: String)

    /// The name for messages: the path, or the server's database and the network.
    var name: String {
        switch self {
        case .file(let path): path
        case .shared(let store, let network, _): store.name(of: network)
        }
    }

    /// The beginning of the paths of the files that belong to this machine and not to the database.
    var localPath: String {
        switch self {
        case .file(let path): path
        case .shared(_, _, let path): path
        }
    }

    /// Whether other machines write to it.
    var isShared: Bool {
        if case .shared = self { true } else { false }
    }

    /// Refuses a place that holds a database already.
    func checkFree() throws(StoreError) {
        switch self {
        case .file(let path):
            guard try storing({ () throws(FileError) in try FileStatus.of(path) }) == nil else {
                throw StoreError(
                    .exists,
                    "exists already",
                    hint: "choose another name, or move the file away if it is no longer needed",
                    path: path
                )
            }
        case .shared(let store, let network, _):
            guard try !store.contains(network) else { throw store.exists(network) }
        }
    }

    /// Makes the first rows durable at this place, all or nothing.
    func createStore(
        lineage: Octets16,
        slots: [KeySlot],
        rows: [StoredRow],
        revision: UInt64
    ) throws(StoreError) {
        switch self {
        case .file(let path):
            try SQLiteRowStore.create(at: path, lineage: lineage, slots: slots, rows: rows, revision: revision)
        case .shared(let store, let network, _):
            try PostgreSQLRowStore.create(
                in: store,
                network: network,
                lineage: lineage,
                slots: slots,
                rows: rows,
                revision: revision
            )
        }
    }

    func openStore() throws(StoreError) -> any RowStore {
        switch self {
        case .file(let path): try SQLiteRowStore(opening: path)
        case .shared(let store, let network, let path):
            try PostgreSQLRowStore(opening: network, in: store, localPath: path)
        }
    }
}

extension MeshDatabase {
    /// Creates a database in a file; see ``create(at:network:extras:key:label:cost:now:using:)``.
    package static func create(
        at path: String,
        network: MeshNetwork,
        extras: CDBExtras = CDBExtras(),
        key: DatabaseSecret,
        label: String = "",
        cost: Scrypt.Cost = .standard,
        now: Timestamp,
        using generator: some RandomNumberGenerator
    ) throws(StoreError) -> MeshDatabase {
        try create(
            at: .file(path),
            network: network,
            extras: extras,
            key: key,
            label: label,
            cost: cost,
            now: now,
            using: generator
        )
    }

    /// Opens the database in a file; see ``open(at:key:using:)``.
    package static func open(
        at path: String,
        key: DatabaseSecret,
        using generator: some RandomNumberGenerator = SystemRandomNumberGenerator()
    ) throws(StoreError) -> MeshDatabase {
        try open(at: .file(path), key: key, using: generator)
    }
}
