import DefinitionModel
import MeshCore
import Planning
import Store
import TestSupport
import Testing

@testable import Execution

/// Notes what is done with it.
private final class NotedBearer: Bearer {
    var log: [String] = []
    var connectError: BearerError?
    var scanError: BearerError?
    let now = Instant.zero
    let maximumLinks = 1

    func connect(to target: LinkTarget) throws(BearerError) -> LinkIdentifier {
        log.append("connect")
        if let connectError { throw connectError }
        return LinkIdentifier(rawValue: 0)
    }
    func send(_ packet: [UInt8], on link: LinkIdentifier) throws(BearerError) { log.append("send") }
    func next(until deadline: Instant) throws(BearerError) -> BearerEvent? { nil }
    func close(_ link: LinkIdentifier) { log.append("close") }
    func scan(_ isOn: Bool) throws(BearerError) {
        log.append("scan \(isOn)")
        if let scanError { throw scanError }
    }
}

@Suite("The driver of a client")
struct ClientDriverTests {
    private static let link = LinkIdentifier(rawValue: 0)
    private static let packet = MeshClient.Output.send([0], on: link)
    private static let leap = MeshClient.Output.ivIndexChanged(IVIndex(value: 9), isCorrection: false)
    private static let broken = Recap.Ending.storeFailed("the disk is full")

    private let bearer = NotedBearer()

    private func driver(scanning rule: ClientDriver.ScanRule = .shared) throws -> ClientDriver {
        ClientDriver(try ProxyPeer().client, over: bearer, scanning: rule)
    }

    private func perform(
        _ outputs: [MeshClient.Output],
        with driver: ClientDriver,
        storing result: Recap.Ending? = nil
    ) -> [ClientDriver.Event] {
        var events: [ClientDriver.Event] = []
        driver.perform(outputs) { _, _ in
            bearer.log.append("store")
            return result
        } telling: {
            events.append($0)
        }
        return events
    }

    private func endings(_ events: [ClientDriver.Event]) -> [Recap.Ending] {
        events.compactMap { if case .stopped(let ending) = $0 { ending } else { nil } }
    }

    @Test("An IV index is stored before what follows it leaves")
    func order() throws {
        let events = perform([Self.packet, Self.leap, Self.packet], with: try driver())
        #expect(bearer.log == ["send", "store", "send"])
        guard case .ivIndexStored(IVIndex(value: 9)) = events.last else {
            Issue.record("\(events)")
            return
        }
    }

    @Test("When an IV index cannot be stored, nothing leaves any more, and links are closed")
    func failedStore() throws {
        let driver = try driver()
        let events = perform([Self.leap, Self.packet], with: driver, storing: Self.broken)
        #expect(bearer.log == ["store"])
        #expect(endings(events) == [Self.broken] && driver.storeFailure == Self.broken)
        bearer.log = []
        let further = perform([.connect(.anyProxy), Self.packet, .closeLink(Self.link), Self.leap], with: driver)
        #expect(bearer.log == ["close"], "a store that works again changes nothing")
        #expect(further.isEmpty && driver.storeFailure == Self.broken)
    }

    @Test("An interruption while connecting stops its user; another failure is the client's to cope with")
    func connecting() throws {
        bearer.connectError = .interrupted(while: "connecting")
        #expect(endings(perform([.connect(.anyProxy)], with: try driver())) == [.interrupted])
        bearer.connectError = BearerError("nobody is there")
        #expect(endings(perform([.connect(.anyProxy)], with: try driver())) == [])
    }

    @Test("The bearer scans for the client alone at once, or as long as anybody has use for it")
    func scanning() throws {
        _ = perform([.scan(true), .scan(false)], with: try driver(scanning: .client))
        #expect(bearer.log == ["scan true", "scan false"])
        bearer.log = []
        let shared = try driver()
        try shared.scan(alsoForOthers: true)
        _ = perform([.scan(true)], with: shared)
        try shared.scan(alsoForOthers: false)
        _ = perform([.scan(false)], with: shared)
        try shared.scan(alsoForOthers: false)
        #expect(bearer.log == ["scan true", "scan false"] && !shared.isScanning)
    }

    @Test("A bearer that cannot scan is not asked again, one that was interrupted is")
    func failedScan() throws {
        let driver = try driver()
        bearer.scanError = .interrupted(while: "scanning")
        #expect(throws: BearerError.self) { try driver.scan(alsoForOthers: true) }
        #expect(driver.scanError == nil)
        bearer.scanError = BearerError("there is no radio")
        #expect(throws: BearerError.self) { try driver.scan(alsoForOthers: true) }
        #expect(driver.scanError == bearer.scanError)
        try driver.scan(alsoForOthers: true)
        #expect(bearer.log == ["scan true", "scan true"])
    }

    @Test("Listening through nodes keeps its first failure although an IV index is stored after it")
    func firstFailure() throws {
        let run = RemoteListener(
            [],
            for: .seconds(1),
            bearer: bearer,
            client: try ProxyPeer().client,
            interrupts: { 0 },
            store: { _, _ in nil },
            handle: { _, _ in true }
        )
        run.perform([.linkDown(LinkFailure(reason: "nobody is there"), retryIn: nil), Self.leap])
        #expect(run.failure == .linkFailed("nobody is there", hint: nil))
        run.perform([.linkDown(LinkFailure(reason: "still nobody"), retryIn: nil)])
        #expect(run.perform() == .linkFailed("nobody is there", hint: nil))
    }
}
