import DefinitionModel
import MeshCore

extension Resolver {
    /// States of the foundation models with their names bound, sorted by kind. Unknown names are reported and left out.
    mutating func states(
        of settings: NodeSettings,
        from origin: DeclarationOrigin
    ) -> [Declared<DesiredFoundationState>] {
        if settings.states.isEmpty { return [] }
        return settings.states.compactMap { definition in
            state(definition.value).map { Declared($0, at: definition.location, by: origin) }
        }
        .sorted { $0.value.kind < $1.value.kind }
    }

    private mutating func state(_ definition: StateDefinition) -> DesiredFoundationState? {
        switch definition {
        case .heartbeatPublication(nil): return .heartbeatPublication(nil)
        case .heartbeatPublication(let heartbeat?): return self.heartbeat(heartbeat)
        case .heartbeatSubscription(nil): return .value(.heartbeatSubscription(.off))
        case .heartbeatSubscription(let heartbeat?): return self.heartbeat(heartbeat)
        case .nodeIdentityOff(let subnet): return netKey(subnet).map { .value(.nodeIdentity($0, .stopped)) }
        case .privateNodeIdentityOff(let subnet):
            return netKey(subnet).map { .value(.privateNodeIdentity($0, .stopped)) }
        case .sarTransmitter(let state): return .value(.sarTransmitter(state))
        case .sarReceiver(let state): return .value(.sarReceiver(state))
        case .privateBeacon(let state): return .value(.privateBeacon(state))
        case .privateGATTProxy(let isOn): return .value(.privateGATTProxy(isOn ? .enabled : .disabled))
        case .onDemandPrivateProxy(let seconds): return .value(.onDemandPrivateProxy(seconds: seconds))
        case .subnetBridge(let isOn): return .value(.subnetBridge(isOn))
        }
    }

    private mutating func heartbeat(_ heartbeat: HeartbeatPublishSettings) -> DesiredFoundationState? {
        guard let target = target(heartbeat.target) else { return nil }
        guard !refusesVirtual(target, at: heartbeat.target.location, "heartbeats cannot be sent") else { return nil }
        var netKeyIndex: NetKeyIndex?
        if let subnet = heartbeat.subnet {
            guard let index = netKey(subnet) else { return nil }
            netKeyIndex = index
        }
        return .heartbeatPublication(
            DesiredHeartbeatPublication(
                target: target,
                count: heartbeat.count,
                period: heartbeat.period,
                ttl: heartbeat.ttl,
                features: heartbeat.features,
                netKeyIndex: netKeyIndex
            )
        )
    }

    private mutating func heartbeat(_ heartbeat: HeartbeatSubscribeSettings) -> DesiredFoundationState? {
        guard let source = target(heartbeat.source) else { return nil }
        guard source.isElement else {
            reportNoElement(heartbeat.source.location, "heartbeats come from an element of a node, not from a group")
            return nil
        }
        var destination: DesiredPublication.Target?
        if let named = heartbeat.destination {
            guard let target = target(named) else { return nil }
            guard !refusesVirtual(target, at: named.location, "heartbeats are not sent") else { return nil }
            guard !target.isElement else {
                diagnostics.report(
                    Diagnostic(
                        .error,
                        "only heartbeats to a group or to the node itself can be counted",
                        at: named.location,
                        hint: "Name a group, or leave `to` out for the node itself"
                    )
                )
                return nil
            }
            destination = target
        }
        return .heartbeatSubscription(
            DesiredHeartbeatSubscription(source: source, destination: destination, period: heartbeat.period)
        )
    }

    private mutating func refusesVirtual(
        _ target: DesiredPublication.Target,
        at location: SourceLocation,
        _ problem: String
    ) -> Bool {
        guard case .address(.virtual) = target else { return false }
        diagnostics.report(
            Diagnostic(
                .error,
                "\(problem) to a virtual address",
                at: location,
                hint: "Name a group without a `label`, or a node"
            )
        )
        return true
    }

    private mutating func reportNoElement(_ location: SourceLocation, _ message: String) {
        diagnostics.report(
            Diagnostic(.error, message, at: location, hint: "Name a node, `node/1` for its element 1, or `provisioner`")
        )
    }

    /// The bridging table with its names bound; nil if it is not managed. Impossible entries are reported and left out
    /// (Mesh Protocol 1.1, 4.3.11.4).
    mutating func bridges(of settings: NodeSettings, from origin: DeclarationOrigin) -> Declared<[DesiredBridge]>? {
        guard let table = settings.bridgingTable else { return nil }
        return Declared(table.value.compactMap { bridge($0) }, at: table.location, by: origin)
    }

    private mutating func bridge(_ definition: BridgeDefinition) -> DesiredBridge? {
        guard definition.subnets.count == 2, definition.addresses.count == 2,
            let from = netKey(definition.subnets[0]), let to = netKey(definition.subnets[1]),
            let first = target(definition.addresses[0]), let second = target(definition.addresses[1])
        else { return nil }
        guard first.isElement else {
            reportNoElement(
                definition.addresses[0].location,
                "a bridge lets messages of an element pass, not those of a group"
            )
            return nil
        }
        let location = definition.addresses[1].location
        if !second.isElement, definition.directions == .bothWays {
            diagnostics.report(
                Diagnostic(
                    .error,
                    "no node sends from a group, so messages pass only towards it",
                    at: location,
                    hint: "Write `direction: one_way`"
                )
            )
            return nil
        }
        if second == .address(.group(.allNodes)) {
            diagnostics.report(
                Diagnostic(.error, "messages to all-nodes do not pass a bridge", at: location, hint: "Name a group")
            )
            return nil
        }
        if first == second {
            diagnostics.report(
                Diagnostic(.error, "both addresses are the same", at: location, hint: "A bridge joins two elements")
            )
            return nil
        }
        return DesiredBridge(
            subnets: NetKeyIndexPair(first: from, second: to),
            first: first,
            second: second,
            directions: definition.directions
        )
    }
}

extension DesiredPublication.Target {
    /// Whether it is an element of a node, even without a known address.
    fileprivate var isElement: Bool {
        switch self {
        case .address(.unicast), .element: true
        case .address: false
        }
    }
}
