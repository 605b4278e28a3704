import MeshCore
import Planning

/// The addresses that a run gives to devices.
struct AddressAssignment {
    /// The addresses that orders fix; no other device gets them.
    private let fixed: [DeviceUUID: UnicastAddress]
    /// The free addresses; nil until the first one is needed.
    private var pool: UnicastAddressPool?
    /// What is set aside, in the order in which addresses are given.
    private let reservations: [AddressReservation]
    /// The kinds of devices whose number of elements is not known yet.
    private var unknownKinds: Set<String>
    private var kinds: [DeviceUUID: String] = [:]
    private let setAside: Set<DeviceUUID>
    /// Those of them that were told no address in this run.
    private var untouched: Set<DeviceUUID>

    /// The addresses for these orders.
    ///
    /// - Parameter reservations: what the plan sets aside.
    init(_ orders: [ProvisioningOrder] = [], reservations: [AddressReservation] = []) {
        var fixed: [DeviceUUID: UnicastAddress] = [:]
        for reservation in reservations { fixed[reservation.device] = reservation.address }
        for order in orders { fixed[order.uuid] = order.address }
        self.fixed = fixed
        self.reservations = reservations
        setAside = Set(reservations.map(\.device))
        untouched = setAside
        unknownKinds = Set(reservations.lazy.filter(\.isOpen).map(\.kind))
        for reservation in reservations where reservation.isOpen { kinds[reservation.device] = reservation.kind }
    }

    /// Whether the free addresses are known.
    var isPrepared: Bool { pool != nil }

    /// Takes the free addresses of the network.
    mutating func prepare(_ free: UnicastAddressPool) {
        var pool = free
        // A conflict is reported by the device that comes to use the address.
        for (uuid, address) in fixed.sorted(by: { $0.key < $1.key }) {
            try? pool.reserve(address, count: 1, for: uuid)
        }
        for reservation in reservations where reservation.address == nil && reservation.elementCount > 0 {
            _ = pool.reserveBlock(of: Int(reservation.elementCount), for: reservation.device)
        }
        self.pool = pool
    }

    /// Chooses and reserves consecutive addresses for a device.
    ///
    /// - Returns: the first; nil if there are not enough.
    mutating func reserve(_ count: Int, for device: DeviceUUID) -> UnicastAddress? {
        if let kind = kinds[device], unknownKinds.remove(kind) != nil {
            // The first device of its kind shows how many addresses the others need.
            for reservation in reservations where reservation.isOpen && reservation.kind == kind {
                _ = pool?.reserveBlock(of: count, for: reservation.device)
            }
        } else if untouched.contains(device), let block = pool?.reservation(of: device), block.count != count {
            // It is made differently than was expected.
            pool?.release(device)
        }
        untouched.remove(device)
        return pool?.reserveBlock(of: count, for: device)
    }

    /// Reserves the addresses that an order fixes.
    ///
    /// - Parameter first: the address of the primary element.
    mutating func reserve(_ count: Int, from first: UnicastAddress, for device: DeviceUUID) throws(AddressConflict) {
        try pool?.reserve(first, count: count, for: device)
    }

    /// Leaves out addresses that a device had.
    mutating func exclude(_ addresses: some Sequence<UInt16>, leftBy device: DeviceUUID) {
        pool?.exclude(addresses, leftBy: device)
    }

    /// Frees the addresses reserved for a device, unless its order fixes them or the plan sets them aside.
    mutating func release(_ device: DeviceUUID) {
        if fixed[device] == nil, !setAside.contains(device) { pool?.release(device) }
    }
}

extension AddressReservation {
    /// Whether a device of its kind has to show how many addresses it needs.
    fileprivate var isOpen: Bool { elementCount == 0 && address == nil && !kind.isEmpty }
}

extension AddressConflict {
    /// Why a fixed address cannot be used, without a full stop.
    func clause(name: (DeviceUUID) -> String) -> String {
        switch reason {
        case .notUnicast: return "\(address) is not a unicast address"
        case .node(_, let name): return "\(address) is taken by node `\(name)`"
        case .pending(_, let name): return "\(address) is reserved for `\(name)`, whose provisioning may have succeeded"
        case .reserved(let uuid): return "\(address) is set aside for `\(name(uuid))`"
        case .excluded(until: let index):
            return "\(address) was in use by a node that is gone and cannot be assigned before IV index \(index)"
        case .otherProvisioner(let name): return "\(address) is in the range of provisioner `\(name)`"
        case .outsideOurRanges: return "\(address) is not in the range of meshplan's provisioner"
        }
    }
}
