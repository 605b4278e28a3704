package import MeshCore

/// A change that waits for other devices to become nodes: made now, it would leave the network without anybody who carries
/// messages, and the plan has somebody for that who is missing so far.
package struct WaitingChange: Hashable, Sendable {
    /// What waits.
    package enum Kind: Hashable, Comparable, Sendable {
        /// The relay is to be switched off.
        case relayOff
        /// The GATT proxy is to be switched off.
        case proxyOff
        /// The node is to leave a subnet.
        case subnetLoss
    }

    /// What waits.
    package var kind: Kind
    /// Some of the devices of which one is enough, by their names in the plan, at least one.
    package var carriers: [String]
    /// How many there are.
    package var carrierCount: Int
    /// One of them.
    package var carrier: DeviceUUID
}

/// The devices of a plan that are to carry messages once they are nodes.
struct AwaitedCarriers {
    /// A device that is to become a node.
    private struct Device {
        let name: String
        /// The subnets that the plan puts it into.
        var subnets: Set<NetKeyIndex>
        /// Whether the definition switches its proxy and its relay; nil where it leaves that to the device.
        var proxy: Bool?
        var relay: Bool?
    }

    private var devices: [DeviceUUID: Device] = [:]
    /// The devices in the order of the plan.
    private var order: [DeviceUUID] = []

    /// Takes in what a plan does.
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

    /// What waits for the devices that are to be carriers of a subnet: those of which the definition says so, or if there is
    /// none those to which it leaves it; nil if there are none.
    ///
    /// - Parameter isNode: whether a device is a node already, which counts as what it is then.
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
