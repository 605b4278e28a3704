import DefinitionModel
import MeshCore

/// Checks that the nodes through which devices are provisioned exist, and that no devices wait for each other.
enum ProvisioningRouteChecks {
    /// Runs the checks.
    ///
    /// - Parameter routes: the route that applies to each node of the definition, by position.
    static func run(
        _ network: CheckedNetwork,
        routes: [Located<ProvisioningRoute<String>>?],
        into diagnostics: inout DiagnosticCollector
    ) {
        let definition = network.definition
        for entry in definition.defaults { checkName(entry.provisioning, "defaults", network, &diagnostics) }
        for profile in definition.profiles {
            checkName(profile.provisioning, "profile.\(profile.name.value)", network, &diagnostics)
        }
        let nodes = definition.nodes
        for index in nodes.indices where nodes[index].provisioning?.route != nil {
            checkName(nodes[index].provisioning, "node.\(nodes[index].name.value)", network, &diagnostics)
        }
        guard routes.contains(where: { $0?.value.server != nil }) else { return }
        let servers = routes.map { route in route?.value.server.flatMap { network.nodes[$0] } }
        for (position, server) in servers.enumerated() where server == position {
            reportItself(definition.nodes[position], routes[position], &diagnostics)
        }
        checkCircles(network, servers, routes, &diagnostics)
    }

    private static func checkName(
        _ settings: ProvisioningSettings?,
        _ resource: @autoclosure () -> String,
        _ network: CheckedNetwork,
        _ diagnostics: inout DiagnosticCollector
    ) {
        guard let route = settings?.route, let server = route.value.server else { return }
        let name = Located(server, at: route.location)
        diagnostics.checkReference(name, to: .nodes, "node", in: network, resource: resource())
    }

    private static func reportItself(
        _ node: NodeDefinition,
        _ route: Located<ProvisioningRoute<String>>?,
        _ diagnostics: inout DiagnosticCollector
    ) {
        guard let route else { return }
        let isOwn = node.provisioning?.route != nil
        diagnostics.report(
            "node \(quoted(node.name.value)) cannot be provisioned through itself",
            at: route.location,
            length: node.name.value.utf8.count,
            resource: "node.\(node.name.value)",
            hint: isOwn
                ? "name another node, or leave `via` out"
                : "give it a way of its own, such as `provisioning: { via: any }`",
            related: isOwn ? [] : [Diagnostic.Related(message: "the node", location: node.name.location)]
        )
    }

    /// Follows the routes once. Each device waits for at most one node, so the first walk that reaches a circle finds
    /// it.
    private static func checkCircles(
        _ network: CheckedNetwork,
        _ servers: [Int?],
        _ routes: [Located<ProvisioningRoute<String>>?],
        _ diagnostics: inout DiagnosticCollector
    ) {
        let nodes = network.definition.nodes
        var walks = [Int](repeating: -1, count: servers.count)
        for start in servers.indices where walks[start] < 0 {
            var path: [Int] = []
            var position: Int? = start
            while let current = position, walks[current] < 0 {
                walks[current] = start
                path.append(current)
                position = servers[current]
            }
            guard let meeting = position, walks[meeting] == start, let first = path.firstIndex(of: meeting),
                let last = path.last, last != meeting, let route = routes[last]
            else { continue }
            let names = path[first...].prefix(8).map { nodes[$0].name.value }
            let more = path.count - first > names.count ? ["…"] : []
            let circle = names + more + [nodes[meeting].name.value]
            diagnostics.report(
                "node \(quoted(nodes[last].name.value)) would wait for itself to be provisioned",
                at: route.location,
                length: nodes[meeting].name.value.utf8.count,
                resource: "node.\(nodes[last].name.value)",
                hint:
                    "each is to be provisioned through the next: \(circle.joined(separator: " → ")); let one of them be "
                    + "reached otherwise"
            )
        }
    }
}
