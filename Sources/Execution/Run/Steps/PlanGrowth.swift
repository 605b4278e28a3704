import MeshCore
import Planning

/// How a plan grows: what depends on a node's composition, or on the address of another node, becomes steps once these
/// are known. A value without input or output.
struct PlanGrowth {
    /// How many nodes have a deferred configuration, and the products of which one node was already asked for its
    /// lists.
    private var waitingConfigurations: Int
    private var inquiredProducts: Set<Node.Product> = []
    private var changeCount: Int

    /// A plan that has not grown.
    ///
    /// - Parameter changeCount: the number of its changes.
    init(of steps: [Step], changeCount: Int) {
        self.changeCount = changeCount
        waitingConfigurations = steps.count {
            if case .configureWhenKnown(let configuration) = $0.work { configuration.target == nil } else { false }
        }
    }

    /// Lowers deferred configuration to further steps of the node's lane.
    mutating func grow(_ step: Int, _ deferred: DeferredConfiguration, _ ledger: inout RunLedger) {
        guard let node = ledger.network.node(deferred.node), node.isCompositionKnown else {
            return ledger.fail(step, .unmakeable("the composition of \(deferred.name) is not known"))
        }
        let lowered = lower(deferred, on: node, &ledger)
        if deferred.target == nil { waitingConfigurations -= 1 }
        if let product = node.product, lowered.steps.contains(where: \.readsList) { inquiredProducts.insert(product) }
        let (stepOffset, changeOffset) = (ledger.steps.count, changeCount)
        let grown = lowered.steps.map { step in
            Step(
                change: step.change + changeOffset,
                work: step.work,
                dependencies: step.dependencies.map { $0 + stepOffset }
            )
        }
        let blocked: [Int]
        do throws(PlanDefect) {
            blocked = try ledger.grow(step, by: grown)
        } catch {
            return ledger.fail(step, .unmakeable("the configuration of \(deferred.name) contradicts itself"))
        }
        changeCount += lowered.changes.count
        if !grown.isEmpty || !lowered.changes.isEmpty {
            ledger.announce(.planGrown(changes: lowered.changes, steps: grown))
        }
        for problem in lowered.problems { ledger.announce(.problem(deferred.node, problem)) }
        for waiting in lowered.waiting { ledger.announce(.changeWaits(deferred.node, waiting)) }
        ledger.schedule.succeed(step)
        if let carrier = lowered.waiting.first?.carrier, let cause = ledger.provisioningStep(of: carrier) {
            // The run has told the node what it could; the rest waits for that device.
            ledger.announce(.stepBlocked(step: step, by: cause))
        } else {
            ledger.announce(.stepSucceeded(step: step, byReadBack: false))
        }
        ledger.announceBlocked(blocked)
        ledger.finish(afterStep: step)
    }

    private func lower(
        _ deferred: DeferredConfiguration,
        on node: Node,
        _ ledger: inout RunLedger
    ) -> LoweredConfiguration {
        let peers = node.product.map(inquiredProducts.contains) ?? true ? 0 : max(waitingConfigurations, 1)
        let planned = ledger.steps[..<ledger.plannedCount]
        var surroundings = ledger.network.lendSurroundings(expecting: planned)
        let lowered = deferred.lowered(
            on: node,
            in: ledger.network.header,
            peers: peers,
            among: &surroundings,
            findingNode: ledger.network.node
        )
        ledger.network.takeBack(surroundings)
        return lowered
    }
}

extension RunLedger {
    /// The step that was to make a device a node.
    fileprivate func provisioningStep(of device: DeviceUUID) -> Int? {
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
