package import MeshCore

/// What a node is refreshed to over its Node Provisioning Protocol Interface (Mesh Protocol 1.1, 3.11.8); holds no secret.
package struct NodeRefreshPlan: Hashable, Sendable {
    /// The node.
    package var node: DeviceUUID
    /// Its name in the database.
    package var name: String
    /// What is done to it.
    package var procedure: NodeProvisioningProcedure
    /// The addresses that it has.
    package var before: ClosedRange<UInt16>
    /// The addresses that it will have; the same unless they are refreshed.
    package var after: ClosedRange<UInt16>
    /// The subnet whose NetKey the provisioning data carries, one that the node has.
    package var netKeyIndex: NetKeyIndex
    /// How the session is authenticated.
    package var provisioning: ProvisioningOrder
    /// What in the database names the addresses that the node leaves.
    package var references = NodeRefreshReferences()

    /// A plan with those values.
    package init(
        node: DeviceUUID,
        name: String,
        procedure: NodeProvisioningProcedure,
        before: ClosedRange<UInt16>,
        after: ClosedRange<UInt16>,
        netKeyIndex: NetKeyIndex,
        provisioning: ProvisioningOrder
    ) {
        self.node = node
        self.name = name
        self.procedure = procedure
        self.before = before
        self.after = after
        self.netKeyIndex = netKeyIndex
        self.provisioning = provisioning
    }

    /// How many elements the node is expected to have afterwards, 1...255.
    package var elementCount: UInt8 { UInt8(clamping: after.count) }

    /// The address that the provisioning data carries.
    package var address: UnicastAddress? { UnicastAddress(rawValue: after.lowerBound) }
}

/// The states of other nodes that name the addresses of a node; none of them is changed by its refresh.
package struct NodeRefreshReferences: Hashable, Sendable {
    /// The names of nodes with a model that publishes to it, in the order of addresses.
    package var publishers: [String] = []
    /// The names of nodes whose heartbeats go to it or are counted from it.
    package var heartbeats: [String] = []
    /// The names of nodes with an entry for it in their bridging table.
    package var bridges: [String] = []

    /// None.
    package init() {}

    /// Whether there are none.
    package var isEmpty: Bool { publishers.isEmpty && heartbeats.isEmpty && bridges.isEmpty }
}

/// Why a node cannot be refreshed.
package struct NodeRefreshRefusal: Error, Hashable, Sendable {
    /// What is wrong, a sentence without a full stop.
    package var message: String
    /// What helps.
    package var hint: String?
    /// Whether what was asked for cannot be, rather than what the node is.
    package var isUsage = false

    init(_ message: String, hint: String? = nil, isUsage: Bool = false) {
        self.message = message
        self.hint = hint
        self.isUsage = isUsage
    }
}
