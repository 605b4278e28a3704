package import MeshCore

extension SimulatedWorld {
    /// A device has accepted provisioning data. It becomes a node as soon as that is recorded.
    ///
    /// - Returns: false if it cannot be recorded; then the device does not become a node.
    func becomeNode(_ node: Int, with data: ProvisioningData, deviceKey: KeyMaterial) -> Bool {
        let state = NodeConfigurationState(nodes[node].device, provisionedWith: data, deviceKey: deviceKey)
        guard recorder(.provisioned(state, data.ivIndex)) else { return false }
        for stream in SequenceStream.all(of: state, under: data.ivIndex) { sequenceNumbers.restart(stream) }
        var life = SimulatedNode(
            description: nodes[node].description,
            state: state,
            stack: stack(of: state, ivIndex: data.ivIndex),
            advertiser: Advertiser(sets: settings.advertisingSets)
        )
        life.faults = nodes[node].faults
        life.attentionEnd = nodes[node].attentionEnd
        nodes[node] = life
        beginRadioLife(of: node)
        radioChanges(of: node)
        newestIVIndex = max(newestIVIndex, data.ivIndex.value)
        observer.learn(data.netKey)
        occupyAddresses(of: node, isReported: true)
        if state.netKey(data.netKeyIndex)?.isIdentityRunning == true { startIdentity(of: node, data.netKeyIndex) }
        observe(.provisioned(state.address), of: node)
        return true
    }

    /// A node that joins or leaves a network has heard nothing yet.
    private func beginRadioLife(of node: Int) {
        heard.forgetAll(of: node)
        nodes[node].stack.shareCache(caches, member: node)
    }

    /// Node Identity advertising runs for 60 s from now on (Mesh Protocol 7.2.2.2.3).
    func startIdentity(of node: Int, _ key: NetKeyIndex) {
        let end = now.advanced(by: .seconds(60))
        nodes[node].identityEnds[key] = end
        queue.add(.stopIdentity(node: node, key), at: end)
    }

    /// Node Identity advertising may have run for 60 s.
    func stopIdentity(of node: Int, _ key: NetKeyIndex) {
        guard let end = nodes[node].identityEnds[key], end <= now else { return }
        nodes[node].identityEnds[key] = nil
        guard let position = nodes[node].state.netKeys.firstIndex(where: { $0.index == key }) else { return }
        nodes[node].state.netKeys[position].isIdentityRunning = false
    }

    /// Private Node Identity advertising runs for 60 s from now on (Mesh Protocol 1.1, 7.2.2.2.5).
    func startPrivateIdentity(of node: Int, _ key: NetKeyIndex) {
        let end = now.advanced(by: .seconds(60))
        nodes[node].privateIdentityEnds[key] = end
        queue.add(.stopPrivateIdentity(node: node, key), at: end)
    }

    /// Private Node Identity advertising may have run for 60 s.
    func stopPrivateIdentity(of node: Int, _ key: NetKeyIndex) {
        guard let end = nodes[node].privateIdentityEnds[key], end <= now else { return }
        nodes[node].privateIdentityEnds[key] = nil
        guard let position = nodes[node].state.netKeys.firstIndex(where: { $0.index == key }) else { return }
        nodes[node].state.netKeys[position].isPrivateIdentityRunning = false
    }

    /// Resets a device as a person does with a paper clip: it leaves its network, whatever the network thinks, and can
    /// be provisioned again.
    ///
    /// - Returns: false if there is no such device, or if the reset cannot be recorded and so did not happen.
    @discardableResult
    package func factoryReset(_ uuid: DeviceUUID) -> Bool {
        guard let node = positions[uuid] else { return false }
        guard nodes[node].state.isProvisioned else {
            endLinks(to: node, reason: "the device was reset")
            return true
        }
        var state = nodes[node].state
        state.reset()
        guard recorder(.node(state)) else { return false }
        leaveNetwork(node)
        return true
    }

    /// A node forgets its network. This has already been recorded.
    func leaveNetwork(_ node: Int) {
        stopRemoteProvisioning(of: node)
        endLinks(to: node, reason: "the node was reset")
        vacateAddresses(of: node)
        var state = nodes[node].state
        state.reset()
        let before = nodes[node]
        nodes[node] = SimulatedNode(
            description: before.description,
            state: state,
            stack: stack(of: state, ivIndex: before.stack.ivIndex),
            advertiser: Advertiser(sets: settings.advertisingSets)
        )
        beginRadioLife(of: node)
        radioChanges(of: node)
        nodes[node].faults = before.faults
        nodes[node].attentionEnd = before.attentionEnd
        setAttention(of: node, seconds: 0)
        observe(.unprovisioned, of: node)
    }

    /// The devices that are in no network, including those without power, in the order of ``nodeIdentifiers``.
    package var unprovisionedDevices: [DeviceUUID] {
        nodes.filter { !$0.state.isProvisioned }.map(\.state.uuid)
    }

    /// The device without a network: its description, or else derived from the node's composition with no out-of-band
    /// methods. Nil if there is no such device.
    package func deviceDescription(_ uuid: DeviceUUID) -> DeviceDescription? {
        positions[uuid].map { nodes[$0].device }
    }
}
