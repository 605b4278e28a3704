import DefinitionModel
import MeshCore

extension NodeDiffer {
    /// Compares the states of the Configuration Server; an unknown one counts as different.
    mutating func compareStates(_ desired: DesiredNode, node: Node, _ difference: inout NodeDifference) {
        let settings = desired.settings
        difference.defaultTTL = compare(settings.defaultTTL, node.defaultTTL)
        difference.secureNetworkBeacon = compare(settings.secureNetworkBeacon, node.secureNetworkBeacon)
        difference.proxy = compare(settings.proxy, node.features.proxy.isOn)
        difference.friend = compare(settings.friend, node.features.friend.isOn)
        if let wanted = settings.networkTransmit, !wanted.value.isEquivalent(to: node.networkTransmit) {
            difference.networkTransmit = ValueDifference(before: node.networkTransmit, after: wanted.value)
        }
        compareRelay(desired, node: node, &difference)
    }

    private func compare<Value: Equatable>(_ wanted: Declared<Value>?, _ recorded: Value?) -> ValueDifference<Value>? {
        guard let wanted, wanted.value != recorded else { return nil }
        return ValueDifference(before: recorded, after: wanted.value)
    }

    /// One message sets both Relay and Relay Retransmit.
    private mutating func compareRelay(_ desired: DesiredNode, node: Node, _ difference: inout NodeDifference) {
        let settings = desired.settings
        difference.relay = compare(settings.relay, node.features.relay.isOn)
        if let wanted = settings.relayRetransmit, !wanted.value.isEquivalent(to: node.relayRetransmit) {
            difference.relayRetransmit = ValueDifference(before: node.relayRetransmit, after: wanted.value)
        }
        guard difference.relay != nil || difference.relayRetransmit != nil else { return }
        guard let isOn = settings.relay?.value ?? node.features.relay.isOn else {
            reportUnknownRelay(desired)
            difference.relayRetransmit = nil
            return
        }
        difference.relaySetting = (isOn, settings.relayRetransmit?.value ?? node.relayRetransmit)
    }

    mutating func reportUnknownRelay(_ desired: DesiredNode) {
        let location = desired.settings.relayRetransmit?.location ?? desired.name.location
        diagnostics.report("unknown relay", at: location) {
            Diagnostic(
                .error,
                "whether node `\(desired.name.value)` relays is unknown, and its retransmit is set together with that",
                at: location,
                resource: "node." + desired.name.value,
                hint: "Say `features: { relay: on }` or `off` for it"
            )
        }
    }
}

extension FeatureState? {
    /// On or off; nil if unknown or not supported.
    var isOn: Bool? {
        switch self {
        case .enabled: true
        case .disabled: false
        case .notSupported, nil: nil
        }
    }
}

extension TransmitParameters {
    /// Whether both have the same effect: the interval of repetitions that do not happen makes no difference.
    func isEquivalent(to other: TransmitParameters?) -> Bool {
        guard let other else { return false }
        return self == other || count == 0 && other.count == 0
    }
}
