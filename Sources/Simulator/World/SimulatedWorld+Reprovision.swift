package import MeshCore

/// The effects of the Node Provisioning Protocol Interface on nodes (Mesh Protocol 1.1, 3.11.8).
extension SimulatedWorld {
    /// Reprovisions a node that has accepted new values. If its address changes, the node first sends everything it
    /// still has to send under the old one.
    func reprovisionIfReady(_ node: Int) {
        guard let accepted = nodes[node].remote.pendingReprovision else { return }
        let isSilent = nodes[node].remote.waiting == 0 && nodes[node].remote.underWay.isEmpty
        guard isSilent || accepted.procedure != .nodeAddressRefresh else { return }
        nodes[node].remote.pendingReprovision = nil
        if accepted.procedure == .nodeAddressRefresh {
            move(node, accepted)
        } else {
            takeCandidate(node, accepted)
        }
    }

    /// The new DeviceKey takes over with the first message under it. Until then the old one holds.
    private func takeCandidate(_ node: Int, _ accepted: AcceptedReprovision) {
        var state = nodes[node].state
        if accepted.procedure == .nodeCompositionRefresh, let composition = state.nextComposition {
            state.become(composition)
        }
        guard recorder(.reprovisioned(state, nodes[node].stack.ivIndex, candidate: accepted.deviceKey)) else { return }
        nodes[node].state = state
        nodes[node].description?.composition = state.composition
        radioChanges(of: node)
        nodes[node].deviceKeyCandidate = accepted.deviceKey
        nodes[node].stack.keys.setDeviceKeyCandidate(accepted.deviceKey, of: state.address)
    }

    /// The node gets the new address and the new DeviceKey at once. It keeps its NetKeys and AppKeys; everything else
    /// is reset.
    private func move(_ node: Int, _ accepted: AcceptedReprovision) {
        let before = nodes[node].state
        let ivIndex = nodes[node].stack.ivIndex
        let state = before.moved(accepted.data, deviceKey: accepted.deviceKey)
        guard recorder(.reprovisioned(state, ivIndex, candidate: nil)) else { return }
        vacateAddresses(of: node)
        for stream in SequenceStream.all(of: state, under: ivIndex) { sequenceNumbers.restart(stream) }
        let replay = nodes[node].stack.replay
        nodes[node].state = state
        nodes[node].description?.composition = state.composition
        radioChanges(of: node)
        nodes[node].deviceKeyCandidate = nil
        nodes[node].stack = stack(of: state, ivIndex: ivIndex)
        nodes[node].stack.shareCache(caches, member: node)
        nodes[node].stack.replay = replay
        nodes[node].lastAnswer = nil
        occupyAddresses(of: node, isReported: true)
    }

    /// A message has arrived under the candidate for a node's DeviceKey, which now becomes its DeviceKey.
    ///
    /// - Returns: false if that cannot be recorded; then nothing has changed.
    func activateDeviceKeyCandidate(of node: Int) -> Bool {
        guard let candidate = nodes[node].deviceKeyCandidate else { return true }
        var state = nodes[node].state
        state.deviceKey = candidate
        guard recorder(.reprovisioned(state, nodes[node].stack.ivIndex, candidate: nil)) else {
            nodes[node].stack.keys = keyRing(of: nodes[node].state)
            nodes[node].stack.keys.setDeviceKeyCandidate(candidate, of: state.address)
            return false
        }
        nodes[node].state = state
        nodes[node].deviceKeyCandidate = nil
        return true
    }

    /// The candidate for a node's DeviceKey; nil if it has none or there is no such node.
    package func deviceKeyCandidate(of uuid: DeviceUUID) -> KeyMaterial? {
        positions[uuid].flatMap { nodes[$0].deviceKeyCandidate }
    }
}

extension NodeConfigurationState {
    /// Page 128: the composition after a reprovisioning. Nil if the page is missing, malformed, or equal to the present
    /// composition.
    var nextComposition: Composition? {
        guard let page = foundation.compositionPages[128], let next = try? Composition(page0: page),
            !next.elements.isEmpty, next != composition
        else { return nil }
        return next
    }

    /// Whether a Node Composition Refresh is possible. A different number of elements needs other addresses, and so a
    /// Node Address Refresh.
    var isCompositionRefreshable: Bool { nextComposition?.elements.count == elements.count }

    /// Adopts a composition. Models that stay keep their configuration.
    mutating func become(_ composition: Composition) {
        var device = derivedDescription
        device.composition = composition
        let fresh = NodeConfigurationState(unprovisioned: device)
        let before = elements
        product = fresh.product
        elements = fresh.elements
        for element in elements.indices where before.indices.contains(element) {
            for model in elements[element].models.indices {
                let identifier = elements[element].models[model].identifier
                if let kept = before[element].models.first(where: { $0.identifier == identifier }) {
                    elements[element].models[model] = kept
                }
            }
        }
        isLowPowerSupported = fresh.isLowPowerSupported
        if (relay == .notSupported) != (fresh.relay == .notSupported) { relay = fresh.relay }
        if (proxy == .notSupported) != (fresh.proxy == .notSupported) { proxy = fresh.proxy }
        if (friend == .notSupported) != (fresh.friend == .notSupported) { friend = fresh.friend }
    }

    /// The node after a Node Address Refresh, with the composition of page 128 if there is one.
    func moved(_ data: ProvisioningData, deviceKey: KeyMaterial) -> NodeConfigurationState {
        var device = derivedDescription
        if let nextComposition { device.composition = nextComposition }
        var moved = NodeConfigurationState(device, provisionedWith: data, deviceKey: deviceKey)
        moved.netKeys = netKeys
        moved.appKeys = appKeys
        return moved
    }
}
