import MeshCore

/// The Remote Provisioning Servers of a run: which listen, what each is being asked, and their links to devices
/// (PB-Remote, Mesh Protocol 1.1, 5.2.3). A value without input or output.
struct RemoteServers {
    private struct Carrier {
        let device: DeviceUUID
        let node: DeviceUUID
        var link: RemoteProvisioningLink
        /// Whether the queue no longer needs it.
        var isHungUp = false
        /// A message that could not be sent because no proxy link was ready.
        var unsent: [UInt8]?
    }

    /// For how many seconds a server may try to open a link to a device. This is the maximum, because bluetooth-meshd
    /// forgets the link after that time even if it is open. The run itself waits for less.
    private static let openingTime: UInt8 = 60
    /// How often to attend to the servers.
    private static let interval: Duration = .milliseconds(250)

    /// The nodes that listen for devices.
    var search = RemoteSearch()
    private var requests: [DeviceUUID: RequestIdentifier] = [:]
    /// The links of servers to devices, including those that are being closed.
    private var carriers: [UnicastAddress: Carrier] = [:]
    /// When the links were last attended to.
    private var lookedAfterAt = Instant.zero
    /// When the reports of servers were last processed.
    private var heardAt = Instant.zero

    // MARK: Time

    /// Whether to attend to the servers now; if so, the next time is later.
    mutating func isDue(at now: Instant) -> Bool {
        guard lookedAfterAt.advanced(by: Self.interval) <= now else { return false }
        lookedAfterAt = now
        return true
    }

    /// When links or reports are due; nil if never.
    ///
    /// - Parameter isSeeking: whether the run looks for devices.
    func deadline(isSeeking: Bool) -> Instant? {
        var earliest = isSeeking && !search.isEmpty ? heardAt.advanced(by: Self.interval) : nil
        for carrier in carriers.values {
            guard let deadline = carrier.link.nextDeadline else { continue }
            earliest = earliest.map { min($0, deadline) } ?? deadline
        }
        return earliest
    }

    /// The reports of servers are being processed.
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

    /// A node is no longer being asked. Returns the request, if there was one.
    mutating func endRequest(of node: DeviceUUID) -> RequestIdentifier? { requests.removeValue(forKey: node) }

    // MARK: Links

    var hasNoLink: Bool { carriers.isEmpty }

    /// The servers that have a link, sorted.
    var linked: [UnicastAddress] { carriers.keys.sorted() }

    /// Whether a server has a link, even if the link is being closed.
    func hasLink(_ server: UnicastAddress) -> Bool { carriers[server] != nil }

    /// Whether the queue needs the link of a server.
    func isOpen(_ server: UnicastAddress) -> Bool { carriers[server]?.isHungUp == false }

    func reaches(_ device: DeviceUUID) -> Bool { carriers.values.contains { $0.device == device } }

    func node(of server: UnicastAddress) -> DeviceUUID? { carriers[server]?.node }

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

    /// The queue no longer needs a link. Its server is told until it confirms, or is silent for a long time.
    mutating func hangUp(
        _ server: UnicastAddress,
        isCompleted: Bool,
        at now: Instant
    ) -> [RemoteProvisioningLink.Action] {
        carriers[server]?.isHungUp = true
        return carriers[server]?.link.close(isCompleted ? .success : .fail, at: now) ?? []
    }

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

    /// A server no longer has a link. Returns the device, and whether the queue needed the link; nil if it had none.
    mutating func end(_ server: UnicastAddress) -> (device: DeviceUUID, wasInUse: Bool)? {
        carriers.removeValue(forKey: server).map { ($0.device, !$0.isHungUp) }
    }

    // MARK: What waits for a proxy link

    /// The servers with a waiting message, sorted, each with its node.
    var waiting: [(server: UnicastAddress, node: DeviceUUID)] {
        carriers.filter { $0.value.unsent != nil }.map { ($0.key, $0.value.node) }.sorted { $0.0 < $1.0 }
    }

    /// A message to a server could not be sent; it replaces the one that waited before.
    mutating func hold(_ payload: [UInt8]?, for server: UnicastAddress) {
        carriers[server]?.unsent = payload
    }

    /// The message that waits for a server.
    func unsent(for server: UnicastAddress) -> [UInt8]? { carriers[server]?.unsent }
}
