package import MeshCore

/// What is to be done to bring a network to its definition: complete, ordered and bound to one state of the database.
package struct Plan: Hashable, Sendable {
    /// Names the plan; a plan is applied once.
    package var identifier: Octets16
    /// The lineage of the database it was made from.
    package var lineage: Octets16
    /// The serial of the database it was made from.
    package var serial: UInt64
    /// The name of the network.
    package var network: String
    /// The differences, in the order of their resources' addresses.
    package var changes: [Change]
    /// What to do, each step after those it depends on.
    package var steps: [Step]
    /// What the user should know beside the changes.
    package var notes: [String]

    /// A plan with those parts.
    package init(
        identifier: Octets16,
        lineage: Octets16,
        serial: UInt64,
        network: String,
        changes: [Change],
        steps: [Step],
        notes: [String] = []
    ) {
        self.identifier = identifier
        self.lineage = lineage
        self.serial = serial
        self.network = network
        self.changes = changes
        self.steps = steps
        self.notes = notes
    }

    /// Whether there is nothing to do.
    package var isEmpty: Bool { steps.isEmpty }
}

/// One difference on one resource.
package struct Change: Hashable, Sendable {
    /// What happens to the resource.
    package enum Action: String, Sendable {
        /// It does not exist yet.
        case create
        /// It exists otherwise.
        case update
        /// It exists and will not.
        case delete
        /// It is no longer managed and stays as it is.
        case forget
    }

    /// The address of the resource, like `node.kitchen-1.element[0].generic-onoff-server.subscription.kitchen`.
    package var address: String
    /// What happens to it.
    package var action: Action
    /// The node it is on, nil for resources of the network.
    package var node: DeviceUUID?
    /// The value there is, for people; never a key.
    package var before: String?
    /// The value there will be, for people; never a key.
    package var after: String?

    /// A change.
    package init(address: String, action: Action, node: DeviceUUID? = nil, before: String? = nil, after: String? = nil)
    {
        self.address = address
        self.action = action
        self.node = node
        self.before = before
        self.after = after
    }
}
