import MeshCore
import Planning

/// How a plan grows: what depends on a node's composition, or on the address of another node, becomes steps once these
/// are known.
extension ExecutionRun {
    /// Lowers deferred configuration to further steps of the node's lane.
    func grow(_ step: Int, _ deferred: DeferredConfiguration) {
        guard let node = network.node(deferred.node), node.isCompositionKnown else {
            fail(step, .unmakeable("the composition of \(deferred.name) is not known"))
            return
        }
        let record = network
        let peers = node.product.map(inquiredProducts.contains) ?? true ? 0 : max(waitingConfigurations, 1)
        var surroundings = network.lendSurroundings(expecting: steps[..<plannedCount])
        let lowered = deferred.lowered(on: node, in: record.header, peers: peers, among: &surroundings) {
            record.node($0)
        }
        network.takeBack(surroundings)
        if deferred.target == nil { waitingConfigurations -= 1 }
        if let product = node.product, lowered.steps.contains(where: \.readsList) { inquiredProducts.insert(product) }
        let (stepOffset, changeOffset) = (steps.count, changeCount)
        let grown = lowered.steps.map { step in
            Step(
                change: step.change + changeOffset,
                work: step.work,
                dependencies: step.dependencies.map { $0 + stepOffset }
            )
        }
        let blocked: [Int]
        do throws(PlanDefect) {
            blocked = try schedule.grow(step, by: grown)
        } catch {
            fail(step, .unmakeable("the configuration of \(deferred.name) contradicts itself"))
            return
        }
        steps += grown
        changeCount += lowered.changes.count
        recap.total = steps.count
        if !grown.isEmpty || !lowered.changes.isEmpty {
            announce(.planGrown(changes: lowered.changes, steps: grown))
        }
        for problem in lowered.problems { announce(.problem(deferred.node, problem)) }
        for waiting in lowered.waiting { announce(.changeWaits(deferred.node, waiting)) }
        schedule.succeed(step)
        if let carrier = lowered.waiting.first?.carrier, let cause = provisioningStep(of: carrier) {
            // The run has told the node what it could; the rest waits for that device.
            announce(.stepBlocked(step: step, by: cause))
        } else {
            announce(.stepSucceeded(step: step, byReadBack: false))
        }
        announceBlocked(blocked)
        finishNode(deferred.node)
    }

    /// The step that was to make a device a node.
    private func provisioningStep(of device: DeviceUUID) -> Int? {
        steps[..<plannedCount].firstIndex { step in
            if case .provision(let order) = step.work { order.uuid == device } else { false }
        }
    }
}

extension Step {
    /// Whether the action reads a subscription list, to find out which models share it.
    fileprivate var readsList: Bool {
        if case .configure(_, .read(.subscriptions)) = work { true } else { false }
    }
}
