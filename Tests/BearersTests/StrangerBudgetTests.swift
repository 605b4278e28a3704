import TestSupport
import Testing

@testable import Bearers

@Suite("The places of strangers")
struct StrangerBudgetTests {
    private func budget(_ most: Int) -> StrangerBudget<Int> {
        StrangerBudget(most: most, generator: SplitMix64(seed: 1))
    }

    private func address(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) -> Origin { Origin(octets: [a, b, c, d]) }

    private func address6(_ start: [UInt8], _ end: Int) -> Origin {
        Origin(
            octets: start + [UInt8](repeating: 0, count: 14 - start.count) + [
                UInt8(end >> 8 & 0xFF), UInt8(end & 0xFF),
            ]
        )
    }

    @Test("Nobody goes while there are places")
    func room() {
        var budget = budget(3)
        for member in 0..<3 { #expect(budget.admit(member, from: address(10, 0, 0, 1)) == nil) }
        #expect(budget.count == 3)
        budget.remove(1)
        #expect(budget.admit(3, from: address(10, 0, 0, 1)) == nil)
    }

    @Test("A flood from one address takes only its own places, however long it lasts")
    func oneAddress() {
        var budget = budget(8)
        _ = budget.admit(-1, from: address(10, 0, 0, 7))
        _ = budget.admit(-2, from: address(10, 9, 0, 7))
        for member in 0..<10_000 { _ = budget.admit(member, from: address(10, 0, 0, 1)) }
        #expect(budget.contains(-1) && budget.contains(-2))
        #expect(budget.count == 8)
    }

    @Test("A flood from all of a /64, or a /24, takes only its own places")
    func wholeNetworks() {
        var budget = budget(8)
        _ = budget.admit(-1, from: address6([0x20, 1, 0xD, 0xB8, 0, 1, 0, 2], 1))
        _ = budget.admit(-2, from: address(192, 0, 2, 1))
        for member in 0..<5_000 {
            _ = budget.admit(2 * member, from: address6([0x20, 1, 0xD, 0xB8, 0, 1, 0, 1], member))
            _ = budget.admit(2 * member + 1, from: address(192, 0, 3, UInt8(member & 0xFF)))
        }
        #expect(budget.contains(-1) && budget.contains(-2))
    }

    @Test("One of IPv4 inside IPv6 is of the same network as without")
    func mapped() {
        let mapped = Origin(octets: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 10, 0, 0, 1])
        #expect(mapped == address(10, 0, 0, 1))
        #expect(mapped.networks.count == 3)
    }

    @Test("In a flood from its own address each has the same chance, whoever speaks")
    func sameAddress() {
        var stayed = 0
        for seed in 0..<200 {
            var budget = StrangerBudget<Int>(most: 64, generator: SplitMix64(seed: UInt64(seed)))
            for member in 0..<64 {
                _ = budget.admit(member, from: address(10, 0, 0, 1))
                budget.hasSpoken(member)
            }
            _ = budget.admit(-1, from: address(10, 0, 0, 1))
            for member in 100..<120 {
                _ = budget.admit(member, from: address(10, 0, 0, 1))
                budget.hasSpoken(member)
            }
            if budget.contains(-1) { stayed += 1 }
        }
        // (63/64)^20 is 0.73.
        #expect((120...175).contains(stayed), "\(stayed) of 200")
    }

    @Test("Whoever has spoken stays while silent ones from the same address come and go")
    func silence() {
        var budget = budget(8)
        _ = budget.admit(-1, from: address(10, 0, 0, 1))
        budget.hasSpoken(-1)
        for member in 0..<10_000 { _ = budget.admit(member, from: address(10, 0, 0, 1)) }
        #expect(budget.contains(-1))
    }
}
