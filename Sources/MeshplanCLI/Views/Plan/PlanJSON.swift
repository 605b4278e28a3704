import DefinitionModel
import MeshCore
import Planning
import Store
import SystemLayer

/// A plan as lines of JSON: changes, nodes, notes, and the summary last.
struct PlanJSON {
    var plan: Plan
    /// The estimated time; nil to leave it out.
    var estimate: PlanEstimate?
    /// The digest of the plan; nil to leave it out.
    var digest: String?
    /// From which instances resources come; nil if nobody knows.
    var origins: PlanOrigins?

    func write(to lines: JSONLines) {
        var nodes: [DeviceUUID: NodeSummary] = [:]
        for node in plan.nodes { nodes[node.uuid] = node }
        let blocked = Set(plan.findings.lazy.filter { !$0.isAllowed }.flatMap(\.resources))
        for change in plan.changes {
            let node = change.node.flatMap { nodes[$0] }
            lines.write([
                "type": "plan_change",
                "address": change.address.json,
                "previous_address": change.previousAddress?.json,
                "kind": Self.name(change.kind).json,
                "action": change.action.rawValue.json,
                "node": node?.name.json,
                "node_uuid": change.node?.description.json,
                "before": change.before?.json,
                "after": change.after?.json,
                "recorded": change.drift?.recorded?.json,
                "drift_since": change.drift?.since.text.json,
                "implied": change.isImplied ? true : nil,
                "deferred": change.isDeferred ? true : nil,
                "blocked": blocked.contains(change.address) ? true : nil,
                "where": origins?.place(of: change),
            ])
        }
        let openCosts = plan.nodesOfOpenCost
        var routes: [DeviceUUID: ProvisioningRoute<DeviceUUID>] = [:]
        for case .provision(let order) in plan.steps.lazy.map(\.work) { routes[order.uuid] = order.route }
        for node in plan.nodes {
            let route = routes[node.uuid]
            lines.write([
                "type": "plan_node",
                "node": node.name.json,
                "node_uuid": node.uuid.description.json,
                "address": node.address?.description.json,
                "action": Self.name(node.action).json,
                "via": route.flatMap(Self.name)?.json,
                "through": route?.server.flatMap { nodes[$0]?.name }?.json,
                "through_uuid": route?.server?.description.json,
                "changes": .integer(node.changes.count),
                "messages": .integer(node.cost.messages),
                "pdus": .integer(node.cost.pdus),
                "at_least": openCosts.contains(node.uuid) ? true : nil,
                "seconds": estimate?.nodes[node.uuid]?.median.json,
                "seconds_p95": estimate?.nodes[node.uuid]?.percentile95.json,
                "where": origins?.place(of: node.uuid),
            ])
        }
        for note in plan.notes { lines.write(["type": "plan_note", "message": note.worded.json]) }
        for finding in plan.findings { lines.write(Self.members(of: finding)) }
        writeSummary(to: lines)
    }

    private static func members(of finding: GuardFinding) -> KeyValuePairs<String, JSONValue?> {
        [
            "type": "plan_guard",
            "guard": finding.planGuard.rawValue.json,
            "allowed": .bool(finding.isAllowed),
            "message": finding.message.json,
            "nodes": .array(finding.nodes.map(\.json)),
            "resources": .array(finding.resources.map(\.json)),
        ]
    }

    /// Writes the summary line.
    func writeSummary(to lines: JSONLines) { lines.write(summary: summary) }

    /// The summary line.
    var summary: KeyValuePairs<String, JSONValue?> {
        let summary = PlanSummary(plan)
        return [
            "type": "plan_summary",
            "network": plan.network.json,
            "plan": plan.identifier.hexadecimal.json,
            "serial": .integer(Int(clamping: plan.serial)),
            "digest": digest?.json,
            "dependencies": plan.dependencies.isEmpty
                ? nil
                : .array(
                    plan.dependencies.map { dependency in
                        .object([
                            "kind": "\(dependency.kind)".json, "name": dependency.name.json,
                            "missing": dependency.fingerprint == nil ? true : nil,
                        ])
                    }
                ),
            "purpose": plan.purpose == .destroy ? "destroy" : nil,
            "selection": plan.scope.map { .array($0.options.map(\.json)) },
            "nodes_left_out": plan.scope.map { .integer($0.nodesLeftOut) },
            "changes_left_out": plan.scope.map { .integer($0.changesLeftOut) },
            "provision": summary.provisioned > 0 ? .integer(summary.provisioned) : nil,
            "add": .integer(summary.added),
            "change": .integer(summary.changed),
            "remove": .integer(summary.removed),
            "forget": .integer(summary.forgotten),
            "reset": summary.reset > 0 ? .integer(summary.reset) : nil,
            "exclude": summary.excluded > 0 ? .integer(summary.excluded) : nil,
            "messages": .integer(summary.messages),
            "pdus": .integer(summary.pdus),
            "nodes": .integer(summary.nodes),
            "at_least": summary.isCostExact ? nil : true,
            "refused_by": plan.refusals.isEmpty ? nil : .array(plan.refusals.map(\.rawValue.json)),
            "allowed": plan.allowances.isEmpty ? nil : .array(plan.allowances.map(\.rawValue.json)),
            "estimate": estimate?.json,
        ]
    }

    /// The only permitted way to a device; nil for any.
    private static func name(_ route: ProvisioningRoute<DeviceUUID>) -> String? {
        switch route {
        case .any: nil
        case .direct: "direct"
        case .remote: "remote"
        case .node: "node"
        }
    }

    private static func name(_ action: NodeSummary.Action) -> String {
        switch action {
        case .manage: "manage"
        case .update: "update"
        case .forget: "forget"
        case .provision: "provision"
        case .replace: "replace"
        case .reset: "reset"
        case .exclude: "exclude"
        case .substitute: "substitute"
        }
    }

    private static func name(_ kind: Change.Kind) -> String {
        switch kind {
        case .subnet: "subnet"
        case .applicationKey: "application_key"
        case .group: "group"
        case .node: "node"
        case .composition: "composition"
        case .nodeSubnet: "node_subnet"
        case .nodeApplicationKey: "node_application_key"
        case .binding: "binding"
        case .subscription: "subscription"
        case .publication: "publication"
        case .defaultTTL: "default_ttl"
        case .secureNetworkBeacon: "secure_network_beacon"
        case .networkTransmit: "network_transmit"
        case .relay: "relay"
        case .relayRetransmit: "relay_retransmit"
        case .proxy: "proxy"
        case .friend: "friend"
        case .provisioning: "provisioning"
        case .heartbeatPublication: "heartbeat_publication"
        case .heartbeatSubscription: "heartbeat_subscription"
        case .nodeIdentity: "node_identity"
        case .sarTransmitter: "sar_transmitter"
        case .sarReceiver: "sar_receiver"
        case .privateBeacon: "private_beacon"
        case .privateGATTProxy: "private_gatt_proxy"
        case .onDemandPrivateProxy: "on_demand_private_proxy"
        case .privateNodeIdentity: "private_node_identity"
        case .subnetBridge: "subnet_bridge"
        case .bridgingTableEntry: "bridging_table_entry"
        case .modelState: "model_state"
        case .title: "title"
        }
    }
}
