import DefinitionModel
import MeshCore

/// Checks that each key index is given once, and that application keys belong to subnets that exist.
enum KeyChecks {
    static func run(_ network: CheckedNetwork, into diagnostics: inout DiagnosticCollector) {
        var netKeyIndexes = Uniqueness<NetKeyIndex>()
        for subnet in network.definition.subnets {
            netKeyIndexes.check(subnet.index, resource: "subnet.\(subnet.name.value)", into: &diagnostics) {
                "the NetKey index \($0)"
            }
        }
        var appKeyIndexes = Uniqueness<AppKeyIndex>()
        for key in network.definition.applicationKeys {
            let resource = "application_key.\(key.name.value)"
            appKeyIndexes.check(key.index, resource: resource, into: &diagnostics) { "the AppKey index \($0)" }
            diagnostics.checkReference(key.subnet, to: .subnets, "subnet", in: network, resource: resource)
        }
    }
}
