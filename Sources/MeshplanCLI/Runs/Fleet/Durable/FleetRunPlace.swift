import MeshCore
import Store
import SystemLayer

/// Where the runs of a fleet are kept: in the database that its networks share, or in a file of its folder.
struct FleetRunPlace {
    private let context: Context
    private let fleet: Fleet

    /// The path of the file, relative to the folder of the fleet.
    static let path = Workspace.folderName + "/fleet.runs"

    init(_ context: Context, _ fleet: Fleet) {
        self.fleet = fleet
        var own = context
        own.environment = context.environmentElsewhere
        own.workingDirectory = fleet.folder
        own.session = StoreSession()
        if own.storeAccess.state == nil, own.environment["MESHPLAN_STATE"] == nil {
            // The list may name one database for all.
            let states = Set(fleet.networks.map(\.state))
            if states.count == 1, let state = states.first ?? nil, SharedStore.isAddress(state) {
                own.storeAccess.state = state
            }
        }
        self.context = own
    }

    /// The runs; what they need is made if it is missing.
    ///
    /// - Throws: ``StoreError`` or ``Failure`` if the place cannot be used.
    func store() throws -> FleetRunStore {
        if let found = try existing() { return found }
        if let shared = try Workspace(context: context).sharedStore() {
            if let made = try FleetRunStore.shared(shared, creating: true) { return made }
        } else {
            _ = try Files.createFolder(context.absolute(Workspace.folderName), as: Workspace.folderName)
            let patterns = try GitIgnore.complete(context)
            if !patterns.isEmpty { context.errorOutput.line(GitIgnore.note(patterns)) }
            if let made = try FleetRunStore.file(context.absolute(Self.path), creating: true) { return made }
        }
        throw Failure(.failure, "the runs of the fleet cannot be kept")
    }

    /// The runs; nil if there never was one.
    ///
    /// - Throws: ``StoreError`` or ``Failure`` if the place cannot be used.
    func existing() throws -> FleetRunStore? {
        if let shared = try Workspace(context: context).sharedStore() {
            return try FleetRunStore.shared(shared, creating: false)
        }
        return try FleetRunStore.file(context.absolute(Self.path), creating: false)
    }

    // MARK: Finding a run

    /// The run with an identifier, or else the last one of this fleet.
    ///
    /// - Parameter isOpen: whether only an open run is meant.
    /// - Throws: ``Failure`` if there is none.
    func find(_ id: String?, isOpen: Bool = false) throws -> (store: FleetRunStore, run: FleetRunRecord) {
        guard let store = try existing() else { throw Self.noRun }
        if let id {
            guard let run = try store.run(id.lowercased()) else {
                throw Failure(.usage, "there is no run \(id.printable)", hint: "See them with: meshplan fleet runs")
            }
            return (store, run)
        }
        guard let run = try last(in: store, isOpen: isOpen) else {
            guard isOpen, try last(in: store) != nil else { throw Self.noRun }
            throw Failure(
                .failure,
                "no run of the fleet is open",
                hint: "See the runs with meshplan fleet runs; go on with one by meshplan fleet continue."
            )
        }
        return (store, run)
    }

    private static let noRun = Failure(
        .failure,
        "the fleet has had no run yet",
        hint: "Begin one with: meshplan fleet apply"
    )

    /// The last run with a network of this fleet; several fleets may share a database.
    func last(in store: FleetRunStore, isOpen: Bool = false) throws -> FleetRunRecord? {
        try store.runs().first { try (!isOpen || $0.state == .open) && isOurs($0, in: store) }
    }

    private func isOurs(_ run: FleetRunRecord, in store: FleetRunStore) throws -> Bool {
        let names = Set(fleet.networks.map(\.name))
        return try store.jobs(of: run.id).contains { names.contains($0.network) }
    }

    /// Refuses to begin a run for networks that another one is about to change.
    ///
    /// - Returns: open runs for these networks that nobody works on.
    /// - Throws: ``Failure`` with ``ExitStatus/locked`` if somebody does; ``StoreError`` if the shared database
    ///   takes no runs.
    @discardableResult
    func checkFree() throws -> [FleetRunRecord] {
        let isShared = try Workspace(context: context).sharedStore() != nil
        guard let store = try isShared ? store() : existing() else { return [] }
        let open = try store.runs().filter { try $0.state == .open && isOurs($0, in: store) }
        for run in open {
            guard let worker = try store.workers(of: run.id).first else { continue }
            throw Failure(
                .locked,
                "the run \(run.id) of the fleet is being carried out by \(worker.id.printable)",
                hint: "Help with: meshplan fleet work. Stop it with: meshplan fleet stop \(run.id)"
            )
        }
        return open
    }
}

extension FleetRunRecord.Request {
    /// What a command line asks for.
    ///
    /// - Throws: ``Failure`` if an argument has a password, which must not be stored.
    init(of command: String, _ extra: [String], _ fleet: Fleet, in context: Context) throws(Failure) {
        self.init()
        user = context.process.user
        host = context.process.host
        began = context.now()
        self.command = command
        self.extra = extra
        if let word = extra.first(where: { RepeatedCommand.withoutPassword($0) != $0 }) {
            throw Failure(
                .usage,
                "\(RepeatedCommand.withoutPassword(word).printable) has a password, and the run of a fleet is stored",
                hint: "Keep the password in ~/.pgpass, or give the address as MESHPLAN_STATE."
            )
        }
        var isSecret = false
        for word in context.arguments {
            if !isSecret { words.append(RepeatedCommand.withoutPassword(word)) }
            isSecret = word == "--key-command"
            if word.hasPrefix("--key-command=") { words[words.count - 1] = "--key-command" }
        }
    }

    /// Adds files with devices, so that another machine finds them in its folder of the fleet.
    mutating func addDevices(_ paths: [String], of fleet: Fleet, in context: Context) {
        for path in paths {
            let (absolute, start) = (context.absolute(path), fleet.folder + "/")
            devices.append(absolute.hasPrefix(start) ? String(absolute.dropFirst(start.count)) : absolute)
        }
    }
}
