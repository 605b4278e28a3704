import MeshCore
import Planning
import Store

/// Reads nodes back: a step asks one node for everything, one message after another. The journal contains nothing of
/// it, because reading changes nothing. What a node has told becomes durable when it was asked for everything, or falls
/// silent.
extension ExecutionRun {
    /// Begins to read a node back.
    func readBack(_ step: Int, _ uuid: DeviceUUID) {
        guard let node = network.node(uuid) else { return fail(step, .unmakeable("the database has no such node")) }
        guard node.deviceKey != nil else {
            return fail(step, .unmakeable("the database has no device key of the node"))
        }
        guard !network.subnets(of: node).isEmpty else {
            return fail(step, .unmakeable("the node has no network key that the database has"))
        }
        readBacks.begin(node, appKeys: network.header.appKeys, options)
        askNext(step, uuid)
    }

    /// Sends the next question to a node, or ends.
    private func askNext(_ step: Int, _ uuid: DeviceUUID) {
        guard readBacks.isReading(uuid) else { return }
        guard let request = readBacks.next(of: uuid, labels: network.knownLabels()) else {
            endReadBack(uuid)
            schedule.succeed(step)
            announce(.stepSucceeded(step: step, byReadBack: false))
            return finishNode(uuid)
        }
        guard !isInterrupted else { return schedule.putBack(step) }
        do throws(StepFailure) {
            try ask(request, step, uuid)
        } catch {
            endReadBack(uuid)
            fail(step, error)
        }
    }

    private func ask(_ request: ReadBackWork.Request, _ step: Int, _ uuid: DeviceUUID) throws(StepFailure) {
        guard let node = network.node(uuid) else { return }
        let action = ConfigurationAction.read(request.reading)
        let inquiries = ActionInquiries(action, node: node.unicastAddress, network: network.header)
        let inquiry =
            request.sequence.isEmpty
            ? try inquiries.get(request.reading)
            : try inquiries.sequence(request.sequence, answerSize: request.answerSize)
        var question = StepRequest(node: uuid, step: step, action: action, phase: .request, inquiry: inquiry)
        question.isBrief = request.isBrief
        question.readings = request.sequence
        outbox.append(.step(question))
    }

    /// A node that is read back has answered, or not accepted a sequence.
    func settle(_ request: StepRequest, reading answer: ReadBackWork.Answer) {
        let uuid = request.node
        if case .told(.composition(let composition)) = answer, !readBacks.isProbing(uuid),
            let objection = network.objection(to: composition, of: uuid)
        {
            // Nothing else that the node says can be understood then.
            readBacks.drop(uuid)
            return fail(request.step, .contradicts(objection))
        }
        if case .toldTogether(let answers, to: _) = answer {
            for habit in answers.habits.sorted(by: { $0.rawValue < $1.rawValue }) { meet(habit, of: uuid) }
        }
        readBacks.record(answer, of: uuid, labels: network.knownLabels())
        askNext(request.step, uuid)
    }

    /// A node that is read back did not answer a Get.
    func settleUnansweredReading(_ request: StepRequest) {
        guard !isInterrupted, let probe = readBacks.probe(request.node) else {
            journal.settle(subject(of: request.step), .skipped)
            return suspend(request.node)
        }
        do throws(StepFailure) {
            try ask(probe, request.step, request.node)
        } catch { suspend(request.node) }
    }

    /// Records what a node has told, everything or up to where it fell silent.
    func endReadBack(_ uuid: DeviceUUID) {
        guard let readBack = readBacks.end(uuid), let outcome = network.observe(readBack, at: context.now()) else {
            return
        }
        tellClient(of: uuid)
        for habit in readBack.habits.sorted(by: { $0.rawValue < $1.rawValue }) { meet(habit, of: uuid) }
        announce(.nodeReadBack(uuid, outcome))
    }
}
