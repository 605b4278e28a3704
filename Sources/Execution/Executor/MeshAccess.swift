import MeshCore
import Planning
import Store

/// The database and the bearer of an executor: its activities read and write the one, and talk over the other.
struct MeshAccess {
    let database: MeshDatabase
    let lease: WriteLease
    let bearer: any Bearer
    let options: ExecutionOptions
    let context: ExecutionContext
    /// The proxies of the network that the last activity heard.
    var heardProxies: HeardProxies?

    /// What the database knows. It is read only if something has changed since the last time.
    func snapshot() throws(ExecutionStop) -> Snapshot {
        try stopping { () throws(StoreError) in try database.snapshot(with: lease) }
    }

    /// Makes changes durable, if there are any.
    func commit(_ changes: StoreChanges) throws(ExecutionStop) {
        guard !changes.isEmpty else { return }
        _ = try stopping { () throws(StoreError) in try database.commit(changes, with: lease) }
    }

    /// A client without a link that speaks for our own node.
    ///
    /// - Throws: ``ExecutionStop`` if the database cannot be read, or lacks our own node or the required proxy.
    func client(of snapshot: Snapshot) throws(ExecutionStop) -> MeshClient {
        let ownNode = snapshot.network.nodes.first { $0.uuid == snapshot.network.ownProvisioner }
        guard let ownNode else { throw ExecutionStop(.refused(.noOwnNode)) }
        let sequenceNumbers = try stopping { () throws(StoreError) in
            try database.sequenceNumbers(with: lease)
        }
        var link = options.link
        if let name = options.proxy {
            link.proxy = name.proxy(in: snapshot.network)
            guard link.proxy != nil else { throw ExecutionStop(.linkFailed(name.unknown, hint: name.hint)) }
        }
        return MeshClient(
            address: ownNode.unicastAddress,
            ivIndex: snapshot.network.ivIndex,
            ivIndexCertainty: try certaintyOfIVIndex(in: snapshot),
            ivIndexTimes: timesOfIVIndex(in: snapshot.network),
            keys: KeyRing(snapshot.network),
            nodes: snapshot.network.nodes,
            sequenceNumbers: sequenceNumbers,
            replay: ReplayProtection(snapshot.replay),
            retryPolicy: options.retry,
            linkPolicy: link,
            heard: heardProxies,
            at: bearer.now
        )
    }

    /// A conversation with a node of a snapshot.
    ///
    /// - Throws: ``ExecutionStop`` if the database cannot be read, or lacks our own node or the required proxy.
    func conversation(with node: Node, of snapshot: Snapshot) throws(ExecutionStop) -> Conversation {
        Conversation(
            with: node.unicastAddress,
            bearer: bearer,
            client: try client(of: snapshot),
            interrupts: context.interrupts,
            store: { store($0, isCorrection: $1) }
        )
    }
}

/// What runs know of the IV index, and how it is stored for later runs.
extension MeshAccess {
    /// When the IV index was reached and last recovered, on the bearer's clock.
    func timesOfIVIndex(in network: MeshNetwork) -> IVIndexMonitor.Times {
        IVIndexMonitor.Times(
            changedAt: instant(of: network.ivIndexChangedAt),
            recoveredAt: instant(of: network.ivIndexRecoveredAt)
        )
    }

    /// How certain the IV index of the database is. One that was stated counts as used once our address has sent a
    /// message under any: sequence numbers never go back.
    func certaintyOfIVIndex(in snapshot: Snapshot) throws(ExecutionStop) -> IVIndexMonitor.Certainty {
        guard snapshot.isIVIndexKnown else { return .supposed }
        let network = snapshot.network
        guard network.ivIndexStatedAt != nil else { return .known }
        guard let own = network.nodes.first(where: { $0.uuid == network.ownProvisioner }) else {
            return .stated(isUsed: false)
        }
        let reserved = try stopping { () throws(StoreError) in try database.reservation(of: own.unicastAddress) }
        return .stated(isUsed: reserved != nil)
    }

    /// A time of the calendar on the bearer's clock. A time in the future, after the clock was set back, counts as now,
    /// so that the time limits still hold.
    private func instant(of time: Timestamp?) -> Instant? {
        guard let time else { return nil }
        let (age, overflow) = context.now().rawValue.subtractingReportingOverflow(time.rawValue)
        let longAgo = Int64(UInt32.max)
        return bearer.now.advanced(by: .seconds(-(overflow ? longAgo : min(max(age, 0), longAgo))))
    }

    /// Makes an IV index durable that a beacon has brought, before anything is sent under it. After a crash the run
    /// must not begin again under the previous one.
    ///
    /// - Parameter isCorrection: whether it corrects one that was only supposed or stated; nil to take this from the
    ///   database.
    /// - Returns: why that failed; nil if it succeeded.
    func store(_ ivIndex: IVIndex, isCorrection: Bool? = nil) -> Recap.Ending? {
        do throws(ExecutionStop) {
            let snapshot = try snapshot()
            let certainty = try certaintyOfIVIndex(in: snapshot)
            let isOpen = certainty == .supposed || certainty == .stated(isUsed: false)
            var network = snapshot.network
            guard isOpen || ivIndex.value >= network.ivIndex.value else { return nil }
            network.record(ivIndex, isCorrection: isCorrection ?? isOpen, at: context.now())
            guard network != snapshot.network else { return nil }
            var changes = StoreChanges()
            changes.network = network
            try commit(changes)
            return nil
        } catch {
            return error.ending
        }
    }
}
