import DefinitionModel
import MeshCore

/// Keys that nodes have reported and the database does not know, so that nobody here can use them.
///
/// Another tool has distributed them, or the database is older than the network. Their indexes are not given to other
/// keys, because a node that has a key with an index refuses another one.
struct UnknownKeys {
    /// Indexes of the nodes that have a NetKey, by key, ascending.
    private(set) var netKeys: [NetKeyIndex: [Int]] = [:]
    /// Indexes of the nodes that have an AppKey, by key, ascending.
    private(set) var appKeys: [AppKeyIndex: [Int]] = [:]

    /// Reads all nodes except this provisioner's own and excluded ones.
    init(_ network: MeshNetwork) {
        let knownNetKeys = Set(network.netKeys.map(\.index))
        let knownAppKeys = Set(network.appKeys.map(\.index))
        for index in network.nodes.indices where network.isInReach(index) {
            for key in network.nodes[index].netKeys where !knownNetKeys.contains(key.index) {
                netKeys[key.index, default: []].append(index)
            }
            for key in network.nodes[index].appKeys where !knownAppKeys.contains(key.index) {
                appKeys[key.index, default: []].append(index)
            }
        }
    }

    /// Notes about them and what can be done, one or two sentences for each key.
    ///
    /// - Parameters:
    ///   - steps: the steps of the plan, which may delete them.
    ///   - names: the name of the node at an index; nil for the name in the database.
    func notes(of network: MeshNetwork, after steps: [Step] = [], names: (Int) -> String?) -> [String] {
        guard !netKeys.isEmpty || !appKeys.isEmpty else { return [] }
        var deletedNetKeys: [NetKeyIndex: Set<DeviceUUID>] = [:]
        var deletedAppKeys: [AppKeyIndex: Set<DeviceUUID>] = [:]
        var created: (netKeys: Set<NetKeyIndex>, appKeys: Set<AppKeyIndex>) = ([], [])
        for step in steps {
            switch step.work {
            case .edit(.createNetKey(let key, name: _, source: _)): created.netKeys.insert(key)
            case .edit(.createAppKey(let key, name: _, boundTo: _, source: _)): created.appKeys.insert(key)
            case .configure(let node, .deleteNetKey(let key)): deletedNetKeys[key, default: []].insert(node)
            case .configure(let node, .deleteAppKey(let key, boundTo: _)): deletedAppKeys[key, default: []].insert(node)
            default: break
            }
        }
        var notes: [String] = []
        for (key, places) in netKeys.sorted(by: { $0.key < $1.key }) where !created.netKeys.contains(key) {
            let left = places.filter { deletedNetKeys[key]?.contains(network.nodes[$0].uuid) != true }
            guard !left.isEmpty else { continue }
            notes.append(
                start(left, of: network, names) + " NetKey index \(key), which the database does not know. To use it, "
                    + "import a database that has it, or declare a subnet with `index: \(key)` and its `key`; to have it deleted, "
                    + "list the `subnets` of \(left.count == 1 ? "the node" : "these nodes") without it."
            )
        }
        for (key, places) in appKeys.sorted(by: { $0.key < $1.key }) where !created.appKeys.contains(key) {
            let left = places.filter { deletedAppKeys[key]?.contains(network.nodes[$0].uuid) != true }
            guard !left.isEmpty else { continue }
            // A message deletes an AppKey by its index and that of its NetKey.
            let isUnclear = left.contains { network.nodes[$0].onlyNetKey == nil }
            notes.append(
                start(left, of: network, names) + " AppKey index \(key), which the database does not know. To use it, "
                    + "import a database that has it, or declare an application key with `index: \(key)` and its `key`; to have "
                    + "it deleted, list the `application_keys` of \(left.count == 1 ? "the node" : "these nodes") without it"
                    + (isUnclear
                        ? ": this works only for nodes with a single NetKey, because otherwise it is unknown which "
                            + "NetKey the key is bound to."
                        : ".")
            )
        }
        return notes
    }

    private func start(_ places: [Int], of network: MeshNetwork, _ names: (Int) -> String?) -> String {
        let first = places.prefix(3).map { names($0) ?? network.nodes[$0].name }
        let rest = places.count - first.count
        let list =
            rest > 0
            ? first.joined(separator: ", ") + " and \(rest) more"
            : first.count > 1 ? first.dropLast().joined(separator: ", ") + " and \(first[first.count - 1])" : first[0]
        return list + (places.count == 1 ? " has" : " have")
    }
}

extension DesiredState {
    /// Refuses to create keys with indexes for which nodes already have keys.
    func reportRemadeKeys(_ keys: UnknownKeys, _ network: MeshNetwork, to diagnostics: inout CountedDiagnostics) {
        func report(_ name: Located<String>, _ noun: String, _ index: String, _ places: [Int]?) {
            guard let place = places?.first else { return }
            let others = (places?.count ?? 1) - 1
            let more = others == 0 ? "" : others == 1 ? " and one more node" : " and \(others) more nodes"
            diagnostics.report(
                Diagnostic(
                    .error,
                    "\(noun) `\(name.value)` would be created, but node `\(network.nodes[place].name)`\(more) "
                        + "already \(others == 0 ? "has" : "have") a key with index \(index) that the database does not know",
                    at: name.location,
                    length: name.value.count,
                    hint: "Give the key's value with `key`, import a database that has it, or give another `index`"
                )
            )
        }
        for key in subnets where key.recordedName == nil && key.source == .generated {
            report(key.name, "subnet", key.index.description, keys.netKeys[key.index])
        }
        for key in applicationKeys where key.recordedName == nil && key.source == .generated {
            report(key.name, "application key", key.index.description, keys.appKeys[key.index])
        }
    }

    /// A plan's notes about keys that the database does not know, with the names of the definition.
    func notes(ofUnknownKeys keys: UnknownKeys, _ network: MeshNetwork, _ steps: [Step]) -> [String] {
        keys.notes(of: network, after: steps) { position in
            nodes.first { if case .recorded(position) = $0.origin { true } else { false } }?.name.value
        }
    }
}
