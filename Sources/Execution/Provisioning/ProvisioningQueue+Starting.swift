internal import DefinitionModel
import MeshCore
import Planning

/// Which devices get a link, and which were heard by nobody.
extension ProvisioningQueue {
    /// Asks for connections of the bearer as long as `limit` links allow. Devices that need the person come first when
    /// the person is free.
    mutating func start(limit: Int, at now: Instant) -> [Output] {
        var outputs: [Output] = []
        while linkCount < limit, let uuid = nextDirect() {
            outputs.append(.progress(uuid, .connecting))
            outputs += start(uuid, at: now)
        }
        return outputs
    }

    /// Asks for links of Remote Provisioning Servers: at most one for each server, and no more than the policy allows
    /// in total.
    mutating func startRemote(at now: Instant) -> [Output] {
        var outputs: [Output] = []
        let busy = busyServers
        let isFree: (ProvisioningPath) -> Bool = { path in
            if case .remote(let server) = path { !busy.contains(server) } else { false }
        }
        if isRoomForRemote, let uuid = nextForPerson(where: isFree) { outputs += start(uuid, at: now) }
        for server in remoteReady.keys.sorted() where isRoomForRemote && !busyServers.contains(server) {
            if let uuid = nextRemote(at: server) { outputs += start(uuid, at: now) }
        }
        return outputs
    }

    /// Whether a device waits for a connection of the bearer.
    mutating func isDirectWaiting() -> Bool {
        guard let uuid = nextDirect(), let entry = entries[uuid] else { return false }
        if entry.needsPerson { waitingForPerson.insert(entry.place) } else { ready.insert(entry.place) }
        return true
    }

    private var isRoomForRemote: Bool { busyServers.count < policy.remoteSessions }

    private mutating func start(_ uuid: DeviceUUID, at now: Instant) -> [Output] {
        guard let entry = entries[uuid], let path = entry.path else { return [] }
        if entry.needsPerson { personHolder = uuid }
        entries[uuid]?.state = .starting(path)
        switch path {
        case .direct: startingCount += 1
        case .remote(let server): busyServers.insert(server)
        }
        setTimer(nil, of: uuid)
        return [.connect(uuid, path)]
    }

    private mutating func nextDirect() -> DeviceUUID? {
        let isDirect: (ProvisioningPath) -> Bool = { if case .direct = $0 { true } else { false } }
        if let uuid = nextForPerson(where: isDirect) { return uuid }
        while let place = ready.popMinimum() {
            if case .ready? = entries[arrivals[place]]?.state { return arrivals[place] }
        }
        return nil
    }

    private mutating func nextRemote(at server: UnicastAddress) -> DeviceUUID? {
        while let place = remoteReady[server]?.popMinimum() {
            guard let entry = entries[arrivals[place]], case .ready = entry.state, entry.path == .remote(server) else {
                continue
            }
            return arrivals[place]
        }
        remoteReady[server] = nil
        return nil
    }

    /// The first of the devices that wait for the person, if the person is free and the device's path is available.
    private mutating func nextForPerson(where isUsable: (ProvisioningPath) -> Bool) -> DeviceUUID? {
        guard personHolder == nil else { return nil }
        while let place = waitingForPerson.popMinimum() {
            guard let entry = entries[arrivals[place]], case .waitingForPerson = entry.state else { continue }
            if let path = entry.path, isUsable(path) { return arrivals[place] }
            waitingForPerson.insert(place)
            return nil
        }
        return nil
    }

    // MARK: Those who are missing

    /// Which nodes are to listen for devices.
    enum Listeners: Hashable {
        /// All nodes.
        case all
        /// Only these nodes, possibly none: no other node may reach a missing device.
        case some(Set<DeviceUUID>)

        /// Whether a node is one of them.
        func contains(_ node: DeviceUUID) -> Bool {
            switch self {
            case .all: true
            case .some(let nodes): nodes.contains(node)
            }
        }
    }

    /// Which nodes are to listen for missing devices.
    ///
    /// - Parameter patience: how long the bearer alone listens for the devices that it may reach.
    func listeners(after patience: Duration, at now: Instant) -> Listeners {
        var nodes: Set<DeviceUUID> = []
        for entry in entries.values where entry.isMissing(for: patience, at: now) {
            guard let node = entry.order.route.server else { return .all }
            nodes.insert(node)
        }
        return .some(nodes)
    }

    /// Whether a node may reach a device of the queue.
    func isWanted(_ uuid: DeviceUUID, through node: DeviceUUID) -> Bool {
        entries[uuid]?.mayGo(through: node) ?? false
    }

    /// The next missing device that a node may reach, in the order of arrival.
    ///
    /// - Parameter place: where to begin; 0 for the first device.
    /// - Returns: the device, and where to continue; nil if there is none up to the end.
    func missing(
        from place: Int,
        through node: DeviceUUID,
        after patience: Duration,
        at now: Instant
    ) -> (uuid: DeviceUUID, next: Int)? {
        guard place < arrivals.count else { return nil }
        for place in place..<arrivals.count {
            guard let entry = entries[arrivals[place]], entry.place == place, entry.mayGo(through: node),
                entry.isMissing(for: patience, at: now)
            else { continue }
            return (arrivals[place], place + 1)
        }
        return nil
    }

    /// Since when a device is in the queue.
    func arrival(of uuid: DeviceUUID) -> Instant? { entries[uuid]?.since }
}
