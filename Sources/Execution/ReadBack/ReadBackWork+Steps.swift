import MeshCore
import Planning
import Store

/// Reads nodes back: a step asks one node for everything, one message after another. The journal contains nothing of
/// it, because reading changes nothing. What a node has told becomes durable when it was asked for everything, or falls
/// silent.
extension ReadBackWork {
    mutating func begin(
        _ step: Int,
        _ uuid: DeviceUUID,
        _ options: ExecutionOptions,
        _ ledger: inout RunLedger
    ) -> [RunOutput] {
        do throws(StepFailure) {
            let node = try ledger.reachableNode(uuid)
            begin(node, appKeys: ledger.network.header.appKeys, options)
        } catch {
            ledger.fail(step, error)
            return []
        }
        return askNext(step, uuid, &ledger)
    }

    /// A node that is read back has answered.
    mutating func settle(
        _ request: StepRequest,
        _ verdict: ConfigurationVerdict,
        _ ledger: inout RunLedger
    ) -> [RunOutput] {
        guard let answer = Answer(verdict, to: request.readings) else {
            // No Get has such an answer.
            let outputs = end(request.node, &ledger)
            ledger.fail(request.step, .notKnown)
            return outputs
        }
        return settle(request, answer, &ledger)
    }

    /// A node that is read back did not answer a Get, or not accept a sequence.
    mutating func settleUnanswered(_ request: StepRequest, _ ledger: inout RunLedger) -> [RunOutput] {
        guard request.readings.isEmpty else { return settle(request, .noSequence, &ledger) }
        guard !ledger.isInterrupted, let probe = probe(request.node) else {
            ledger.settle(request.step, .skipped)
            return [.suspend(request.node)]
        }
        do throws(StepFailure) {
            return try ask(probe, request.step, request.node, ledger)
        } catch { return [.suspend(request.node)] }
    }

    /// Records what a node has told, everything or up to where it fell silent.
    mutating func end(_ uuid: DeviceUUID, _ ledger: inout RunLedger) -> [RunOutput] {
        guard let readBack = end(uuid), let outcome = ledger.network.observe(readBack, at: ledger.now) else {
            return []
        }
        for quirk in readBack.quirks.sorted(by: { $0.rawValue < $1.rawValue }) { ledger.meet(quirk, of: uuid) }
        ledger.announce(.nodeReadBack(uuid, outcome))
        return [.changed(uuid)]
    }

    private mutating func settle(
        _ request: StepRequest,
        _ answer: Answer,
        _ ledger: inout RunLedger
    ) -> [RunOutput] {
        let uuid = request.node
        if case .told(.composition(let composition)) = answer, !isProbing(uuid),
            let objection = ledger.network.objection(to: composition, of: uuid)
        {
            // Nothing else that the node says can be understood then.
            drop(uuid)
            ledger.fail(request.step, .contradicts(objection))
            return []
        }
        if case .toldTogether(let answers, to: _) = answer {
            for quirk in answers.quirks.sorted(by: { $0.rawValue < $1.rawValue }) { ledger.meet(quirk, of: uuid) }
        }
        record(answer, of: uuid, labels: ledger.network.knownLabels())
        return askNext(request.step, uuid, &ledger)
    }

    /// Sends the next question to a node, or ends.
    private mutating func askNext(_ step: Int, _ uuid: DeviceUUID, _ ledger: inout RunLedger) -> [RunOutput] {
        guard isReading(uuid) else { return [] }
        guard let request = next(of: uuid, labels: ledger.network.knownLabels()) else {
            let outputs = end(uuid, &ledger)
            ledger.succeed(step)
            return outputs
        }
        guard !ledger.isInterrupted else {
            ledger.schedule.putBack(step)
            return []
        }
        do throws(StepFailure) {
            return try ask(request, step, uuid, ledger)
        } catch {
            let outputs = end(uuid, &ledger)
            ledger.fail(step, error)
            return outputs
        }
    }

    private func ask(
        _ request: Request,
        _ step: Int,
        _ uuid: DeviceUUID,
        _ ledger: RunLedger
    ) throws(StepFailure) -> [RunOutput] {
        guard let node = ledger.network.node(uuid) else { return [] }
        let action = ConfigurationAction.read(request.reading)
        let inquiries = ActionInquiries(action, node: node.unicastAddress, network: ledger.network.header)
        let inquiry =
            request.sequence.isEmpty
            ? try inquiries.get(request.reading)
            : try inquiries.sequence(request.sequence, answerSize: request.answerSize)
        var question = StepRequest(node: uuid, step: step, action: action, phase: .request, inquiry: inquiry)
        question.isBrief = request.isBrief
        question.readings = request.sequence
        return [.ask(.step(question))]
    }
}
