import DefinitionModel
package import MeshCore
package import Planning
package import Store

/// Carries out a plan on ``DirectNodes``: a run without radio, retries and journal, for nodes that only exist in this
/// process.
///
/// The requests, the meaning of their answers and what is recorded are those of an ``Executor``. It copes with nothing:
/// it gives up where a node does not answer as it should, and leaves such nodes to a run over a radio.
package struct DirectExecution {
    private var record: NetworkRecord
    /// The address of our own node; nil if there is none.
    private let source: UnicastAddress?
    private let context: ExecutionContext
    private let nodes: any DirectNodes

    /// A run of a plan that was made for the network, before its first step.
    package init(
        _ plan: Plan,
        of network: MeshNetwork,
        on nodes: any DirectNodes,
        context: ExecutionContext
    ) {
        let orders = plan.steps.compactMap { (step) -> ProvisioningOrder? in
            if case .provision(let order) = step.work { order } else { nil }
        }
        record = NetworkRecord(network, orders: orders, reservations: plan.reservations)
        record.apply(plan.claims)
        source = network.nodes.first { $0.uuid == network.ownProvisioner }?.unicastAddress
        self.context = context
        self.nodes = nodes
    }

    /// The network as it is known now.
    package var network: MeshNetwork {
        var network = record.header
        network.nodes = record.nodes
        return network
    }

    /// What makes a network durable in a database that held no node but our own before.
    package static func changes(to network: MeshNetwork) -> StoreChanges {
        var changes = StoreChanges()
        changes.network = network
        changes.nodes = network.nodes
        changes.capacities = network.capacities
        changes.listSharings = network.listSharings
        return changes
    }

    /// Carries out all steps in the order of the plan.
    ///
    /// - Returns: false if it gave up. Then neither the nodes nor ``network`` are of any use.
    package mutating func carryOut(_ plan: Plan) -> Bool {
        for (position, step) in plan.steps.enumerated() {
            guard context.interrupts() == 0, carryOut(step, at: position, of: plan) else { return false }
        }
        return true
    }

    private mutating func carryOut(_ step: Step, at position: Int, of plan: Plan) -> Bool {
        switch step.work {
        case .edit(let edit):
            do throws(ExecutionContext.KeyError) { _ = try record.apply(edit, key: context.key) } catch { return false }
            return true
        case .provision(let order): return provision(order)
        case .configure(let node, let action): return configure(node, action, at: position)
        case .configureWhenKnown(let configuration):
            guard let steps = lower(configuration, plan) else { return false }
            for (index, step) in steps.enumerated() {
                guard carryOut(step, at: position &+ index, of: plan) else { return false }
            }
            return true
        case .readBack: return false
        }
    }

    /// Makes a device a node, with a DeviceKey of its own.
    private mutating func provision(_ order: ProvisioningOrder) -> Bool {
        guard !order.isReplacement, let count = nodes.elementCount(ofDevice: order.uuid), (1...255).contains(count),
            let subnet = record.header.netKeys.first(where: { $0.index == order.netKeyIndex }),
            let address = try? record.reserve(count, for: order),
            let deviceKey = try? context.key(.generated)
        else { return false }
        let data = ProvisioningData(subnet: subnet, ivIndex: record.header.ivIndex, address: address)
        record.recordAttempt(
            PendingProvisioning(
                uuid: order.uuid,
                name: order.name,
                address: address,
                elementCount: UInt8(count),
                deviceKeys: [deviceKey],
                netKeyIndex: order.netKeyIndex,
                isSecurelyProvisioned: false,
                attemptedAt: context.now()
            )
        )
        guard nodes.provision(order.uuid, with: data, deviceKey: deviceKey) else { return false }
        return record.promote(order.uuid, order, deviceKey: deviceKey, at: context.now()) != nil
    }

    /// The steps of a configuration whose node is known now; nil if the node cannot have it.
    private mutating func lower(_ configuration: DeferredConfiguration, _ plan: Plan) -> [Step]? {
        guard let node = record.node(configuration.node), node.isCompositionKnown else { return nil }
        var surroundings = record.lendSurroundings(expecting: plan.steps)
        let lowered = configuration.lowered(on: node, in: record.header, among: &surroundings, findingNode: record.node)
        record.takeBack(surroundings)
        // The guards know everything so far; what changes from now on they are told the next time.
        var told = StoreChanges()
        record.takeChanges(into: &told)
        return lowered.problems.isEmpty ? lowered.steps : nil
    }

    /// Requests a change, and records what the node answers.
    private mutating func configure(_ uuid: DeviceUUID, _ action: ConfigurationAction, at position: Int) -> Bool {
        guard let node = record.node(uuid), node.deviceKey != nil, action != .resetNode else { return false }
        let header = record.header
        if record.hasEffect(action, on: node) || header.isNeedless(action, on: node) {
            record.update(uuid, at: context.now()) {
                $0.apply(action, appKeys: header.appKeys, sharing: header.sharedLists(of: node))
            }
            return true
        }
        var begun = action.begun(on: node, step: position, of: 0, at: context.now())
        if let prelude = ActionInquiries(begun, node: node.unicastAddress, network: header).prelude {
            guard case .setRelay(let isOn, _) = begun,
                case .relayRetransmit(let retransmit) = verdict(of: node, on: prelude, about: begun)
            else { return false }
            begun = .setRelay(isOn, retransmit)
        }
        let inquiries = ActionInquiries(begun, node: node.unicastAddress, network: header)
        guard let request = try? inquiries.request() else { return false }
        switch verdict(of: node, on: request, about: begun) {
        case .holds(let action):
            let now = context.now()
            record.update(uuid, at: now) { $0.record(action, in: header, at: now) }
            return true
        case .composition(let composition):
            guard record.objection(to: composition, of: uuid) == nil else { return false }
            let now = context.now()
            record.update(uuid, at: now) { node in
                node.record(composition)
                node.observedAt = now
            }
            return true
        default: return false
        }
    }

    /// The meaning of a node's answer; nil if there is none.
    private func verdict(
        of node: Node,
        on inquiry: ConfigurationInquiry,
        about action: ConfigurationAction
    ) -> ConfigurationVerdict? {
        let element = Int(node.unicastAddress.rawValue) + Int(inquiry.element)
        let keySubnet = record.header.appKeys.first { $0.index == inquiry.applicationKey }?.boundNetKey
        guard let source, let destination = UInt16(exactly: element).flatMap(UnicastAddress.init(rawValue:)),
            let subnet = keySubnet ?? record.subnets(of: node, for: action).first
        else { return nil }
        let request = DirectRequest(
            node: node.uuid,
            source: source,
            destination: destination,
            payload: inquiry.payload,
            security: inquiry.security(of: node.unicastAddress),
            subnet: subnet
        )
        return nodes.answer(to: request).flatMap { inquiry.verdict(on: $0) }
    }
}
