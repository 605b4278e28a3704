import MeshCore
import Simulator
import TestSupport
import Testing

private let one = ServerBench.one
private let pair = NetKeyIndexPair(first: .primary, second: ServerBench.one)
private let reverse = NetKeyIndexPair(first: ServerBench.one, second: .primary)

private func add(
    _ first: UInt16,
    _ second: UInt16,
    _ directions: BridgingDirections = .bothWays,
    _ subnets: NetKeyIndexPair = pair
) -> BridgingTableAdd {
    BridgingTableAdd(
        directions: directions,
        subnets: subnets,
        firstAddress: Address(rawValue: first),
        secondAddress: Address(rawValue: second)
    )
}

private func remove(_ first: UInt16, _ second: UInt16, _ subnets: NetKeyIndexPair = pair) -> BridgingTableRemove {
    BridgingTableRemove(
        subnets: subnets,
        firstAddress: Address(rawValue: first),
        secondAddress: Address(rawValue: second)
    )
}

@Suite("ConfigurationServer: subnet bridge")
struct BridgeServerTests {
    @Test("The bridge is switched, and tells how much its table holds")
    func bridge() throws {
        var bench = ServerBench.foundation(limits: NodeLimits(bridgingTable: 20))
        #expect(try bench.ask(SubnetBridgeGet())?.isEnabled == false)
        #expect(try bench.ask(SubnetBridgeSet(isEnabled: true))?.isEnabled == true)
        #expect(try bench.ask(SubnetBridgeGet())?.isEnabled == true)
        #expect(try bench.ask(BridgingTableSizeGet())?.entries == 20)
    }

    @Test("Entries are added, changed, listed and removed")
    func entries() throws {
        var bench = ServerBench.foundation()
        #expect(try bench.ask(add(0x100, 0x200))?.directions == .bothWays)
        #expect(try bench.ask(add(0x100, 0x200, .oneWay))?.directions == .oneWay)
        #expect(try bench.ask(add(0x100, 0xC000, .oneWay))?.status == .success)
        #expect(try bench.ask(add(0x100, 0x200, .bothWays, reverse))?.status == .success)
        let list = try #require(try bench.ask(BridgingTableGet(subnets: pair, startIndex: 0)))
        #expect(list.entries.map(\.second.rawValue) == [0x200, 0xC000])
        #expect(list.entries.map(\.directions) == [.oneWay, .oneWay])
        #expect(try bench.ask(BridgingTableGet(subnets: pair, startIndex: 1))?.entries == Array(list.entries[1...]))
        #expect(try bench.ask(BridgingTableGet(subnets: pair, startIndex: 2))?.entries == [])
        let removed = try bench.ask(remove(0x100, 0x200))
        #expect(removed?.status == .success && removed?.directions == nil)
        #expect(try bench.ask(remove(0x100, 0x200))?.status == .success, "what is not there is removed already")
        #expect(bench.state.foundation.bridgingTable.count == 2)
    }

    @Test(
        "An unassigned address removes every entry that matches the other",
        arguments: [
            (0x100, 0, [[0x101, 0x203], [0x102, 0x203]]),
            (0, 0x200, [[0x100, 0x201], [0x101, 0x203], [0x102, 0x203]]),
            (0, 0, []),
            (0x101, 0x200, [[0x100, 0x200], [0x100, 0x201], [0x101, 0x203], [0x102, 0x203]]),
        ] as [(UInt16, UInt16, [[UInt16]])]
    )
    func wildcards(first: UInt16, second: UInt16, left: [[UInt16]]) throws {
        var bench = ServerBench.foundation()
        for (first, second) in [(0x100, 0x200), (0x100, 0x201), (0x101, 0x203), (0x102, 0x203)] as [(UInt16, UInt16)] {
            #expect(try bench.ask(add(first, second))?.status == .success)
        }
        _ = try bench.ask(add(0x100, 0x200, .oneWay, reverse))
        #expect(try bench.ask(remove(first, second))?.status == .success)
        let table = bench.state.foundation.bridgingTable
        #expect(table.filter { $0.subnets == reverse }.count == 1)
        let addresses = table.filter { $0.subnets == pair }.map {
            [$0.addresses.first.rawValue, $0.addresses.second.rawValue]
        }
        #expect(addresses == left)
    }

    @Test("A table that is full, and subnets that the node does not have, are refused")
    func refusals() throws {
        var bench = ServerBench.foundation(limits: NodeLimits(bridgingTable: 2))
        let strange = NetKeyIndexPair(first: .primary, second: TestNetwork.netKey(9))
        #expect(try bench.ask(add(1, 2, .bothWays, strange))?.status == .invalidNetKeyIndex)
        #expect(try bench.ask(remove(1, 2, strange))?.status == .invalidNetKeyIndex)
        let list = try bench.ask(BridgingTableGet(subnets: strange, startIndex: 0))
        #expect(list?.status == .invalidNetKeyIndex && list?.entries == [])
        for second: UInt16 in [2, 3] { #expect(try bench.ask(add(1, second))?.status == .success) }
        let full = try bench.ask(add(1, 4))
        #expect(full?.status == .insufficientResources && full?.directions == nil)
        #expect(try bench.ask(add(1, 3, .oneWay))?.status == .success, "changing needs no room")
        #expect(try bench.ask(add(1, 2), refusal: .storageFailure)?.status == .storageFailure)
    }

    @Test("Prohibited entries get no answer and change nothing")
    func prohibited() throws {
        let same = NetKeyIndexPair(first: one, second: one)
        let adds = [
            add(0, 2), add(0xC000, 2), add(0x8000, 2), add(1, 0, .oneWay), add(1, 1), add(1, 0xFFFF, .oneWay),
            add(1, 0xC000, .bothWays), add(1, 0x8000, .bothWays), add(1, 2, .bothWays, same),
        ]
        var bench = ServerBench.foundation()
        let before = bench.state
        for request in adds { #expect(try bench.ask(request) == nil) }
        for request in [remove(0xC000, 2), remove(1, 1), remove(1, 0xFFFF), remove(1, 2, same)] {
            #expect(try bench.ask(request) == nil)
        }
        #expect(try bench.ask(BridgingTableGet(subnets: same, startIndex: 0)) == nil)
        #expect(bench.state == before)
    }

    @Test(
        "Bridged subnets are filtered, each pair once",
        arguments: [
            (BridgedSubnetsFilter.Position.any, UInt16(0), [[0, 1], [1, 0], [0, 2]]),
            (.first, 0, [[0, 1], [0, 2]]), (.second, 0, [[1, 0]]), (.either, 1, [[0, 1], [1, 0]]), (.either, 7, []),
        ] as [(BridgedSubnetsFilter.Position, UInt16, [[UInt16]])]
    )
    func subnets(position: BridgedSubnetsFilter.Position, index: UInt16, expected: [[UInt16]]) throws {
        var bench = ServerBench.foundation()
        let two = TestNetwork.netKey(2)
        #expect(try bench.ask(ConfigNetKeyAdd(netKeyIndex: two, key: TestNetwork.key(0x12)))?.status == .success)
        _ = try bench.ask(add(1, 2))
        _ = try bench.ask(add(1, 3))
        _ = try bench.ask(add(1, 2, .bothWays, reverse))
        _ = try bench.ask(add(1, 2, .bothWays, NetKeyIndexPair(first: .primary, second: two)))
        let filter = BridgedSubnetsFilter(position: position, netKeyIndex: TestNetwork.netKey(index))
        for start in 0...expected.count {
            let list = try bench.ask(BridgedSubnetsGet(filter: filter, startIndex: UInt8(start)))
            #expect(list?.pairs.map { [$0.first.rawValue, $0.second.rawValue] } == Array(expected[start...]))
        }
    }

    @Test("Lists end where the message does")
    func longLists() throws {
        var bench = ServerBench.foundation(limits: NodeLimits(bridgingTable: 200))
        for second: UInt16 in 1...200 { _ = try bench.ask(add(0x1000, second)) }
        var found: [UInt16] = []
        while found.count < 200 {
            let list = try #require(try bench.ask(BridgingTableGet(subnets: pair, startIndex: UInt16(found.count))))
            #expect(list.encoded.count <= 380)
            guard !list.entries.isEmpty else { break }
            found += list.entries.map(\.second.rawValue)
        }
        #expect(found == Array(1...200))
    }

    @Test("A subnet that goes takes its entries along")
    func removedSubnet() throws {
        var bench = ServerBench.foundation()
        _ = try bench.ask(add(1, 2))
        _ = try bench.ask(add(1, 2, .bothWays, reverse))
        #expect(try bench.ask(ConfigNetKeyDelete(netKeyIndex: one))?.status == .success)
        #expect(bench.state.foundation.bridgingTable == [])
    }
}
