import MeshCore

/// The requests of a run: those that wait for the next commit, and those that nobody has answered yet. A value without
/// input or output.
struct RequestTable {
    /// Those that are sent after the next commit.
    private var unsent: [Job] = []
    /// Those that were handed to the client.
    private var open: [RequestIdentifier: Job] = [:]

    var isEmpty: Bool { open.isEmpty && unsent.isEmpty }

    /// Whether no request waits for the next commit.
    var hasNothingToSend: Bool { unsent.isEmpty }

    var count: Int { open.count + unsent.count }

    /// The requests that were handed to the client, in no order.
    var openJobs: some Collection<Job> { open.values }

    /// The nodes with a request that was handed to the client, the oldest first.
    var askedNodes: [DeviceUUID] { open.keys.sorted().compactMap { open[$0]?.node } }

    subscript(identifier: RequestIdentifier) -> Job? { open[identifier] }

    /// How many requests there are to nodes that are not meant.
    func count(besides matches: (DeviceUUID) -> Bool) -> Int {
        open.values.count { !matches($0.node) } + unsent.count { !matches($0.node) }
    }

    /// Adds a request that is sent after the next commit.
    mutating func add(_ job: Job) {
        unsent.append(job)
    }

    /// Takes the requests that are to be sent now.
    mutating func takeUnsent() -> [Job] { unsent.drained() }

    /// A request was handed to the client, or has changed since.
    mutating func set(_ job: Job, as identifier: RequestIdentifier) {
        open[identifier] = job
    }

    /// An open request has ended.
    mutating func close(_ identifier: RequestIdentifier) -> Job? { open.removeValue(forKey: identifier) }

    /// Gives up the open requests that are meant. Returns them in the order in which they were sent.
    mutating func closeAll(where matches: (Job) -> Bool) -> [Job] {
        guard open.values.contains(where: matches) else { return [] }
        let identifiers = open.filter { matches($0.value) }.keys.sorted()
        return identifiers.compactMap { open.removeValue(forKey: $0) }
    }

    /// Gives up all requests that are meant. Returns the open ones in the order in which they were sent.
    mutating func withdraw(where matches: (Job) -> Bool) -> [Job] {
        unsent.removeAll(where: matches)
        return closeAll(where: matches)
    }
}
