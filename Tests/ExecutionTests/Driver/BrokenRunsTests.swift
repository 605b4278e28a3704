import DefinitionModel
import Execution
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

/// Interrupts connecting, or does something whenever a link is made, and counts what is sent. May break in other ways.
private final class WatchedBearer: Bearer {
    private let inner: any Bearer
    private let onConnect: (LinkTarget) throws(BearerError) -> Void
    private let onSend: () -> Void
    /// What beginning to scan fails with, and what waiting fails with.
    var scanError: BearerError?
    var waitError: BearerError?

    init(
        _ inner: any Bearer,
        onSend: @escaping () -> Void = {},
        onConnect: @escaping (LinkTarget) throws(BearerError) -> Void
    ) {
        self.inner = inner
        self.onConnect = onConnect
        self.onSend = onSend
    }

    var now: Instant { inner.now }
    var maximumLinks: Int { inner.maximumLinks }
    func connect(to target: LinkTarget) throws(BearerError) -> LinkIdentifier {
        try onConnect(target)
        return try inner.connect(to: target)
    }
    func send(_ packet: [UInt8], on link: LinkIdentifier) throws(BearerError) {
        onSend()
        try inner.send(packet, on: link)
    }
    func next(until deadline: Instant) throws(BearerError) -> BearerEvent? {
        if let waitError { throw waitError }
        return try inner.next(until: deadline)
    }
    func close(_ link: LinkIdentifier) { inner.close(link) }
    func scan(_ isOn: Bool) throws(BearerError) {
        if isOn, let scanError { throw scanError }
        try inner.scan(isOn)
    }
}

@Suite("Whatever talks to a mesh stops when its bearer is interrupted or its database cannot be written")
struct BrokenRunsTests {
    /// What talks to a mesh.
    enum Talk: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case run, conversation, remoteListening, beaconListening

        var testDescription: String { rawValue }

        /// How it ends; nil if it comes to an answer.
        func ending(on site: Site) throws -> Recap.Ending? {
            let node = try site.lamp(2)
            return try site.execute { executor in
                switch self {
                case .run: return executor.apply(try site.plan()).ending
                case .conversation:
                    guard case .stopped(let ending) = executor.readPages(of: node) else { return nil }
                    return ending
                case .remoteListening:
                    return executor.listen(through: [node], for: .seconds(5)) { _, _ in true }.ending
                case .beaconListening: return executor.listenForBeacons(for: .seconds(5)).ending
                }
            }
        }
    }

    @Test("An interruption while connecting is the end, and no failed connection", arguments: Talk.allCases)
    func interrupted(_ talk: Talk) throws {
        let site = try Site(lamps: 2)
        var attempts = 0
        site.wrap = { inner in
            WatchedBearer(inner) { _ throws(BearerError) in
                attempts += 1
                throw .interrupted(while: "connecting")
            }
        }
        #expect(try talk.ending(on: site) == .interrupted)
        #expect(attempts == 1)
    }

    @Test("An interruption while connecting to a device is the end, too")
    func interruptedProvisioning() throws {
        let site = try Commissioning([Commissioning.device(1)])
        var attempts = 0
        site.wrap = { inner in
            WatchedBearer(inner) { target throws(BearerError) in
                guard case .provisioning = target else { return }
                attempts += 1
                throw .interrupted(while: "connecting")
            }
        }
        let recap = try site.apply()
        #expect(recap.ending == .interrupted, "\(recap)")
        #expect(recap.failed.isEmpty)
        #expect(attempts == 1)
    }

    @Test(
        "Nothing is sent under an IV index that cannot be made durable",
        arguments: [Talk.run, .conversation, .remoteListening]
    )
    func failedStore(_ talk: Talk) throws {
        let site = try Site(lamps: 2)
        site.world.setIVIndex(IVIndex(value: 9))
        var sent = 0
        site.wrap = { inner in
            // Without its lock nothing can be written.
            WatchedBearer(inner, onSend: { sent += 1 }, onConnect: { _ in site.lease?.release() })
        }
        let ending = try talk.ending(on: site)
        guard case .storeFailed = ending else {
            Issue.record("\(String(describing: ending))")
            return
        }
        #expect(sent == 0)
        #expect(try site.network.ivIndex == House.network(lamps: 2).ivIndex)
    }

    @Test("A bearer that cannot scan leaves listening to the nodes; an interruption while it begins to is the end")
    func listeningWithoutScan() throws {
        for error in [BearerError("there is no radio"), .interrupted(while: "beginning to scan")] {
            let site = try Site(lamps: 2)
            site.wrap = { inner in
                let bearer = WatchedBearer(inner) { _ in }
                bearer.scanError = error
                return bearer
            }
            let node = try site.lamp(1)
            let report = try site.execute { $0.listen(through: [node], for: .seconds(5)) { _, _ in true } }
            #expect((report.ending == .interrupted) == error.isInterruption, "\(report.ending)")
            #expect(!report.hasBearerListened)
        }
    }

    @Test("A pause lasts as long as asked, unless the user interrupts it or the bearer breaks")
    func pauses() throws {
        let site = try Site(lamps: 1)
        let began = site.world.now
        #expect(try site.execute { $0.pause(for: .seconds(5)) })
        #expect(began.duration(to: site.world.now) == .seconds(5))
        site.interrupts = { 1 }
        #expect(try !site.execute { $0.pause(for: .seconds(5)) })
        site.interrupts = { 0 }
        site.wrap = { inner in
            let bearer = WatchedBearer(inner) { _ in }
            bearer.waitError = BearerError("the radio is gone")
            return bearer
        }
        #expect(try !site.execute { $0.pause(for: .seconds(5)) })
        #expect(began.duration(to: site.world.now) == .seconds(5))
    }
}
