import DefinitionModel
import Execution
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

/// Looks at what is durable whenever something is sent.
private final class WatchedBearer: Bearer {
    private let inner: any Bearer
    private let onSend: () -> Void

    init(_ inner: any Bearer, onSend: @escaping () -> Void) {
        self.inner = inner
        self.onSend = onSend
    }

    var now: Instant { inner.now }
    var maximumLinks: Int { inner.maximumLinks }
    func connect(to target: LinkTarget) throws(BearerError) -> LinkIdentifier { try inner.connect(to: target) }
    func send(_ packet: [UInt8], on link: LinkIdentifier) throws(BearerError) {
        onSend()
        try inner.send(packet, on: link)
    }
    func next(until deadline: Instant) throws(BearerError) -> BearerEvent? { try inner.next(until: deadline) }
    func close(_ link: LinkIdentifier) { inner.close(link) }
    func scan(_ isOn: Bool) throws(BearerError) { try inner.scan(isOn) }
}

@Suite("Runs and the IV index")
struct IVIndexRunTests {
    /// A house whose database is at IV index 5.
    private func site(at ivIndex: IVIndex, _ change: (inout MeshNetwork) -> Void = { _ in }) throws -> Site {
        var network = try House.network(lamps: 2)
        change(&network)
        let site = try Site(lamps: 2, database: network)
        site.world.setIVIndex(ivIndex)
        return site
    }

    @Test(
        "A network up to 42 ahead is followed, which is durable before anything is sent",
        arguments: [IVIndex(value: 10), IVIndex(value: 47), IVIndex(value: 9, isUpdateInProgress: true)]
    )
    func follows(ivIndex: IVIndex) throws {
        let site = try site(at: ivIndex)
        var sent: [IVIndex?] = []
        site.wrap = { inner in
            WatchedBearer(inner) { sent.append(try? site.network.ivIndex) }
        }
        let recap = try site.resolveAndApply()
        #expect(recap.isComplete, "\(recap.ending)")
        #expect(Set(sent) == [ivIndex] && !sent.isEmpty)
        let network = try site.network
        #expect(network.ivIndexChangedAt == Site.now && network.ivIndexRecoveredAt == Site.now)
        #expect(site.world.violations == [])
        #expect(try site.plan().isEmpty)
        let reserved = try site.database.reservation(of: unicast(1))
        #expect(reserved?.ivIndex == ivIndex.transmitValue)
    }

    @Test("The steps of an update are followed without a recovery, and sequence numbers begin at 0 when it ends")
    func update() throws {
        let updating = IVIndex(value: 6, isUpdateInProgress: true)
        let site = try site(at: updating)
        #expect(try site.resolveAndApply().isComplete)
        #expect(try site.network.ivIndex == updating)
        #expect(try site.network.ivIndexRecoveredAt == nil)
        #expect(try site.database.reservation(of: unicast(1))?.ivIndex == 5)
        // The end of the update comes too soon for us; messages go both ways all the same.
        site.world.setIVIndex(IVIndex(value: 6))
        let page = try site.execute { $0.readPages(of: try site.lamp(2)) }
        guard case .answered = page else { throw Unexpected(answer: "\(page)") }
        #expect(try site.network.ivIndex == updating)
        #expect(site.world.violations == [])
    }

    @Test(
        "A leap from an IV index 0 that was heard is a recovery, from one that was supposed a correction",
        arguments: [true, false]
    )
    func fromZero(isHeard: Bool) throws {
        let gone = try unicast(0x700)
        let site = try site(at: IVIndex(value: 0)) { network in
            network.ivIndex = IVIndex(value: 0)
            network.exclude([gone.rawValue])
        }
        #expect(try !site.database.snapshot().isIVIndexKnown)
        if isHeard {
            #expect(try site.resolveAndApply().isComplete)
            #expect(try site.database.snapshot().isIVIndexKnown)
        }
        site.world.setIVIndex(IVIndex(value: 9))
        let page = try site.execute { $0.readPages(of: try site.lamp(2)) }
        guard case .answered = page else { throw Unexpected(answer: "\(page)") }
        let network = try site.network
        #expect(network.ivIndex == IVIndex(value: 9))
        #expect(network.ivIndexRecoveredAt == (isHeard ? Site.now : nil))
        #expect(network.ivIndexChangedAt == (isHeard ? Site.now : nil))
        #expect(network.isExcluded(gone) == !isHeard, "who was removed at a supposed index was removed at the true one")
        // The next leap would be one too many within 192 hours only after a recovery.
        site.world.setIVIndex(IVIndex(value: 20))
        let further = try site.execute { $0.readPages(of: try site.lamp(2)) }
        #expect(try site.network.ivIndex.value == (isHeard ? 9 : 20), "\(further)")
        #expect(site.world.violations == [])
    }

    /// States an IV index for the network of a database, as a person does.
    private func state(_ ivIndex: IVIndex, in database: MeshDatabase) throws -> IVIndexStatement {
        let statement = try IVIndexStatement(ivIndex, on: try database.snapshot(), of: database)
        guard statement.refusal == nil, !statement.isKnownAlready else { return statement }
        let lease = try database.lock(
            holder: LockHolder(user: "anna", host: "desk", process: 1, operation: "set", since: Site.now)
        )
        defer { lease.release() }
        var changes = StoreChanges()
        changes.network = statement.network(at: Site.now)
        try database.commit(changes, with: lease)
        return statement
    }

    @Test("An imported network without a proxy in reach can begin once its IV index is stated, and devices get that")
    func stated() throws {
        let site = try Commissioning(
            [Commissioning.device(1)],
            lamps: 1,
            world: { $0.ivIndex = IVIndex(value: 200) },
            database: { $0.ivIndex = IVIndex(value: 0) }
        )
        site.world.setFaults(NodeFaults(isOff: true), of: uuid(1))
        #expect(try !site.database.snapshot().isIVIndexKnown)
        #expect(try state(IVIndex(value: 200), in: site.database).isCorrection)
        #expect(try site.database.snapshot().isIVIndexKnown)
        #expect(try site.network.ivIndexStatedAt == Site.now)
        let device = site.devices[0].uuid
        _ = try site.apply()
        #expect(site.world.node(device)?.isProvisioned == true)
        #expect(try site.network.ivIndex == IVIndex(value: 200))
        #expect(try site.network.ivIndexStatedAt == nil, "the new node has confirmed it by its beacon")
        #expect(site.world.violations == [])
    }

    @Test("A wrong statement is corrected by the first beacon, downwards too, but not once something was sent")
    func wrongStatement() throws {
        let site = try site(at: IVIndex(value: 5)) { $0.ivIndex = IVIndex(value: 0) }
        _ = try state(IVIndex(value: 30), in: site.database)
        #expect(try state(IVIndex(value: 20), in: site.database).isCorrection, "it was not used, so another may follow")
        #expect(try site.network.ivIndex == IVIndex(value: 20))
        #expect(try site.resolveAndApply().isComplete)
        #expect(try site.network.ivIndex == IVIndex(value: 5))
        #expect(try site.network.ivIndexStatedAt == nil)
        #expect(site.world.violations == [])
        let own = try unicast(1)
        #expect(try site.database.reservation(of: own)?.ivIndex == 5)
        #expect(try state(IVIndex(value: 4), in: site.database).refusal == .sent(own, under: 5))
        #expect(try state(IVIndex(value: 5), in: site.database).isKnownAlready)
        #expect(try state(IVIndex(value: 6), in: site.database).refusal == nil)
        #expect(try site.network.ivIndexStatedAt == Site.now)
        #expect(try state(IVIndex(value: 5), in: site.database).refusal == .behind)
    }

    @Test("Listening to beacons confirms what was stated")
    func confirmedByListening() throws {
        let site = try site(at: IVIndex(value: 7)) { $0.ivIndex = IVIndex(value: 0) }
        _ = try state(IVIndex(value: 7), in: site.database)
        let report = try site.execute { $0.listenForBeacons(for: .seconds(10)) }
        #expect(IVIndexProposal(report.statements, known: IVIndex(value: 7)) == .unchanged)
        #expect(try site.execute { $0.recover(to: IVIndex(value: 7)) } == .completed)
        #expect(try site.network.ivIndexStatedAt == nil)
    }

    private struct Unexpected: Error {
        var answer: String
    }

    @Test("A network too far ahead, or one recovered lately, is not followed unasked, and nothing is sent")
    func refuses() throws {
        let far = try site(at: IVIndex(value: 48))
        far.options.link.ivIndexRecovery = "meshplan network iv recover --network house --via unix:mesh"
        var count = 0
        far.wrap = { WatchedBearer($0) { count += 1 } }
        let recap = try far.resolveAndApply()
        guard case .linkFailed(let reason, let hint) = recap.ending else { throw Unexpected(answer: "\(recap.ending)") }
        #expect(reason.contains("IV index 48") && reason.contains("more than 42"), "\(reason)")
        #expect(hint?.hasSuffix("meshplan network iv recover --network house --via unix:mesh") == true)
        #expect(count == 0)
        #expect(try far.network.ivIndex == IVIndex(value: 5))

        let hours: Int64 = 3600
        for (age, isFollowed) in [(191 * hours, false), (192 * hours, true), (-hours, false)] {
            let site = try site(at: IVIndex(value: 8)) { network in
                network.ivIndexRecoveredAt = Timestamp(rawValue: Site.now.rawValue - age)
            }
            #expect(try site.resolveAndApply().isComplete == isFollowed, "\(age)")
            #expect(try site.network.ivIndex.value == (isFollowed ? 8 : 5))
        }
    }

    @Test("A network behind is not followed at all")
    func behind() throws {
        let site = try site(at: IVIndex(value: 3))
        let recap = try site.resolveAndApply()
        guard case .linkFailed(let reason, _) = recap.ending else { throw Unexpected(answer: "\(recap.ending)") }
        #expect(reason.contains("never goes back"), "\(reason)")
        let report = try site.execute { $0.listenForBeacons(for: .seconds(20)) }
        #expect(IVIndexProposal(report.statements, known: IVIndex(value: 5)) == .behind(IVIndex(value: 3)))
        #expect(try site.execute { $0.recover(to: IVIndex(value: 3)) } == .completed)
        #expect(try site.network.ivIndex.value == 5, "not even if it is told to")
    }

    @Test("Listening hears every proxy, sends and stores nothing; after approval a run works")
    func recovers() throws {
        let site = try site(at: IVIndex(value: 60)) { network in
            network.nodes[2].features.proxy = .enabled
        }
        var count = 0
        site.wrap = { WatchedBearer($0) { count += 1 } }
        let report = try site.execute { $0.listenForBeacons(for: .seconds(30)) }
        #expect(report.ending == .completed)
        let statement = BeaconReport.Statement(
            netKeyIndex: .primary,
            ivIndex: IVIndex(value: 60),
            verdict: .ignored(.tooFarAhead),
            proxies: 2
        )
        #expect(report.statements == [statement])
        #expect(count == 0 && report.connections == 2)
        #expect(try site.network.ivIndex.value == 5)
        let proposal = IVIndexProposal(report.statements, known: IVIndex(value: 5))
        #expect(proposal == .approve(IVIndex(value: 60), .tooFarAhead))
        #expect(try site.execute { $0.recover(to: IVIndex(value: 60)) } == .completed)
        #expect(try site.network.ivIndexRecoveredAt == Site.now)
        #expect(try site.resolveAndApply().isComplete)
        #expect(site.world.violations == [])
        let silent = try Site(lamps: 1)
        silent.world.setFaults(NodeFaults(isOff: true), of: uuid(1))
        let nothing = try silent.execute { $0.listenForBeacons(for: .seconds(10)) }
        #expect(IVIndexProposal(nothing.statements, known: IVIndex(value: 5)) == .silence)
    }

    @Test("The furthest statement that counts decides")
    func proposals() {
        func statement(_ index: UInt16, _ value: UInt32, _ verdict: IVIndexMonitor.Verdict) -> BeaconReport.Statement {
            let key = NetKeyIndex(rawValue: index) ?? .primary
            return BeaconReport.Statement(
                netKeyIndex: key,
                ivIndex: IVIndex(value: value),
                verdict: verdict,
                proxies: 1
            )
        }
        let known = IVIndex(value: 5)
        let secondary = statement(1, 90, .ignored(.secondarySubnet))
        #expect(IVIndexProposal([], known: known) == .silence)
        #expect(IVIndexProposal([secondary], known: known) == .secondaryOnly(IVIndex(value: 90)))
        #expect(IVIndexProposal([secondary, statement(0, 5, .unchanged)], known: known) == .unchanged)
        let both = [statement(0, 3, .ignored(.older)), statement(0, 7, .changed(IVIndex(value: 7)))]
        #expect(IVIndexProposal(both, known: known) == .follow(IVIndex(value: 7)))
        let soon = statement(0, 6, .ignored(.tooSoon(until: .zero)))
        #expect(IVIndexProposal([soon], known: known) == .soon(IVIndex(value: 6), at: .zero))
    }

    @Test("A run that takes more sequence numbers than are left is refused before anything is sent")
    func sequenceNumbers() throws {
        let site = try site(at: IVIndex(value: 5))
        var count = 0
        site.wrap = { WatchedBearer($0) { count += 1 } }
        let own = try unicast(1)
        try site.execute { _ in
            let lease = try required(site.lease)
            let numbers = try site.database.sequenceNumbers(with: lease, blockSize: (1 << 24) - 10)
            _ = try numbers.next(for: own, ivIndex: 5)
        }
        let recap = try site.resolveAndApply()
        guard case .refused(.sequenceNumbers(own, let needed, left: 10)) = recap.ending else {
            throw Unexpected(answer: "\(recap.ending)")
        }
        #expect(needed > 10 && count == 0 && recap.notStarted == recap.total)
        // With a new IV index there are new numbers.
        site.world.setIVIndex(IVIndex(value: 6))
        #expect(try site.execute { $0.recover(to: IVIndex(value: 6)) } == .completed)
        #expect(try site.resolveAndApply().isComplete)
        #expect(site.world.violations == [])
    }
}
