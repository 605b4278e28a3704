import Catalogue
import Execution
import MeshCore

/// One `watch`: shows what is heard, and counts it.
struct WatchSession {
    /// Finds targets and talks to the mesh.
    let operating: OperatingContext
    /// What is wanted of all that is heard.
    let selection: WatchSelection

    /// Listens until the limit or an interrupt.
    ///
    /// - Parameter limit: how long; nil for no limit.
    /// - Throws: ``Failure`` if it cannot begin; otherwise the errors of locking the database and of opening the route.
    func watch(for limit: Duration?) throws -> ExitStatus {
        let context = operating.conversation.context
        let network = operating.network
        let view = WatchView(operating, since: context.now())
        let models = operating.models
        let reader = WatchReader(
            network,
            catalogue: models.messages,
            states: StateCatalogue.states + models.vendorModels.flatMap(\.states)
        )
        let wish = selection.wish(in: network)
        var tally = WatchTally()
        let (elapsed, status) = try operating.execute { executor in
            executor.watch(wish, for: limit, while: { context.output.error == nil }) { event, elapsed in
                switch event {
                case .listening(let link): view.tell(link, wanting: wish)
                case .lost(let failure): view.tell(failure)
                case .message(let message):
                    let read = reader.read(message)
                    guard selection.wants(read) else { return }
                    tally.count(read.source, read.place)
                    view.tell(read, after: elapsed)
                case .heartbeat(let heartbeat, let message):
                    let read = reader.read(heartbeat, in: message)
                    guard selection.wants(read) else { return }
                    tally.count(read.source, read.place)
                    view.tell(read, after: elapsed)
                }
            }
        }
        view.finish(tally, after: elapsed)
        return status
    }
}

/// How much was heard.
struct WatchTally {
    /// Who sent it: the position of a node, or the address of a stranger.
    private enum Sender: Hashable {
        case node(Int)
        case stranger(UnicastAddress)
    }

    /// The number of messages and heartbeats.
    private(set) var messages = 0
    private var senders: Set<Sender> = []

    /// The number of nodes that sent something.
    var nodes: Int { senders.count }

    mutating func count(_ source: UnicastAddress, _ place: WatchedPlace?) {
        messages += 1
        senders.insert(place.map { .node($0.node) } ?? .stranger(source))
    }
}

extension OperatingContext {
    /// What is chosen by targets and a model.
    ///
    /// - Throws: ``Failure`` if a target is nothing of the network.
    func watchSelection(_ targets: [String], model: ModelIdentifier?) throws(Failure) -> WatchSelection {
        do throws(TargetError) {
            var parsed: [OperatingTarget] = []
            for target in targets { parsed.append(try OperatingTarget(target)) }
            return try WatchSelection(parsed, resolver, in: network, model: model)
        } catch {
            throw Failure(.usage, error.message.printable, hint: error.advice?.worded.printable)
        }
    }

    /// Lets an executor talk to the mesh until it ends by itself or is interrupted, while holding the lock.
    ///
    /// - Returns: how long it took on the clock of the route, and success unless something was in its way, which was
    ///   shown. An interrupt is the usual end.
    /// - Throws: the errors of locking the database and of opening the route.
    func execute(_ body: (Executor) -> Recap.Ending) throws -> (elapsed: Duration, status: ExitStatus) {
        let context = conversation.context
        guard let (database, _, _) = conversation.knowledge.database else {
            throw Failure(.failure, "there is no database here")
        }
        let lease = try Workspace(context: context).lock(database, for: operation)
        let access = try conversation.open()
        let begin = access.bearer.now
        let ending = body(conversation.executor(database, lease, access.bearer))
        let elapsed = begin.duration(to: access.bearer.now)
        if ending != .interrupted, let failure = Failure(ending: ending) {
            return (elapsed, FailureView(context).show(failure))
        }
        return (elapsed, access.simulation?.report(context) ?? .success)
    }
}
