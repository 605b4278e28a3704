package import MeshCore

/// What a node becomes by a reprovisioning over its Node Provisioning Protocol Interface (Mesh Protocol 1.1, 3.11.8);
/// holds no secret.
package struct ReprovisionPlan: Hashable, Sendable {
    package var node: DeviceUUID
    /// Its name in the database.
    package var name: String
    package var procedure: NodeProvisioningProcedure
    /// The present addresses of its elements.
    package var before: ClosedRange<UInt16>
    /// The future addresses of its elements; unchanged unless the addresses are reprovisioned.
    package var after: ClosedRange<UInt16>
    /// The subnet whose NetKey is in the provisioning data; the node has it already.
    package var netKeyIndex: NetKeyIndex
    /// How to authenticate the session.
    package var provisioning: ProvisioningOrder
    /// What in the database names the addresses that the node gives up.
    package var references = ReprovisionReferences()

    /// How many elements the node should have afterwards, 1...255.
    package var elementCount: UInt8 { UInt8(clamping: after.count) }

    /// The address in the provisioning data.
    package var address: UnicastAddress? { UnicastAddress(rawValue: after.lowerBound) }
}

/// The states of other nodes that name a node's addresses. Its reprovisioning changes none of them.
package struct ReprovisionReferences: Hashable, Sendable {
    /// The names of nodes with a model that publishes to it, in the order of addresses.
    package var publishers: [String] = []
    /// The names of nodes that send heartbeats to it or count its heartbeats.
    package var heartbeats: [String] = []
    /// The names of nodes whose bridging table has an entry for it.
    package var bridges: [String] = []

    /// Whether nothing refers to the node.
    package var isEmpty: Bool { publishers.isEmpty && heartbeats.isEmpty && bridges.isEmpty }
}

/// Why a node cannot be reprovisioned.
package struct ReprovisionRefusal: Error, Hashable, Sendable {
    /// What is wrong, as a sentence without a full stop.
    package var message: String
    /// How to mend it; nil if nothing is known.
    package var hint: Advice?
    /// Whether the request itself is impossible, rather than the node's state.
    package var isUsage = false

    init(_ message: String, hint: Advice? = nil, isUsage: Bool = false) {
        self.message = message
        self.hint = hint
        self.isUsage = isUsage
    }
}
