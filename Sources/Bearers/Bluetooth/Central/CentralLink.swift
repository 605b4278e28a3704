import MeshCore

/// One link of a ``BluetoothCentral``.
struct CentralLink: Sendable {
    enum Phase: Hashable, Sendable {
        /// Any proxy will do; none has been heard yet.
        case searching(deadline: Instant)
        /// The device is known; other links go first.
        case waiting
        case connecting(deadline: Instant)
        /// The connection is established; its client finds the service or carries packets.
        case connected
    }

    let identifier: LinkIdentifier
    var address: BluetoothAddress?
    var phase: Phase
    var client: GATTClient
    /// The controller's handle for the connection.
    var handle: UInt16?
    /// The same handle, if the connection was made for this link.
    var ownHandle: UInt16?
    /// Why the connection ended or failed, as the controller reported it.
    var reason: HCIErrorCode?
    private let asked: Instant
    /// When its turn came: scanning paused, and the kernel began to connect.
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

    /// How long its stages took; nil before the link is open.
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
    /// How long a connection may take to be established; the kernel gives up after 20 s.
    package var connect: Duration = .seconds(15)
    /// How long to search for any proxy.
    package var search: Duration = .seconds(10)
    /// How recently a proxy must have been heard to be connected to.
    package var freshness: Duration = .seconds(3)
    /// How long to pass over a proxy that could not be connected to.
    package var failureMemory: Duration = .seconds(10)
    /// How long the kernel may keep a closed connection.
    package var lingering: Duration = .seconds(3)
    /// How long the client of a link waits.
    package var client: GATTTiming = GATTTiming()
}

/// The proxies heard lately, of any network.
struct HeardProxies: Sendable {
    private struct Entry {
        var signal: Int8
        var at: Instant
    }

    /// The most proxies that are remembered. A new one replaces the one that was heard longest ago.
    static let capacity = 256

    private var entries: [BluetoothAddress: Entry] = [:]
    private var failures: [BluetoothAddress: Instant] = [:]

    /// Records a proxy that was heard. An unknown signal counts as weaker than any known one.
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

    /// The proxy with the strongest signal; of equals, the one with the smallest address.
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
