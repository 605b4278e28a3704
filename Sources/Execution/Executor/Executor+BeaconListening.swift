package import MeshCore
import Store

/// What beacons of proxies say of the network's IV index.
package struct BeaconReport: Hashable, Sendable {
    /// One statement of beacons.
    package struct Statement: Hashable, Sendable {
        package var netKeyIndex: NetKeyIndex
        package var ivIndex: IVIndex
        /// What the rules say about it.
        package var verdict: IVIndexMonitor.Verdict
        /// How many proxies stated it.
        package var proxies: Int

        package init(netKeyIndex: NetKeyIndex, ivIndex: IVIndex, verdict: IVIndexMonitor.Verdict, proxies: Int) {
            self.netKeyIndex = netKeyIndex
            self.ivIndex = ivIndex
            self.verdict = verdict
            self.proxies = proxies
        }
    }

    /// The statements, the highest IV index first.
    package var statements: [Statement] = []
    /// How many proxies of the network were connected to.
    package var connections = 0
    /// How many beacons belonged to other networks, or were not authentic.
    package var foreignBeacons = 0
    package var ending = Recap.Ending.completed
}

extension Executor {
    /// Connects to one proxy of the network after another and listens to their beacons. Sends nothing, and stores
    /// nothing.
    ///
    /// - Parameter duration: how long; an interrupt ends it earlier.
    package func listenForBeacons(for duration: Duration) -> BeaconReport {
        do throws(ExecutionStop) {
            let snapshot = try access.snapshot()
            let monitor = IVIndexMonitor(
                snapshot.network.ivIndex,
                certainty: try access.certaintyOfIVIndex(in: snapshot),
                times: access.timesOfIVIndex(in: snapshot.network)
            )
            var run = BeaconListener(
                bearer: bearer,
                network: snapshot.network,
                monitor: monitor,
                policy: options.link,
                interrupts: context.interrupts
            )
            run.perform(for: duration)
            return run.report
        } catch {
            var report = BeaconReport()
            report.ending = error.ending
            return report
        }
    }

    /// Adopts an IV index that beacons have told, and makes it durable with the time. Under a higher IV index sequence
    /// numbers begin at 0 again. The IV index is never lowered, unless it was only supposed, or stated and not used.
    package func recover(to ivIndex: IVIndex) -> Recap.Ending {
        access.store(ivIndex) ?? .completed
    }
}

/// Connects to one proxy after another, so that several state their IV index.
private struct BeaconListener {
    private let bearer: any Bearer
    private let keys: KeyRing
    private let isPrimaryMember: Bool
    private let monitor: IVIndexMonitor
    private let policy: LinkPolicy
    private let interrupts: () -> Int
    private var resolver: IdentityResolver
    private let excluded: Set<UnicastAddress>
    private(set) var report = BeaconReport()

    private struct Link {
        var identifier: LinkIdentifier
        var reassembler = ProxyReassembler()
        var isOpen = false
        /// When the attempt is given up.
        var deadline: Instant
        /// The statements that were already counted for this link.
        var said: Set<Key> = []
    }

    private struct Key: Hashable {
        var netKeyIndex: NetKeyIndex
        var ivIndex: IVIndex
    }

    private var link: Link?
    /// The proxies that were linked, and since when they are not to be connected again.
    private var asked: [AdvertiserIdentifier: Instant] = [:]
    private var canScan = true
    private var lastAttempt: Instant?

    /// How many advertisers are remembered.
    private static let memory = 4096
    /// How long after the first beacon those of the other subnets may take.
    private static let beaconTime = Duration.seconds(2)

    init(
        bearer: any Bearer,
        network: MeshNetwork,
        monitor: IVIndexMonitor,
        policy: LinkPolicy,
        interrupts: @escaping () -> Int
    ) {
        self.bearer = bearer
        self.monitor = monitor
        self.policy = policy
        self.interrupts = interrupts
        keys = KeyRing(network)
        isPrimaryMember = keys.netKey(.primary) != nil
        resolver = IdentityResolver(network)
        excluded = Set(network.nodes.filter(\.isExcluded).map(\.unicastAddress))
    }

    mutating func perform(for duration: Duration) {
        let end = bearer.now.advanced(by: duration)
        do throws(BearerError) {
            try bearer.scan(true)
        } catch {
            canScan = false
        }
        while bearer.now < end, interrupts() == 0, report.ending == .completed {
            if !canScan, link == nil { connectAnywhere(before: end) }
            guard report.ending == .completed else { break }
            var deadline = min(end, bearer.now.advanced(by: .milliseconds(500)))
            if let due = link?.deadline { deadline = min(deadline, due) }
            do throws(BearerError) {
                if let event = try bearer.next(until: deadline) { take(event) }
            } catch {
                report.ending = Recap.Ending(error)
            }
            if let due = link?.deadline, due <= bearer.now { endLink() }
        }
        endLink()
        if canScan { try? bearer.scan(false) }
        if interrupts() > 0 { report.ending = .interrupted }
        report.statements.sort {
            ($0.ivIndex.value, $0.netKeyIndex) > ($1.ivIndex.value, $1.netKeyIndex)
        }
    }

    private mutating func take(_ event: BearerEvent) {
        switch event {
        case .heard(let advertisement): hear(advertisement)
        case .opened(let identifier, _, _) where identifier == link?.identifier:
            report.connections += 1
            link?.isOpen = true
            link?.deadline = bearer.now.advanced(by: policy.beaconTimeout)
        case .received(let identifier, let packet) where identifier == link?.identifier: receive(packet)
        case .closed(let identifier, let error) where identifier == link?.identifier:
            // Without a scan, the run cannot tell whether there are other proxies.
            if !canScan, link?.isOpen == false, report.connections == 0 {
                report.ending = Recap.Ending(error)
            }
            link = nil
        case .opened, .received, .closed: break
        }
    }

    private mutating func hear(_ advertisement: Advertisement) {
        guard link == nil, case .proxy(let proxy) = advertisement.content, let identity = resolver.resolve(proxy)
        else { return }
        if case .node(let address, _) = identity, excluded.contains(address) { return }
        let advertiser = advertisement.advertiser
        if let until = asked[advertiser], bearer.now < until { return }
        if asked.count >= Self.memory { asked = [:] }
        asked[advertiser] = bearer.now.advanced(by: policy.failureMemory)
        connect(to: .proxy(advertiser))
    }

    /// A bearer that cannot scan chooses itself whom to connect to.
    private mutating func connectAnywhere(before end: Instant) {
        if let lastAttempt, bearer.now < lastAttempt.advanced(by: policy.maximumReopenDelay) { return }
        lastAttempt = bearer.now
        connect(to: .anyProxy)
    }

    private mutating func connect(to target: LinkTarget) {
        do throws(BearerError) {
            let deadline = bearer.now.advanced(by: policy.connectTimeout)
            link = Link(identifier: try bearer.connect(to: target), deadline: deadline)
        } catch {
            report.ending = Recap.Ending(error)
        }
    }

    private mutating func endLink() {
        guard let ended = link else { return }
        bearer.close(ended.identifier)
        link = nil
    }

    private mutating func receive(_ packet: [UInt8]) {
        do throws(ProxyProtocolError) {
            guard let pdu = try link?.reassembler.receive(packet, at: bearer.now), pdu.type == .beacon else { return }
            let beacon: AuthenticBeacon?
            do throws(DecodeError) {
                beacon = try AuthenticBeacon(pdu.payload, under: keys)
            } catch { beacon = nil }
            guard let beacon else {
                report.foreignBeacons += 1
                return
            }
            note(beacon)
        } catch { endLink() }
    }

    private mutating func note(_ beacon: AuthenticBeacon) {
        // A node that was left out of a key refresh has the old key, too, and must not lead the IV index (3.11.4.2).
        if beacon.isUnderOldKey, keys.netKey(beacon.netKeyIndex)?.phase == .usingNewKeys {
            report.foreignBeacons += 1
            return
        }
        link?.deadline = bearer.now.advanced(by: Self.beaconTime)
        let key = Key(netKeyIndex: beacon.netKeyIndex, ivIndex: beacon.ivIndex)
        guard link?.said.insert(key).inserted == true else { return }
        if let place = report.statements.firstIndex(where: {
            $0.netKeyIndex == key.netKeyIndex && $0.ivIndex == key.ivIndex
        }) {
            report.statements[place].proxies += 1
            return
        }
        let statement = BeaconReport.Statement(
            netKeyIndex: beacon.netKeyIndex,
            ivIndex: beacon.ivIndex,
            verdict: monitor.verdict(
                beacon.ivIndex,
                mayRaise: beacon.netKeyIndex == .primary || !isPrimaryMember,
                at: bearer.now
            ),
            proxies: 1
        )
        report.statements.append(statement)
    }
}
