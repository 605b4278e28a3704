import MeshCore

extension SimulatedWorld {
    /// Makes the nodes of a network, then the devices, then everything else that earlier runs left.
    func populate(_ network: MeshNetwork, _ devices: [DeviceDescription], _ state: SimulatorState) {
        let descriptions = Dictionary(firstOf: devices.map { ($0.uuid, $0) })
        let provisioners = Set(network.provisioners.map(\.uuid))
        for node in network.nodes {
            if provisioners.contains(node.uuid) {
                let last = min(Int(node.unicastAddress.rawValue) + max(node.elements.count, 1) - 1, 0x7FFF)
                provisionerAddresses.append((node.unicastAddress.rawValue...UInt16(last), node.name))
            } else if !node.isExcluded {
                add(node, of: network, description: descriptions[node.uuid], state: state)
            }
        }
        for device in devices where positions[device.uuid] == nil {
            let left = state.nodes[device.uuid]
            var configuration = left ?? NodeConfigurationState(unprovisioned: device)
            configuration.name = device.name
            add(configuration, description: device, ivIndex: network.ivIndex, left: left == nil ? nil : state)
        }
        let others = state.nodes.values.filter {
            positions[$0.uuid] == nil && !provisioners.contains($0.uuid)
                && (!$0.isProvisioned || state.provisioned.contains($0.uuid))
        }
        for configuration in others.sorted(by: { $0.uuid < $1.uuid }) {
            add(configuration, description: nil, ivIndex: network.ivIndex, left: state)
        }
        takeQuirks(state)
    }

    /// Gives each device the quirks of its description, or else those from earlier runs.
    private func takeQuirks(_ state: SimulatorState) {
        for node in nodes.indices {
            let uuid = nodes[node].state.uuid
            let before = state.quirks[uuid] ?? []
            let quirks = nodes[node].description?.quirks ?? before
            nodes[node].faults.quirks = quirks
            if quirks != before { _ = recorder(.quirks(uuid, quirks)) }
        }
    }

    private func add(
        _ node: Node,
        of network: MeshNetwork,
        description: DeviceDescription?,
        state: SimulatorState
    ) {
        guard positions[node.uuid] == nil else { return }
        if var left = state.nodes[node.uuid],
            state.provisioned.contains(node.uuid)
                || left.address == node.unicastAddress && left.deviceKey == node.deviceKey
        {
            left.name = node.name
            // The file with devices may contain a firmware update that came after the node was made.
            if let next = description?.compositionPages[128] { left.foundation.compositionPages[128] = next }
            add(left, description: description, ivIndex: network.ivIndex, left: state)
            return
        }
        var configuration = NodeConfigurationState(of: node, in: network)
        if let description, !node.isCompositionKnown { configuration.takeComposition(of: description) }
        if let description { configuration.foundation.compositionPages = description.compositionPages }
        add(configuration, description: description, ivIndex: network.ivIndex, left: nil)
        _ = recorder(.node(configuration))
    }

    /// Adds a node.
    ///
    /// - Parameter left: the state from earlier runs, if the configuration comes from there.
    private func add(
        _ configuration: NodeConfigurationState,
        description: DeviceDescription?,
        ivIndex: IVIndex,
        left: SimulatorState?
    ) {
        let replay = left?.replay[configuration.uuid] ?? [:]
        let entries = replay.sorted { $0.key < $1.key }.map {
            ReplayProtection.Entry(source: $0.key, ivIndex: $0.value.ivIndex, sequence: $0.value.sequence)
        }
        let stack = stack(
            of: configuration,
            ivIndex: left?.ivIndexes[configuration.uuid] ?? ivIndex,
            replay: entries
        )
        let index = nodes.count
        positions[configuration.uuid] = index
        nodes.append(
            SimulatedNode(
                description: description,
                state: configuration,
                stack: stack,
                advertiser: Advertiser(sets: settings.advertisingSets)
            )
        )
        guard configuration.isProvisioned else { return }
        if let models = left?.models[configuration.uuid] {
            nodes[index].models = NodeModels(stored: models)
            expectLights(of: index)
            if models.numbers.contains(where: { $0.key.item == .controlLight && $0.value == 1 }) {
                _ = work(at: index) { $0.resumeControllers() }
            }
            if models.numbers.contains(where: { $0.key.item == .clock && $0.value > 0 }) {
                _ = work(at: index) { $0.resumeClocks() }
            }
        }
        schedulePublications(of: index)
        resumeHeartbeats(of: index)
        if let candidate = left?.deviceKeyCandidates[configuration.uuid] {
            nodes[index].deviceKeyCandidate = candidate
            nodes[index].stack.keys.setDeviceKeyCandidate(candidate, of: configuration.address)
        }
        newestIVIndex = max(newestIVIndex, stack.ivIndex.value)
        occupyAddresses(of: index, isReported: left?.provisioned.contains(configuration.uuid) ?? false)
        for key in configuration.netKeys {
            observer.learn(key.key)
            if let old = key.oldKey { observer.learn(old) }
        }
    }

    /// The protocol stack of a node. The stack of a device in no network has no keys and stays silent.
    func stack(
        of configuration: NodeConfigurationState,
        ivIndex: IVIndex,
        replay: [ReplayProtection.Entry] = []
    ) -> MeshStack {
        var stack = MeshStack(
            address: configuration.address,
            elementCount: configuration.elements.count,
            ivIndex: ivIndex,
            keys: keyRing(of: configuration),
            sequenceNumbers: sequenceNumbers,
            sar: configuration.sarParameters,
            replay: ReplayProtection(replay, capacity: max(Int(configuration.product.replayListSize), 1))
        )
        stack.defaultTTL = configuration.defaultTTL
        return stack
    }

    /// Records the node as the owner of its addresses.
    ///
    /// - Parameter isReported: whether to report a violation if another node of the same network owns them.
    func occupyAddresses(of node: Int, isReported: Bool) {
        let state = nodes[node].state
        let keys = Set(state.netKeys.flatMap { [$0.key, $0.oldKey ?? $0.key] })
        var reported: Set<Int> = []
        for address in state.addresses {
            guard let owner = owners[address], owner != node, nodes[owner].state.isProvisioned else {
                owners[address] = node
                continue
            }
            let other = nodes[owner].state
            guard isReported, other.netKeys.contains(where: { keys.contains($0.key) }) else { continue }
            if reported.insert(owner).inserted {
                report("\(state.name) and \(other.name) both have the address \(address.hexadecimal)")
            }
        }
        guard isReported else { return }
        for (addresses, name) in provisionerAddresses where addresses.overlaps(state.addresses) {
            report("\(state.name) has an address of the provisioner \(name)")
        }
    }

    /// Records that nobody owns the node's addresses.
    func vacateAddresses(of node: Int) {
        for address in nodes[node].state.addresses where owners[address] == node { owners[address] = nil }
    }
}
