import DefinitionModel
import MeshCore
import Planning
import TestSupport
import Testing

@testable import Execution

@Suite("Who is to reach a device that the bearer does not hear")
struct RemoteSearchTests {
    private let hall = UnicastAddress.first
    private let attic = UnicastAddress.last

    private func report(_ device: UInt64, signal: Int8) -> RemoteProvisioningScanReport {
        RemoteProvisioningScanReport(signal: signal, uuid: uuid(device), outOfBandInformation: .init(rawValue: 0))
    }

    private func status(
        _ code: RemoteProvisioningStatusCode = .success,
        _ state: RemoteProvisioningScanState = .multipleDevices,
        seconds: UInt8 = 10
    ) -> RemoteProvisioningScanStatus {
        RemoteProvisioningScanStatus(status: code, state: state, scannedItemsLimit: 4, timeout: seconds)
    }

    private func ask(
        _ search: inout RemoteSearch,
        count: Int = 10,
        missing: [UInt64] = [1],
        at now: Instant
    ) -> [RemoteSearch.Request] {
        search.requests(
            count: count,
            at: now,
            isFree: { _, _ in true },
            missing: { place, _ in place < missing.count ? (uuid(missing[place]), place + 1) : nil }
        )
    }

    private func instant(_ seconds: Int64) -> Instant { Instant.zero.advanced(by: .seconds(seconds)) }

    @Test("The strongest server within a second is chosen, and a stronger one later on; one that failed comes last")
    func strongest() {
        var search = RemoteSearch()
        search.add(hall, node: uuid(11), at: .zero)
        search.add(attic, node: uuid(12), at: .zero)
        let requests = ask(&search, at: .zero)
        #expect(requests.map(\.server) == [hall, attic])
        #expect(requests.allSatisfy { $0.message.uuid == nil })
        for server in [hall, attic] { search.receive(status(), from: server, at: .zero) }
        #expect(search.receive(report(1, signal: -80), from: hall, isWanted: true, at: .zero) == nil)
        #expect(search.receive(report(1, signal: -60), from: attic, isWanted: true, at: .zero) == nil)
        #expect(search.advance(to: .zero).isEmpty)
        #expect(search.advance(to: instant(1)).map(\.server) == [attic])
        #expect(search.advance(to: instant(2)).isEmpty, "once")
        #expect(search.receive(report(1, signal: -50), from: hall, isWanted: true, at: instant(2)) == hall)
        #expect(search.receive(report(1, signal: -90), from: attic, isWanted: true, at: instant(2)) == hall)

        search.failed(uuid(1), through: hall)
        #expect(ask(&search, at: instant(3)).count == 2, "both are asked anew, for they do not tell again")
        for server in [hall, attic] { search.receive(status(), from: server, at: instant(3)) }
        _ = search.receive(report(1, signal: -50), from: hall, isWanted: true, at: instant(3))
        _ = search.receive(report(1, signal: -90), from: attic, isWanted: true, at: instant(3))
        #expect(search.advance(to: instant(4)).map(\.server) == [attic])
    }

    @Test("A list full of strangers makes a server listen for the missing one by one; one that is not full is enough")
    func fullList() {
        var search = RemoteSearch()
        search.add(hall, node: uuid(11), at: .zero)
        _ = ask(&search, at: .zero)
        search.receive(status(), from: hall, at: .zero)
        for device: UInt64 in 21...24 {
            _ = search.receive(report(device, signal: -50), from: hall, isWanted: false, at: .zero)
        }
        _ = search.advance(to: instant(12))
        #expect(search.isUnfinished)
        var time: Int64 = 12
        var asked: [DeviceUUID?] = []
        while search.isUnfinished, time < 100 {
            for request in ask(&search, missing: [1, 2, 3], at: instant(time)) {
                asked.append(request.message.uuid)
                search.receive(status(.success, .singleDevice, seconds: 5), from: hall, at: instant(time))
            }
            time += 7
            _ = search.advance(to: instant(time))
        }
        #expect(asked == [uuid(1), uuid(2), uuid(3)])

        var quiet = RemoteSearch()
        quiet.add(hall, node: uuid(11), at: .zero)
        _ = ask(&quiet, at: .zero)
        quiet.receive(status(), from: hall, at: .zero)
        _ = quiet.advance(to: instant(12))
        #expect(!quiet.isUnfinished && quiet.listening.isEmpty)
        #expect(ask(&quiet, at: instant(15)).isEmpty, "it rests")
        #expect(ask(&quiet, at: instant(22)).map(\.message.uuid) == [nil])
    }

    @Test("Servers that refuse or do not answer rest longer each time and hold nobody up")
    func refusal() {
        var search = RemoteSearch()
        search.add(hall, node: uuid(11), at: .zero)
        _ = ask(&search, at: .zero)
        search.receive(status(.invalidState, .idle), from: hall, at: .zero)
        #expect(!search.isUnfinished && search.listening.isEmpty)
        #expect(ask(&search, at: instant(9)).isEmpty)
        #expect(ask(&search, at: instant(10)).count == 1)
        search.unanswered(hall, at: instant(20))
        #expect(ask(&search, at: instant(39)).isEmpty)
        #expect(ask(&search, at: instant(40)).count == 1)
        #expect(search.listening == [hall])
        search.remove(hall)
        #expect(search.isEmpty && search.listening.isEmpty)
    }
}

@Suite("The queue of devices that nodes reach")
struct RemoteQueueTests {
    private let hall = UnicastAddress.first
    private let attic = UnicastAddress.last
    private let advertiser = AdvertiserIdentifier(rawValue: [1])

    private func queue(_ count: UInt64, sessions: Int = 4) -> ProvisioningQueue {
        var attempts = ProvisioningAttempts()
        attempts.remoteSessions = sessions
        var queue = ProvisioningQueue(policy: attempts)
        for number in 1...count {
            _ = queue.add(
                ProvisioningOrder(uuid: uuid(number), name: "device-\(number)", netKeyIndex: .primary),
                at: .zero
            )
        }
        return queue
    }

    private func connections(_ outputs: [ProvisioningQueue.Output]) -> [DeviceUUID: ProvisioningPath] {
        var paths: [DeviceUUID: ProvisioningPath] = [:]
        for case .connect(let uuid, let path) in outputs { paths[uuid] = path }
        return paths
    }

    @Test("Each server takes one device at a time, and links of the bearer are not theirs")
    func oneEach() {
        var queue = queue(4)
        for number: UInt64 in 1...3 { _ = queue.heard(uuid(number), as: .remote(hall)) }
        let isKnown = queue.heard(uuid(4), as: .remote(attic))
        #expect(isKnown)
        #expect(connections(queue.start(limit: 8, at: .zero)).isEmpty)
        #expect(connections(queue.startRemote(at: .zero)) == [uuid(1): .remote(hall), uuid(4): .remote(attic)])
        queue.connecting(uuid(1), over: .remote(hall), at: .zero)
        queue.connecting(uuid(4), over: .remote(attic), at: .zero)
        #expect(queue.linkCount == 0 && queue.remoteLinkCount == 2)
        #expect(connections(queue.startRemote(at: .zero)).isEmpty)
        _ = queue.remove(uuid(1))
        #expect(connections(queue.startRemote(at: .zero)).isEmpty, "its link is still being closed")
        queue.released(hall)
        #expect(connections(queue.startRemote(at: .zero)) == [uuid(2): .remote(hall)])
    }

    @Test("No more sessions go through nodes at once than the policy allows")
    func bounded() {
        var queue = queue(2, sessions: 1)
        _ = queue.heard(uuid(1), as: .remote(hall))
        _ = queue.heard(uuid(2), as: .remote(attic))
        #expect(connections(queue.startRemote(at: .zero)).count == 1)
    }

    @Test("A device that the bearer hears too is reached directly, unless its link has begun")
    func direct() {
        var queue = queue(2)
        for number: UInt64 in 1...2 { _ = queue.heard(uuid(number), as: .remote(hall)) }
        #expect(connections(queue.startRemote(at: .zero)) == [uuid(1): .remote(hall)])
        for number: UInt64 in 1...2 { _ = queue.heard(uuid(number), as: .direct(advertiser)) }
        queue.connecting(uuid(1), over: .remote(hall), at: .zero)
        let isWaiting = queue.isDirectWaiting()
        #expect(isWaiting)
        #expect(connections(queue.start(limit: 8, at: .zero)) == [uuid(2): .direct(advertiser)])
        queue.released(hall)
        #expect(connections(queue.startRemote(at: .zero)).isEmpty)
    }

    @Test("After a loss a device is missing again, with no server until one hears it")
    func loss() {
        var queue = queue(1)
        _ = queue.heard(uuid(1), as: .remote(hall))
        _ = queue.startRemote(at: .zero)
        queue.connecting(uuid(1), over: .remote(hall), at: .zero)
        let outputs = queue.closed(.remote(hall), .remote(.silent), at: .zero)
        let problems = outputs.compactMap { output -> ProvisioningProblem? in
            if case .retrying(_, let problem, in: _) = output { problem } else { nil }
        }
        #expect(problems == [.remoteLink(.silent, at: .notStarted)])
        queue.released(hall)
        let later = Instant.zero.advanced(by: .seconds(5))
        _ = queue.advance(to: later)
        #expect(connections(queue.startRemote(at: later)).isEmpty)
        #expect(queue.missing(from: 0, through: uuid(11), after: .seconds(5), at: later)?.uuid == uuid(1))
        #expect(queue.missing(from: 1, through: uuid(11), after: .seconds(5), at: later) == nil)
        _ = queue.heard(uuid(1), as: .remote(attic))
        #expect(queue.listeners(after: .seconds(5), at: later) == .some([]))
        #expect(connections(queue.startRemote(at: later)) == [uuid(1): .remote(attic)])
    }

    private func queue(routes: [ProvisioningRoute<DeviceUUID>]) -> ProvisioningQueue {
        var queue = ProvisioningQueue(policy: ProvisioningAttempts())
        for (number, route) in routes.enumerated() {
            var order = ProvisioningOrder(uuid: uuid(UInt64(number + 1)), name: "device", netKeyIndex: .primary)
            order.route = route
            _ = queue.add(order, at: .zero)
        }
        return queue
    }

    @Test("Only the ways that are allowed count, and nobody is waited for who is not allowed to be heard")
    func routes() {
        var queue = queue(routes: [.any, .direct, .remote, .node(uuid(11))])
        let allowed = (1...4).map { device in
            [uuid(11), uuid(12)].map { queue.isWanted(uuid(device), through: $0) }
        }
        #expect(allowed == [[true, true], [false, false], [true, true], [true, false]])
        for number: UInt64 in 1...4 {
            let isKnown = queue.heard(uuid(number), as: .direct(AdvertiserIdentifier(rawValue: [UInt8(number)])))
            #expect(isKnown)
        }
        #expect(Set(connections(queue.start(limit: 8, at: .zero)).keys) == [uuid(1), uuid(2)])
        #expect(connections(queue.startRemote(at: .zero)).isEmpty)
    }

    @Test(
        "Nodes listen for those whom they may reach, at once where the bearer may not",
        arguments: [
            ([.any], 4, .some([])), ([.any], 5, .all), ([.direct], 9, .some([])), ([.remote, .direct], 0, .all),
            ([.node(uuid(11)), .direct, .any], 0, .some([uuid(11)])),
            ([.node(uuid(11)), .node(uuid(12))], 0, .some([uuid(11), uuid(12)])),
            ([.node(uuid(11)), .any], 5, .all),
        ] as [([ProvisioningRoute<DeviceUUID>], Int64, ProvisioningQueue.Listeners)]
    )
    func listeners(_ routes: [ProvisioningRoute<DeviceUUID>], _ seconds: Int64, _ expected: ProvisioningQueue.Listeners)
    {
        let now = Instant.zero.advanced(by: .seconds(seconds))
        #expect(queue(routes: routes).listeners(after: .seconds(5), at: now) == expected)
    }

    @Test("A node is asked for those alone whom it may reach")
    func missingOfNode() {
        let queue = queue(routes: [.direct, .node(uuid(12)), .node(uuid(11)), .remote])
        func next(_ place: Int, _ node: UInt64) -> Int? {
            queue.missing(from: place, through: uuid(node), after: .seconds(5), at: .zero)?.next
        }
        #expect([next(0, 11), next(3, 11), next(4, 11)] == [3, 4, nil])
        #expect([next(0, 12), next(2, 12), next(4, 12)] == [2, 4, nil])
    }
}
