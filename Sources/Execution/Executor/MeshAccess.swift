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
    ///
    /// - Throws: ``ExecutionStop`` if it cannot be read.
    func snapshot() throws(ExecutionStop) -> Snapshot {
        try stopping { () throws(StoreError) in try database.snapshot(with: lease) }
    }

    /// Makes changes durable, if there are any.
    ///
    /// - Throws: ``ExecutionStop`` if the database cannot be written.
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
