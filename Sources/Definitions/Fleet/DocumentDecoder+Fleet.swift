import DefinitionModel
import MeshCore

/// Decodes files that list the networks of a fleet.
extension DocumentDecoder {
    /// The keys of a network and of `defaults`, as the schema has them too.
    static let fleetNetworkKeys = [
        "definition", "folder", "key_file", "state", "tags", "variables", "via",
    ]
    static let fleetKeys = ["defaults", "networks", "version"]

    /// A whole file: `version`, `networks`, and perhaps `defaults`.
    mutating func decodeFleet(into fleet: inout FleetFile) {
        guard !tree.nodes.isEmpty, let fields = entries(0, "a mapping with `version` and `networks`") else { return }
        var (hasVersion, networks): (Bool, Int?) = (false, nil)
        var defaults = FleetFile.Network(name: Located("", at: location(0)))
        for field in fields {
            switch symbols.text(field.symbol) {
            case "version":
                hasVersion = true
                guard let version = scalar(field.value, "the version 1", Self.fleetVersion) else { continue }
                if version.value != 1 {
                    report("version \(version.value) of the fleet is not known", at: field.value, hint: "write 1")
                }
            case "defaults": decode(field.value, into: &defaults)
            case "networks": networks = field.value
            default: reportUnknownFleetKey(field, among: Self.fleetKeys)
            }
        }
        if !hasVersion { report("`version` is missing", at: 0, hint: "write `version: 1`") }
        guard let networks else { return report("`networks` is missing", at: 0, hint: "list the networks by name") }
        for entry in entries(networks, "a mapping of networks by name") ?? [] {
            let name = symbols.text(entry.symbol)
            guard Name.isValid(name) else {
                report(
                    "\(quoted(name)) is not the name of a network",
                    at: entry.key,
                    hint: "a name has letters, digits, hyphens, dots and underscores"
                )
                continue
            }
            var network = FleetFile.Network(name: Located(name, at: location(entry.key)))
            if !isNull(entry.value) { decode(entry.value, into: &network) }
            fleet.networks.append(network.inheriting(defaults))
        }
    }

    private mutating func decode(_ node: Int, into network: inout FleetFile.Network) {
        for field in entries(node, "a mapping with what is known of the network") ?? [] {
            switch symbols.text(field.symbol) {
            case "definition": network.definition = texts(field.value, "a path or a list of paths")
            case "folder": network.folder = text(field.value, "a path")
            case "key_file": network.keyFile = text(field.value, "a path")
            case "state": network.state = text(field.value, "the address of a shared database")
            case "tags": network.tags = textMapping(field.value, "a mapping of tags")
            case "variables": network.variables = textMapping(field.value, "a mapping of variables")
            case "via": network.via = texts(field.value, "a way to the mesh or a list of them")
            default: reportUnknownFleetKey(field, among: Self.fleetNetworkKeys)
            }
        }
    }

    private mutating func texts(_ node: Int, _ expected: String) -> [String] {
        guard tree.nodes[node].kind == .sequence else { return text(node, expected).map { [$0] } ?? [] }
        var texts: [String] = []
        for entry in list(node, expected) ?? ListEntries() {
            if let text = text(entry, "a text") { texts.append(text) }
        }
        return texts
    }

    private mutating func textMapping(_ node: Int, _ expected: String) -> [String: String] {
        var values: [String: String] = [:]
        for entry in entries(node, expected) ?? [] {
            if let value = text(entry.value, "a text") { values[symbols.text(entry.symbol)] = value }
        }
        return values
    }

    private mutating func reportUnknownFleetKey(_ entry: MappingEntry, among keys: [String]) {
        guard diagnostics.wants(.error) else { return diagnostics.drop(.error) }
        let word = symbols.text(entry.symbol)
        report(
            "unknown key \(quoted(word))",
            at: entry.key,
            hint: Suggestion.hint(for: word, among: keys, are: "allowed here")
        )
    }

    private static func fleetVersion(_ text: String) throws(ScalarProblem) -> Int {
        try Numbers.decimal(text, in: 0...1_000_000, "a version")
    }
}
