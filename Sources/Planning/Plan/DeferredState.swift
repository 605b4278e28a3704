import MeshCore

/// A desired state of the foundation models, for a node with an unknown composition.
package struct DeferredState: Hashable, Sendable {
    package var state: DesiredFoundationState
    /// Whether to leave it out if the node lacks it, because a default for many nodes asks for it.
    package var isOptional: Bool

    /// The cost if the node has the state; zero if it only switches off what the node may not have.
    var foreseenCost: MessageCost {
        if state.isOff { return .zero }
        // Only the lengths matter, and they are the same for all addresses.
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
