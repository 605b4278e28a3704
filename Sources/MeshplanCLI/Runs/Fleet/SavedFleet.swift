import DefinitionModel
import Store
import SystemLayer

/// Saved plans of a fleet as what an apply carries out.
struct SavedFleet {
    /// The networks with changes.
    var fleet: Fleet
    /// The files with the plans, by network.
    private var files: [String: String] = [:]
    private var digests: [String: String] = [:]
    /// The absolute path of the folder with the plans.
    private let path: String
    private let digest: String

    /// Reads saved plans, which must be as they were saved.
    ///
    /// - Parameters:
    ///   - path: the folder with the plans.
    ///   - base: the folder of the fleet.
    ///   - expected: the digest of the plans that were approved; nil for any.
    ///   - conditions: which networks, as ``Fleet/select(_:)`` takes them.
    /// - Throws: ``Failure``: with ``ExitStatus/invalidInput`` if a file was changed, added or removed, with
    ///   ``ExitStatus/stale`` if the digest is another one.
    init(
        _ path: String,
        base: String,
        expecting expected: DigestArgument?,
        selecting conditions: [String],
        in context: Context
    ) throws {
        let folder = FleetPlansFolder(path, in: context)
        let (plans, digest) = try folder.read()
        if let expected, !digest.hasPrefix(expected.digits) {
            throw Failure(
                .stale,
                "the plans have the digest \(digest), not \(expected.digits), so they are not what was approved",
                hint: "Look at them with: meshplan fleet show \(folder.path.printable.shellWord)"
            )
        }
        self.path = context.absolute(path)
        self.digest = digest
        let paths = FleetPaths(base, in: context)
        let hasState = context.storeAccess.state ?? context.environment["MESHPLAN_STATE"]
        fleet = Fleet(
            networks: try plans.entries.map { entry in
                var network = paths.usable(entry.network)
                if Files.kind(network.folder) != .folder {
                    // A shared database is found from anywhere.
                    guard (network.state ?? hasState)?.isEmpty == false else {
                        throw Failure(
                            .failure,
                            "there is no folder \(entry.network.folder.printable), where \(network.name) was planned",
                            hint: "Name the folder of the fleet: meshplan fleet apply FOLDER --plan "
                                + folder.path.printable.shellWord
                        )
                    }
                    network.folder = paths.base
                }
                return network
            },
            folder: paths.base
        )
        if !fleet.networks.isEmpty { try fleet.select(conditions) }
        for entry in plans.entries {
            files[entry.network.name] = folder.file(of: entry)
            digests[entry.network.name] = entry.digest
        }
    }

    /// The plans that a run applies, on any machine that takes part in it.
    ///
    /// - Returns: nil if the run makes its plans itself.
    /// - Throws: ``Failure`` if this machine does not have them, or has others.
    static func of(_ request: FleetRunRecord.Request, in fleet: Fleet, _ context: Context) throws -> SavedFleet? {
        guard let source = request.plans else { return nil }
        let path = source.path.hasPrefix("/") ? source.path : fleet.folder + "/" + source.path
        return try SavedFleet(
            path,
            base: fleet.folder,
            expecting: DigestArgument(argument: source.digest),
            selecting: [],
            in: context
        )
    }

    /// What a run keeps, so that other machines find the same plans: the folder, from that of the fleet if it is below
    /// that.
    func source(in folder: String) -> FleetRunRecord.Request.Plans {
        let isBelow = path.hasPrefix(folder + "/")
        return .init(path: isBelow ? String(path.dropFirst(folder.count + 1)) : path, digest: digest)
    }

    /// The digest of a network's plan; nil without one.
    func digest(of network: String) -> String? { digests[network] }

    /// The stage that applies the plans.
    func stage(_ via: @escaping (FleetNetwork) -> [String], _ arguments: [ChildWord]) -> FleetDispatcher.Stage {
        FleetDispatcher.Stage(
            command: .apply,
            takesDefinition: false,
            via: via,
            // Another plan that the database has sealed may have taken the file's place in the meantime.
            arguments: { network in
                [.path(files[network.name] ?? ""), .option("--expect-digest", digests[network.name] ?? "none")]
                    + arguments
            }
        )
    }
}
