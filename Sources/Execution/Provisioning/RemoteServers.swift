import MeshCore

/// The Remote Provisioning Servers of a run: who listens, what each is being asked, and the links that they have to devices
/// (PB-Remote, Mesh Protocol 1.1, 5.2.3). A value without input or output.
struct RemoteServers {
    private struct Carrier {
        /// The device.
        let device: DeviceUUID
        /// The node that has the server.
        let node: DeviceUUID
        var link: RemoteProvisioningLink
        /// Whether the queue has no use for it any more.
        var isHungUp = false
        /// What could not be sent because no proxy link was ready.
        var unsent: [UInt8]?
    }

    /// For how long a server may try to open a link to a device, in seconds: the most there is, for bluetooth-meshd forgets
    /// the link when that time is over, although it is open. What is waited for is less.
    private static let openingTime: UInt8 = 60
    /// How often servers are looked after.
    private static let interval: Duration = .milliseconds(250)

    /// Nodes that listen for devices.
    var search = RemoteSearch()
    /// What they are being asked.
    private var requests: [DeviceUUID: RequestIdentifier] = [:]
    /// The links of servers to devices, those included that are being closed.
    private var carriers: [UnicastAddress: Carrier] = [:]
    /// When that was last looked after.
    private var lookedAfterAt = Instant.zero
    /// When it was last looked at what servers have told.
    private var heardAt = Instant.zero

    // MARK: Time

    /// Whether it is time to look after the servers; if so, the next time is later.
    mutating func isDue(at now: Instant) -> Bool {
        guard lookedAfterAt.advanced(by: Self.interval) <= now else { return false }
        lookedAfterAt = now
        return true
    }

    /// When links or reports want to be looked at; nil if never.
    ///
    /// - Parameter isSeeking: whether devices are looked for.
    func deadline(isSeeking: Bool) -> Instant? {
        var earliest = isSeeking && !search.isEmpty ? heardAt.advanced(by: Self.interval) : nil
        for carrier in carriers.values {
            guard let deadline = carrier.link.nextDeadline else { continue }
            earliest = earliest.map { min($0, deadline) } ?? deadline
        }
        return earliest
    }

    /// What servers have told is looked at.
    mutating func hears(at now: Instant) {
        heardAt = now
    }

    // MARK: Requests

    /// How many servers are being asked something.
    var requestCount: Int { requests.count }

    /// The nodes that are being asked something as servers, sorted.
    var asked: [DeviceUUID] { requests.keys.sorted() }

    /// Whether a node is being asked something as a server.
    func isAsking(_ node: DeviceUUID) -> Bool { requests[node] != nil }

    /// A node is being asked something as a server.
    mutating func ask(_ node: DeviceUUID, _ request: RequestIdentifier) {
        requests[node] = request
    }

    /// A node is not being asked any more; the request, if there was one.
    mutating func endRequest(of node: DeviceUUID) -> RequestIdentifier? { requests.removeValue(forKey: node) }

    // MARK: Links

    /// Whether no server has a link.
    var hasNoLink: Bool { carriers.isEmpty }

    /// The servers that have a link, sorted.
    var linked: [UnicastAddress] { carriers.keys.sorted() }

    /// Whether a server has a link, one included that is being closed.
    func hasLink(_ server: UnicastAddress) -> Bool { carriers[server] != nil }

    /// Whether the queue has use for the link of a server.
    func isOpen(_ server: UnicastAddress) -> Bool { carriers[server]?.isHungUp == false }

    /// Whether a server has a link to a device.
    func reaches(_ device: DeviceUUID) -> Bool { carriers.values.contains { $0.device == device } }

    /// The node whose server has a link.
    func node(of server: UnicastAddress) -> DeviceUUID? { carriers[server]?.node }

    /// Has a server open a link to a device.
    mutating func open(
        _ device: DeviceUUID,
        through server: UnicastAddress,
        of node: DeviceUUID,
        at now: Instant
    ) -> [RemoteProvisioningLink.Action] {
        var link = RemoteProvisioningLink(target: .device(device, timeout: Self.openingTime))
        let actions = link.open(at: now)
        carriers[server] = Carrier(device: device, node: node, link: link)
        return actions
    }

    /// The queue has no use for a link any more; its server is told until it says so itself, or is silent for long.
    mutating func hangUp(
        _ server: UnicastAddress,
        isCompleted: Bool,
        at now: Instant
    ) -> [RemoteProvisioningLink.Action] {
        carriers[server]?.isHungUp = true
        return carriers[server]?.link.close(isCompleted ? .success : .fail, at: now) ?? []
    }

    /// Sends a device something.
    mutating func send(
        _ pdu: [UInt8],
        through server: UnicastAddress,
        at now: Instant
    ) -> [RemoteProvisioningLink.Action] {
        carriers[server]?.link.send(pdu, at: now) ?? []
    }

    /// A server says something.
    mutating func receive(
        _ payload: [UInt8],
        from server: UnicastAddress,
        at now: Instant
    ) -> [RemoteProvisioningLink.Action] {
        carriers[server]?.link.receive(payload, at: now) ?? []
    }

    /// Time has passed for the link of a server.
    mutating func advance(_ server: UnicastAddress, to now: Instant) -> [RemoteProvisioningLink.Action] {
        carriers[server]?.link.advance(to: now) ?? []
    }

    /// A server has no link any more: the device, and whether the queue had use for the link; nil if it had none.
    mutating func end(_ server: UnicastAddress) -> (device: DeviceUUID, wasInUse: Bool)? {
        carriers.removeValue(forKey: server).map { ($0.device, !$0.isHungUp) }
    }

    // MARK: What waits for a proxy link

    /// The servers for which something waits, sorted, each with its node.
    var waiting: [(server: UnicastAddress, node: DeviceUUID)] {
        carriers.filter { $0.value.unsent != nil }.map { ($0.key, $0.value.node) }.sorted { $0.0 < $1.0 }
    }

    /// Something for a server could not be sent; it takes the place of what waited before.
    mutating func hold(_ payload: [UInt8]?, for server: UnicastAddress) {
        carriers[server]?.unsent = payload
    }

    /// What waits for a server.
    func unsent(for server: UnicastAddress) -> [UInt8]? { carriers[server]?.unsent }
}
