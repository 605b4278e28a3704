import MeshCore

/// Device UUIDs are given once, and what nodes and profiles name exists.
enum NodeChecks {
    /// Runs the checks.
    static func run(_ network: CheckedNetwork, into diagnostics: inout DiagnosticCollector) {
        for profile in network.definition.profiles {
            checkNames(profile.settings, "profile.\(profile.name.value)", network, &diagnostics)
        }
        var uuids = Uniqueness<DeviceUUID>()
        for node in network.definition.nodes {
            uuids.check(node.uuid, resource: "node.\(node.name.value)", into: &diagnostics) { "the UUID \($0)" }
            if let profile = node.profile {
                diagnostics.checkReference(
                    profile,
                    to: .profiles,
                    "profile",
                    in: network,
                    resource: "node.\(node.name.value)"
                )
            }
            checkNames(node.settings, "node.\(node.name.value)", network, &diagnostics)
        }
    }

    /// What settings name beside models.
    static func checkNames(
        _ settings: NodeSettings,
        _ resource: @autoclosure () -> String,
        _ network: CheckedNetwork,
        _ diagnostics: inout DiagnosticCollector
    ) {
        for subnet in settings.subnets?.value ?? [] {
            diagnostics.checkReference(subnet, to: .subnets, "subnet", in: network, resource: resource())
        }
        StateChecks.run(settings, resource(), network, &diagnostics)
        for key in settings.applicationKeys?.value ?? [] {
            diagnostics.checkReference(
                key,
                to: .applicationKeys,
                "application key",
                in: network,
                resource: resource()
            )
        }
    }
}
