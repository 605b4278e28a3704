internal import MeshCore

/// A state of the foundation models of a node whose composition is not known.
package struct DeferredState: Hashable, Sendable {
    /// The state.
    package var state: DesiredFoundationState
    /// Whether it is left out where the node lacks it, since it is asked of all nodes and not of this one.
    package var isOptional: Bool

    /// A state.
    package init(state: DesiredFoundationState, isOptional: Bool) {
        self.state = state
        self.isOptional = isOptional
    }

    /// What it costs if the node has it; nothing to switch off what it may not have.
    var foreseenCost: MessageCost {
        if state.isOff { return .zero }
        // Only the lengths matter, and those are the same for all addresses.
        let node = Node(
            uuid: DeviceUUID(rawValue: Octets16(high: 0, low: 0)),
            name: "",
            unicastAddress: .first,
            deviceKey: nil
        )
        let known = state.replacingTargets { $0.address == nil ? .address(.unicast(.first)) : $0 }
        return known?.value(on: node).map { ConfigurationAction.set($0).cost } ?? .zero
    }
}
