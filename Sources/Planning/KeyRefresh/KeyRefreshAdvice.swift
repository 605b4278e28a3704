internal import MeshCore

/// What a plan says of key refreshes that are due: those under way, and those without which former members could still
/// listen and speak.
enum KeyRefreshAdvice {
    /// The notes.
    ///
    /// - Parameter forgotten: nodes that the plan forgets, which keep their keys.
    static func notes(of network: MeshNetwork, forgotten: [Node]) -> [String] {
        unfinished(network) + excluded(network) + leaving(forgotten, network)
    }

    private static func unfinished(_ network: MeshNetwork) -> [String] {
        network.netKeys.filter { $0.phase != .normal }.map { key in
            let goal: KeyRefreshProgress = key.phase == .keyDistribution ? .updated : .revoked
            var (done, total) = (0, 0)
            for node in network.nodes where network.takesPart(node, inRefreshOf: key.index) {
                total += 1
                if node.netKeys.contains(where: { $0.index == key.index && $0.progress >= goal }) { done += 1 }
            }
            let state =
                key.phase == .keyDistribution
                ? "phase 1, \(done) of \(total) nodes have the new key"
                : "phase 2, \(done) of \(total) nodes have forgotten the old key"
            return "The key refresh of subnet \(key.name) is not finished (\(state)): "
                + "meshplan keys refresh \(key.name.shellWord)"
        }
    }

    /// Excluded nodes that know keys which are not being replaced.
    private static func excluded(_ network: MeshNetwork) -> [String] {
        let nodes = network.nodes.filter(\.isExcluded)
        guard !nodes.isEmpty else { return [] }
        return network.netKeys.compactMap { key in
            let names = nodes.filter { node in
                node.netKeys.contains { $0.index == key.index && (key.phase == .normal || $0.isUpdated) }
            }.map(\.name)
            guard !names.isEmpty else { return nil }
            return "Excluded and still in possession of the keys of subnet \(key.name): \(list(names)). "
                + "Shut out with: meshplan keys refresh \(key.name.shellWord)"
        }
    }

    private static func leaving(_ nodes: [Node], _ network: MeshNetwork) -> [String] {
        let nodes = nodes.filter { !$0.isExcluded && !$0.netKeys.isEmpty }
        guard !nodes.isEmpty else { return [] }
        let subnets = network.netKeys.filter { key in nodes.contains { $0.knows(key.index) } }.map(\.name)
        guard let first = subnets.first, let node = nodes.first(where: { $0.knows(network, first) }) else { return [] }
        let keep = nodes.count == 1 ? "keeps" : "keep"
        return [
            "\(list(nodes.map(\.name))) \(keep) the keys of \(subnets.count == 1 ? "subnet" : "subnets") "
                + "\(subnets.joined(separator: ", ")) when forgotten. Whoever is gone for good is shut out with: "
                + "meshplan keys refresh \(first.shellWord) --exclude \(node.name.shellWord)"
        ]
    }

    /// A few names.
    private static func list(_ names: [String]) -> String {
        names.count <= 5
            ? names.joined(separator: ", ") : names.prefix(5).joined(separator: ", ") + " and \(names.count - 5) more"
    }
}

extension Node {
    fileprivate func knows(_ network: MeshNetwork, _ subnet: String) -> Bool {
        network.netKeys.contains { $0.name == subnet && knows($0.index) }
    }
}
