import MeshCore
import Planning
import Store

/// Reading nodes back: a step asks one node for everything, one message after the other. Nothing of it is journalled, for
/// reading changes nothing; what a node has told becomes durable when it was asked for everything, or falls silent.
extension ExecutionRun {
    /// Begins to read a node back.
    func readBack(_ step: Int, _ uuid: DeviceUUID) {
        guard let node = network.node(uuid) else { return fail(step, .unmakeable("the database has no such node")) }
        guard node.deviceKey != nil else {
            return fail(step, .unmakeable("the database has no device key of the node"))
        }
        guard !network.subnets(of: node, for: .read(.netKeys)).isEmpty else {
            return fail(step, .unmakeable("the node has no network key that the database has"))
        }
        var readBack = NodeReadBack(
            of: node,
            appKeys: network.header.appKeys,
            pages: options.pages,
            isInSequences: options.readsInSequences
        )
        if let product = node.product, singlyAskedProducts.contains(product) { readBack.askSingly() }
        readBacks[uuid] = readBack
        askNext(step, uuid)
    }

    /// Asks a node for what comes next, or ends.
    private func askNext(_ step: Int, _ uuid: DeviceUUID) {
        readBacks[uuid]?.takeTold(labels: network.knownLabels())
        guard let readBack = readBacks[uuid], let node = network.node(uuid) else { return }
        guard let request = readBack.nextRequest, let reading = readBack.next else {
            // It is there and answers, only not to sequences.
            if readBack.isAskedSingly, let product = readBack.node.product { singlyAskedProducts.insert(product) }
            endReadBack(uuid)
            schedule.succeed(step)
            announce(.stepSucceeded(step: step, byReadBack: false))
            return finishNode(uuid)
        }
        let action = ConfigurationAction.read(reading)
        guard !isInterrupted else { return schedule.putBack(step) }
        do throws(StepFailure) {
            let inquiries = ActionInquiries(action, node: node.unicastAddress, network: network.header)
            let inquiry = try inquiries.get(reading)
            var ask = StepRequest(node: uuid, step: step, action: action, phase: .request, inquiry: inquiry)
            // What such a Get was not answered with before is not waited for as long again.
            ask.isBrief = readBack.unread.contains { $0.answer == nil && $0.reading.isLike(reading) }
            if case .sequence(let readings) = request {
                ask.inquiry = try inquiries.sequence(readings, answerSize: request.statusLength(on: readBack.node))
                ask.readings = readings
            }
            outbox.append(.step(ask))
        } catch {
            endReadBack(uuid)
            fail(step, error)
        }
    }

    /// What the nodes that are asked several things at once count for beside their one message: a sequence and its status
    /// fill the queues of proxies and relays like the messages of so many nodes.
    var sequenceLoad: Int {
        readBacks.values.count(where: \.mayTakeSequences) * ExecutionRun.sequenceWeight
    }

    private static let sequenceWeight = 2

    /// A node gave an odd answer to a Get; what it asks for stays as it is recorded.
    func settleOddReading(_ request: StepRequest, _ answer: OddAnswer) {
        if isThereAfterAll(request) { return }
        readBacks[request.node]?.leave(answer)
        askNext(request.step, request.node)
    }

    /// A node did not answer a Get. If it has answered others, it is asked for something that every node answers: then it is
    /// seen whether it fell silent, or only does not answer that.
    func settleUnansweredReading(_ request: StepRequest) {
        let uuid = request.node
        guard let readBack = readBacks[uuid], let reading = readBack.next, readBack.hasAnswered,
            unansweredReadings[uuid] == nil, let node = network.node(uuid), !isInterrupted
        else {
            unansweredReadings[uuid] = nil
            journal.settle(subject(of: request.step), .skipped)
            return suspend(uuid)
        }
        let probe = ConfigurationAction.read(reading == .defaultTTL ? .secureNetworkBeacon : .defaultTTL)
        let inquiries = ActionInquiries(probe, node: node.unicastAddress, network: network.header)
        guard let inquiry = try? inquiries.request() else { return suspend(uuid) }
        unansweredReadings[uuid] = reading
        var ask = StepRequest(node: uuid, step: request.step, action: probe, phase: .request, inquiry: inquiry)
        ask.isBrief = true
        outbox.append(.step(ask))
    }

    /// Whether a node answers what only asks whether it answers anything: then it does not answer the Get before.
    private func isThereAfterAll(_ request: StepRequest) -> Bool {
        guard unansweredReadings.removeValue(forKey: request.node) != nil else { return false }
        readBacks[request.node]?.leave(nil)
        askNext(request.step, request.node)
        return true
    }

    /// A node answered a Get.
    func settle(_ request: StepRequest, _ report: NodeReport) {
        let uuid = request.node
        if isThereAfterAll(request) { return }
        if case .composition(let composition) = report, let objection = network.objection(to: composition, of: uuid) {
            // Nothing else that it says can be understood then.
            readBacks[uuid] = nil
            return fail(request.step, .contradicts(objection))
        }
        readBacks[uuid]?.take(report, labels: network.knownLabels())
        askNext(request.step, uuid)
    }

    /// A node refuses a Get; what it asks for stays as it is recorded.
    func settleRefusedReading(_ request: StepRequest) {
        if isThereAfterAll(request) { return }
        readBacks[request.node]?.refuse()
        askNext(request.step, request.node)
    }

    /// A node answered a sequence; what it left out is asked for by itself.
    func settle(_ request: StepRequest, _ answers: ReadBackAnswers) {
        for habit in answers.habits.sorted(by: { $0.rawValue < $1.rawValue }) { meet(habit, of: request.node) }
        readBacks[request.node]?.take(answers, to: request.readings)
        askNext(request.step, request.node)
    }

    /// A node did not answer a sequence, or refused its segments. Whether it takes single Gets will be seen.
    func settleUnansweredSequence(_ request: StepRequest) {
        readBacks[request.node]?.askSingly()
        askNext(request.step, request.node)
    }

    /// Records what a node has told, all of it or up to where it fell silent.
    func endReadBack(_ uuid: DeviceUUID) {
        unansweredReadings[uuid] = nil
        guard let readBack = readBacks.removeValue(forKey: uuid), readBack.hasAnswered,
            let outcome = network.observe(readBack, at: context.now())
        else { return }
        tellClient(of: uuid)
        for habit in readBack.habits.sorted(by: { $0.rawValue < $1.rawValue }) { meet(habit, of: uuid) }
        announce(.nodeReadBack(uuid, outcome))
    }
}

extension NodeReading {
    /// Whether it is the same message, about whatever.
    fileprivate func isLike(_ other: NodeReading) -> Bool {
        switch (self, other) {
        case (.appKeys, .appKeys), (.subscriptions, .subscriptions), (.publication, .publication),
            (.bridgingTable, .bridgingTable), (.page, .page):
            true
        case (.bindings(let one), .bindings(let two)): one.model.isVendor == two.model.isVendor
        default: self == other
        }
    }
}
