import MeshCore

/// Nodes send heartbeats and count those of others (Mesh Protocol 3.6.7). No chance is drawn for them but on air, so a
/// network without heartbeats is the same as ever.
extension SimulatedWorld {
    /// A node of an earlier run or of a database continues with its heartbeats. Each node sends at a time of its own,
    /// so that nodes alike do not speak at once.
    func resumeHeartbeats(of node: Int) {
        let state = nodes[node].state
        nodes[node].state.heartbeats.left = state.heartbeatPublication.countLog.count
        if let period = nodes[node].state.heartbeatPeriod {
            let phase = Int64(state.address.rawValue) * 7_919_000 % period.microseconds
            planHeartbeat(of: node, at: now.advanced(by: .microseconds(phase + 1)))
        }
        beginHeartbeatSubscription(of: node)
    }

    /// Does what follows for heartbeats from a node's changed configuration. The first periodic heartbeat follows the
    /// Heartbeat Publication Set at once, and one that a feature triggers follows its change.
    func adoptHeartbeats(_ before: NodeConfigurationState, _ changed: NodeConfigurationState, at node: Int) {
        let soon = now.advanced(by: settings.processing.upperBound)
        if changed.heartbeats.publicationsSet != before.heartbeats.publicationsSet {
            nodes[node].heartbeatAt = nil
            if changed.heartbeatPeriod != nil { planHeartbeat(of: node, at: soon) }
        }
        if changed.heartbeats.subscriptionsSet != before.heartbeats.subscriptionsSet {
            beginHeartbeatSubscription(of: node)
        }
        let switched = before.featuresInUse.symmetricDifference(changed.featuresInUse)
        if !switched.isDisjoint(with: changed.heartbeatPublication.features) {
            queue.add(.heartbeatOfFeature(node: node), at: soon)
        }
    }

    private func planHeartbeat(of node: Int, at time: Instant) {
        nodes[node].heartbeatAt = time
        queue.add(.heartbeat(node: node), at: time)
    }

    /// A node's periodic heartbeat may be due.
    func sendPeriodicHeartbeat(of node: Int) {
        guard let time = nodes[node].heartbeatAt, time <= now else { return }
        nodes[node].heartbeatAt = nil
        guard nodes[node].state.isProvisioned, let period = nodes[node].state.heartbeatPeriod else { return }
        // A node without power sends nothing, and goes on when it has power again.
        if nodes[node].isAlive, countDownHeartbeats(of: node) { sendHeartbeat(of: node) }
        if nodes[node].state.heartbeats.left != 0 { planHeartbeat(of: node, at: time.advanced(by: period)) }
    }

    /// A node has one heartbeat less to send. Its Count Log is recorded before the heartbeat tells that it is sent.
    ///
    /// - Returns: false if that could not be recorded; then the node sends none.
    private func countDownHeartbeats(of node: Int) -> Bool {
        guard let left = nodes[node].state.heartbeats.left else { return true }
        var changed = nodes[node].state
        changed.heartbeats.left = left > 0 ? left - 1 : 0
        changed.heartbeatPublication.countLog = HeartbeatPublicationCountLog(left: changed.heartbeats.left)
        let isKnown = changed.heartbeatPublication == nodes[node].state.heartbeatPublication
        guard isKnown || recorder(.node(changed)) else { return false }
        nodes[node].state = changed
        return true
    }

    /// A node sends a heartbeat, if it publishes any.
    func sendHeartbeat(of node: Int) {
        let state = nodes[node].state
        let publication = state.heartbeatPublication
        guard nodes[node].isAlive, publication.destination != .unassigned else { return }
        let heartbeat = Heartbeat(initialTTL: publication.ttl, features: state.featuresInUse.rawValue)
        let message = OutgoingControlMessage(
            source: state.address,
            destination: publication.destination,
            opcode: Heartbeat.opcode,
            parameters: heartbeat.parameters,
            netKeyIndex: publication.netKeyIndex,
            ttl: publication.ttl
        )
        let actions: [StackAction]
        do throws(StackError) {
            actions = try nodes[node].stack.send(message, at: now).1
        } catch {
            // Its own address can be the destination, and nobody hears what a node sends to itself.
            if case .invalidDestination = error { return }
            report("\(state.name) cannot send a heartbeat: \(error)")
            return
        }
        carryOut(actions, at: node, from: .itself)
    }

    // MARK: Counting

    /// A node begins to count heartbeats, or ceases, as its Heartbeat Subscription state says.
    private func beginHeartbeatSubscription(of node: Int) {
        let subscription = nodes[node].state.heartbeatSubscription
        guard subscription.source != nil, subscription.periodLog != .off else {
            nodes[node].heartbeatsUntil = nil
            return
        }
        let end = now.advanced(by: .seconds(Int64(subscription.periodLog.seconds)))
        nodes[node].heartbeatsUntil = end
        queue.add(.endHeartbeats(node: node), at: end)
    }

    /// The time for which a node counts heartbeats may be over. What it counted stays.
    func endHeartbeatSubscription(of node: Int) {
        guard let end = nodes[node].heartbeatsUntil, end <= now else { return }
        nodes[node].heartbeatsUntil = nil
        nodes[node].state.heartbeatSubscription.periodLog = .off
        _ = recorder(.node(nodes[node].state))
    }

    /// Brings the time that a node still counts heartbeats up to date, before somebody reads it.
    func updateHeartbeatSubscription(of node: Int) {
        guard let end = nodes[node].heartbeatsUntil, now < end else { return }
        nodes[node].state.heartbeatSubscription.periodLog = HeartbeatPeriodLog(left: now.duration(to: end))
    }

    /// A heartbeat has reached a node, which counts those of its subscription.
    func count(_ heartbeat: Heartbeat, in message: IncomingControlMessage, at node: Int) {
        onHeartbeat?(nodes[node].state.uuid, message.source, Int(heartbeat.hops(receivedTTL: message.ttl)))
        guard let end = nodes[node].heartbeatsUntil, now < end else { return }
        let subscription = nodes[node].state.heartbeatSubscription
        guard subscription.source == message.source, subscription.destination == message.destination else { return }
        nodes[node].state.heartbeats.count(hops: heartbeat.hops(receivedTTL: message.ttl))
    }
}
