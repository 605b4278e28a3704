/// The unicast addresses that our provisioner can assign: those in its ranges that no node, pending provisioning,
/// pending reprovisioning or exclusion in force occupies, and that are not reserved here.
///
/// It is made once for a plan or a run from the network at that time, and then tracks its own reservations. Adjacent
/// ranges count as one. It never touches another provisioner's range, even where that overlaps ours, which the database
/// format forbids.
///
/// Making it takes time proportional to the nodes and the 32,767 addresses. A search continues where the last one for
/// the same number of addresses ended, so all reservations of a run together visit each address only a few times.
package struct UnicastAddressPool: Sendable {
    private static let addressCount = Int(UnicastAddress.last.rawValue) + 1

    /// Who has each address according to the network, as an index into `holders`; 0 for nobody.
    private var held: [Int32]
    private var holders: [AddressConflict.Reason]
    /// For whom each address is reserved here, as an index into `devices`; 0 for nobody.
    private var reserved: [Int32]
    private var devices: [DeviceUUID?] = [nil]
    private var places: [DeviceUUID: Int32] = [:]
    private var blocks: [DeviceUUID: ClosedRange<UInt16>] = [:]
    /// By the length of a block: below this address no free block of that length begins.
    private var starts: [UInt16]
    private var pending: [DeviceUUID: PendingProvisioning]
    /// The IV index from which the address of a node that is removed now may be assigned again.
    private let endOfExclusions: UInt32

    /// The pool of a network, without reservations.
    package init(_ network: MeshNetwork) {
        held = Array(repeating: 1, count: UnicastAddressPool.addressCount)
        holders = [.notUnicast, .outsideOurRanges]
        reserved = Array(repeating: 0, count: UnicastAddressPool.addressCount)
        starts = Array(repeating: UnicastAddress.first.rawValue, count: 0x100)
        pending = Dictionary(firstOf: network.pendingProvisionings.map { ($0.uuid, $0) })
        endOfExclusions = NetworkExclusion.end(afterRemovalAt: network.ivIndex.value)

        // The later claim on an address overrides the earlier one as the reason. A node is a better reason than a
        // range.
        for provisioner in network.provisioners where provisioner.uuid == network.ownProvisioner {
            for range in provisioner.unicastRanges { claim(range, place: 0) }
        }
        for provisioner in network.provisioners where provisioner.uuid != network.ownProvisioner {
            for range in provisioner.unicastRanges { claim(range, .otherProvisioner(name: provisioner.name)) }
        }
        let holding = network.exclusions.filter { $0.holds(at: network.ivIndex.value) }
        for exclusion in holding.sorted(by: { $0.ivIndex < $1.ivIndex }) {
            holders.append(.excluded(until: exclusion.end))
            for address in exclusion.addresses {
                claim(address.rawValue...address.rawValue, place: Int32(truncatingIfNeeded: holders.count - 1))
            }
        }
        for pending in network.pendingProvisionings {
            claim(pending.addresses, .pending(pending.uuid, name: pending.name))
        }
        for node in network.nodes {
            guard let pending = network.pendingReprovisions[node.uuid] else { continue }
            // Not even the node itself may get them in another way, because it may have sent from them.
            claim(pending.addresses, .node(node.uuid, name: node.name))
        }
        for node in network.nodes { claim(node.addresses, .node(node.uuid, name: node.name)) }
    }

    /// The start of the lowest free block of `count` addresses, 1...255; nil if there is none.
    package mutating func lowestFreeBlock(of count: Int) -> UnicastAddress? {
        guard starts.indices.contains(count), count > 0 else { return nil }
        var start = Int(starts[count])
        while start + count <= UnicastAddressPool.addressCount {
            // From the top down: the next block can begin only after the highest taken address.
            guard let taken = (start..<start + count).last(where: { isTaken($0) }) else {
                starts[count] = UInt16(start)
                return UnicastAddress(rawValue: UInt16(start))
            }
            start = taken + 1
        }
        starts[count] = UInt16(min(start, UnicastAddressPool.addressCount))
        return nil
    }

    /// Reserves `count` addresses, 1...255, for a device. If the device already has a reservation of that size, or its
    /// pending provisioning has that size, it gets those; else the lowest free block. An earlier reservation of another
    /// size stays, since the device may have got those addresses.
    ///
    /// - Returns: the address of the primary element. Nil, with nothing changed, if there is no such block.
    package mutating func reserveBlock(of count: Int, for device: DeviceUUID) -> UnicastAddress? {
        if let block = blocks[device], block.count == count { return UnicastAddress(rawValue: block.lowerBound) }
        if let pending = pending[device], pending.addresses.count == count,
            conflict(at: pending.address, count: count, for: device) == nil
        {
            mark(pending.addresses, for: device)
            return pending.address
        }
        guard let address = lowestFreeBlock(of: count) else { return nil }
        mark(address.rawValue...address.rawValue + UInt16(count - 1), for: device)
        return address
    }

    /// Reserves `count` addresses, 1...255, from a given one on, for a device. An earlier reservation of other
    /// addresses stays, since the device may have got them.
    ///
    /// - Throws: ``AddressConflict`` if one of them is not available; nothing is then changed.
    package mutating func reserve(
        _ address: UnicastAddress,
        count: Int,
        for device: DeviceUUID
    ) throws(AddressConflict) {
        let count = min(max(count, 1), UnicastAddressPool.addressCount)
        if let conflict = conflict(at: address, count: count, for: device) { throw conflict }
        mark(address.rawValue...address.rawValue + UInt16(count - 1), for: device)
    }

    /// Frees the latest reservation of a device, if no attempt has sent its addresses. After such an attempt, the
    /// pending record keeps them.
    package mutating func release(_ device: DeviceUUID) {
        guard let block = blocks.removeValue(forKey: device) else { return }
        for address in block { reserved[Int(address)] = 0 }
        for count in 1..<starts.count {
            let lowest = max(Int(block.lowerBound) - count + 1, Int(UnicastAddress.first.rawValue))
            starts[count] = min(starts[count], UInt16(lowest))
        }
    }

    /// Records that a device may have had these addresses and then got others. Nobody gets them, not even the device
    /// itself, until the IV index allows it.
    package mutating func exclude(_ addresses: some Sequence<UInt16>, leftBy device: DeviceUUID) {
        pending[device] = nil
        holders.append(.excluded(until: endOfExclusions))
        for address in addresses { claim(address...address, place: Int32(truncatingIfNeeded: holders.count - 1)) }
    }

    /// The addresses reserved for a device; nil if there are none.
    package func reservation(of device: DeviceUUID) -> ClosedRange<UInt16>? { blocks[device] }

    /// Why `count` addresses, 1...255, from a given one on are not available; nil if they are.
    ///
    /// - Parameter device: the device that needs them. Its own pending or reserved addresses are available to it. The
    ///   addresses of the node that it is are not, because they are excluded as soon as that node is replaced; the
    ///   reason names the end of the exclusion.
    package func conflict(at address: UnicastAddress, count: Int, for device: DeviceUUID? = nil) -> AddressConflict? {
        let first = Int(address.rawValue)
        for place in first..<first + min(max(count, 1), UnicastAddressPool.addressCount) {
            guard place < UnicastAddressPool.addressCount else {
                return AddressConflict(address: Address(rawValue: UInt16(place)), reason: .notUnicast)
            }
            if let reason = reason(at: place, for: device) {
                return AddressConflict(address: Address(rawValue: UInt16(place)), reason: reason)
            }
        }
        return nil
    }

    private func reason(at index: Int, for device: DeviceUUID?) -> AddressConflict.Reason? {
        if held[index] != 0 {
            switch holders[Int(held[index])] {
            case .pending(let holder, _) where holder == device: break
            case .node(let holder, _) where holder == device: return .excluded(until: endOfExclusions)
            case let reason: return reason
            }
        }
        guard let holder = devices[Int(reserved[index])], holder != device else { return nil }
        return .reserved(holder)
    }

    private func isTaken(_ index: Int) -> Bool { held[index] != 0 || reserved[index] != 0 }

    private mutating func claim(_ range: ClosedRange<UInt16>, _ reason: AddressConflict.Reason) {
        holders.append(reason)
        claim(range, place: Int32(truncatingIfNeeded: holders.count - 1))
    }

    /// Address 0x0000 is never claimed, even if a damaged range contains it.
    private mutating func claim(_ range: ClosedRange<UInt16>, place: Int32) {
        for address in range.clamped(to: UnicastAddress.first.rawValue...UnicastAddress.last.rawValue)
        where range.contains(address) { held[Int(address)] = place }
    }

    private mutating func mark(_ block: ClosedRange<UInt16>, for device: DeviceUUID) {
        var place = places[device]
        if place == nil {
            devices.append(device)
            place = Int32(truncatingIfNeeded: devices.count - 1)
            places[device] = place
        }
        for address in block { reserved[Int(address)] = place ?? 0 }
        blocks[device] = block
    }
}
