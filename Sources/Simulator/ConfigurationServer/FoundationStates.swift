package import MeshCore

/// The states of the foundation models that version 1.1 adds (Mesh Protocol 1.1, 4.2). A state matters only on a node
/// whose primary element has its model; otherwise it keeps its initial value.
package struct FoundationStates: Hashable, Sendable {
    package var sarTransmitter = SARTransmitterState.standard
    package var sarReceiver = SARReceiverState.standard
    package var isPrivateBeaconEnabled = false
    /// The Random Update Interval Steps state in units of 10 s; 0 for a new random value in every private beacon.
    package var randomUpdateIntervalSteps: UInt8 = 60
    /// The Private GATT Proxy state of a node with the GATT Proxy feature. It is never on together with the GATT Proxy
    /// state.
    package var isPrivateGATTProxyEnabled = false
    /// The On-Demand Private GATT Proxy state: for how many seconds the node would advertise after a solicitation, 0
    /// for off. It has no effect, because solicitation over the air is not simulated.
    package var onDemandPrivateProxySeconds: UInt8 = 0
    package var isSubnetBridgeEnabled = false
    /// The Bridging Table state, in the order in which entries were added.
    package var bridgingTable: [BridgingTableEntry] = []
    /// The solicitation replay protection list: the newest sequence number (24 bits) of each source. Solicitation over
    /// the air is not simulated, so only tests and earlier states fill it.
    package var solicitationReplay: [UnicastAddress: UInt32] = [:]
    /// The Composition Data pages other than 0, such as 1, 2 and 128, as octets. They belong to the device and survive
    /// a reset.
    package var compositionPages: [UInt8: [UInt8]] = [:]

    /// The initial values of a device.
    package init() {}

    /// Forgets the network, and keeps what belongs to the device.
    mutating func reset() {
        let pages = compositionPages
        self = FoundationStates()
        compositionPages = pages
    }

    /// The subnets into which a node with its bridge on forwards a message from `source` to `destination` in a subnet.
    /// Each occurs once, in the order of the table (3.4.6.3).
    func bridgedSubnets(from subnet: NetKeyIndex, _ source: UnicastAddress, to destination: Address) -> [NetKeyIndex] {
        var found: [NetKeyIndex] = []
        for row in bridgingTable {
            guard let target = row.target(from: subnet, source, to: destination), !found.contains(target) else {
                continue
            }
            found.append(target)
        }
        return found
    }
}

extension BridgingTableEntry {
    /// The subnet into which the entry lets a message pass; nil if it does not.
    fileprivate func target(
        from subnet: NetKeyIndex,
        _ source: UnicastAddress,
        to destination: Address
    ) -> NetKeyIndex? {
        if subnet == subnets.first, source == addresses.first, destination == addresses.second {
            return subnets.second
        }
        guard addresses.directions == .bothWays, subnet == subnets.second, source.address == addresses.second,
            destination == addresses.first.address
        else { return nil }
        return subnets.first
    }
}

extension NodeConfigurationState {
    func hasPrimary(_ model: ModelIdentifier) -> Bool {
        elements.first?.models.contains { $0.identifier == model } ?? false
    }

    /// How the node's stack times segments. Its SAR states decide, if it has them.
    var sarParameters: SARParameters {
        guard hasPrimary(.sarConfigurationServer) else { return .standard }
        return SARParameters(transmitter: foundation.sarTransmitter, receiver: foundation.sarReceiver)
    }

    /// The Private GATT Proxy state; without the GATT Proxy feature there is none (4.2.45).
    var privateGATTProxy: FeatureState {
        if proxy == .notSupported { return .notSupported }
        return foundation.isPrivateGATTProxyEnabled ? .enabled : .disabled
    }

    /// Whether the node serves clients over GATT, openly or privately.
    var isGATTProxyOn: Bool { proxy == .enabled || privateGATTProxy == .enabled }

    /// Whether the node tells its clients the IV index in private beacons. It does if it sends private beacons anyway,
    /// or if clients can only have found it by its private advertising.
    var hidesFromClients: Bool {
        if foundation.isPrivateBeaconEnabled { return true }
        return proxy != .enabled
            && (privateGATTProxy == .enabled || netKeys.contains(where: \.isPrivateIdentityRunning))
    }

    /// The NetKey that the node sends with in a subnet: in the first phase of a key refresh, the old one (3.11.4.1).
    func transmitKey(_ index: NetKeyIndex) -> KeyMaterial? {
        netKey(index).map { $0.phase == .keyDistribution ? $0.oldKey ?? $0.key : $0.key }
    }
}
