package import MeshCore

/// A change that waits until other nodes do what its node does now. Without them it would leave nodes out of reach.
package struct WaitingChange: Hashable, Sendable {
    /// The kind of change.
    package enum Kind: Hashable, Comparable, Sendable {
        case relayOff
        /// The GATT proxy will be switched off.
        case proxyOff
        /// The node will leave a subnet.
        case subnetLoss
        /// The node will no longer be a friend of low-power nodes.
        case friendOff
        case reset
        /// The node will be excluded from the network.
        case exclusion
    }

    /// Why it waits.
    package enum Reason: Hashable, Sendable {
        /// They are devices that have not become nodes. One of them is enough.
        case notNodes
        case silent
        /// They have not taken the change.
        case unchanged
        /// They answer, but none of them was heard advertising, so nobody knows whether they can be connected to.
        case unheard
        /// They answer over links of their own alone: nothing came through them from another node, nor from them
        /// through the mesh.
        case outside
    }

    package var kind: Kind
    package var role: Way.Role
    /// Names in the plan of some of the others, at least one.
    package var carriers: [String]
    package var carrierCount: Int
    package var carrier: DeviceUUID
    package var reason: Reason

    /// A change of a node that waits for others.
    ///
    /// - Parameter carriers: the others with their names, at least one.
    package init?(
        _ kind: Kind,
        for role: Way.Role,
        of carriers: [(uuid: DeviceUUID, name: String)],
        because reason: Reason
    ) {
        guard let first = carriers.first else { return nil }
        self.kind = kind
        self.role = role
        self.carriers = carriers.prefix(Self.namedCarriers).map(\.name)
        carrierCount = carriers.count
        carrier = first.uuid
        self.reason = reason
    }

    private static let namedCarriers = 3
}

/// The devices of a plan that will carry messages once they are nodes.
struct AwaitedCarriers {
    /// A device that will become a node.
    private struct Device {
        let name: String
        /// The subnets that the plan puts it into.
        var subnets: Set<NetKeyIndex>
        /// Whether the definition switches its proxy and its relay on or off; nil if it does not say.
        var proxy: Bool?
        var relay: Bool?
    }

    private var devices: [DeviceUUID: Device] = [:]
    private var order: [DeviceUUID] = []

    /// Reads the devices from the steps of a plan.
    mutating func expect(_ steps: some Sequence<Step>) {
        for step in steps {
            switch step.work {
            case .provision(let provisioning):
                order.append(provisioning.uuid)
                devices[provisioning.uuid] = Device(name: provisioning.name, subnets: [provisioning.netKeyIndex])
            case .configure(let uuid, .addNetKey(let key)): devices[uuid]?.subnets.insert(key)
            case .configureWhenKnown(let configuration) where configuration.target == nil:
                if let proxy = configuration.proxy { devices[configuration.node]?.proxy = proxy }
                if let relay = configuration.relay { devices[configuration.node]?.relay = relay }
                for key in configuration.subnets ?? [] { devices[configuration.node]?.subnets.insert(key) }
            default: break
            }
        }
    }

    /// What must wait for the devices that will be carriers in a subnet. These are the devices for which the definition
    /// says so; if there are none, those for which it says nothing. Nil if there are neither.
    ///
    /// - Parameter isNode: whether a device is already a node; its present state counts then.
    func waiting(
        _ kind: WaitingChange.Kind,
        in subnet: NetKeyIndex,
        besides node: DeviceUUID,
        isNode: (DeviceUUID) -> Bool
    ) -> WaitingChange? {
        for wanted in [true, nil] {
            let found = order.filter { uuid in
                guard uuid != node, let device = devices[uuid], device.subnets.contains(subnet) else { return false }
                return (kind == .relayOff ? device.relay : device.proxy) == wanted && !isNode(uuid)
            }
            let carriers = found.compactMap { uuid in devices[uuid].map { (uuid, $0.name) } }
            let role = kind == .relayOff ? Way.Role.relay : .proxy
            if let waiting = WaitingChange(kind, for: role, of: carriers, because: .notNodes) { return waiting }
        }
        return nil
    }
}
