import Definitions
import Store
import SystemLayer

/// Reads what the databases of a fleet hold: those in one shared database together, and each key file and lock file
/// once.
struct FleetSummaries {
    private let context: Context
    private let environment: [String: String]
    /// Remembers what key commands have printed for all networks.
    private let session = StoreSession()

    init(_ context: Context) {
        self.context = context
        environment = context.environmentElsewhere
    }

    /// What is known of each network, in their order, or why it is not.
    func all(_ networks: [FleetNetwork]) -> [Result<DatabaseSummary, any Error>] {
        var results = [Result<DatabaseSummary, any Error>?](repeating: nil, count: networks.count)
        // Whoever accepts an older database changes it, so each is opened by itself.
        if !context.storeAccess.acceptsOlder {
            let addresses = networks.map {
                $0.state ?? context.storeAccess.state ?? environment["MESHPLAN_STATE"] ?? ""
            }
            let groups = Dictionary(grouping: networks.indices.filter { !addresses[$0].isEmpty }) { addresses[$0] }
            for indexes in groups.values where indexes.count > 1 {
                do {
                    for (index, summary) in try shared(indexes.map { networks[$0] }) {
                        results[indexes[index]] = .success(summary)
                    }
                } catch let error as StoreError {
                    // It is about the server as a whole. Asking for each of them would only take long.
                    for index in indexes { results[index] = .failure(error) }
                } catch {
                    // Each of them says what is wrong.
                }
            }
        }
        return networks.indices.map { index in
            results[index] ?? Result { try alone(networks[index]) }
        }
    }

    private func alone(_ network: FleetNetwork) throws -> DatabaseSummary {
        var own = own(network)
        own.session = StoreSession()
        return try Workspace(context: own).open(network.name).summary()
    }

    /// The networks of one shared database that are in order, by number. Nobody is asked for a passphrase.
    private func shared(_ networks: [FleetNetwork]) throws -> [Int: DatabaseSummary] {
        guard let first = networks.first, let store = try Workspace(context: own(first)).sharedStore() else {
            return [:]
        }
        var locks: [String: StateLock] = [:]
        // Commands read the lock file before the database.
        for network in networks where locks[network.folder] == nil {
            locks[network.folder] = try LockFile(own(network)).read()
        }
        var secrets: [String: [(source: DatabaseSecretSources.Source, secret: DatabaseSecret)]] = [:]
        func known(_ network: FleetNetwork) -> [(source: DatabaseSecretSources.Source, secret: DatabaseSecret)] {
            let index = network.folder + "\0" + (network.keyFile ?? "")
            if let known = secrets[index] { return known }
            let sources = DatabaseSecretSources(own(network))
            let found = sources.all.compactMap { source in (try? sources.key(source)).map { (source, $0) } }
            secrets[index] = found
            return found
        }
        let places = networks.map { ($0.name, "\($0.folder)/\(Workspace.folderName)/\($0.name)") }
        let summaries = try store.summaries(of: places) { index, sealed in
            let kinds = sealed.slots.map(\.kind)
            for (source, secret) in known(networks[index]) where kinds.contains(where: source.fits) {
                if let database = try? sealed.opened(with: secret, using: context.randomNumbers) { return database }
            }
            return nil
        }
        return summaries.filter { index, summary in
            guard let entry = locks[networks[index].folder]?.networks[networks[index].name] else { return true }
            return LockFile.fits(entry, summary.version)
        }
    }

    /// The context of the commands for a network.
    private func own(_ network: FleetNetwork) -> Context {
        var own = context
        own.environment = environment
        own.workingDirectory = network.folder
        own.session = session
        own.storeAccess = context.storeAccessElsewhere(of: network)
        return own
    }
}
