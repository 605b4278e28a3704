import DefinitionModel
import MeshCore
import Planning

/// Finds the node that a word of the command line means, by the rules of ``NodeLookup``.
struct NodeFinder {
    /// Shows notes.
    var context: Context
    /// The network as the database knows it.
    var network: MeshNetwork
    /// Whether the node is only looked at, or changed.
    var use: NodeLookup.Use

    /// The node with a name, UUID or address; nil if there is none.
    ///
    /// - Throws: ``Failure`` if several match; it lists them in forms that are unambiguous.
    func node(_ text: String) throws(Failure) -> Node? {
        guard let found = try candidate(text) else { return nil }
        return network.nodes.first { $0.uuid == found.uuid }
    }

    /// The node, or the device that may have become one, with a name, UUID or address; nil if there is none.
    ///
    /// - Throws: ``Failure`` if several match; it lists them in forms that are unambiguous.
    func candidate(_ text: String, hasPending: Bool = false) throws(Failure) -> NodeLookup.Candidate? {
        switch NodeLookup.find(text, in: network, for: use, hasPending: hasPending) {
        case .nobody: return nil
        case .one(let node, let namesakes):
            note(node, namesakes)
            return node
        case .several(let candidates): throw Self.ambiguity(of: text, candidates)
        }
    }

    /// The error for a name, UUID or address that no node has.
    ///
    /// - Parameter names: what is probably meant.
    static func missing(_ text: String, among names: Set<String>) -> Failure {
        let nearest = Suggestion.nearest(to: text, among: names).map { "Did you mean `\($0.printable)`? " } ?? ""
        return Failure(
            .usage,
            "there is no node `\(text.printable)`",
            hint: nearest + "meshplan show lists the nodes of the database."
        )
    }

    /// The error for a name that several nodes have.
    static func ambiguity(of text: String, _ candidates: [NodeLookup.Candidate]) -> Failure {
        Failure(
            .usage,
            "several nodes are called `\(text.printable)`",
            hint: "Use its address or UUID: \(candidates.map(\.text).joined(separator: ", "))."
        )
    }

    private func note(_ node: NodeLookup.Candidate, _ namesakes: [NodeLookup.Candidate]) {
        guard !namesakes.isEmpty else { return }
        let others = namesakes.map(\.text).joined(separator: ", ")
        let verb = namesakes.count == 1 ? "has" : "have"
        context.errorOutput.line(
            "Note: This is the managed node of the name \(node.name.printable), at \(node.address); \(others) \(verb) it, too."
        )
    }
}

extension MeshNetwork {
    /// The node with a name, UUID or element address. If several have the name: the managed one, otherwise the first.
    func node(named name: String) -> Node? {
        let uuid: DeviceUUID
        switch NodeLookup.find(name, in: self, for: .looking) {
        case .nobody: return nil
        case .one(let node, _): uuid = node.uuid
        case .several(let candidates):
            guard let first = candidates.first else { return nil }
            uuid = first.uuid
        }
        return nodes.first { $0.uuid == uuid }
    }
}
