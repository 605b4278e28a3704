import Execution
import MeshCore
import TestSupport
import Testing

@testable import Execution

@Suite("Requests side by side")
struct OperatingWorkTests {
    private func request(_ node: UInt64, _ payload: UInt8) throws -> OperatingRequest {
        OperatingRequest(
            node: uuid(node),
            destination: try unicast(UInt16(0x10 * node)),
            payload: [payload],
            key: nil,
            subnets: [.primary],
            answer: try required(Opcode(rawValue: 0x8204))
        )
    }

    private func work(_ nodes: [UInt64], window: Int) throws -> OperatingWork {
        let requests = try nodes.enumerated().map { try request($0.element, UInt8($0.offset)) }
        return OperatingWork(requests, window: SendWindow(initial: window, maximum: window))
    }

    @Test("go out one at a time to a node, and to as many nodes as the window allows")
    func window() throws {
        var work = try work([1, 1, 2, 3], window: 2)
        #expect(work.next() == 0)
        #expect(work.next() == 2, "the second request to the first node waits for the first")
        #expect(work.next() == nil, "the window is full")
        work.answered(0, [1], transmissions: 1)
        #expect(work.next() == 1)
        work.answered(1, [2], transmissions: 1)
        work.answered(2, [3], transmissions: 1)
        #expect(work.next() == 3)
        #expect(work.next() == nil && !work.isDone)
        work.answered(3, [4], transmissions: 1)
        #expect(work.isDone)
        #expect(work.outcomes == [.answered([1]), .answered([2]), .answered([3]), .answered([4])])
    }

    @Test("are not sent to a node that has answered nothing; one that has answered something is asked on")
    func silence() throws {
        var work = try work([1, 1, 1, 2, 2, 2], window: 2)
        #expect(work.next() == 0 && work.next() == 3)
        work.gaveUp(0, .unanswered)
        work.answered(3, [1], transmissions: 2)
        #expect(work.next() == 4)
        work.gaveUp(4, .unanswered)
        #expect(work.next() == 5)
        work.answered(5, [2], transmissions: 1)
        #expect(work.isDone && work.next() == nil)
        #expect(work.outcomes == [.unanswered, .silent, .silent, .answered([1]), .unanswered, .answered([2])])
    }

    @Test("are abandoned together, and an outcome does not change any more")
    func abandon() throws {
        var work = try work([1, 2], window: 4)
        #expect(work.next() == 0)
        work.answered(0, [1], transmissions: 1)
        work.abandon()
        work.answered(1, [2], transmissions: 1)
        #expect(work.isDone && work.next() == nil && work.outcomes == [.answered([1]), .notAsked])
    }

    @Test("are told apart at the end: those that were sent and those that were not")
    func unsent() throws {
        var work = try work([1, 2], window: 1)
        #expect(work.next() == 0 && work.next() == nil)
        work.abandon()
        #expect(work.outcomes == [.abandoned, .notAsked])
    }

    @Test("let others go first once they are late, so that a few silent nodes keep nobody waiting")
    func late() throws {
        var work = try work([1, 2, 3, 4], window: 2)
        #expect(work.next() == 0 && work.next() == 1 && work.next() == nil)
        work.isLate(0)
        work.isLate(0)
        #expect(work.next() == 2 && work.next() == nil, "one is late, and so one more is asked")
        work.answered(0, [1], transmissions: 2)
        #expect(work.next() == nil, "the late one has answered, and two others are under way")
        work.answered(1, [1], transmissions: 1)
        #expect(work.next() == 3)
    }

    @Test("that follow from an answer go to the same node before others are asked")
    func following() throws {
        var work = try work([1, 2], window: 1)
        #expect(work.next() == 0)
        #expect(try work.add(request(1, 9)) == 2)
        work.answered(0, [1], transmissions: 1)
        #expect(!work.isDone && work.next() == 2)
        work.answered(2, [3], transmissions: 1)
        #expect(work.next() == 1)
        work.answered(1, [2], transmissions: 1)
        #expect(work.isDone && work.outcomes == [.answered([1]), .answered([2]), .answered([3])])
    }
}
