import MeshCore

/// The links over which devices are provisioned, from the request to make one to its end.
struct ProvisioningLinks {
    private var devices: [ProvisioningLink: DeviceUUID] = [:]
    /// Servers that have a link, or are closing one.
    private var busyServers: Set<UnicastAddress> = []
    /// How many connections of the bearer were asked for and have not begun.
    private var startingCount = 0
    /// The number of links through nodes that are open or being made.
    private(set) var remoteCount = 0

    /// The number of the bearer's links that are open or being made.
    var directCount: Int { devices.count - remoteCount + startingCount }

    /// The number of links, without those of servers that were asked for and have not begun.
    var count: Int { devices.count + startingCount }

    /// The links that are open or being made, sorted.
    var sorted: [ProvisioningLink] { devices.keys.sorted() }

    var linkedDevices: some Sequence<DeviceUUID> { devices.values }

    /// The device at the other end of a link.
    subscript(link: ProvisioningLink) -> DeviceUUID? { devices[link] }

    /// Whether another server may make a link.
    func hasRoomForRemote(_ policy: ProvisioningAttempts) -> Bool { busyServers.count < policy.remoteSessions }

    /// Whether a path leads through a server that has no link.
    func isServerFree(_ path: ProvisioningPath) -> Bool {
        if case .remote(let server) = path { !busyServers.contains(server) } else { false }
    }

    mutating func ask(for path: ProvisioningPath) {
        switch path {
        case .direct: startingCount += 1
        case .remote(let server): busyServers.insert(server)
        }
    }

    /// A link that was asked for is no longer wanted.
    mutating func takeBack(_ path: ProvisioningPath) {
        switch path {
        case .direct: startingCount -= 1
        case .remote(let server): busyServers.remove(server)
        }
    }

    /// A link that was asked for is being made.
    mutating func connecting(_ uuid: DeviceUUID, over link: ProvisioningLink) {
        devices[link] = uuid
        switch link {
        case .bearer: startingCount -= 1
        case .remote: remoteCount += 1
        }
    }

    /// A link is closed. The server of a remote link takes no other before ``release(_:)``.
    mutating func close(_ link: ProvisioningLink) {
        if devices.removeValue(forKey: link) != nil, case .remote = link { remoteCount -= 1 }
    }

    /// A server no longer has a link and can open another.
    mutating func release(_ server: UnicastAddress) {
        busyServers.remove(server)
    }
}
