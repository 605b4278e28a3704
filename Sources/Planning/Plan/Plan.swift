package import MeshCore

/// What is to be done to bring a network to its definition: complete, ordered and bound to one state of the database.
///
/// It holds names and texts, so that it can be shown and applied without the definition, and no key.
package struct Plan: Hashable, Sendable {
    /// Names the plan; a plan is applied once.
    package var identifier: Octets16
    /// The lineage of the database it was made from.
    package var lineage: Octets16
    /// The serial of the database it was made from.
    package var serial: UInt64
    /// The name of the network.
    package var network: String
    /// The nodes that something happens to: in the definition's order, then forgotten ones by address.
    package var nodes: [NodeSummary]
    /// The differences: those of the network (subnets, application keys, groups), then node by node in the order of
    /// ``nodes``, within a node by resource.
    package var changes: [Change]
    /// What to do, each step after those it depends on.
    package var steps: [Step]
    /// Positions of steps, ascending, before which every earlier step should have ended in some way: what is before
    /// lets proxies and relays carry what follows, or what follows may make nodes harder to reach. A matter of order
    /// only: failures before do not stop what follows.
    package var barriers: [Int]
    /// What the user should know beside the changes, a sentence each.
    package var notes: [String]
    /// What guards have to say of it, by guard.
    package var findings: [GuardFinding]
    /// What it was limited to; nil if it has all there is to do.
    package var scope: PlanScope?
    /// What it is for.
    package var purpose: Purpose
    /// What is managed from now on although nothing about it changes; recorded before the first step.
    package var claims: Claims

    /// What plans are for.
    package enum Purpose: UInt8, Sendable {
        /// The network is brought to its definition.
        case converge = 0
        /// All that is managed is taken away.
        case destroy = 1
    }

    /// A plan with those parts.
    package init(
        identifier: Octets16,
        lineage: Octets16,
        serial: UInt64,
        network: String,
        nodes: [NodeSummary] = [],
        changes: [Change],
        steps: [Step],
        barriers: [Int] = [],
        notes: [String] = [],
        findings: [GuardFinding] = [],
        scope: PlanScope? = nil,
        purpose: Purpose = .converge,
        claims: Claims = Claims()
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
    }

    /// Whether there is nothing to do; there may still be something to record, see ``claims``.
    package var isEmpty: Bool { steps.isEmpty }

    /// What all steps cost on air when nothing is lost.
    package var cost: MessageCost {
        nodes.reduce(into: .zero) { $0 += $1.cost }
    }
}

/// A node in a plan, with what a line about it says.
package struct NodeSummary: Hashable, Sendable {
    /// What happens to the node as a whole.
    package enum Action: UInt8, Sendable {
        /// It is managed from now on.
        case manage = 0
        /// It was managed before and changes.
        case update = 1
        /// It is no longer managed.
        case forget = 2
        /// It does not exist yet: a device becomes this node.
        case provision = 3
        /// Its device was seen unprovisioned: the node is retired, and the device becomes a node again.
        case replace = 4
        /// It is reset and leaves the network.
        case reset = 5
        /// It is excluded from the network: it gets no key any more.
        case exclude = 8
    }

    /// Which node.
    package var uuid: DeviceUUID
    /// Its name in the definition; in the database if it is forgotten.
    package var name: String
    /// The address of its primary element when the plan is carried out; nil where it is chosen only then.
    package var address: UnicastAddress?
    /// What happens to it.
    package var action: Action
    /// Where its changes are in ``Plan/changes``.
    package var changes: Range<Int>
    /// What its steps cost on air.
    package var cost: MessageCost

    /// A summary with those parts.
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
