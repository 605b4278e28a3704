import MeshCore
import Planning
import Store

/// How nodes leave. The status of a Node Reset, or the device that advertises as unprovisioned, confirms the reset. The
/// run checks it: it looks for the device while it talks to other nodes.
extension ResetWatches {
    /// A node says that it was reset: the run looks for it.
    ///
    /// - Parameter canScan: whether the bearer can hear the device.
    mutating func watch(
        _ request: StepRequest,
        canScan: Bool,
        _ ledger: inout RunLedger,
        at now: Instant
    ) -> [RunOutput] {
        begin(request.node, step: request.step, isByReadBack: request.phase != .request, at: now)
        return ledger.isInterrupted || !canScan ? end(request.node, .notLookedFor, &ledger) : []
    }

    /// Time has passed: devices that were not heard are asked whether they still are nodes.
    ///
    /// - Parameter isLinkReady: whether a link can carry the question.
    mutating func advance(
        to now: Instant,
        canScan: Bool,
        isLinkReady: Bool,
        _ ledger: inout RunLedger
    ) -> [RunOutput] {
        let dues = advance(to: now) { canScan && isLinkReady && ledger.network.node($0) != nil }
        return dues.flatMap { due -> [RunOutput] in
            switch due {
            // A late status of the reset would prove nothing.
            case .ask(let uuid): [.ask(.afterReset(uuid, Question(ConfigDefaultTTLGet())))]
            case .end(let uuid): end(uuid, canScan ? .notSeen : .notLookedFor, &ledger)
            }
        }
    }

    /// A node that claims to be reset answers as a node.
    mutating func answered(_ uuid: DeviceUUID, _ ledger: inout RunLedger, at now: Instant) -> [RunOutput] {
        ledger.isInterrupted || !answered(uuid, at: now) ? end(uuid, .stillNode, &ledger) : []
    }

    /// Stops looking for any device.
    mutating func endAll(_ ledger: inout RunLedger) -> [RunOutput] {
        var outputs: [RunOutput] = []
        for uuid in nodes { outputs += end(uuid, .notLookedFor, &ledger) }
        return outputs
    }

    /// The place of a device that was reset is known, or nobody will find out.
    mutating func end(_ uuid: DeviceUUID, _ sighting: ResetSighting, _ ledger: inout RunLedger) -> [RunOutput] {
        guard let watch = end(uuid) else { return [] }
        let withdrawal = RunOutput.withdraw(ledger.network.node(uuid)?.unicastAddress) { job in
            if case .afterReset(uuid, _) = job { true } else { false }
        }
        ledger.announce(.resetSeen(uuid, sighting))
        guard sighting != .stillNode else {
            ledger.settle(watch.step, .failed(status: ConfigStatusCode.unspecifiedError.rawValue))
            ledger.fail(watch.step, .stillNode)
            return [withdrawal]
        }
        let retirement = ledger.retire(uuid)
        ledger.settle(watch.step, .succeeded)
        ledger.succeed(watch.step, byReadBack: watch.isByReadBack)
        return [withdrawal] + retirement
    }
}
