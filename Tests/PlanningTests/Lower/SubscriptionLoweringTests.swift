import DefinitionModel
import MeshCore
import Testing

@testable import Planning

@Suite("Lowering of subscription lists")
struct SubscriptionLoweringTests {
    /// Every subset of four addresses, one of them virtual, as a sorted list.
    private func lists() throws -> [[SubscriptionAddress]] {
        var universe: [SubscriptionAddress] = try (0xC000...0xC002).map {
            .group(try #require(GroupAddress(rawValue: $0)))
        }
        universe.append(.virtual(LabelUUID(rawValue: Octets16(high: 1, low: 2))))
        return (0..<16).map { bits in universe.indices.filter { bits >> $0 & 1 == 1 }.map { universe[$0] } }
    }

    private func apply(
        _ operation: SubscriptionLowering.Operation,
        to list: [SubscriptionAddress]
    )
        -> [SubscriptionAddress]
    {
        switch operation {
        case .add(let address): (list + [address]).sortedUnique()
        case .delete(let address): list.filter { $0 != address }
        case .overwrite(let address): [address]
        case .deleteAll: []
        }
    }

    /// The smallest number of messages between any two lists, found by trying every message.
    private func distances(
        from start: [SubscriptionAddress],
        in lists: [[SubscriptionAddress]]
    ) -> [[SubscriptionAddress]: Int] {
        let universe = lists[15]
        var distances = [start: 0]
        var frontier = [start]
        while !frontier.isEmpty {
            var next: [[SubscriptionAddress]] = []
            for list in frontier {
                let operations: [SubscriptionLowering.Operation] =
                    universe.flatMap { [.add($0), .delete($0), .overwrite($0)] } + [.deleteAll]
                for operation in operations {
                    let result = apply(operation, to: list)
                    guard distances[result] == nil else { continue }
                    distances[result] = distances[list, default: 0] + 1
                    next.append(result)
                }
            }
            frontier = next
        }
        return distances
    }

    @Test("Every pair of lists takes as few messages as exhaustive search finds, and they lead there")
    func minimum() throws {
        let lists = try lists()
        for start in lists {
            let distances = distances(from: start, in: lists)
            for target in lists {
                let operations = SubscriptionLowering.operations(from: start, to: target)
                #expect(operations.count == distances[target], "\(start) -> \(target)")
                #expect(operations.reduce(start) { apply($1, to: $0) } == target, "\(start) -> \(target)")
            }
        }
    }

    @Test("No list gets longer than there is room for, and that takes no message more")
    func room() throws {
        for start in try lists() {
            for target in try lists() {
                let usual = SubscriptionLowering.operations(from: start, to: target)
                for room in max(start.count, target.count)...5 {
                    let operations = SubscriptionLowering.operations(from: start, to: target, room: room)
                    #expect(operations.count == usual.count)
                    var list = start
                    for operation in operations {
                        list = apply(operation, to: list)
                        #expect(list.count <= room, "\(start) -> \(target) in \(room)")
                    }
                    #expect(list == target, "\(start) -> \(target) in \(room)")
                    // Nothing goes before it has to.
                    if start.count + target.subtracting(start).count <= room { #expect(operations == usual) }
                }
            }
        }
    }

    @Test("What is to stay is never taken away, as long as that costs nothing more")
    func staysHeard() throws {
        for start in try lists() {
            for target in try lists() {
                let operations = SubscriptionLowering.operations(from: start, to: target)
                let difference = target.subtracting(start).count + start.subtracting(target).count
                let isDestructive = operations.contains {
                    if case .overwrite = $0 { return true }
                    return $0 == .deleteAll
                }
                if isDestructive, !target.isEmpty { #expect(operations.count < difference) }
            }
        }
    }
}
