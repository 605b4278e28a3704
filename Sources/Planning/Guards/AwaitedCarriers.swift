package import MeshCore

/// A change that waits until other devices have become nodes. Without them it would leave the network without any node
/// that carries messages.
package struct WaitingChange: Hashable, Sendable {
    /// The kind of change.
    package enum Kind: Hashable, Comparable, Sendable {
        /// The relay will be switched off.
        case relayOff
        /// The GATT proxy will be switched off.
        case proxyOff
        /// The node will leave a subnet.
        case subnetLoss
    }

    /// The kind of change.
    package var kind: Kind
    /// Names in the plan of some of the devices, at least one. One of these devices is enough.
    package var carriers: [String]
    /// How many such devices there are.
    package var carrierCount: Int
    /// One of them.
    package var carrier: DeviceUUID
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
    /// The devices in the order of the plan.
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
            guard let first = found.first else { continue }
            let names = found.prefix(Self.namedCarriers).compactMap { devices[$0]?.name }
            return WaitingChange(kind: kind, carriers: names, carrierCount: found.count, carrier: first)
        }
        return nil
    }

    private static let namedCarriers = 3
}
