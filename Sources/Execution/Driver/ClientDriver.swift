import MeshCore
import Planning

/// The one place that carries out the outputs of a ``MeshClient`` over a bearer.
///
/// It owns both. Its user calls the client, passes the outputs of that call on, and gets only the events that it needs.
///
/// Nothing is sent under an IV index that a crash could make us forget: an IV index is stored before any output that
/// follows it. If it cannot be stored, the driver sends nothing more and makes no link.
final class ClientDriver {
    /// What the user of a client must know.
    enum Event {
        /// The client begins to look for a proxy by listening.
        case listening
        case connecting(LinkTarget)
        /// A link is ready: the address of the proxy node if it has told it, and how long it took.
        case linkUp(proxy: UnicastAddress?, LinkTimes)
        /// A link for one node alone is ready.
        case directLinkUp(UnicastAddress, LinkTimes)
        /// A link for one node alone is gone or could not be made; nil if it was closed as unused.
        case directLinkDown(UnicastAddress, LinkFailure?)
        /// A link is gone or could not be made. The delay is nil if the client does not try again by itself.
        case linkDown(LinkFailure, retryIn: Duration?)
        /// A request was sent; `transmissions` counts from 1.
        case sent(RequestIdentifier, transmissions: Int)
        /// A request was answered, after this number of transmissions.
        case answered(RequestIdentifier, ConfigurationVerdict, transmissions: Int)
        /// The answer to a request departs from the specification in a known way. The answer itself follows.
        case quirk(RequestIdentifier, KnownQuirk)
        /// A request was given up at its deadline.
        case unanswered(RequestIdentifier)
        /// A request was given up because no proxy serves its subnets.
        case unreachable(RequestIdentifier, LinkFailure)
        /// Neither a request nor others can be sent.
        case unsendable(RequestIdentifier, StackError)
        /// A Remote Provisioning Server that the client listens to sent this access message.
        case said(UnicastAddress, [UInt8])
        case watch(WatchEvent)
        /// The network has this IV index, which is durable by now.
        case ivIndexStored(IVIndex)
        /// A beacon brought another key refresh phase.
        case keyRefreshPhaseChanged(NetKeyIndex, KeyRefreshPhase)
        /// The user of the program has interrupted the bearer, or an IV index could not be stored.
        case stopped(Recap.Ending)
    }

    /// What decides whether the bearer scans.
    enum ScanRule {
        /// The client alone: the bearer follows it at once.
        case client
        /// The client and others: ``scan(alsoForOthers:)`` updates the bearer.
        case shared
    }

    let bearer: any Bearer
    var client: MeshClient
    private let rule: ScanRule
    /// Reports requests and links, if somebody observes the bearer.
    private var observer: RequestObserver?
    /// Whether the bearer scans; known under the shared rule only.
    private(set) var isScanning = false
    /// Why the bearer cannot scan; known under the shared rule only.
    private(set) var scanError: BearerError?
    private var clientWantsScan = false
    /// Why an IV index could not be stored; nothing is sent after that.
    private(set) var storeFailure: Recap.Ending?

    /// A driver of a client without a link.
    init(_ client: MeshClient, over bearer: any Bearer, scanning rule: ScanRule) {
        self.client = client
        self.bearer = bearer
        self.rule = rule
        observer = (bearer as? TappedBearer)?.report.map { RequestObserver(reporting: $0) }
    }

    // MARK: Requests

    /// Begins a request of the client, see ``MeshClient/request(_:to:subnets:withOldKey:throughMesh:deadline:at:)``.
    func request(
        _ inquiry: ConfigurationInquiry,
        to node: UnicastAddress,
        subnets: [NetKeyIndex],
        withOldKey missing: [NetKeyIndex] = [],
        throughMesh isThroughMesh: Bool = false,
        deadline: Duration? = nil,
        at now: Instant
    ) -> (RequestIdentifier, [MeshClient.Output]) {
        let (identifier, outputs) = client.request(
            inquiry,
            to: node,
            subnets: subnets,
            withOldKey: missing,
            throughMesh: isThroughMesh,
            deadline: deadline,
            at: now
        )
        observer?.begin(identifier, inquiry, to: node, client, at: now)
        return (identifier, outputs)
    }

    // MARK: Events and time

    /// Waits for one event until the deadline, or until the client is due.
    func next(until deadline: Instant) throws(BearerError) -> BearerEvent? {
        try bearer.next(until: client.nextDeadline.map { min($0, deadline) } ?? deadline)
    }

    /// Lets the client do what is due.
    func advance() -> [MeshClient.Output] {
        guard let due = client.nextDeadline, due <= bearer.now else { return [] }
        return client.advance(to: bearer.now, deafness: bearer.deafness)
    }

    // MARK: Outputs

    /// Carries out the client's outputs and what follows from them, in order.
    ///
    /// - Parameters:
    ///   - store: makes an IV index durable; returns why that failed, nil if it succeeded.
    ///   - tell: receives the events. It may call the client and ``perform(_:storing:telling:)`` again.
    func perform(
        _ outputs: [MeshClient.Output],
        storing store: (IVIndex, _ isCorrection: Bool) -> Recap.Ending?,
        telling tell: (Event) -> Void
    ) {
        var pending = outputs[...]
        while let output = pending.popFirst() {
            if case .ivIndexChanged(let ivIndex, let isCorrection) = output {
                observer?.note(output, of: client, at: bearer.now)
                guard storeFailure == nil else { return }
                if let failure = store(ivIndex, isCorrection) {
                    storeFailure = failure
                    return tell(.stopped(failure))
                }
                tell(.ivIndexStored(ivIndex))
                continue
            }
            let further = perform(output, telling: tell)
            if !further.isEmpty { pending = (further + pending)[...] }
        }
    }

    private func perform(_ output: MeshClient.Output, telling tell: (Event) -> Void) -> [MeshClient.Output] {
        observer?.note(output, of: client, at: bearer.now)
        switch output {
        case .connect(let target): return connect(to: target, telling: tell)
        case .scan(let isOn): return clientScans(isOn, telling: tell)
        case .send(let packet, on: let link): return send(packet, on: link)
        case .closeLink(let link): bearer.close(link)
        case .linkUp(let proxy, let times): tell(.linkUp(proxy: proxy, times))
        case .directLinkUp(let node, let times): tell(.directLinkUp(node, times))
        case .directLinkDown(let node, let failure): tell(.directLinkDown(node, failure))
        case .linkDown(let failure, let delay): tell(.linkDown(failure, retryIn: delay))
        case .sent(let request, let transmissions): tell(.sent(request, transmissions: transmissions))
        case .answered(let request, let verdict, let transmissions):
            tell(.answered(request, verdict, transmissions: transmissions))
        case .quirk(let request, let quirk): tell(.quirk(request, quirk))
        case .unanswered(let request): tell(.unanswered(request))
        case .unreachable(let request, let failure): tell(.unreachable(request, failure))
        case .unsendable(let request, let error): tell(.unsendable(request, error))
        case .said(let server, let payload): tell(.said(server, payload))
        case .watch(let event): tell(.watch(event))
        case .keyRefreshPhaseChanged(let index, let phase): tell(.keyRefreshPhaseChanged(index, phase))
        // It was stored before the outputs that follow it.
        case .ivIndexChanged: break
        }
        return []
    }

    private func connect(to target: LinkTarget, telling tell: (Event) -> Void) -> [MeshClient.Output] {
        guard storeFailure == nil else { return [] }
        tell(.connecting(target))
        do throws(BearerError) {
            return client.connecting(try bearer.connect(to: target), to: target, at: bearer.now)
        } catch {
            guard error.isInterruption else { return client.connectFailed(target, error, at: bearer.now) }
            tell(.stopped(.interrupted))
            return []
        }
    }

    private func send(_ packet: [UInt8], on link: LinkIdentifier) -> [MeshClient.Output] {
        guard storeFailure == nil else { return [] }
        do throws(BearerError) {
            try bearer.send(packet, on: link)
            return []
        } catch {
            bearer.close(link)
            return client.handle(.closed(link, error), at: bearer.now)
        }
    }

    // MARK: Scanning

    /// Lets the bearer scan as long as the client or others need it.
    ///
    /// - Throws: `BearerError` if the bearer cannot scan, once. Then the caller tells the client with
    ///   ``endClientScan()``. After an interruption the bearer is as before.
    func scan(alsoForOthers isNeeded: Bool) throws(BearerError) {
        let isWanted = scanError == nil && (clientWantsScan || isNeeded)
        guard isWanted != isScanning else { return }
        do throws(BearerError) {
            try bearer.scan(isWanted)
            isScanning = isWanted
        } catch {
            if !error.isInterruption {
                scanError = error
                isScanning = false
            }
            throw error
        }
    }

    /// Tells the client that the bearer cannot scan, if the client wants it to.
    func endClientScan() -> [MeshClient.Output] {
        guard clientWantsScan else { return [] }
        clientWantsScan = false
        return client.scanFailed(at: bearer.now)
    }

    /// The client starts or stops needing the bearer's scan.
    private func clientScans(_ isOn: Bool, telling tell: (Event) -> Void) -> [MeshClient.Output] {
        switch rule {
        case .client:
            do throws(BearerError) {
                try bearer.scan(isOn)
            } catch {
                guard error.isInterruption else { return isOn ? client.scanFailed(at: bearer.now) : [] }
                tell(.stopped(.interrupted))
            }
        case .shared:
            if isOn, scanError != nil { return client.scanFailed(at: bearer.now) }
            if isOn { tell(.listening) }
            clientWantsScan = isOn
        }
        return []
    }
}
