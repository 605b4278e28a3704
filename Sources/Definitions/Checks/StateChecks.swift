import DefinitionModel
import MeshCore

/// Checks that what states of the foundation models and bridging tables name exists.
enum StateChecks {
    /// Runs the checks on the settings of a node, a profile or an entry of the defaults.
    static func run(
        _ settings: NodeSettings,
        _ resource: @autoclosure () -> String,
        _ network: CheckedNetwork,
        _ diagnostics: inout DiagnosticCollector
    ) {
        var subnets: [Located<String>] = []
        var targets: [Located<PublishTarget>] = []
        for state in settings.states {
            switch state.value {
            case .heartbeatPublication(let heartbeat?):
                targets.append(heartbeat.target)
                if let subnet = heartbeat.subnet { subnets.append(subnet) }
            case .heartbeatSubscription(let heartbeat?):
                targets.append(heartbeat.source)
                if let destination = heartbeat.destination { targets.append(destination) }
            case .nodeIdentityOff(let subnet), .privateNodeIdentityOff(let subnet): subnets.append(subnet)
            default: break
            }
        }
        for bridge in settings.bridgingTable?.value ?? [] {
            subnets += bridge.subnets
            targets += bridge.addresses
        }
        for subnet in subnets {
            diagnostics.checkReference(subnet, to: .subnets, "subnet", in: network, resource: resource())
        }
        for target in targets { ModelChecks.checkTarget(target, resource(), network, &diagnostics) }
    }
}
