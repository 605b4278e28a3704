package import MeshCore

extension MeshNetwork {
    /// How many unicast addresses, and how many group addresses, a new provisioner takes for itself if possible.
    private static let blockSize = 0x0100

    /// A fresh network: a primary NetKey named "primary", IV index 0, and meshplan's own provisioner with a node at
    /// 0x0001.
    ///
    /// - Parameters:
    ///   - now: when the network begins, and with it its IV index.
    ///   - generator: makes keys and UUIDs; cryptographically secure outside tests.
    package static func new(
        name: String,
        at now: Timestamp,
        using generator: inout some RandomNumberGenerator
    ) -> MeshNetwork {
        let uuid = DeviceUUID.random(using: &generator)
        var network = MeshNetwork(
            uuid: DeviceUUID.random(using: &generator).rawValue,
            name: name,
            ivIndex: IVIndex(value: 0),
            netKeys: [NetKey(index: .primary, name: "primary", key: .random(using: &generator))],
            provisioners: [],
            ownProvisioner: uuid,
            nodes: []
        )
        network.ivIndexChangedAt = now
        let ranges = (unicast: UInt16(0x0001)...0x7FFF, groups: GroupAddress.assignable)
        return network.adding(uuid, "meshplan", unicast: ranges.unicast, groups: ranges.groups, using: &generator)
    }

    /// The network with one more provisioner, the one meshplan acts as from now on, and the provisioner's node.
    ///
    /// The address of another provisioner must not be used. An exported database does not contain sequence numbers, so
    /// messages would repeat nonces and be dropped as replays.
    ///
    /// The new provisioner gets the first 256 unicast addresses in a row that are in no provisioner's range and belong
    /// to no node and no exclusion; if there are no 256, the longest row. It gets group addresses in the same way if
    /// some are in no range and unused, otherwise none.
    ///
    /// If the provisioners' ranges cover all unicast addresses, the last 256 unused ones in a row are taken out of the
    /// ranges, since others give addresses out from the lowest on. For the same reason the last ones are taken if no
    /// provisioner says which are its own. 0x0001 is never taken: programs that leave themselves out of their exports
    /// send from there.
    ///
    /// The node is at the first of the addresses, has a Configuration Client on its only element, and knows all keys.
    ///
    /// - Parameters:
    ///   - name: the name of the provisioner and of its node.
    ///   - generator: makes its UUID and DeviceKey; cryptographically secure outside tests.
    /// - Throws: ``StoreError/Code/noFreeAddresses`` if no unicast address is left.
    package static func addingProvisioner(
        to network: MeshNetwork,
        name: String = "meshplan",
        using generator: inout some RandomNumberGenerator
    ) throws(StoreError) -> MeshNetwork {
        var network = network
        let unicast: ClosedRange<UInt16>
        let used = network.usedUnicastRanges + [0x0001...0x0001]
        let allocated = network.allocatedUnicastRanges
        if !allocated.isEmpty, let free = freeBlock(in: allUnicast, avoiding: allocated + used) {
            unicast = free
        } else if let unused = lastFreeBlock(avoiding: used) {
            unicast = unused
            for index in network.provisioners.indices {
                network.provisioners[index].unicastRanges = network.provisioners[index].unicastRanges.flatMap {
                    $0.subtracting(unused)
                }
            }
        } else {
            throw StoreError(
                .noFreeAddresses,
                "no unicast address is left for meshplan's own provisioner",
                hint: "in the exporting program, remove a node that no longer exists, then export again"
            )
        }
        let groups = freeBlock(in: GroupAddress.assignable, avoiding: network.occupiedGroupRanges)
        let uuid = DeviceUUID.random(using: &generator)
        return network.adding(uuid, name, unicast: unicast, groups: groups, using: &generator)
    }

    private func adding(
        _ uuid: DeviceUUID,
        _ name: String,
        unicast: ClosedRange<UInt16>,
        groups: ClosedRange<UInt16>?,
        using generator: inout some RandomNumberGenerator
    ) -> MeshNetwork {
        guard let address = UnicastAddress(rawValue: unicast.lowerBound) else { return self }
        var network = self
        network.ownProvisioner = uuid
        network.provisioners.append(
            Provisioner(name: name, uuid: uuid, unicastRanges: [unicast], groupRanges: groups.map { [$0] } ?? [])
        )
        var node = Node(
            uuid: uuid,
            name: name,
            unicastAddress: address,
            deviceKey: .random(using: &generator),
            elements: [Element(models: [Model(identifier: .configurationClient)])],
            netKeys: netKeys.map { NodeKey(index: $0.index, isUpdated: $0.phase != .normal) },
            appKeys: appKeys.map { NodeKey(index: $0.index, isUpdated: $0.oldKey != nil) }
        )
        node.isSecurelyProvisioned = true
        node.isConfigComplete = true
        let position = network.nodes.firstIndex { $0.unicastAddress > address } ?? network.nodes.endIndex
        network.nodes.insert(node, at: position)
        return network
    }

    private static let allUnicast: ClosedRange<UInt16> = 0x0001...0x7FFF

    private var allocatedUnicastRanges: [ClosedRange<UInt16>] { provisioners.flatMap(\.unicastRanges) }

    private var usedUnicastRanges: [ClosedRange<UInt16>] {
        nodes.map(\.addresses) + pendingProvisionings.map(\.addresses) + pendingReprovisions.values.map(\.addresses)
            + exclusions.flatMap { $0.addresses.map { $0.rawValue...$0.rawValue } }
    }

    private var occupiedGroupRanges: [ClosedRange<UInt16>] {
        var addresses: Set<UInt16> = []
        for case .group(let group) in groups.map(\.address) { addresses.insert(group.rawValue) }
        for node in nodes {
            for model in node.elements.flatMap(\.models) {
                for case .group(let group) in model.subscriptions { addresses.insert(group.rawValue) }
                if case .group(let group)? = model.publication?.address { addresses.insert(group.rawValue) }
            }
        }
        return provisioners.flatMap(\.groupRanges) + addresses.map { $0...$0 }
    }

    /// The last ``blockSize`` unicast addresses in a row that no range touches, or the longest row; nil if all are
    /// taken.
    private static func lastFreeBlock(avoiding ranges: [ClosedRange<UInt16>]) -> ClosedRange<UInt16>? {
        // The search mirrors the address space and runs from the other end.
        func mirrored(_ range: ClosedRange<UInt16>) -> ClosedRange<UInt16> {
            0x8000 - range.upperBound...0x8000 - range.lowerBound
        }
        return freeBlock(in: allUnicast, avoiding: ranges.map(mirrored)).map(mirrored)
    }

    /// The first ``blockSize`` numbers in a row that no range touches, or the longest row; nil if all are taken.
    private static func freeBlock(
        in space: ClosedRange<UInt16>,
        avoiding ranges: [ClosedRange<UInt16>]
    ) -> ClosedRange<UInt16>? {
        var longest: Range<Int> = 0..<0
        var start = Int(space.lowerBound)
        let end = Int(space.upperBound) + 1
        let sorted = ranges.map { Int($0.lowerBound)..<Int($0.upperBound) + 1 }.sorted { $0.lowerBound < $1.lowerBound }
        for range in sorted + [end..<end] {
            let gap = start..<max(start, min(range.lowerBound, end))
            if gap.count >= blockSize {
                longest = gap.prefix(blockSize).indices
                break
            }
            if gap.count > longest.count { longest = gap }
            start = max(start, range.upperBound)
        }
        guard let first = UInt16(exactly: longest.lowerBound), let last = UInt16(exactly: longest.upperBound - 1),
            !longest.isEmpty
        else { return nil }
        return first...last
    }
}

extension ClosedRange<UInt16> {
    /// The rest of the range without another one, in up to two parts.
    fileprivate func subtracting(_ other: ClosedRange<UInt16>) -> [ClosedRange<UInt16>] {
        guard overlaps(other) else { return [self] }
        var rest: [ClosedRange<UInt16>] = []
        if lowerBound < other.lowerBound { rest.append(lowerBound...other.lowerBound - 1) }
        if upperBound > other.upperBound { rest.append(other.upperBound + 1...upperBound) }
        return rest
    }
}

extension DeviceUUID {
    /// A UUID made from other octets, version 8 of RFC 9562.
    init(custom octets: Octets16) {
        self.init(
            rawValue: Octets16(
                high: octets.high & 0xFFFF_FFFF_FFFF_0FFF | 0x8000,
                low: octets.low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
            )
        )
    }

    /// A random UUID, version 4 of RFC 9562.
    static func random(using generator: inout some RandomNumberGenerator) -> DeviceUUID {
        let high = generator.next() as UInt64
        let low = generator.next() as UInt64
        return DeviceUUID(
            rawValue: Octets16(
                high: high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
                low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
            )
        )
    }
}
