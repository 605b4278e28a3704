import DefinitionModel
import MeshCore
import Planning
import Simulator
import TestSupport
import Testing

@testable import Execution

@Suite("Servers that listen for devices side by side")
struct RemoteSurveyTests {
    private let hall = UnicastAddress.first
    private let attic = UnicastAddress.last

    private func survey(_ duration: Duration? = .seconds(30)) -> RemoteSurvey {
        RemoteSurvey([(hall, uuid(11)), (attic, uuid(12))], for: duration)
    }

    private func instant(_ seconds: Int64) -> Instant { Instant.zero.advanced(by: .seconds(seconds)) }

    private func capabilities(_ maximum: UInt8 = 4) -> [UInt8] {
        RemoteProvisioningScanCapabilitiesStatus(maximumScannedItems: maximum, isActiveScanSupported: true).encoded
    }

    private func status(
        _ code: RemoteProvisioningStatusCode = .success,
        _ state: RemoteProvisioningScanState = .multipleDevices,
        seconds: UInt8 = 20,
        limit: UInt8 = 4
    ) -> [UInt8] {
        RemoteProvisioningScanStatus(status: code, state: state, scannedItemsLimit: limit, timeout: seconds).encoded
    }

    private func report(_ device: UInt64) -> [UInt8] {
        RemoteProvisioningScanReport(signal: -60, uuid: uuid(device), outOfBandInformation: []).encoded
    }

    private func ask(_ survey: inout RemoteSurvey, count: Int = 9, _ second: Int64) -> [RemoteSurvey.Question] {
        survey.advance(to: instant(second))
        return survey.requests(count: count, at: instant(second)).map(\.question)
    }

    /// Brings both so far that they scan.
    private func begin(_ survey: inout RemoteSurvey, limit: UInt8 = 4) {
        _ = ask(&survey, 0)
        for server in [hall, attic] { _ = survey.receive(capabilities(limit), from: server, at: .zero) }
        _ = ask(&survey, 0)
        for server in [hall, attic] { _ = survey.receive(status(limit: limit), from: server, at: .zero) }
    }

    @Test("Each is asked what it can, then to scan, in parts of 20 s, until its own time is over")
    func sequence() {
        var survey = survey()
        let first = survey.requests(count: 1, at: .zero)
        #expect(first == [.init(server: hall, node: uuid(11), question: .capabilities)])
        #expect(ask(&survey, 0) == [.capabilities])
        #expect(ask(&survey, 0) == [])
        _ = survey.receive(capabilities(), from: hall, at: .zero)
        #expect(ask(&survey, 0) == [.scan(seconds: 20)])
        _ = survey.receive(status(), from: hall, at: .zero)
        // The other answers late, and has as long.
        _ = survey.receive(capabilities(), from: attic, at: instant(5))
        #expect(ask(&survey, 5) == [.scan(seconds: 20)])
        _ = survey.receive(status(), from: attic, at: instant(5))
        #expect(survey.nextDeadline == instant(21))
        #expect(ask(&survey, 21) == [.scan(seconds: 9)])
        _ = survey.receive(status(seconds: 9), from: hall, at: instant(21))
        #expect(ask(&survey, 26) == [.scan(seconds: 9)])
        _ = survey.receive(status(seconds: 9), from: attic, at: instant(26))
        #expect(ask(&survey, 31) == [])
        #expect(ask(&survey, 36) == [] && survey.isOver)
        #expect(survey.listenings.map(\.outcome) == [.listened, .listened])
        #expect(survey.listenings.map(\.maximumScannedItems) == [4, 4])
    }

    @Test("When a list is full, the scan begins anew, as long as there is time")
    func fullList() {
        var survey = survey(.seconds(10))
        begin(&survey)
        for device: UInt64 in 1...4 {
            let told = survey.receive(report(device), from: hall, at: instant(1))
            #expect(told?.uuid == uuid(device))
        }
        #expect(ask(&survey, 1) == [])
        #expect(ask(&survey, 2) == [.scan(seconds: 8)])
        _ = survey.receive(status(seconds: 8), from: hall, at: instant(2))
        for device: UInt64 in 3...5 { _ = survey.receive(report(device), from: hall, at: instant(9)) }
        #expect(ask(&survey, 10) == [], "three do not fill it")
        #expect(survey.listenings.map(\.isListFull) == [true, false])
    }

    @Test("A server may report fewer devices in a scan than it said; if only one, each fills its list")
    func shorterList() {
        var survey = survey(.seconds(10))
        _ = ask(&survey, 0)
        for server in [hall, attic] { _ = survey.receive(capabilities(4), from: server, at: .zero) }
        _ = ask(&survey, 0)
        _ = survey.receive(status(limit: 1), from: hall, at: .zero)
        _ = survey.receive(status(limit: 0), from: attic, at: .zero)
        for server in [hall, attic] { _ = survey.receive(report(1), from: server, at: instant(1)) }
        #expect(ask(&survey, 1) == [])
        #expect(ask(&survey, 2) == [.scan(seconds: 8)])
        #expect(survey.listenings.map(\.isListFull) == [true, false], "a limit of 0 says nothing")
    }

    @Test("Whoever is to be asked anew when the time is over is told to stop")
    func stoppedWhenFull() {
        var survey = survey(.seconds(10))
        begin(&survey)
        for device: UInt64 in 1...4 { _ = survey.receive(report(device), from: hall, at: instant(9)) }
        #expect(ask(&survey, 10) == [.stop])
        _ = survey.receive(status(.success, .idle, seconds: 0), from: hall, at: instant(10))
        #expect(ask(&survey, 21) == [] && survey.isOver)
        #expect(survey.listenings.map(\.outcome) == [.listened, .listened])
    }

    @Test(
        "Who does not answer or refuses is over at once, or asked again later where there is no end",
        arguments: [true, false]
    )
    func trouble(isWatching: Bool) {
        var survey = survey(isWatching ? nil : .seconds(10))
        _ = ask(&survey, 0)
        survey.unanswered(hall, at: instant(15))
        _ = survey.receive(capabilities(), from: attic, at: instant(15))
        #expect(ask(&survey, 15) == [.scan(seconds: isWatching ? 20 : 10)])
        _ = survey.receive(status(.invalidState), from: attic, at: instant(15))
        #expect(survey.listenings.map(\.outcome) == [.silent, .refused(.invalidState)])
        #expect(survey.isOver == !isWatching)
        #expect(ask(&survey, 44) == [])
        #expect(ask(&survey, 45) == (isWatching ? [.capabilities, .capabilities] : []))
    }

    @Test("In the end those who scan or may have begun are told to stop, and the others are not waited for")
    func finish() {
        var survey = RemoteSurvey((1...5).map { (UnicastAddress.first.advanced(by: $0), uuid(UInt64($0))) }, for: nil)
        let addresses = (1...5).map { UnicastAddress.first.advanced(by: $0) }
        #expect(ask(&survey, count: 4, 0).count == 4)
        for address in addresses.prefix(3) { _ = survey.receive(capabilities(), from: address, at: .zero) }
        #expect(ask(&survey, count: 3, 0).count == 3)
        for address in addresses.prefix(2) { _ = survey.receive(status(), from: address, at: .zero) }
        for device: UInt64 in 1...4 { _ = survey.receive(report(device), from: addresses[0], at: .zero) }
        // They scan, one of them with a full list; one was asked to scan, one what it can, one nothing.
        #expect(survey.finish(at: instant(1)) == Array(addresses[2...3]))
        #expect(ask(&survey, 1) == [.stop, .stop, .stop])
        #expect(survey.finish(at: instant(1)) == [])
        _ = survey.receive(status(.success, .idle, seconds: 0), from: addresses[0], at: instant(2))
        _ = survey.receive(status(.success, .multipleDevices), from: addresses[1], at: instant(2))
        _ = survey.receive(status(.success, .idle, seconds: 0), from: addresses[2], at: instant(2))
        #expect(!survey.isOver, "one still scans")
        survey.unanswered(addresses[1], at: instant(7))
        #expect(survey.isOver)
        let outcomes: [RemoteListening.Outcome] = [.listened, .notStopped, .notAsked, .notAsked, .notAsked]
        #expect(survey.listenings.map(\.outcome) == outcomes)
    }

    @Test("What makes no sense is ignored")
    func nonsense() {
        var survey = survey()
        for payload in [[], [0x80], capabilities(), status(), [UInt8](repeating: 0xFF, count: 40)] {
            #expect(survey.receive(payload, from: hall, at: .zero) == nil)
        }
        let told = survey.receive(report(1), from: UnicastAddress.first.advanced(by: 5), at: .zero)
        #expect(told == nil)
        #expect(ask(&survey, 0) == [.capabilities, .capabilities])
    }
}

extension UnicastAddress {
    /// The address so many further on.
    fileprivate func advanced(by count: Int) -> UnicastAddress {
        UnicastAddress(rawValue: rawValue + UInt16(count)) ?? self
    }
}

@Suite("Listening through nodes of a simulated network")
struct RemoteListeningRunTests {
    private func listen(
        _ site: Commissioning,
        through lamps: [UInt64] = [2, 3],
        for duration: Duration? = .seconds(10),
        _ handle: @escaping (ListeningEvent, Instant) -> Bool = { _, _ in true }
    ) throws -> (RemoteListeningReport, [DeviceUUID: Set<DeviceUUID>]) {
        var heard: [DeviceUUID: Set<DeviceUUID>] = [:]
        let nodes = try site.network.nodes.filter { lamps.map { uuid($0) }.contains($0.uuid) }
        let report = try site.execute { executor in
            executor.listen(through: nodes, for: duration) { event, now in
                if case .reported(let node, let report) = event { heard[node, default: []].insert(report.uuid) }
                return handle(event, now)
            }
        }
        return (report, heard)
    }

    @Test("Every node tells whom it hears, and we hear the rest")
    func hears() throws {
        let devices = [RemoteCommissioning.device(1), RemoteCommissioning.device(2), Commissioning.device(3)]
        let site = try RemoteCommissioning.site(devices, servers: 2, heard: [(2, 1, nil), (3, 1, nil), (3, 2, nil)])
        var direct: Set<DeviceUUID> = []
        let start = site.world.now
        let (report, heard) = try listen(site) { event, _ in
            if case .heard(let advertisement) = event, case .unprovisioned(let device, _) = advertisement.content {
                direct.insert(device.uuid)
            }
            return true
        }
        #expect(report.ending == .completed && report.hasBearerListened)
        #expect(report.nodes.map(\.outcome) == [.listened, .listened], "\(report)")
        #expect(heard == [uuid(2): [devices[0].uuid], uuid(3): [devices[0].uuid, devices[1].uuid]])
        #expect(direct == [devices[2].uuid])
        #expect(start.duration(to: site.world.now) < .seconds(20))
        #expect(site.world.violations == [])
        // Nothing goes on: the next one may scan at once, and sequence numbers go on.
        let (again, _) = try listen(site)
        #expect(again.nodes.map(\.outcome) == [.listened, .listened])
        #expect(site.world.violations == [])
    }

    @Test("No more devices are told than a list holds, and that there may be more is said")
    func longList() throws {
        let devices = (1...24).map { RemoteCommissioning.device($0) }
        let site = try RemoteCommissioning.site(devices, servers: 1)
        let (report, heard) = try listen(site, through: [2], for: .seconds(30))
        #expect(report.nodes.map(\.isListFull) == [true])
        #expect(heard[uuid(2)]?.count == 16 && report.nodes.first?.maximumScannedItems == 16)
    }

    @Test("A node without power is named, and the others listen")
    func silent() throws {
        let site = try RemoteCommissioning.site([RemoteCommissioning.device(1)], servers: 2)
        site.world.setPower(uuid(2), isOn: false)
        let (report, heard) = try listen(site)
        #expect(report.nodes.map(\.outcome) == [.silent, .listened])
        #expect(heard[uuid(3)]?.count == 1)
    }

    @Test("An interrupt and a reader who has gone stop the scans before the end", arguments: [true, false])
    func stopped(isInterrupt: Bool) throws {
        let site = try RemoteCommissioning.site([RemoteCommissioning.device(1)], servers: 2)
        var count = 0
        site.interrupts = { isInterrupt && count > 0 ? 1 : 0 }
        var stoppedAt: Instant?
        let (report, _) = try listen(site, for: nil) { event, now in
            if case .reported = event { count += 1 }
            if count > 0, stoppedAt == nil { stoppedAt = now }
            return isInterrupt || count == 0
        }
        #expect(report.ending == (isInterrupt ? .interrupted : .completed))
        #expect(report.nodes.allSatisfy { $0.outcome == .listened || $0.outcome == .notAsked }, "\(report)")
        #expect(report.nodes.contains { $0.outcome == .listened })
        #expect(try #require(stoppedAt).duration(to: site.world.now) < .seconds(8))
    }

    @Test("Without a proxy it ends with the reason")
    func noProxy() throws {
        let site = try RemoteCommissioning.site([RemoteCommissioning.device(1)], servers: 1)
        site.world.setPower(uuid(1), isOn: false)
        let (report, _) = try listen(site, through: [2])
        guard case .linkFailed = report.ending else {
            Issue.record("\(report)")
            return
        }
        #expect(report.nodes.map(\.outcome) == [.notAsked])
    }
}
