import DefinitionModel
import MeshCore
import Planning
import SystemLayer

/// The argument of `show`: a part of the network such as `node.lamp-1`. If there is none, suggests what was probably
/// meant.
struct ShownPath {
    private let text: String
    private let network: MeshNetwork
    private let context: Context

    /// A part of a network.
    enum Part {
        case node(Node)
        case group(Group)
        case subnet(NetKey)
        case applicationKey(AppKey)
    }

    init(_ text: String, in network: MeshNetwork, context: Context) {
        self.text = text
        self.network = network
        self.context = context
    }

    /// The part with this path; nil if there is none.
    func part() throws(Failure) -> Part? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { return nil }
        let name = parts[1]
        switch parts[0] {
        case "node":
            return try NodeFinder(context: context, network: network, use: .looking).node(name).map { .node($0) }
        case "group":
            let group =
                network.groups.first { $0.name == name }
                ?? network.groups.first { $0.address.description.lowercased() == name.lowercased() }
            return group.map { .group($0) }
        case "subnet":
            let key =
                network.netKeys.first { $0.name == name } ?? network.netKeys.first { $0.index.description == name }
            return key.map { .subnet($0) }
        case "key":
            let key =
                network.appKeys.first { $0.name == name } ?? network.appKeys.first { $0.index.description == name }
            return key.map { .applicationKey($0) }
        default: return nil
        }
    }

    private var paths: [String] {
        network.nodes.map { "node.\($0.name)" } + network.groups.map { "group.\($0.name)" }
            + network.netKeys.map { "subnet.\($0.name)" } + network.appKeys.map { "key.\($0.name)" }
    }

    var hint: String {
        let folder = context.absolute(text)
        if Files.kind(folder) != nil {
            let isDefinition = text.hasSuffix(".yaml") || text.hasSuffix(".yml")
            return isDefinition
                ? "That looks like a definition: meshplan validate \(text.shellWord) checks it, and meshplan plan \(text.shellWord) "
                    + "compares it with the network."
                : "That is a file, but no saved plan. Use node.NAME, group.NAME, subnet.NAME or key.NAME."
        }
        return suggestion(among: paths)
            + "Use node.NAME, group.NAME, subnet.NAME, key.NAME or the path of a saved plan; "
            + "meshplan show lists what there is."
    }

    /// “Did you mean …?” with a space after it; empty without a suggestion.
    func suggestion(among paths: [String]) -> String {
        // `a` for `node.a`, `nodes.a` for `node.a`, then similar spellings.
        let name = text.split(separator: ".", maxSplits: 1).last.map(String.init) ?? text
        let exact = paths.filter { $0.drop { $0 != "." }.dropFirst() == name }
        let near = Suggestion.nearest(to: text, among: paths) ?? nearest(to: name, among: paths)
        let meant = exact.isEmpty ? near.map { [$0] } ?? [] : exact
        guard !meant.isEmpty, meant.count < 5 else { return "" }
        return "Did you mean \(meant.map { "`\($0.printable)`" }.joined(separator: " or "))? "
    }

    /// The path with the most similar name, of the kind in the text, or else of any kind.
    private func nearest(to name: String, among paths: [String]) -> String? {
        let kind = text.contains(".") ? String(text.prefix { $0 != "." }) + "." : ""
        let same = paths.filter { $0.hasPrefix(kind) }
        let candidates = same.isEmpty ? paths : same
        let names = candidates.map { String($0.drop { $0 != "." }.dropFirst()) }
        guard let nearest = Suggestion.nearest(to: name, among: names), let index = names.firstIndex(of: nearest) else {
            return nil
        }
        return candidates[index]
    }
}
