import MeshCore
import Planning
import Store

/// Joins the parts of a run: carries out what each of them wants, and hands each of them what concerns it.
///
/// The parts are values that know nothing of each other. They take what they need, keep the books in the ``RunLedger``,
/// and return what they want done as ``RunOutput``. When something happens is decided by the ``ExecutionRun``.
final class RunSwitchboard {
    let driver: ClientDriver
    let options: ExecutionOptions
    let context: ExecutionContext
    /// What all parts read and write.
    var ledger: RunLedger
    var requests = RequestTable()
    var window: SendWindow

    // MARK: The parts

    /// Edits of the database and changes of nodes.
    var steps: StepWork
    /// What nodes have told so far during their read-back.
    var readBacks = ReadBackWork()
    /// Nodes that have answered a Node Reset and are looked for.
    var resets = ResetWatches()
    var growth: PlanGrowth
    /// Steps that must not start before others are there.
    var wayBack: WayBack
    /// In-doubt requests of earlier runs.
    var doubts: DoubtWork
    /// Devices that are to become nodes, or may be nodes, and the nodes that carry their sessions.
    var devices: DeviceDriver
    /// Nodes that have links of their own.
    var links = LinkShare()

    // MARK: What the run counts and minds

    var recap = Recap()
    /// Why the run ends before everything is done.
    var stop: Recap.Ending?
    /// Why the client has no link and looks for none, while devices are still being provisioned.
    var linkFailure: LinkFailure?
    private var announcedProgress = 0

    init(
        driver: ClientDriver,
        options: ExecutionOptions,
        context: ExecutionContext,
        ledger: RunLedger,
        doubts: DoubtWork,
        wayBack: WayBack,
        changeCount: Int
    ) {
        self.driver = driver
        self.options = options
        self.context = context
        self.ledger = ledger
        self.doubts = doubts
        self.wayBack = wayBack
        window = SendWindow(initial: options.initialWindow, maximum: options.maximumWindow)
        steps = StepWork(maximumRounds: options.retry.maximumRounds)
        growth = PlanGrowth(of: ledger.steps, changeCount: changeCount)
        devices = DeviceDriver(DeviceWork(options: options), over: driver, context)
        recap.total = ledger.steps.count
    }

    /// The time on the bearer's clock.
    var now: Instant { driver.bearer.now }

    /// By which routes devices may be reached at present.
    var routes: DeviceRoutes { devices.routes(mayBeLinked: linkFailure == nil) }

    // MARK: Outputs

    /// Carries out what a part of the run wants, and what follows from it, in order.
    func carryOut(_ outputs: [RunOutput]) {
        for output in outputs { carryOut(output) }
    }

    private func carryOut(_ output: RunOutput) {
        switch output {
        case .ask(let job): requests.add(job)
        case .withdraw(let address, let matches): withdraw(from: address, matches)
        case .posted(let outputs):
            recap.messagesSent += 1
            perform(outputs)
        case .client(let outputs): perform(outputs)
        case .changed(let uuid): if let node = ledger.network.node(uuid) { driver.client.set(node) }
        case .keys(let netKeys, let appKeys):
            for key in netKeys { driver.client.set(key) }
            for key in appKeys { driver.client.set(key) }
        case .removed(let address):
            driver.client.remove(node: address)
            carryOut(devices.forgetServer(address))
        case .composed(let uuid): devices.servers.consider(uuid, ledger, at: now)
        case .suspend(let uuid): suspend(uuid)
        case .watchReset(let request):
            carryOut(resets.watch(request, canScan: driver.scanError == nil, &ledger, at: now))
        case .start(let step): start(step)
        case .queue(let outputs): carryOut(outputs)
        case .remote(let actions, through: let server):
            for action in actions { carryOut(devices.carryOut(action, through: server, ledger)) }
        case .listenToServers: perform(devices.listenToServers())
        case .endFindingOut(let uuid): carryOut(devices.work.endFindingOut(uuid, ledger))
        case .tryKey(let key, of: let pending): driver.client.set(pending, deviceKey: key)
        case .replaced(let uuid): doubts.skip(of: uuid, &ledger)
        case .advertises(let uuid):
            if !devices.servers.reaches(uuid) { links.awaitLink(to: uuid, &ledger, driver.client, at: now) }
        case .emit(let event): context.emit(event)
        case .stop(let ending): stop = stop ?? ending
        }
    }

    /// Carries out what the provisioning queue wants, and what follows from it, in order.
    func carryOut(_ outputs: [ProvisioningQueue.Output]) {
        for output in outputs { carryOut(devices.carryOut(output, &ledger, mayBeLinked: linkFailure == nil)) }
    }

    /// Carries out the client's outputs and what follows from them, in order.
    func perform(_ outputs: [MeshClient.Output]) {
        driver.perform(outputs, storing: store) { take($0) }
    }

    // MARK: Events of the client

    private func take(_ event: ClientDriver.Event) {
        switch event {
        case .listening:
            guard !driver.client.isLinkReady else { break }
            context.emit(.seekingProxy(forIVIndex: !driver.client.isIVIndexKnown))
        case .connecting(let target):
            guard !driver.client.isLinkReady else { break }
            let expected = driver.client.expectation(of: target)
            context.emit(.connecting(expected.node, signal: expected.signal))
        case .linkUp(let proxy, let times):
            linkFailure = nil
            links.measure(times)
            if let proxy { reached(proxy) }
            postUnsent()
            context.emit(.linkUp(proxy: proxy, isDirect: false, times))
        case .directLinkUp(let node, let times):
            recap.directLinks += 1
            links.linkUp(to: node, times, &ledger)
            reached(node)
            postUnsent()
            context.emit(.linkUp(proxy: node, isDirect: true, times))
        case .directLinkDown(let node, let failure): links.linkDown(to: node, hasFailed: failure != nil, &ledger)
        case .linkDown(let failure, let delay):
            context.emit(.linkDown(reason: failure.reason, retryIn: delay))
            // Devices that are still being provisioned may be the missing proxies.
            if delay == nil { linkFailure = failure }
        case .sent(let identifier, let transmissions): countSent(identifier, transmissions)
        case .answered(let identifier, let verdict, let transmissions):
            guard let job = requests.close(identifier) else { break }
            if let address = ledger.network.node(job.node)?.unicastAddress,
                let ttl = driver.client.arrivedTTLs[address], !driver.client.isDirect(to: address)
            {
                ledger.measure(job.node, by: ttl, after: job.action)
            }
            // Links for one node alone say nothing about the capacity of the mesh.
            if !links.isLinked(job.node) { window.answered(attempts: transmissions) }
            settle(job, verdict)
        case .unanswered(let identifier): if let job = requests.close(identifier) { settleUnanswered(job) }
        case .unreachable(let identifier, let failure):
            if let job = requests.close(identifier) { settle(job, unreachable: failure) }
        case .unsendable(let identifier, let error):
            if let job = requests.close(identifier) { settle(job, unsendable: error) }
        case .said(let server, let payload):
            let actions = devices.servers.receive(payload, from: server, at: now)
            carryOut([.remote(actions, through: server)])
            devices.hear(payload, from: server)
        case .quirk(let identifier, let quirk): if let job = requests[identifier] { ledger.meet(quirk, of: job.node) }
        case .ivIndexStored, .watch: break
        case .keyRefreshPhaseChanged(let index, let phase): ledger.network.record(phase, of: index)
        case .stopped(let ending): stop = stop ?? ending
        }
    }

    /// A proxy link is ready: sends servers what was waiting for one.
    private func postUnsent() {
        for (server, _) in devices.servers.waiting { carryOut(devices.postUnsent(to: server, ledger)) }
    }

    // MARK: Events of the bearer

    /// Hands an event to those it concerns.
    func take(_ event: BearerEvent) {
        if let outputs = devices.take(event) { return carryOut(outputs) }
        if case .heard(let advertisement) = event { hear(advertisement) }
        perform(driver.client.handle(event, at: now))
    }

    private func hear(_ advertisement: Advertisement) {
        switch advertisement.content {
        case .unprovisioned(let device, uriHash: _):
            if devices.work.queue.heard(device.uuid, as: .direct(advertisement.advertiser)) { return }
            carryOut(devices.work.endFindingOut(device.uuid, ledger))
            heardReset(device.uuid)
        case .proxy:
            let isFindingOut = !devices.work.findingOut.isEmpty
            guard isFindingOut || wayBack.isListening, let identity = driver.client.resolve(advertisement) else {
                return
            }
            if isFindingOut { devices.work.heardProxy(identity, ledger) }
            if case .node(let address, _) = identity { reached(address) }
        }
    }

    /// A node was heard advertising itself, or is at the other end of a link.
    private func reached(_ address: UnicastAddress) {
        guard let node = ledger.network.nodes.first(where: { $0.unicastAddress == address }) else { return }
        wayBack.reached(node.uuid)
    }

    /// A device advertises as unprovisioned: a reset that was sent has taken effect.
    private func heardReset(_ uuid: DeviceUUID) {
        if resets.isWatching(uuid) { return carryOut(resets.end(uuid, .unprovisioned, &ledger)) }
        guard let address = ledger.network.node(uuid)?.unicastAddress else { return }
        for job in requests.closeAll(where: { $0.node == uuid && $0.mayHaveReset }) {
            perform(driver.client.cancel(address, at: now))
            settle(job, .holds(.resetNode))
            carryOut(resets.end(uuid, .unprovisioned, &ledger))
        }
    }

    // MARK: Making durable

    /// Makes everything durable and announces what has become durable.
    func commit(isLast: Bool = false) throws(ExecutionStop) {
        do throws(StoreError) {
            try ledger.commit(&driver.client, isLast: isLast)
        } catch {
            throw ExecutionStop(.storeFailed(error.description))
        }
        for event in ledger.takeAnnouncements() {
            recap.count(event, names: ledger.network)
            context.emit(event)
        }
        let decided = ledger.schedule.decidedCount
        if decided != announcedProgress {
            announcedProgress = decided
            context.emit(.progress(decided: decided, total: ledger.steps.count))
        }
    }

    /// Makes everything durable before the turn is over; false if that ends the run.
    func commitEarly() -> Bool {
        do throws(ExecutionStop) {
            try commit()
            return true
        } catch {
            stop = error.ending
            return false
        }
    }

    /// Makes an IV index durable; returns why that failed.
    private func store(_ ivIndex: IVIndex, isCorrection: Bool) -> Recap.Ending? {
        ledger.network.record(ivIndex, isCorrection: isCorrection, at: ledger.now)
        return commitEarly() ? nil : stop
    }
}
