import MeshCore
import TestSupport
import Testing

@Suite("UnicastAddressPool")
struct UnicastAddressPoolTests {
    @Test("Blocks are the lowest free ones, and filled gaps are not looked at again")
    func lowest() throws {
        var pool = UnicastAddressPool(network(nodes: [try node(1, at: 1), try node(2, at: 4, elements: 2)]))
        #expect(pool.reserveBlock(of: 3, for: device(10)) == (try unicast(6)))
        #expect(pool.reserveBlock(of: 2, for: device(11)) == (try unicast(2)))
        #expect(pool.reserveBlock(of: 1, for: device(12)) == (try unicast(9)))
        #expect(pool.reservation(of: device(10)) == 6...8)
        pool.release(device(10))
        #expect(pool.reserveBlock(of: 2, for: device(13)) == (try unicast(6)))
        #expect(pool.reserveBlock(of: 2, for: device(14)) == (try unicast(10)))
        #expect(pool.reserveBlock(of: 1, for: device(15)) == (try unicast(8)))
    }

    @Test("A device keeps the block that it has, and a block of another size is another block")
    func sameDevice() throws {
        var pool = UnicastAddressPool(network())
        #expect(pool.reserveBlock(of: 2, for: device(10)) == .first)
        #expect(pool.reserveBlock(of: 2, for: device(10)) == .first)
        #expect(pool.reserveBlock(of: 3, for: device(10)) == (try unicast(3)))
        #expect(pool.reserveBlock(of: 1, for: device(11)) == (try unicast(6)))
    }

    @Test("What is pending is held for its device, whole blocks only")
    func pendingBlocks() throws {
        var house = network()
        house.pendingProvisionings = [try pending(20, at: 3, elements: 2)]
        var pool = UnicastAddressPool(house)
        #expect(pool.reserveBlock(of: 3, for: device(10)) == (try unicast(5)))
        #expect(pool.reserveBlock(of: 2, for: device(20)) == (try unicast(3)))
        var other = UnicastAddressPool(house)
        #expect(other.reserveBlock(of: 3, for: device(20)) == (try unicast(5)))
        #expect(other.conflict(at: try unicast(4), count: 1)?.reason == .pending(device(20), name: "pending-20"))
        #expect(other.conflict(at: try unicast(3), count: 2, for: device(20)) == nil)
    }

    @Test("No block crosses from one range into another, unless they touch")
    func ranges() throws {
        var pool = UnicastAddressPool(network(ranges: [0x300...0x302, 0x10...0x11, 0x303...0x303]))
        #expect(pool.reserveBlock(of: 5, for: device(10)) == nil)
        #expect(pool.reserveBlock(of: 4, for: device(10)) == (try unicast(0x300)))
        #expect(pool.reserveBlock(of: 1, for: device(11)) == (try unicast(0x10)))
        #expect(pool.reserveBlock(of: 2, for: device(12)) == nil)
        #expect(pool.reserveBlock(of: 1, for: device(12)) == (try unicast(0x11)))
        #expect(pool.reserveBlock(of: 1, for: device(13)) == nil)
        #expect(pool.reservation(of: device(13)) == nil)
    }

    @Test("The ends of the address space are not crossed, and nonsense finds nothing")
    func ends() throws {
        var pool = UnicastAddressPool(network(ranges: [0...0, 0x7FFE...0xFFFF, 0x8000...0x9000]))
        #expect(pool.lowestFreeBlock(of: 1) == (try unicast(0x7FFE)))
        #expect(pool.lowestFreeBlock(of: 3) == nil)
        for count in [0, -1, 256, .max, .min] {
            #expect(pool.lowestFreeBlock(of: count) == nil)
            #expect(pool.reserveBlock(of: count, for: device(10)) == nil)
        }
        #expect(
            pool.conflict(at: .last, count: 2)
                == AddressConflict(address: Address(rawValue: 0x8000), reason: .notUnicast)
        )
        #expect(pool.conflict(at: .last, count: .max)?.reason == .notUnicast)
        #expect(throws: AddressConflict.self) { try pool.reserve(.last, count: .max, for: device(10)) }
        try pool.reserve(.last, count: 0, for: device(10))
        #expect(pool.reservation(of: device(10)) == 0x7FFF...0x7FFF)
    }

    @Test("A fixed address that cannot be had says why, at the lowest address concerned")
    func conflicts() throws {
        var house = network(ranges: [0x01...0x4F], nodes: [try node(1, at: 1), try node(2, at: 0x10, elements: 3)])
        house.provisioners.append(Provisioner(name: "tablet", uuid: device(9), unicastRanges: [0x40...0x7F]))
        house.pendingProvisionings = [try pending(20, at: 0x20, elements: 2)]
        house.exclusions = [
            NetworkExclusion(ivIndex: 8, addresses: [try unicast(0x30)]),
            NetworkExclusion(ivIndex: 9, addresses: [try unicast(0x31), try unicast(0x32)]),
            NetworkExclusion(ivIndex: 10, addresses: [try unicast(0x32)]),
        ]
        var pool = UnicastAddressPool(house)
        try pool.reserve(try unicast(0x08), count: 2, for: device(30))
        func reason(_ address: Int, _ count: Int, for device: DeviceUUID? = nil) throws -> AddressConflict.Reason? {
            pool.conflict(at: try unicast(address), count: count, for: device)?.reason
        }
        #expect(try reason(0x02, 6) == nil)
        #expect(try reason(0x02, 7) == .reserved(device(30)))
        #expect(try reason(0x08, 8, for: device(30)) == nil)
        #expect(try reason(0x0E, 5) == .node(device(2), name: "node-2"))
        #expect(try reason(0x12, 1, for: device(2)) == .excluded(until: 12))
        #expect(try reason(0x1F, 2) == .pending(device(20), name: "pending-20"))
        #expect(try reason(0x30, 1) == nil)
        #expect(try reason(0x30, 2) == .excluded(until: 11))
        #expect(try reason(0x32, 1) == .excluded(until: 12))
        #expect(try reason(0x3F, 2) == .otherProvisioner(name: "tablet"))
        #expect(try reason(0x80, 1) == .outsideOurRanges)
        #expect(pool.conflict(at: try unicast(0x0E), count: 5)?.address == Address(rawValue: 0x10))
        #expect(throws: AddressConflict.self) { try pool.reserve(try unicast(0x12), count: 1, for: device(31)) }
        #expect(pool.reservation(of: device(31)) == nil)
    }

    /// The same by the plainest means: every address is looked at for every question.
    struct PlainPool {
        let network: MeshNetwork
        var reserved: [Int: DeviceUUID] = [:]

        func isFree(_ address: Int) -> Bool {
            guard (1...0x7FFF).contains(address), reserved[address] == nil else { return false }
            for provisioner in network.provisioners {
                let isIn = provisioner.unicastRanges.contains { $0.contains(UInt16(address)) }
                if (provisioner.uuid == network.ownProvisioner) != isIn { return false }
            }
            return !network.nodes.contains { $0.addresses.contains(UInt16(address)) }
                && !network.pendingProvisionings.contains { $0.addresses.contains(UInt16(address)) }
                && !network.exclusions.contains { exclusion in
                    UInt64(network.ivIndex.value) < UInt64(exclusion.ivIndex) + 2
                        && exclusion.addresses.contains { Int($0.rawValue) == address }
                }
        }

        func lowest(_ count: Int) -> Int? {
            (1...0x300).first { start in (start..<start + count).allSatisfy { isFree($0) } }
        }
    }

    @Test("Random networks are served as the plainest search serves them", arguments: 0..<60)
    func againstPlainSearch(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
        func range() -> ClosedRange<UInt16> {
            let low = random(1...0x100)
            return UInt16(low)...UInt16(low + random(0...0x80))
        }
        var house = network(ranges: (0..<random(1...4)).map { _ in range() })
        house.ivIndex = IVIndex(value: [0, 1, 10, UInt32.max - 1, UInt32.max][random(0...4)])
        if random(0...1) == 1 {
            house.provisioners.append(Provisioner(name: "other", uuid: device(9), unicastRanges: [range()]))
        }
        for number in 0..<random(0...20) {
            house.nodes.append(try node(UInt64(100 + number), at: random(1...0x180), elements: random(1...6)))
        }
        for number in 0..<random(0...4) {
            house.pendingProvisionings.append(
                try pending(UInt64(200 + number), at: random(1...0x180), elements: UInt8(random(1...6)))
            )
        }
        for offset in -3...2 {
            let ivIndex = Int64(house.ivIndex.value) + Int64(offset)
            guard let value = UInt32(exactly: ivIndex) else { continue }
            house.exclusions.append(
                NetworkExclusion(ivIndex: value, addresses: try (0..<4).map { _ in try unicast(random(1...0x180)) })
            )
        }
        var pool = UnicastAddressPool(house)
        var plain = PlainPool(network: house)
        for round in 0..<80 {
            let newcomer = device(UInt64(1000 + round))
            let count = random(1...9)
            let address = random(1...0x190)
            let isFree = (address..<address + count).allSatisfy { plain.isFree($0) }
            #expect((pool.conflict(at: try unicast(address), count: count) == nil) == isFree)
            switch random(0...5) {
            case 0:
                let former = device(UInt64(1000 + random(0...max(round - 1, 0))))
                pool.release(former)
                plain.reserved = plain.reserved.filter { $0.value != former }
            case 1:
                let isReserved = (try? pool.reserve(try unicast(address), count: count, for: newcomer)) != nil
                #expect(isReserved == isFree)
                if isReserved { for place in address..<address + count { plain.reserved[place] = newcomer } }
            default:
                let expected = plain.lowest(count)
                #expect(pool.reserveBlock(of: count, for: newcomer)?.rawValue == expected.map { UInt16($0) })
                if let expected { for place in expected..<expected + count { plain.reserved[place] = newcomer } }
            }
        }
    }

    @Test("A pool gives out the whole address space, each address once")
    func exhaustion() throws {
        var pool = UnicastAddressPool(network())
        var owners: [UInt16: UInt64] = [:]
        var generator = SplitMix64(seed: 3)
        for number in 0... {
            let count = Int.random(in: 1...5, using: &generator)
            guard let address = pool.reserveBlock(of: count, for: device(UInt64(number))) else { break }
            for place in address.rawValue..<address.rawValue + UInt16(count) {
                #expect(owners.updateValue(UInt64(number), forKey: place) == nil)
            }
        }
        #expect(owners.count > 0x7FFF - 5)
        #expect(owners.keys.allSatisfy { (1...0x7FFF).contains($0) })
    }
}
