import DefinitionModel
import MeshCore

/// A plan's notes about due key refreshes: those under way, and those without which former members could still listen
/// and speak.
enum KeyRefreshAdvice {
    /// The notes.
    ///
    /// - Parameters:
    ///   - forgotten: nodes that the plan forgets; they keep their keys.
    ///   - substituted: nodes that the plan excludes, because another device takes their place.
    ///   - devices: the names of devices that the plan provisions.
    static func notes(
        of network: MeshNetwork,
        forgotten: [Node],
        substituted: [Node] = [],
        devices: [String] = []
    ) -> [Advice] {
        let words = NodeWords(network, devices: devices)
        return unfinished(network) + excluded(network, words) + self.substituted(substituted, network, words)
            + leaving(forgotten, network, words)
    }

    /// Replaced nodes keep their keys. They will be excluded, so a refresh without further options leaves them out.
    private static func substituted(_ nodes: [Node], _ network: MeshNetwork, _ words: NodeWords) -> [Advice] {
        let subnets = network.netKeys.filter { key in nodes.contains { $0.knows(key.index) } }
        guard let first = subnets.first else { return [] }
        let others = subnets.dropFirst().map(\.name)
        return [
            """
            \(nodes.count == 1 ? "The replaced device" : "The replaced devices") of \
            \(list(nodes.map { words.title(of: $0) })) \(nodes.count == 1 ? "keeps" : "keep") the keys of \
            \(subnets.count == 1 ? "subnet" : "subnets") \(subnets.map(\.name).joined(separator: ", ")). After \
            this plan, shut \(nodes.count == 1 ? "it" : "them") out with: \(command: .refreshKeys(subnet: first.name))\
            \(others.isEmpty ? "" : "; then refresh the keys of \(others.joined(separator: ", ")), too")
            """
        ]
    }

    private static func unfinished(_ network: MeshNetwork) -> [Advice] {
        network.netKeys.filter { $0.phase != .normal }.map { key in
            let goal: KeyRefreshProgress = key.phase == .keyDistribution ? .updated : .revoked
            var (done, total) = (0, 0)
            for node in network.nodes where network.takesPart(node, inRefreshOf: key.index) {
                total += 1
                if node.netKeys.contains(where: { $0.index == key.index && $0.progress >= goal }) { done += 1 }
            }
            let phase = key.phase == .keyDistribution ? "phase 1" : "phase 2"
            let state =
                total == 0
                ? "\(phase), and no node is left to be told"
                : key.phase == .keyDistribution
                    ? "\(phase), \(done) of \(total) nodes have the new key"
                    : "\(phase), \(done) of \(total) nodes have forgotten the old key"
            return """
                The key refresh of subnet \(key.name) is not finished (\(state)): \
                \(command: .refreshKeys(subnet: key.name))
                """
        }
    }

    /// Excluded nodes that know keys which are not being replaced.
    private static func excluded(_ network: MeshNetwork, _ words: NodeWords) -> [Advice] {
        let nodes = network.nodes.filter(\.isExcluded)
        guard !nodes.isEmpty else { return [] }
        return network.netKeys.compactMap { key in
            let names = nodes.filter { node in
                node.netKeys.contains { $0.index == key.index && (key.phase == .normal || $0.isUpdated) }
            }.map { words.title(of: $0) }
            guard !names.isEmpty else { return nil }
            return """
                These excluded nodes still have the keys of subnet \(key.name): \(list(names)). Shut them out with: \
                \(command: .refreshKeys(subnet: key.name))
                """
        }
    }

    private static func leaving(_ nodes: [Node], _ network: MeshNetwork, _ words: NodeWords) -> [Advice] {
        let nodes = nodes.filter { !$0.isExcluded && !$0.netKeys.isEmpty }
        guard !nodes.isEmpty else { return [] }
        let subnets = network.netKeys.filter { key in nodes.contains { $0.knows(key.index) } }
        guard let first = subnets.first else { return [] }
        let members = nodes.filter { $0.knows(first.index) }
        // A node is excluded from the whole network. The refreshes of its other subnets then leave it out, too.
        let command: Advice =
            members.count <= optionsShown
            ? "\(command: .refreshKeys(subnet: first.name, excluding: members.map { words.word(for: $0) }))"
            : """
            \(command: .refreshKeys(subnet: first.name, excluding: ["NODE"])), with \(command: .exclude()) for each of the \
            \(members.count)
            """
        let others = subnets.dropFirst().map(\.name)
        return [
            """
            \(list(nodes.map { words.title(of: $0) })) \(nodes.count == 1 ? "keeps" : "keep") the keys of \
            \(subnets.count == 1 ? "subnet" : "subnets") \(subnets.map(\.name).joined(separator: ", ")) when \
            forgotten. To shut out a node that is gone for good: \(command)\
            \(others.isEmpty ? "" : "; then the keys of \(others.joined(separator: ", ")) are refreshed in the same way")
            """
        ]
    }

    /// How many nodes a command names.
    private static let optionsShown = 4

    /// A few names as text.
    private static func list(_ names: [String]) -> String {
        names.count <= 5
            ? names.joined(separator: ", ") : names.prefix(5).joined(separator: ", ") + " and \(names.count - 5) more"
    }
}
