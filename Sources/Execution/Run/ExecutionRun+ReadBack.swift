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
            var job = Job(node: uuid, step: step, action: action, stage: .request, inquiry: try inquiries.get(reading))
            if case .sequence(let readings) = request {
                job.inquiry = try inquiries.sequence(readings, answerSize: request.statusLength(on: readBack.node))
                job.readings = readings
            }
            outbox.append(job)
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

    /// A node answered a Get.
    func settle(_ step: Int, _ job: Job, _ report: NodeReport) {
        if case .composition(let composition) = report, let objection = network.objection(to: composition, of: job.node)
        {
            // Nothing else that it says can be understood then.
            readBacks[job.node] = nil
            return fail(step, .contradicts(objection))
        }
        readBacks[job.node]?.take(report, labels: network.knownLabels())
        askNext(step, job.node)
    }

    /// A node refuses a Get; what it asks for stays as it is recorded.
    func settleRefusedReading(_ step: Int, _ job: Job) {
        readBacks[job.node]?.refuse()
        askNext(step, job.node)
    }

    /// A node answered a sequence; what it left out is asked for by itself.
    func settle(_ step: Int, _ job: Job, _ answers: ReadBackAnswers) {
        readBacks[job.node]?.take(answers, to: job.readings)
        askNext(step, job.node)
    }

    /// A node did not answer a sequence, or refused its segments. Whether it takes single Gets will be seen.
    func settleUnansweredSequence(_ step: Int, _ job: Job) {
        readBacks[job.node]?.askSingly()
        askNext(step, job.node)
    }

    /// Records what a node has told, all of it or up to where it fell silent.
    func endReadBack(_ uuid: DeviceUUID) {
        guard let readBack = readBacks.removeValue(forKey: uuid), readBack.reports > 0,
            let outcome = network.observe(readBack, at: context.now())
        else { return }
        tellClient(of: uuid)
        announce(.nodeReadBack(uuid, outcome))
    }
}
