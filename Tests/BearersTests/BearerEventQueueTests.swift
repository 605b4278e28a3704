import MeshCore
import Testing

@testable import Bearers

@Suite("Queue of a bearer's events")
struct BearerEventQueueTests {
    private func packet(_ number: Int, of link: UInt32 = 0) -> BearerEvent {
        .received(
            LinkIdentifier(rawValue: link),
            [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
        )
    }

    @Test("events come in their order, also where something new always comes before the last is fetched")
    func order() {
        var queue = BearerEventQueue()
        queue.append(packet(0))
        for number in 1...10_000 {
            queue.append(packet(number))
            #expect(queue.popFirst() == packet(number - 1))
            #expect(queue.capacity < 1_000, "what was fetched goes")
        }
        #expect(queue.popFirst() == packet(10_000))
        #expect(queue.popFirst() == nil)
    }

    @Test("what is dropped is dropped behind what was fetched, too")
    func drop() {
        var queue = BearerEventQueue()
        for number in 0..<200 { queue.append(packet(number, of: UInt32(number % 2))) }
        for number in 0..<100 { #expect(queue.popFirst() == packet(number, of: UInt32(number % 2))) }
        queue.drop(LinkIdentifier(rawValue: 1))
        for number in stride(from: 100, to: 200, by: 2) { #expect(queue.popFirst() == packet(number)) }
        #expect(queue.popFirst() == nil)
    }
}
