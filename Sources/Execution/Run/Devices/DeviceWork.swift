import DefinitionModel
import MeshCore
import Planning
import Store

/// Makes devices nodes: which are looked for, which may be nodes already, and what becomes of their steps. A value
/// without input or output of its own.
struct DeviceWork {
    let options: ExecutionOptions
    var queue: ProvisioningQueue
    private(set) var steps: [DeviceUUID: Int] = [:]
    /// The provisioning data that is about to be sent.
    private var candidates: [DeviceUUID: ProvisioningConversation.Candidate] = [:]
    /// The devices whose data is sent after the next commit.
    private var storing: [DeviceUUID] = []
    /// The decisions that are carried out after the next commit, because it remembers what they give away.
    private var deciding: [DeviceUUID: Decision] = [:]
    /// The values that the present sessions are about to give away.
    private var givenAway: [DeviceUUID: GivenAway] = [:]

    /// A static value that a session is about to give away.
    private struct GivenAway {
        var value: StaticOutOfBandValue
        var algorithm: ProvisioningAlgorithm

        /// Whether nobody has learnt the value if the session ends in this stage: our Random has not left, or the other
        /// side has proved that it knew the value, which nobody makes up under HMAC-SHA256.
        func isSafe(at stage: ProvisioningStage) -> Bool {
            switch stage {
            case .notStarted, .invitation, .decision, .publicKeyExchange, .outOfBandValue, .confirmation: true
            case .verification, .failed: false
            case .durability, .completion, .completed: algorithm == .hmacSHA256
            }
        }
    }

    /// How to provision a device, and with which data.
    private struct Decision {
        var choice: ProvisioningChoice
        var data: ProvisioningData
    }

    /// Devices that an earlier attempt may have made nodes.
    var findingOut = FindingOut()
    /// When the time is over to find out about devices that no step names.
    var searchEnd: Instant?
    /// Whether a node was asked only to learn the IV index.
    var hasSoughtIVIndex = false

    init(options: ExecutionOptions) {
        self.options = options
        queue = ProvisioningQueue(policy: options.provisioning)
    }

    /// Whether advertisements may be useful.
    var wantsScan: Bool { queue.wantsScan || !findingOut.isEmpty }

    /// Begins to look for a device.
    mutating func provision(
        _ step: Int,
        _ order: ProvisioningOrder,
        _ ledger: inout RunLedger,
        _ routes: DeviceRoutes,
        at now: Instant
    ) -> [RunOutput] {
        let uuid = order.uuid
        if let node = ledger.network.node(uuid), !order.isReplacement || node.unprovisionedSeenAt == nil {
            ledger.skip(step)
            return []
        }
        let mayBeNode = ledger.network.header.pendingProvisioning(of: uuid) != nil
        if let error = routes.scanError, routes.isLost(order) {
            ledger.fail(step, .provisioning(.cannotScan(error)))
            return []
        }
        if !mayBeNode, let problem = order.serverProblem(in: ledger.network) {
            ledger.fail(step, .provisioning(problem))
            return []
        }
        steps[uuid] = step
        let added = RunOutput.queue(queue.add(order, at: now))
        if !mayBeNode, let server = order.route.server, ledger.unreachable.contains(server) {
            return [added] + leavePending(uuid, &ledger, routes)
        }
        return [added] + findOut(about: uuid, ledger, at: now)
    }

    // MARK: Outputs of the queue

    /// Follows an output of the queue that needs no bearer.
    mutating func follow(
        _ output: ProvisioningQueue.Output,
        _ ledger: inout RunLedger,
        _ routes: DeviceRoutes,
        at now: Instant
    ) -> [RunOutput] {
        switch output {
        case .progress(let uuid, let progress): return [.emit(.provisioningStage(uuid, progress))]
        case .store(let order, let candidate): store(order, candidate, &ledger)
        case .discard(let uuid): discard(uuid, &ledger)
        case .completed(let order, let node):
            candidates[order.uuid] = nil
            settleValue(of: order.uuid, at: .completed, &ledger)
            return becomeNode(order.uuid, order, node.deviceKey, authentication: node.authentication, &ledger)
        case .retrying(let uuid, let problem, in: let delay):
            settleValue(of: uuid, at: problem.stage, &ledger)
            return [.emit(.provisioningRetried(uuid, problem, in: delay))] + findOut(about: uuid, ledger, at: now)
        case .failed(let uuid, let problem):
            settleValue(of: uuid, at: problem.stage, &ledger)
            let outputs = endFindingOut(uuid, ledger)
            ledger.network.release(uuid)
            guard let step = steps.removeValue(forKey: uuid) else { return outputs }
            // Without the interrupt it would have been tried again.
            if ledger.isInterrupted, problem.canPass {
                ledger.schedule.putBack(step)
            } else {
                ledger.fail(step, .provisioning(problem))
            }
            return outputs
        case .notHeard(let uuid): return notHeard(uuid, &ledger, routes, at: now)
        // The run carries these out.
        case .connect, .send, .close, .ask, .withdraw, .capabilities: break
        }
        return []
    }

    /// Decides how to provision a device that told its capabilities, and with which data.
    ///
    /// - Parameters:
    ///   - prompter: what is known of devices from outside the radio.
    ///   - memoryKey: makes the key of a new memory of a device.
    ///   - hasHeard: whether messages of an address were ever received.
    mutating func choose(
        _ order: ProvisioningOrder,
        _ capabilities: ProvisioningCapabilities,
        asking prompter: OutOfBandPrompter,
        memoryKey: () -> KeyMaterial,
        _ ledger: inout RunLedger,
        hasHeard: (UnicastAddress) -> Bool,
        at now: Instant
    ) -> [RunOutput] {
        let evidence = capabilities.algorithms.contains(.hmacSHA256) ? nil : ledger.network.evidenceOfHMAC(order)
        if capabilities.algorithms.contains(.hmacSHA256) {
            ledger.network.remember(order.uuid, key: memoryKey) { $0.knowsHMAC = true }
        }
        do throws(ProvisioningProblem) {
            let choice = try order.choice(
                for: capabilities,
                asking: prompter,
                memory: ledger.network.header.deviceMemories[order.uuid],
                // Whoever was accepted earlier has been given more than the value.
                allowsUsedValue: options.provisioning.offersUsedValues
                    || ledger.network.header.pendingProvisioning(of: order.uuid) != nil
            )
            guard let subnet = ledger.network.header.netKeys.first(where: { $0.index == order.netKeyIndex }) else {
                throw .noNetKey(order.netKeyIndex)
            }
            if let pending = ledger.network.header.pendingProvisioning(of: order.uuid),
                pending.addresses.contains(where: { UnicastAddress(rawValue: $0).map(hasHeard) ?? false })
            {
                ledger.network.leaveBlock(of: order.uuid)
            }
            let address = try ledger.network.reserve(Int(capabilities.elementCount), for: order)
            let data = ProvisioningData(subnet: subnet, ivIndex: ledger.network.header.ivIndex, address: address)
            var outputs: [RunOutput] = []
            if let evidence, choice.publicKey == nil { outputs.append(.emit(.offersLess(order.uuid, evidence))) }
            guard let value = choice.valueGivenAway else {
                return outputs + [.queue(queue.choose(order.uuid, choice, data: data, at: now))]
            }
            ledger.network.remember(order.uuid, key: memoryKey) { memory in
                guard memory.use(value) else { return }
                givenAway[order.uuid] = GivenAway(value: value, algorithm: choice.algorithm)
            }
            deciding[order.uuid] = Decision(choice: choice, data: data)
            return outputs
        } catch {
            return [.queue(queue.refuse(order.uuid, error, at: now))]
        }
    }

    /// The session of a device is over: its value stays given away unless that is safe.
    private mutating func settleValue(of uuid: DeviceUUID, at stage: ProvisioningStage, _ ledger: inout RunLedger) {
        deciding[uuid] = nil
        guard let given = givenAway.removeValue(forKey: uuid) else { return }
        if given.isSafe(at: stage) {
            ledger.network.withdraw(given.value, of: uuid)
        } else {
            ledger.announce(.valueGivenAway(uuid))
        }
    }

    /// Records what the device will be. This must be durable before the device learns it.
    private mutating func store(
        _ order: ProvisioningOrder,
        _ candidate: ProvisioningConversation.Candidate,
        _ ledger: inout RunLedger
    ) {
        ledger.network.recordAttempt(
            PendingProvisioning(
                uuid: order.uuid,
                name: order.name,
                address: candidate.address,
                elementCount: candidate.elementCount,
                deviceKeys: [candidate.deviceKey],
                netKeyIndex: candidate.netKeyIndex,
                isSecurelyProvisioned: candidate.authentication.isPublicKeyOutOfBand,
                authentication: candidate.authentication,
                attemptedAt: ledger.now
            )
        )
        candidates[order.uuid] = candidate
        storing.append(order.uuid)
    }

    /// The data of a device was not sent after all, so its record can be removed.
    private mutating func discard(_ uuid: DeviceUUID, _ ledger: inout RunLedger) {
        storing.removeAll { $0 == uuid }
        if let key = candidates.removeValue(forKey: uuid)?.deviceKey { ledger.network.withdrawAttempt(of: uuid, key) }
    }

    /// The devices whose records have become durable, so that their data can be sent.
    mutating func takeDurable() -> [DeviceUUID] { storing.drained() }

    /// Begins the sessions about whose values the database knows now.
    mutating func beginDurable(at now: Instant) -> [ProvisioningQueue.Output] {
        let decisions = deciding.sorted { $0.key < $1.key }
        deciding = [:]
        return decisions.flatMap { queue.choose($0.key, $0.value.choice, data: $0.value.data, at: now) }
    }

    // MARK: Ends

    /// A device has become a node: it said so itself, or the run found out.
    ///
    /// - Parameter authentication: nil if the run found out.
    mutating func becomeNode(
        _ uuid: DeviceUUID,
        _ order: ProvisioningOrder?,
        _ deviceKey: KeyMaterial,
        authentication: NodeAuthentication?,
        _ ledger: inout RunLedger
    ) -> [RunOutput] {
        var outputs = endFindingOut(uuid, ledger)
        let promotion = ledger.network.promote(uuid, order, deviceKey: deviceKey, at: ledger.now)
        guard let (node, replaced) = promotion else { return outputs }
        if let replaced { outputs += [.removed(replaced.unicastAddress), .replaced(uuid)] }
        outputs.append(.changed(uuid))
        ledger.unreachable.remove(uuid)
        ledger.announce(
            .provisioned(
                uuid,
                address: node.unicastAddress,
                elementCount: UInt8(truncatingIfNeeded: node.addresses.count),
                authentication: authentication
            )
        )
        guard let step = steps.removeValue(forKey: uuid) else { return outputs }
        ledger.settle(step, .succeeded)
        ledger.succeed(step, byReadBack: authentication == nil)
        return authentication == nil ? outputs : outputs + [.advertises(uuid)]
    }

    /// A device was not heard, and is no node that answers: its steps wait for another run.
    mutating func leavePending(
        _ uuid: DeviceUUID,
        _ ledger: inout RunLedger,
        _ routes: DeviceRoutes
    ) -> [RunOutput] {
        let listener = routes.listener(for: queue.order(of: uuid), ledger)
        let outputs = drop(uuid, &ledger)
        ledger.network.release(uuid)
        guard steps.removeValue(forKey: uuid) != nil else { return outputs }
        let mayBeNode = ledger.network.header.pendingProvisioning(of: uuid) != nil
        ledger.announce(.deviceNotHeard(uuid, mayBeNode: mayBeNode, by: listener))
        ledger.suspend(uuid)
        return outputs
    }

    /// The bearer cannot scan: devices fail that nobody else can find.
    mutating func failLost(
        _ error: BearerError,
        _ ledger: inout RunLedger,
        _ routes: DeviceRoutes
    ) -> [RunOutput] {
        let lost = steps.filter { queue.order(of: $0.key).map(routes.isLost) ?? routes.search.isEmpty }
        return fail(lost, .cannotScan(error), &ledger)
    }

    /// Gives devices up whose provisioning makes no sense any longer.
    ///
    /// - Parameter lost: the devices and their steps.
    mutating func fail(
        _ lost: [DeviceUUID: Int],
        _ problem: ProvisioningProblem,
        _ ledger: inout RunLedger
    ) -> [RunOutput] {
        var outputs: [RunOutput] = []
        for (uuid, step) in lost.sorted(by: { $0.value < $1.value }) {
            outputs += drop(uuid, &ledger)
            steps[uuid] = nil
            ledger.fail(step, .provisioning(problem))
        }
        return outputs
    }

    /// An interrupt: devices that already have their provisioning data are finished, all others are given up.
    mutating func interrupt(_ ledger: inout RunLedger) -> [RunOutput] {
        let stages = Dictionary(givenAway.keys.map { ($0, queue.stage(of: $0)) }) { first, _ in first }
        let (devices, ends) = queue.interrupt()
        var outputs = discardAll(of: ends, &ledger)
        for uuid in devices {
            settleValue(of: uuid, at: stages[uuid] ?? .notStarted, &ledger)
            ledger.network.release(uuid)
            if let step = steps.removeValue(forKey: uuid) { ledger.schedule.putBack(step) }
        }
        for uuid in findingOut.devices { outputs += endFindingOut(uuid, ledger) }
        return outputs
    }

    /// The run ends: all devices are given up.
    mutating func shutDown(_ ledger: inout RunLedger) -> [RunOutput] {
        for uuid in givenAway.keys.sorted() { settleValue(of: uuid, at: queue.stage(of: uuid), &ledger) }
        return discardAll(of: queue.shutDown(), &ledger)
    }

    /// The step of a device that is given up for a reason of its own.
    mutating func takeStep(of uuid: DeviceUUID) -> Int? { steps.removeValue(forKey: uuid) }

    /// Removes a device from the queue, and ends to find out about it.
    mutating func drop(_ uuid: DeviceUUID, _ ledger: inout RunLedger) -> [RunOutput] {
        settleValue(of: uuid, at: queue.stage(of: uuid), &ledger)
        return discardAll(of: queue.remove(uuid), &ledger) + endFindingOut(uuid, ledger)
    }

    /// Takes back the records of data that will not be sent, at once. Returns what is left to do.
    mutating func discardAll(
        of outputs: [ProvisioningQueue.Output],
        _ ledger: inout RunLedger
    ) -> [RunOutput] {
        var rest: [ProvisioningQueue.Output] = []
        for output in outputs {
            if case .discard(let uuid) = output { discard(uuid, &ledger) } else { rest.append(output) }
        }
        return rest.isEmpty ? [] : [.queue(rest)]
    }
}

/// No device is provisioned before the IV index is known. A device with a wrong one may never understand the other
/// nodes if they are too far ahead for it to follow (Mesh Protocol 3.11.6).
extension DeviceWork {
    /// Looks for a proxy that tells the IV index if devices wait for it, and gives the devices up if there is none.
    ///
    /// - Parameters:
    ///   - isKnown: whether the IV index is known.
    ///   - mayBeLinked: whether there may be a link to a proxy.
    ///   - isIdle: whether no request is open or about to be sent.
    mutating func learnIVIndex(
        isKnown: Bool,
        mayBeLinked: Bool,
        isIdle: Bool,
        _ ledger: inout RunLedger
    ) -> [RunOutput] {
        guard !isKnown, !queue.isEmpty else { return [] }
        if mayBeLinked {
            // Any request makes the client look for a proxy, whose beacon comes first.
            guard isIdle else { return [] }
            if !hasSoughtIVIndex {
                hasSoughtIVIndex = true
                if let node = nodeToAsk(ledger) { return [.ask(.ivIndex(node, Question(ConfigDefaultTTLGet())))] }
            }
        }
        return [Self.endOfSeekingIVIndex] + fail(steps, .ivIndexUnknown, &ledger)
    }

    /// Gives up the question: the index is known, or the node is to be asked something else.
    static var endOfSeekingIVIndex: RunOutput {
        .withdraw { if case .ivIndex = $0 { true } else { false } }
    }

    private func nodeToAsk(_ ledger: RunLedger) -> DeviceUUID? {
        let others = Set(ledger.network.header.provisioners.map(\.uuid))
        return ledger.network.nodes.first { node in
            !others.contains(node.uuid) && !node.isExcluded && node.deviceKey != nil
                && !ledger.network.subnets(of: node).isEmpty && !ledger.unreachable.contains(node.uuid)
        }?.uuid
    }
}
