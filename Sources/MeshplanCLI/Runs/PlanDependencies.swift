import DefinitionModel
import MeshCore
import Planning
import Store
import SystemLayer

/// What runs of plans use beside the database: finds it for a plan, with fingerprints under a key of the database.
struct PlanDependencies {
    /// The way that a command line or the settings name.
    struct Way {
        /// The values of `--via`.
        var via: [String]
        /// Files of which the contents count: simulated devices and their models.
        var files: [String] = []

        var name: String { via.joined(separator: ", ") }
    }

    var context: Context
    /// The database whose key makes the fingerprints.
    var database: MeshDatabase
    /// Where keys and secrets come from.
    var secrets: SecretsReader
    /// The way; nil if none is named.
    var way: Way?

    /// All that a run of the plan uses.
    func of(_ plan: Plan) throws(FileError) -> [PlanDependency] {
        guard !plan.isEmpty else { return [] }
        var keys: Set<SecretSource> = []
        var sources: Set<SecretSource> = []
        var publicKeys: Set<SecretSource> = []
        var devices: [DeviceUUID] = []
        for step in plan.steps {
            switch step.work {
            case .edit(.createNetKey(_, _, let source)), .edit(.createAppKey(_, _, _, let source)):
                if let text = source.text { keys.insert(text) }
            case .provision(let order):
                devices.append(order.uuid)
                if let source = order.staticValue { sources.insert(source) }
                if let path = order.publicKeyFile { publicKeys.insert(.file(path)) }
            case .edit, .configure, .configureWhenKnown, .readBack: break
            }
        }
        var found = declared(.key, keys) + declared(.secret, sources) + declared(.secret, publicKeys, isSecret: false)
        if !devices.isEmpty, let octets = secrets.octets(of: devices) {
            found.append(.init(.secrets, "the secrets of devices", fingerprint: fingerprint(octets, .secrets)))
        }
        if let way {
            var octets: [UInt8] = []
            for text in way.via { octets += Array(text.utf8) + [0] }
            for path in way.files {
                let contents = try context.read(path)
                octets += fingerprint(contents, .way)
            }
            found.append(.init(.way, way.name, fingerprint: fingerprint(octets, .way)))
        }
        return found
    }

    private func declared(
        _ kind: PlanDependency.Kind,
        _ sources: Set<SecretSource>,
        isSecret: Bool = true
    ) -> [PlanDependency] {
        sources.map { source in
            let text = try? secrets.texts.text(of: source, isSecret: isSecret)
            return PlanDependency(
                kind,
                source.title,
                fingerprint: text.map { fingerprint(Array($0.trimmed.utf8), kind) }
            )
        }
        .sorted { $0.name < $1.name }
    }

    private func fingerprint(_ octets: [UInt8], _ kind: PlanDependency.Kind) -> [UInt8] {
        database.fingerprint(of: octets, purpose: "plan dependency \(kind.rawValue)")
    }

    /// Refuses a run that would use something else than its plan was approved with.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/stale``; ``FileError`` if a file of the way cannot be read.
    func check(_ plan: Plan, in path: String) throws {
        guard let difference = plan.firstDifference(from: try of(plan)) else { return }
        let name = difference.name.printable
        let problem =
            switch (difference.kind, difference.fingerprint) {
            case (.way, _) where way?.name == difference.name:
                "the simulated devices are not those that the plan \(path.printable) was made with"
            case (.way, _): "the plan \(path.printable) was made for another way than this one: \(name)"
            case (.secrets, _):
                "the secrets of its devices are not those that the plan \(path.printable) was made with"
            case (_, nil): "\(name) was missing when the plan \(path.printable) was made, so nobody has approved it"
            case (_, .some): "\(name) is not as it was when the plan \(path.printable) was made"
            }
        throw Failure(.stale, problem, hint: "Nothing was sent. Make and approve a new plan: meshplan plan --out FILE")
    }
}

extension Plan {
    /// What an approval of the plan covers beside its steps, in a line; nil if it depends on nothing else.
    var dependenciesLine: String? {
        guard !dependencies.isEmpty else { return nil }
        let parts = dependencies.map { dependency in
            let name = dependency.name.printable
            return dependency.kind == .way
                ? "the way \(name)" : dependency.fingerprint == nil ? "\(name) (missing)" : name
        }
        return "It covers serial \(serial), \(parts.joined(separator: ", "))."
    }
}
