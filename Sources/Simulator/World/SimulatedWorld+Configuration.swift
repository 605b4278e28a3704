package import MeshCore

extension SimulatedWorld {
    /// A message for a node has passed its stack. The node handles Configuration requests, and messages of
    /// ``deliver(_:under:at:)``.
    func deliver(_ message: IncomingMessage, at node: Int) {
        let stream = SequenceStream(source: message.source, ivIndex: message.ivIndex)
        guard recorder(.replay(nodes[node].state.uuid, stream, message.sequence)) else { return }
        if case .application(let key) = message.security {
            deliver(message, under: key, at: node)
            return
        }
        updateHeartbeatSubscription(of: node)
        let state = nodes[node].state
        guard case .device = message.security, message.destination == state.address.address else { return }
        var reader = ByteReader(message.payload)
        // A node that is leaving the network accepts no more requests.
        guard let opcode = try? Opcode(decoding: &reader), nodes[node].lastAnswer?.isReset != true else { return }
        if nodes[node].faults.requestsToDrop > 0 {
            nodes[node].faults.requestsToDrop -= 1
            return
        }
        guard !isRemoteProvisioning(opcode, at: node) else {
            deliver(remoteProvisioning: message, at: node)
            return
        }
        configure(node, message.payload, from: message.source, through: message.netKeyIndex, ttl: message.ttl)
    }

    /// The Configuration Server of a node handles a request, and the node answers.
    ///
    /// - Parameter ttl: the TTL on arrival.
    func configure(
        _ node: Int,
        _ request: [UInt8],
        from source: UnicastAddress,
        through subnet: NetKeyIndex,
        ttl: UInt8
    ) {
        let state = nodes[node].state
        let server = ConfigurationServer(
            limits: settings.limits,
            sharesSubscriptionLists: nodes[node].description?.sharesSubscriptionLists
                ?? settings.sharesSubscriptionLists,
            quirks: nodes[node].faults.quirks
        )
        var changed = state
        var faults = nodes[node].faults
        var answer = server.respond(to: request, through: subnet, state: &changed) {
            faults.answer(to: $0)
        }
        if let fault = faults.sequences { answer = answer.flatMap(fault.distorted) }
        nodes[node].faults = faults
        guard let answer else { return }
        statistics.requests += 1
        var isReset = !changed.isProvisioned
        if isReset, faults.quirks.contains(.resetsBeforeStatus) {
            factoryReset(state.uuid)
            return
        }
        if isReset, faults.quirks.contains(.resetsLate) {
            isReset = false
            changed = state
            queue.add(.lateReset(node: node, life: state.deviceKey), at: now.advanced(by: .seconds(5)))
        }
        // The change is recorded before anything reveals it. If it cannot be recorded, it is not made.
        if changed != state, !recorder(.node(changed)) { return }
        // After a reset, the node still sends the status with its old identity.
        if !isReset { adopt(changed, at: node) }
        let delay = generator.duration(in: settings.processing) + generator.duration(in: settings.responseDelay)
        let outgoing = OutgoingMessage(
            source: state.address,
            destination: .unicast(source),
            payload: answer,
            security: .device(node: state.address),
            netKeyIndex: subnet,
            ttl: ttl == 0 ? 0 : changed.defaultTTL
        )
        queueAnswer(outgoing, of: node, thenReset: isReset, after: delay)
    }

    /// Changes a node's state without a message, as another client or new firmware would.
    package func change(_ uuid: DeviceUUID, _ change: (inout NodeConfigurationState) -> Void) {
        guard let node = nodes.firstIndex(where: { $0.state.uuid == uuid }) else { return }
        var changed = nodes[node].state
        change(&changed)
        guard changed != nodes[node].state, recorder(.node(changed)) else { return }
        adopt(changed, at: node)
    }

    /// Makes the rest of a node follow its changed configuration.
    private func adopt(_ changed: NodeConfigurationState, at node: Int) {
        let before = nodes[node].state
        nodes[node].state = changed
        if changed.relay != before.relay || changed.netKeys.map(\.index) != before.netKeys.map(\.index) {
            radioChanges(of: node)
        }
        if changed.netKeys != before.netKeys || changed.appKeys != before.appKeys || changed.labels != before.labels {
            nodes[node].stack.keys = keyRing(of: changed)
            nodes[node].stack.keys.setDeviceKeyCandidate(nodes[node].deviceKeyCandidate, of: changed.address)
            for key in before.netKeys where changed.netKey(key.index) == nil {
                carryOut(nodes[node].remote.server.forget(key.index), at: node)
            }
            for key in changed.netKeys { observer.learn(key.key) }
        }
        nodes[node].stack.defaultTTL = changed.defaultTTL
        for key in changed.netKeys where key.isIdentityRunning && before.netKey(key.index)?.isIdentityRunning != true {
            startIdentity(of: node, key.index)
        }
        for key in changed.netKeys
        where key.isPrivateIdentityRunning && before.netKey(key.index)?.isPrivateIdentityRunning != true {
            startPrivateIdentity(of: node, key.index)
        }
        if changed.elements != before.elements { schedulePublications(of: node) }
        adoptHeartbeats(before, changed, at: node)
        if changed.sarParameters != before.sarParameters { nodes[node].stack.sar = changed.sarParameters }
        if before.isGATTProxyOn, !changed.isGATTProxyOn { nodes[node].endsLinks = true }
        let phases = changed.netKeys.map { [UInt16($0.phase.rawValue), $0.index.rawValue] }
        if phases != before.netKeys.map({ [UInt16($0.phase.rawValue), $0.index.rawValue] }) { announce(node) }
    }

    func answer(_ message: OutgoingMessage, from node: Int, thenReset: Bool) {
        // Meanwhile the node may have left the network, and may even be in another one.
        guard nodes[node].isAlive, nodes[node].state.addresses.contains(message.source.rawValue) else { return }
        let identifier: TransmissionIdentifier
        let actions: [StackAction]
        do throws(StackError) {
            (identifier, actions) = try nodes[node].stack.send(message, at: now)
        } catch {
            report("\(nodes[node].state.name) cannot answer: \(error)")
            return
        }
        carryOut(actions, at: node, from: .itself)
        guard thenReset || nodes[node].endsLinks else { return }
        if actions.contains(where: { $0.ends(identifier) }) {
            finishAnswer(of: node, isReset: thenReset)
        } else {
            nodes[node].lastAnswer = (identifier, thenReset)
        }
    }

    /// Finishes an answer with consequences, once all its segments have been sent.
    func finishAnswer(of node: Int, after actions: [StackAction]) {
        guard let last = nodes[node].lastAnswer, actions.contains(where: { $0.ends(last.identifier) }) else { return }
        nodes[node].lastAnswer = nil
        finishAnswer(of: node, isReset: last.isReset)
    }

    /// Ends the links of a proxy that was switched off or has left the network (4.2.11).
    private func finishAnswer(of node: Int, isReset: Bool) {
        if isReset {
            leaveNetwork(node)
        } else if nodes[node].endsLinks {
            nodes[node].endsLinks = false
            guard settings.proxy != nodes[node].state.uuid else { return }
            endLinks(to: node, reason: "the node's GATT proxy was switched off")
        }
    }

    /// A node's keys, for its stack; none for a device that was reset.
    func keyRing(of state: NodeConfigurationState) -> KeyRing {
        var ring = KeyRing(schedules: schedules)
        guard state.isProvisioned else { return ring }
        for key in state.netKeys {
            ring.set(NetKey(index: key.index, name: "", key: key.key, oldKey: key.oldKey, phase: key.phase))
        }
        for key in state.appKeys {
            ring.set(
                AppKey(index: key.index, name: "", boundNetKey: key.boundNetKey, key: key.key, oldKey: key.oldKey)
            )
        }
        if let key = state.deviceKey { ring.setDeviceKey(key, of: state.address) }
        for label in state.labels.sorted() { ring.add(label) }
        return ring
    }
}

extension StackAction {
    /// Whether a transmission has ended, with success or not.
    fileprivate func ends(_ identifier: TransmissionIdentifier) -> Bool {
        switch self {
        case .completed(identifier), .failed(identifier, _): true
        default: false
        }
    }
}
