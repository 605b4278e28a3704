import DefinitionModel
import MeshCore

/// What the checks of a definition share: its names, in tables for fast look-up.
struct CheckedNetwork {
    let definition: Definition
    /// Positions of subnets by name.
    let subnets: [String: Int]
    /// Positions of application keys by name.
    let applicationKeys: [String: Int]
    /// Positions of groups by name.
    let groups: [String: Int]
    /// Positions of profiles by name.
    let profiles: [String: Int]
    /// Positions of nodes by name.
    let nodes: [String: Int]
    /// Positions of scenes by name.
    let scenes: [String: Int]
    /// Finds nodes for selectors. Empty if the definition has no selectors, because building it sorts all nodes.
    let selectors: NodeSelectorIndex
    /// The names whose declarations had to be left out.
    let broken: Set<BrokenName>
    /// The names that both a group and a node have.
    let shared: Set<String>

    /// The severity of a selector that selects no node.
    let severityOfEmptySelectors: Diagnostic.Severity

    /// Collects the names of a definition. If one is declared twice, the first counts.
    init(_ network: NetworkFragments, toleratesEmptySelectors: Bool = false) {
        severityOfEmptySelectors = toleratesEmptySelectors ? .warning : .error
        definition = network.definition
        broken = network.broken
        subnets = Self.positions(definition.subnets.lazy.map(\.name.value))
        applicationKeys = Self.positions(definition.applicationKeys.lazy.map(\.name.value))
        groups = Self.positions(definition.groups.lazy.map(\.name.value))
        profiles = Self.positions(definition.profiles.lazy.map(\.name.value))
        nodes = Self.positions(definition.nodes.lazy.map(\.name.value))
        scenes = Self.positions(definition.scenes.lazy.map(\.name.value))
        shared = Set(
            groups.keys.filter { [nodes, broken] name in
                nodes[name] != nil || broken.contains(BrokenName(section: .nodes, name: name))
            }
        )
        let hasSelectors =
            !definition.subscriptions.isEmpty || !definition.publications.isEmpty
            || definition.defaults.contains { $0.nodes != nil } || !definition.tests.isEmpty
            || !definition.checks.isEmpty
            || !definition.schedules.isEmpty
        selectors = NodeSelectorIndex(hasSelectors ? definition.nodes : [])
    }

    private static func positions(_ names: some Collection<String>) -> [String: Int] {
        var positions: [String: Int] = [:]
        positions.reserveCapacity(names.count)
        for (position, name) in names.enumerated() where positions[name] == nil { positions[name] = position }
        return positions
    }

    /// Whether a section declares a name, even if the declaration had to be left out.
    func declares(_ name: String, in section: Keyword) -> Bool {
        names(in: section)[name] != nil || broken.contains(BrokenName(section: section, name: name))
    }

    /// The positions, by name, of the things in a section.
    func names(in section: Keyword) -> [String: Int] {
        switch section {
        case .subnets: subnets
        case .applicationKeys: applicationKeys
        case .groups: groups
        case .profiles: profiles
        case .nodes: nodes
        case .scenes: scenes
        default: [:]
        }
    }
}

/// The checks that need only the definition.
enum Checks {
    /// Runs all checks.
    ///
    /// - Parameter toleratesEmptySelectors: whether a selector that selects no node is only a warning.
    static func run(
        _ network: NetworkFragments,
        toleratesEmptySelectors: Bool,
        into diagnostics: inout DiagnosticCollector
    ) {
        let network = CheckedNetwork(network, toleratesEmptySelectors: toleratesEmptySelectors)
        NameChecks.run(network, into: &diagnostics)
        KeyChecks.run(network, into: &diagnostics)
        GroupChecks.run(network, into: &diagnostics)
        NodeChecks.run(network, into: &diagnostics)
        DefaultsChecks.run(network, into: &diagnostics)
        ProvisioningChecks.run(network, into: &diagnostics)
        AddressChecks.run(network, into: &diagnostics)
        ModelChecks.run(network, into: &diagnostics)
        SelectorChecks.run(network, into: &diagnostics)
        RuleChecks.run(network, into: &diagnostics)
        SceneChecks.run(network, into: &diagnostics)
        MovedChecks.run(network, into: &diagnostics)
        DeclaredChecks.run(network, into: &diagnostics)
        TestChecks.run(network, into: &diagnostics)
        PublicationKeyChecks.run(network, into: &diagnostics)
        FloorChecks.run(network, into: &diagnostics)
    }
}
