import DefinitionModel
import MeshCore

/// Checks that each Device UUID is given once, and that what nodes and profiles name exists.
enum NodeChecks {
    static func run(_ network: CheckedNetwork, into diagnostics: inout DiagnosticCollector) {
        for profile in network.definition.profiles {
            checkNames(profile.settings, "profile.\(profile.name.value)", network, &diagnostics)
        }
        var uuids = Uniqueness<DeviceUUID>()
        let nodes = network.definition.nodes
        for index in nodes.indices {
            let name = nodes[index].name.value
            // Places with one name are reported for their name.
            if !nodes[index].awaitsDevice {
                uuids.check(nodes[index].uuid, resource: "node.\(name)", into: &diagnostics) { "the UUID \($0)" }
            }
            if let profile = nodes[index].profile {
                diagnostics.checkReference(
                    profile,
                    to: .profiles,
                    "profile",
                    in: network,
                    resource: "node.\(name)"
                )
            }
            checkNames(nodes[index].settings, "node.\(name)", network, &diagnostics)
        }
    }

    /// Checks the names in settings, except those in models. Inlined, so that the settings of nodes are not copied.
    @inline(__always)
    static func checkNames(
        _ settings: NodeSettings,
        _ resource: @autoclosure () -> String,
        _ network: CheckedNetwork,
        _ diagnostics: inout DiagnosticCollector
    ) {
        for subnet in settings.subnets?.value ?? [] {
            diagnostics.checkReference(subnet, to: .subnets, "subnet", in: network, resource: resource())
        }
        if !settings.states.isEmpty || settings.bridgingTable != nil {
            StateChecks.run(settings, resource(), network, &diagnostics)
        }
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
