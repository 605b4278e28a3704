internal import MeshCore

/// One link of a ``BluetoothCentral``.
struct CentralLink: Sendable {
    enum Phase: Hashable, Sendable {
        /// Any proxy will do, and none was heard yet.
        case searching(deadline: Instant)
        /// It is known whom to connect to; others are first.
        case waiting
        /// The kernel connects.
        case connecting(deadline: Instant)
        /// The connection is there; its client finds the service, or carries packets.
        case connected
    }

    let identifier: LinkIdentifier
    var address: BluetoothAddress?
    var phase: Phase
    var client: GATTClient
    /// The controller's number for the connection.
    var handle: UInt16?
    /// The same, if the connection was made for this link.
    var ownHandle: UInt16?
    /// Why the connection ended or did not come about, as the controller has said.
    var reason: HCIErrorCode?
    /// When it was asked for.
    private let asked: Instant
    /// When its turn came and scanning was paused, so that the kernel began to connect.
    var begun: Instant?

    init(
        _ identifier: LinkIdentifier,
        _ service: MeshService,
        _ address: BluetoothAddress?,
        at now: Instant,
        timing: CentralTiming
    ) {
        self.identifier = identifier
        self.address = address
        asked = now
        phase = address == nil ? .searching(deadline: now.advanced(by: timing.search)) : .waiting
        client = GATTClient(service: service, timing: timing.client)
    }

    var isSearching: Bool { if case .searching = phase { true } else { false } }
    var isConnecting: Bool { if case .connecting = phase { true } else { false } }
    var isConnected: Bool { phase == .connected }

    /// How long its stages took, nil before it is open.
    var times: GATTTimes? {
        let stages = client.stages
        guard let begun, let connected = stages.connected, let mtuExchanged = stages.mtuExchanged,
            let discovered = stages.discovered, let subscribed = stages.subscribed
        else { return nil }
        return GATTTimes(
            wait: asked.duration(to: begun),
            connection: begun.duration(to: connected),
            mtuExchange: connected.duration(to: mtuExchanged),
            discovery: mtuExchanged.duration(to: discovered),
            subscription: discovered.duration(to: subscribed)
        )
    }

    var nextDeadline: Instant? {
        switch phase {
        case .searching(let deadline), .connecting(let deadline): deadline
        case .waiting: nil
        case .connected: client.nextDeadline
        }
    }
}

/// How long a ``BluetoothCentral`` waits.
package struct CentralTiming: Hashable, Sendable {
    /// How long a connection may take to come about; the kernel gives up after 20 s.
    package var connect: Duration
    /// How long is listened for any proxy at all.
    package var search: Duration
    /// How long ago a proxy may have been heard to be connected to.
    package var freshness: Duration
    /// How long a proxy that could not be connected to is passed over.
    package var failureMemory: Duration
    /// How long the kernel may keep a connection that was closed.
    package var lingering: Duration
    /// How long the client of a link waits.
    package var client: GATTTiming

    /// Those times.
    package init(
        connect: Duration = .seconds(15),
        search: Duration = .seconds(10),
        freshness: Duration = .seconds(3),
        failureMemory: Duration = .seconds(10),
        lingering: Duration = .seconds(3),
        client: GATTTiming = GATTTiming()
    ) {
        self.connect = connect
        self.search = search
        self.freshness = freshness
        self.failureMemory = failureMemory
        self.lingering = lingering
        self.client = client
    }
}

/// The proxies that were heard lately, whatever their network.
struct HeardProxies: Sendable {
    private struct Entry {
        var signal: Int8
        var at: Instant
    }

    /// The most that are remembered; whoever comes then takes the place of the one heard longest ago.
    static let capacity = 256

    private var entries: [BluetoothAddress: Entry] = [:]
    private var failures: [BluetoothAddress: Instant] = [:]

    /// Notes who was heard; a signal that is not known counts as weaker than all.
    mutating func heard(_ address: BluetoothAddress, _ signal: Int8?, at now: Instant) {
        if entries[address] == nil, entries.count >= HeardProxies.capacity {
            let oldest = entries.min { ($0.value.at, $0.key.octets[0]) < ($1.value.at, $1.key.octets[0]) }
            if let oldest { entries[oldest.key] = nil }
        }
        entries[address] = Entry(signal: signal ?? .min, at: now)
    }

    /// Passes a proxy over until then.
    mutating func failed(_ address: BluetoothAddress, until: Instant) {
        if failures.count >= HeardProxies.capacity { failures = [:] }
        failures[address] = until
    }

    /// The one with the strongest signal; among equals that with the least address.
    func strongest(
        besides used: Set<BluetoothAddress>,
        since now: Instant,
        within freshness: Duration
    ) -> BluetoothAddress? {
        entries.filter { address, entry in
            now <= entry.at.advanced(by: freshness) && !used.contains(address)
                && failures[address].map { $0 <= now } ?? true
        }
        .min { left, right in
            if left.value.signal != right.value.signal { return left.value.signal > right.value.signal }
            return left.key.octets.lexicographicallyPrecedes(right.key.octets)
        }?
        .key
    }
}
