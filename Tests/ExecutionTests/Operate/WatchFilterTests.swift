import MeshCore
import TestSupport
import Testing

@testable import Execution

@Suite("The filter of a watched link")
struct WatchFilterTests {
    private static func groups(_ count: UInt16) -> [Address] { (0..<count).map { Address(rawValue: 0xC000 + $0) } }

    /// What a proxy with room for so many addresses makes of the messages; our own address is in its list.
    private func fill(_ addresses: [Address], capacity: Int) -> (messages: Int, WatchLink.Coverage?) {
        var proxy = ProxyFilter(capacity: capacity)
        _ = proxy.handle(.addAddresses([Address(rawValue: 1)]))
        var filter = WatchFilter(addresses, policy: LinkPolicy())
        var step = filter.begin(at: .zero)
        var now = Instant.zero
        for messages in 0..<100 {
            switch step {
            case .done(let coverage): return (messages, coverage)
            case .send(let message):
                guard case .filterStatus(let type, let size)? = proxy.handle(message) else { return (messages, nil) }
                step = filter.confirmed(isAcceptList: type == .acceptList, count: Int(size), at: now)
            case .wait:
                guard let deadline = filter.deadline else { return (messages, nil) }
                now = deadline
                step = filter.advance(to: now)
            }
        }
        return (100, nil)
    }

    @Test("Addresses go to the list five at a time, each once confirmed")
    func batches() {
        var filter = WatchFilter(Self.groups(7), policy: LinkPolicy())
        #expect(filter.begin(at: .zero) == .send(.addAddresses(Array(Self.groups(5)))))
        let second = filter.confirmed(isAcceptList: true, count: 6, at: .zero)
        #expect(second == .send(.addAddresses(Self.groups(7).suffix(2))))
        #expect(filter.confirmed(isAcceptList: true, count: 8, at: .zero) == .done(.listed(8)))
        #expect(filter.deadline == nil)
        #expect(filter.confirmed(isAcceptList: true, count: 8, at: .zero) == .wait, "it is over")
    }

    @Test(
        "A proxy with too little room is asked for everything",
        arguments: [(1, 1), (3, 3), (6, 6), (7, 7)]
    )
    func everything(capacity: Int, room: Int) {
        let (_, coverage) = fill(Self.groups(12), capacity: capacity)
        #expect(coverage == .everything(room: room))
    }

    @Test("Room for all is enough, however many they are")
    func room() {
        #expect(fill(Self.groups(12), capacity: 13).1 == .listed(13))
        #expect(fill([], capacity: 1).1 == .listed(1))
        #expect(fill(Self.groups(200), capacity: 500).0 == 40)
    }

    @Test("The answer to a message that was sent twice is not taken for that to the next")
    func lateAnswers() throws {
        var filter = WatchFilter(Self.groups(10), policy: LinkPolicy())
        _ = filter.begin(at: .zero)
        let deadline = try required(filter.deadline)
        #expect(filter.advance(to: deadline) == .send(.addAddresses(Self.groups(5))))
        let second = filter.confirmed(isAcceptList: true, count: 6, at: deadline)
        #expect(second == .send(.addAddresses(Self.groups(10).suffix(5))))
        #expect(filter.confirmed(isAcceptList: true, count: 6, at: deadline) == .wait, "the second answer to the first")
        #expect(filter.confirmed(isAcceptList: true, count: 11, at: deadline) == .done(.listed(11)))
    }

    @Test("A proxy that keeps its accept list passes on what fits, and one that never answers nobody knows what")
    func stubborn() throws {
        var filter = WatchFilter(Self.groups(5), policy: LinkPolicy())
        _ = filter.begin(at: .zero)
        #expect(filter.confirmed(isAcceptList: true, count: 3, at: .zero) == .send(.setFilterType(.rejectList)))
        var steps: [WatchFilter.Step] = []
        while let deadline = filter.deadline {
            steps.append(filter.confirmed(isAcceptList: true, count: 3, at: deadline))
            steps.append(filter.advance(to: deadline))
        }
        #expect(steps.last == .done(.part(room: 3)))
        var silent = WatchFilter(Self.groups(5), policy: LinkPolicy())
        _ = silent.begin(at: .zero)
        var sent = 1
        var last: WatchFilter.Step?
        while let deadline = silent.deadline {
            last = silent.advance(to: deadline)
            if case .send? = last { sent += 1 }
        }
        #expect(last == .done(.unconfirmed) && sent == 6)
    }
}
