package import MeshCore

/// Everything needed to bring a network to its definition: complete, ordered and bound to one state of the database.
///
/// It contains names and texts, so that it can be shown and applied without the definition. It contains no key.
package struct Plan: Hashable, Sendable {
    /// Identifies the plan; a plan is applied once.
    package var identifier: Octets16
    /// The lineage of the database it was made from.
    package var lineage: Octets16
    /// The serial of the database it was made from.
    package var serial: UInt64
    package var network: String
    /// The nodes that change: in the definition's order, then forgotten ones by address.
    package var nodes: [NodeSummary]
    /// The differences: those of the network (subnets, application keys, groups), then node by node in the order of
    /// ``nodes``, and within a node by resource.
    package var changes: [Change]
    /// The steps, each after those that it depends on.
    package var steps: [Step]
    /// Indexes of steps, ascending. Before such a step, every earlier step should have ended, with success or not: the
    /// earlier steps let proxies and relays carry the later ones, or the later ones may make nodes harder to reach.
    /// Barriers only set the order; failures before them do not stop what follows.
    package var barriers: [Int]
    /// What the user should know beside the changes, one sentence each.
    package var notes: [Advice]
    package var findings: [GuardFinding]
    /// What it was limited to; nil if it contains everything.
    package var scope: PlanScope?
    package var purpose: Purpose
    /// What is managed from now on although nothing about it changes. It is recorded before the first step.
    package var claims: Claims
    /// The addresses to set aside, in the order in which they are given; empty if no device needs one.
    package var reservations: [AddressReservation]
    /// What a run uses beside the database, as it was when the plan was made; by kind and name.
    package var dependencies: [PlanDependency]

    /// The purposes of plans.
    package enum Purpose: UInt8, Sendable {
        /// The network is brought to its definition.
        case converge = 0
        /// Everything that is managed is removed.
        case destroy = 1
    }

    package init(
        identifier: Octets16,
        lineage: Octets16,
        serial: UInt64,
        network: String,
        nodes: [NodeSummary] = [],
        changes: [Change],
        steps: [Step],
        barriers: [Int] = [],
        notes: [Advice] = [],
        findings: [GuardFinding] = [],
        scope: PlanScope? = nil,
        purpose: Purpose = .converge,
        claims: Claims = Claims(),
        reservations: [AddressReservation] = [],
        dependencies: [PlanDependency] = []
    ) {
        self.identifier = identifier
        self.lineage = lineage
        self.serial = serial
        self.network = network
        self.nodes = nodes
        self.changes = changes
        self.steps = steps
        self.barriers = barriers
        self.notes = notes
        self.findings = findings
        self.scope = scope
        self.purpose = purpose
        self.claims = claims
        self.reservations = reservations
        self.dependencies = dependencies
    }

    /// Whether there is nothing to do. There may still be claims to record; see ``claims``.
    package var isEmpty: Bool { steps.isEmpty }

    /// The cost of all steps on air if nothing is lost.
    package var cost: MessageCost {
        nodes.reduce(into: .zero) { $0 += $1.cost }
    }
}

/// A node in a plan, with the content of its line.
package struct NodeSummary: Hashable, Sendable {
    /// What happens to the node as a whole.
    package enum Action: UInt8, Sendable {
        case manage = 0
        /// The node was managed before, and changes.
        case update = 1
        case forget = 2
        /// The node does not exist yet: a device becomes this node.
        case provision = 3
        /// Its device was seen unprovisioned. The node is retired, and the device becomes a node again.
        case replace = 4
        case reset = 5
        /// The node is excluded from the network: it gets no more keys.
        case exclude = 8
        /// A device takes the place of another node with its name, which is excluded once the device is a node.
        case substitute = 9
    }

    package var uuid: DeviceUUID
    /// Its name in the definition; in the database if it is forgotten.
    package var name: String
    /// The address of its primary element when the plan is carried out; nil if it is chosen only then.
    package var address: UnicastAddress?
    package var action: Action
    /// The range of its changes in ``Plan/changes``.
    package var changes: Range<Int>
    package var cost: MessageCost

    package init(
        uuid: DeviceUUID,
        name: String,
        address: UnicastAddress?,
        action: Action,
        changes: Range<Int>,
        cost: MessageCost
    ) {
        self.uuid = uuid
        self.name = name
        self.address = address
        self.action = action
        self.changes = changes
        self.cost = cost
    }
}
