import MeshCore
import Planning

/// Which devices get a link, and which were heard by nobody.
extension ProvisioningQueue {
    /// Asks for connections of the bearer as long as `limit` links allow. Devices that need the person come first when
    /// the person is free.
    mutating func start(limit: Int, at now: Instant) -> [Output] {
        var outputs: [Output] = []
        while linkCount < limit, let uuid = turns.takeDirect(of: devices) {
            outputs.append(.progress(uuid, .connecting))
            outputs += start(uuid)
        }
        return outputs
    }

    /// Asks for links of Remote Provisioning Servers: at most one for each server, and no more than the policy allows
    /// in total.
    mutating func startRemote(at now: Instant) -> [Output] {
        var outputs: [Output] = []
        if links.hasRoomForRemote(policy), let uuid = turns.takeForPerson(of: devices, where: links.isServerFree) {
            outputs += start(uuid)
        }
        for server in turns.servers where links.hasRoomForRemote(policy) && links.isServerFree(.remote(server)) {
            if let uuid = turns.takeRemote(at: server, of: devices) { outputs += start(uuid) }
        }
        return outputs
    }

    /// Whether a device waits for a connection of the bearer.
    mutating func isDirectWaiting() -> Bool {
        guard let uuid = turns.takeDirect(of: devices), let entry = devices[uuid] else { return false }
        turns.putBack(entry)
        return true
    }

    private mutating func start(_ uuid: DeviceUUID) -> [Output] {
        guard let entry = devices[uuid], let path = entry.path else { return [] }
        if entry.needsPerson { turns.personHolder = uuid }
        devices[uuid]?.state = .starting(path)
        links.ask(for: path)
        devices.setTimer(nil, of: uuid)
        return [.connect(uuid, path)]
    }

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
        devices.listeners(after: patience, at: now)
    }

    /// Whether a node may reach a device of the queue.
    func isWanted(_ uuid: DeviceUUID, through node: DeviceUUID) -> Bool {
        devices.isWanted(uuid, through: node)
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
        devices.missing(from: place, through: node, after: patience, at: now)
    }

    /// Since when a device is in the queue.
    func arrival(of uuid: DeviceUUID) -> Instant? { devices[uuid]?.since }
}
