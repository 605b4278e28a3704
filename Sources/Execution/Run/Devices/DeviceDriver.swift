import MeshCore
import Planning
import Store

/// Carries out the outputs of the provisioning queue: over the bearer, and through nodes that hear devices.
///
/// It is to the queue what ``ClientDriver`` is to the client. What concerns the rest of the run is returned.
struct DeviceDriver {
    /// Devices that are to become nodes, or may be nodes.
    var work: DeviceWork
    /// Nodes that listen for devices and carry their sessions.
    var servers = RemoteServers()
    private let driver: ClientDriver
    /// What is known of devices from outside the radio.
    private let prompter: OutOfBandPrompter
    /// New randomness for one provisioning session.
    private let secrets: () -> ProvisioningSecrets

    init(_ work: DeviceWork, over driver: ClientDriver, _ context: ExecutionContext) {
        self.work = work
        self.driver = driver
        prompter = context.outOfBand
        secrets = context.provisioningSecrets
    }

    private var bearer: any Bearer { driver.bearer }

    var isProvisioning: Bool { !work.queue.isEmpty || !servers.hasNoLink }

    /// When links through nodes, or reports of servers, are due; nil if never.
    var remoteDeadline: Instant? { servers.deadline(isSeeking: !work.queue.isEmpty) }

    /// By which routes devices may be reached at present.
    ///
    /// - Parameter mayBeLinked: whether there may be a link to a proxy.
    func routes(mayBeLinked: Bool) -> DeviceRoutes {
        DeviceRoutes(
            search: servers.search,
            scanError: driver.scanError,
            isLinkReady: driver.client.isLinkReady,
            mayBeLinked: mayBeLinked
        )
    }

    // MARK: Outputs

    mutating func carryOut(
        _ output: ProvisioningQueue.Output,
        _ ledger: inout RunLedger,
        mayBeLinked: Bool
    ) -> [RunOutput] {
        let now = bearer.now
        switch output {
        case .connect(let uuid, .remote(let server)):
            return servers.connect(uuid, through: server, for: &work.queue, at: now)
        case .connect(let uuid, .direct(let advertiser)): return connect(uuid, to: advertiser, ledger)
        case .send(let packet, on: .remote(let server)):
            return [.remote(servers.send(packet, through: server, at: now), through: server)]
        case .send(let packet, on: .bearer(let link)): return send(packet, on: link)
        case .close(.bearer(let link), isCompleted: _): bearer.close(link)
        case .close(.remote(let server), let isCompleted):
            // Its server is told until it confirms, or is silent for a long time.
            return [.remote(servers.hangUp(server, isCompleted: isCompleted, at: now), through: server)]
        case .ask(let question): prompter.ask(question)
        case .withdraw: prompter.withdraw()
        case .capabilities(let order, let capabilities):
            return work.choose(
                order,
                capabilities,
                asking: prompter,
                memoryKey: { [secrets] in secrets().memoryKey },
                &ledger,
                hasHeard: { [driver] in driver.client.hasHeard($0) },
                at: now
            )
        case .progress, .store, .discard, .completed, .retrying, .failed, .notHeard:
            if case .retrying(let uuid, _, in: _) = output { servers.search.failed(uuid, through: nil) }
            return work.follow(output, &ledger, routes(mayBeLinked: mayBeLinked), at: now)
        }
        return []
    }

    mutating func carryOut(
        _ action: RemoteProvisioningLink.Action,
        through server: UnicastAddress,
        _ ledger: RunLedger
    ) -> [RunOutput] {
        let now = bearer.now
        switch action {
        case .send(let payload): return servers.post(payload, to: server, &driver.client, ledger, at: now)
        case .opened:
            let outputs = work.queue.opened(.remote(server), carriage: .whole, secrets: secrets(), at: now)
            return [.queue(outputs)]
        case .received(let pdu):
            guard servers.isOpen(server) else { return [] }
            return [.queue(work.queue.received(pdu, on: .remote(server), at: now))]
        case .closed(let end): return servers.end(server, end, &work.queue, at: now)
        }
    }

    private mutating func connect(
        _ uuid: DeviceUUID,
        to advertiser: AdvertiserIdentifier,
        _ ledger: RunLedger
    ) -> [RunOutput] {
        do throws(BearerError) {
            let link = try bearer.connect(to: .provisioning(advertiser))
            work.queue.connecting(uuid, over: .bearer(link), at: bearer.now)
            // The device was heard unprovisioned, so no node answers under an old key.
            return work.endFindingOut(uuid, ledger)
        } catch {
            guard error.isInterruption else {
                return [.queue(work.queue.connectFailed(uuid, error, at: bearer.now))]
            }
            return [.stop(.interrupted)]
        }
    }

    private mutating func send(_ packet: [UInt8], on link: LinkIdentifier) -> [RunOutput] {
        do throws(BearerError) {
            try bearer.send(packet, on: link)
            return []
        } catch {
            bearer.close(link)
            return [.queue(work.queue.closed(.bearer(link), .bearer(error), at: bearer.now))]
        }
    }

    // MARK: Events and time

    /// Takes an event of a link to a device.
    ///
    /// - Returns: nil if the event concerns the client.
    mutating func take(_ event: BearerEvent) -> [ProvisioningQueue.Output]? {
        guard let link = event.link, work.queue.owns(link) else { return nil }
        let now = bearer.now
        switch event {
        case .opened(_, let size, _):
            let carriage = ProvisioningCarriage.proxy(maximumPacketSize: size)
            return work.queue.opened(.bearer(link), carriage: carriage, secrets: secrets(), at: now)
        case .received(_, let packet): return work.queue.received(packet, on: .bearer(link), at: now)
        case .closed(_, let error): return work.queue.closed(.bearer(link), .bearer(error), at: now)
        case .heard: return nil
        }
    }

    /// Lets the queue do what is due.
    mutating func advanceQueue() -> [ProvisioningQueue.Output] {
        guard let due = work.queue.nextDeadline, due <= bearer.now else { return [] }
        return work.queue.advance(to: bearer.now)
    }

    /// Takes a person's answer to an open question.
    mutating func takeAnswer() -> [ProvisioningQueue.Output] {
        guard work.queue.awaitsAnswer, let answer = prompter.answer() else { return [] }
        return work.queue.answer(answer, at: bearer.now)
    }

    /// The devices whose records have become durable get their data.
    mutating func sendDurableData() -> [RunOutput] {
        var outputs: [RunOutput] = [.queue(work.beginDurable(at: bearer.now))]
        for uuid in work.takeDurable() { outputs.append(.queue(work.queue.dataIsDurable(uuid, at: bearer.now))) }
        return outputs
    }

    // MARK: Servers

    /// Asks servers to scan while devices are missing; see ``RemoteServers``.
    ///
    /// - Parameters:
    ///   - mayAsk: whether there may be a link to a proxy.
    ///   - window: how many nodes the run may talk to.
    mutating func seekRemotely(mayAsk: Bool, window: Int, _ ledger: RunLedger) -> [RunOutput] {
        let patience = driver.scanError == nil ? work.options.provisioning.remoteAfter : .zero
        return servers.seek(
            for: &work.queue,
            &driver.client,
            connections: min(work.options.maximumConnections, bearer.maximumLinks),
            patience: mayAsk ? patience : nil,
            window: window,
            ledger,
            at: bearer.now
        )
    }

    /// Lets the client report what servers say that scan or have a link.
    func listenToServers() -> [MeshClient.Output] {
        servers.listen(&driver.client, for: work.queue, at: bearer.now)
    }

    /// A node is no longer a server, or does not answer.
    mutating func forgetServer(_ address: UnicastAddress) -> [RunOutput] {
        servers.search.remove(address)
        return servers.end(address, .silent, &work.queue, at: bearer.now)
    }

    /// A proxy link is ready: sends a server what was waiting for one.
    mutating func postUnsent(to server: UnicastAddress, _ ledger: RunLedger) -> [RunOutput] {
        guard let payload = servers.unsent(for: server) else { return [] }
        return servers.post(payload, to: server, &driver.client, ledger, at: bearer.now)
    }

    /// A server said something, which its link has already taken.
    mutating func hear(_ payload: [UInt8], from server: UnicastAddress) {
        servers.hear(server, payload, for: &work.queue, at: bearer.now)
    }

    /// The time to choose a server for devices that several hear has come.
    mutating func chooseServers() {
        servers.chooseServers(for: &work.queue, at: bearer.now)
    }

    // MARK: Ends

    /// The user wants no new messages.
    mutating func interrupt(_ ledger: inout RunLedger) -> [RunOutput] {
        work.interrupt(&ledger) + servers.endSeeking(ledger, at: bearer.now) + [.listenToServers]
    }

    /// Gives all links through nodes up, because no server can be told.
    mutating func abandonRemoteLinks() -> [RunOutput] { servers.abandonLinks(&work.queue, at: bearer.now) }

    /// The run ends: gives all devices up. Their links through nodes end with ``abandonRemoteLinks()``.
    mutating func shutDown(_ ledger: inout RunLedger) -> [RunOutput] {
        work.findingOut.endAll()
        return work.shutDown(&ledger)
    }
}
