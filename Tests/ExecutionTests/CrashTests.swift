import Execution
import Foundation
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

/// A bearer whose process dies at a given moment: from then on nothing passes, and the database's files are kept as
/// they were at that moment.
final class MortalBearer: Bearer {
    private let inner: any Bearer
    private let die: () throws -> URL
    /// Packets sent or events received until death; nil lives for ever.
    private var remaining: Int?
    /// Whether it dies before the last packet has left rather than after.
    private let losesLast: Bool
    private(set) var count = 0
    private(set) var files: URL?
    private(set) var failure: (any Error)?
    private var lingering: [LinkIdentifier] = []

    init(_ inner: any Bearer, remaining: Int?, losesLast: Bool = false, die: @escaping () throws -> URL) {
        self.inner = inner
        self.remaining = remaining
        self.losesLast = losesLast
        self.die = die
    }

    var isDead: Bool { files != nil }
    var now: Instant { inner.now }

    var maximumLinks: Int { inner.maximumLinks }

    func connect(to target: LinkTarget) throws(BearerError) -> LinkIdentifier { try inner.connect(to: target) }

    func scan(_ isOn: Bool) throws(BearerError) { try inner.scan(isOn) }

    func send(_ packet: [UInt8], on link: LinkIdentifier) throws(BearerError) {
        if !isDead, !(remaining == 1 && losesLast) { try inner.send(packet, on: link) }
        pass()
    }

    func next(until deadline: Instant) throws(BearerError) -> BearerEvent? {
        guard !isDead, let event = try inner.next(until: deadline) else { return nil }
        pass()
        return isDead ? nil : event
    }

    /// What a process sent before it died still arrives, so the links of a dead one stay until ``bury()``.
    func close(_ link: LinkIdentifier) {
        if isDead { lingering.append(link) } else { inner.close(link) }
    }

    func bury() {
        for link in lingering { inner.close(link) }
    }

    private func pass() {
        guard !isDead else { return }
        count += 1
        guard let left = remaining else { return }
        remaining = left - 1
        guard left <= 1 else { return }
        do { files = try die() } catch { failure = error }
    }
}

@Suite("A run that is killed")
struct CrashTests {
    private static let settings: WorldSettings = {
        var settings = WorldSettings.ideal
        settings.copyLoss = 0.1
        settings.topology = .hops(2)
        return settings
    }()

    /// What is compared: everything but the octets of keys that the runs made up for themselves.
    private static func comparable(_ network: MeshNetwork) -> MeshNetwork {
        var network = network
        for place in network.netKeys.indices where network.netKeys[place].index != .primary {
            network.netKeys[place].key = secret(0)
        }
        for place in network.appKeys.indices { network.appKeys[place].key = secret(0) }
        return network
    }

    private static let undisturbed = Result { () throws -> (network: MeshNetwork, moments: Int) in
        let site = try Site(lamps: 2, settings: settings)
        var bearer: MortalBearer?
        site.wrap = { inner in
            let mortal = MortalBearer(inner, remaining: nil) { throw MissingValue() }
            bearer = mortal
            return mortal
        }
        let recap = try site.apply(try site.plan())
        #expect(recap.isComplete)
        return (comparable(try site.network), try required(bearer?.count))
    }

    /// Whatever a node did that the database does not know must be its in-doubt request: an intent is durable before
    /// its message leaves, and an outcome before the next message to the node does.
    private func expectEveryDifferenceInDoubt(_ site: Site, _ moment: Int) throws {
        let snapshot = try site.database.snapshot()
        var network = snapshot.network
        #expect(Set(snapshot.unresolved.map(\.node)).count == snapshot.unresolved.count, "one in doubt a node")
        for doubt in snapshot.unresolved {
            let place = try required(network.nodes.firstIndex { $0.uuid == doubt.node })
            var done = network
            done.nodes[place].apply(try ConfigurationAction(decoding: doubt.action), appKeys: network.appKeys)
            if site.world.mismatches(against: done).count < site.world.mismatches(against: network).count {
                network = done
            }
        }
        #expect(site.world.mismatches(against: network) == [], "moment \(moment)")
    }

    /// Kills the first run after so many packets; every other time the second run too.
    private func dieAndGoOn(moment: Int, saved: Bool) throws {
        let expected = try CrashTests.undisturbed.get()
        let site = try Site(lamps: 2, settings: CrashTests.settings, seed: UInt64(moment))
        let plan = try site.plan()
        var moments = [moment] + (moment.isMultiple(of: 3) ? [1 + moment / 3] : [])
        var bearer: MortalBearer?
        site.interrupts = { bearer?.isDead == true ? 2 : 0 }
        site.wrap = { inner in
            let remaining = moments.isEmpty ? nil : moments.removeFirst()
            let mortal = MortalBearer(inner, remaining: remaining, losesLast: moment.isMultiple(of: 2)) {
                try site.copyFiles()
            }
            bearer = mortal
            return mortal
        }
        var recap = try site.apply(plan)
        while let dead = bearer, dead.isDead {
            #expect(dead.failure == nil)
            try site.reopen(try required(dead.files))
            site.world.advance(to: site.world.now.advanced(by: .seconds(2)))
            dead.bury()
            try expectEveryDifferenceInDoubt(site, moment)
            recap = try saved ? site.apply(plan) : site.resolveAndApply()
        }
        // A loss may leave a node pending, as in any run; one more run does the rest.
        if !recap.isComplete, recap.ending == .completed { recap = try site.resolveAndApply() }
        #expect(recap.isComplete || recap.ending == .refused(.alreadyApplied), "moment \(moment): \(recap)")
        #expect(try site.world.mismatches(against: site.network) == [], "moment \(moment)")
        #expect(site.world.violations == [], "moment \(moment)")
        #expect(try CrashTests.comparable(site.network) == expected.network, "moment \(moment)")
        #expect(try site.database.snapshot().unresolved == [], "moment \(moment)")
        #expect(try site.plan().steps == [], "moment \(moment)")
    }

    @Test(
        "At 200 moments, one more apply ends in the same nodes and database as an undisturbed run",
        arguments: 0..<8
    )
    func applied(part: Int) throws {
        let moments = try CrashTests.undisturbed.get().moments
        for index in 0..<25 {
            try dieAndGoOn(moment: 1 + (part * 25 + index) * moments / 200, saved: index.isMultiple(of: 4))
        }
    }
}
