import MeshCore

/// Which Remote Provisioning Servers listen for devices that the bearer does not hear, and which of them is to reach a
/// device that several hear (Mesh Protocol 1.1, 4.4.5.1).
///
/// A server first reports everything it hears. If its list was full and contained no wanted device, it is asked for the
/// missing devices one by one, because the list may have had no room for them.
struct RemoteSearch {
    /// A scan to request from a server.
    struct Request {
        let server: UnicastAddress
        let node: DeviceUUID
        let message: RemoteProvisioningScanStart
    }

    private enum State {
        case idle
        case asking
        case scanning(until: Instant)
    }

    private struct Server {
        let node: DeviceUUID
        var state = State.idle
        /// The server is asked nothing before.
        var restsUntil = Instant.zero
        /// The only device to scan for; nil for all.
        var uuid: DeviceUUID?
        /// The devices that were reported in this scan, and those of them that were wanted.
        var reported: Set<DeviceUUID> = []
        var wanted = 0
        /// The greatest number of devices that it reports.
        var limit = Int(RemoteProvisioningScanCapabilitiesStatus.leastMaximum)
        /// The place in the queue of the next device to scan for alone; nil while it scans for all.
        var place: Int?
        /// Whether it has told once what it hears, or will not.
        var hasSearched = false
        /// How often in a row it has refused or not answered.
        var misses = 0

        var isSearching: Bool { !hasSearched || place != nil }
    }

    private struct Finding {
        var server: UnicastAddress
        var signal: Int8
        /// When the server is chosen; nil afterwards.
        var decidedAt: Instant?
    }

    /// For how many seconds a server listens for all devices, and for a single one.
    private static let seconds: (all: UInt8, single: UInt8) = (10, 5)
    /// How long a report may take after that.
    private static let grace: Duration = .seconds(2)
    /// How long to wait for the strongest server after the first has reported.
    private static let gathering: Duration = .seconds(1)
    /// The pause after a scan without a wanted device.
    private static let rest: Duration = .seconds(10)

    private var servers: [UnicastAddress: Server] = [:]
    private var findings: [DeviceUUID: Finding] = [:]
    /// The servers that scan or were asked to.
    private(set) var listening: Set<UnicastAddress> = []
    /// The servers through which a device could not be provisioned.
    private var failures: [DeviceUUID: Set<UnicastAddress>] = [:]

    /// When the last server was added.
    private(set) var grownAt = Instant.zero

    var isEmpty: Bool { servers.isEmpty }

    /// Whether some server has not told yet what it hears, or is being asked for devices one by one.
    var isUnfinished: Bool { servers.values.contains(where: \.isSearching) }

    /// The same for one server; nil if it is not a server.
    func isUnfinished(_ server: UnicastAddress) -> Bool? { servers[server]?.isSearching }

    /// Whether a server has refused or not answered its last request.
    func isRefusing(_ server: UnicastAddress) -> Bool { servers[server].map { $0.misses > 0 } ?? true }

    func node(of server: UnicastAddress) -> DeviceUUID? { servers[server]?.node }

    mutating func add(_ server: UnicastAddress, node: DeviceUUID, at now: Instant) {
        guard servers[server]?.node != node else { return }
        servers[server] = Server(node: node)
        grownAt = now
    }

    /// A node is no longer a server, or does not answer.
    mutating func remove(_ server: UnicastAddress) {
        servers[server] = nil
        listening.remove(server)
        findings = findings.filter { $0.value.server != server }
    }

    /// A device could not be provisioned through a server, or directly.
    mutating func failed(_ uuid: DeviceUUID, through server: UnicastAddress?) {
        findings[uuid] = nil
        if let server { failures[uuid, default: []].insert(server) }
        // A server that has reported the device does not report it again in the same scan.
        for server in servers.keys where servers[server]?.reported.contains(uuid) == true {
            if case .scanning? = servers[server]?.state { rest(server, until: .zero) }
            servers[server]?.reported.remove(uuid)
            servers[server]?.restsUntil = .zero
            servers[server]?.hasSearched = false
        }
    }

    // MARK: What servers say

    /// A server has answered a request for a scan.
    mutating func receive(_ status: RemoteProvisioningScanStatus, from server: UnicastAddress, at now: Instant) {
        guard case .asking? = servers[server]?.state else { return }
        guard status.status == .success, status.state != .idle else { return unanswered(server, at: now) }
        servers[server]?.misses = 0
        if status.scannedItemsLimit > 0 { servers[server]?.limit = Int(status.scannedItemsLimit) }
        let duration = Duration.seconds(Int64(status.timeout)) + RemoteSearch.grace
        servers[server]?.state = .scanning(until: now.advanced(by: duration))
    }

    /// A server was not asked, refused, or has not answered.
    mutating func unanswered(_ server: UnicastAddress, at now: Instant) {
        guard case .asking? = servers[server]?.state, let misses = servers[server]?.misses else { return }
        rest(server, until: now.advanced(by: RemoteSearch.rest * (1 << min(misses, 3))))
        servers[server]?.misses = misses + 1
        servers[server]?.hasSearched = true
        servers[server]?.place = nil
    }

    /// A server could not be asked because another question to it is open.
    mutating func postpone(_ server: UnicastAddress, at now: Instant) {
        guard case .asking? = servers[server]?.state else { return }
        rest(server, until: now.advanced(by: .seconds(1)))
    }

    /// A server has heard a device.
    ///
    /// - Parameter isWanted: whether the device is to be provisioned.
    /// - Returns: the server through which to reach it from now on, if that is already decided.
    mutating func receive(
        _ report: RemoteProvisioningScanReport,
        from server: UnicastAddress,
        isWanted: Bool,
        at now: Instant
    ) -> UnicastAddress? {
        guard servers[server] != nil else { return nil }
        if servers[server]?.reported.insert(report.uuid).inserted == true, isWanted { servers[server]?.wanted += 1 }
        guard isWanted else { return nil }
        let decision = now.advanced(by: RemoteSearch.gathering)
        guard let known = findings[report.uuid] else {
            findings[report.uuid] = Finding(server: server, signal: report.signal, decidedAt: decision)
            return nil
        }
        if known.server == server {
            findings[report.uuid]?.signal = report.signal
            return known.decidedAt == nil ? server : nil
        }
        let tried = failures[report.uuid] ?? []
        let isTried = (old: tried.contains(known.server), new: tried.contains(server))
        let isBetter = isTried.old == isTried.new ? report.signal > known.signal : isTried.old
        guard isBetter else { return known.decidedAt == nil ? known.server : nil }
        findings[report.uuid] = Finding(server: server, signal: report.signal, decidedAt: known.decidedAt)
        return known.decidedAt == nil ? server : nil
    }

    // MARK: Time

    /// Time has passed. Returns the devices for which a server is chosen, in the order of their UUIDs.
    mutating func advance(to now: Instant) -> [(uuid: DeviceUUID, server: UnicastAddress)] {
        for server in servers.keys {
            if case .scanning(let until)? = servers[server]?.state, until <= now { end(server, at: now) }
        }
        var decided: [(uuid: DeviceUUID, server: UnicastAddress)] = []
        for (uuid, finding) in findings {
            guard let instant = finding.decidedAt, instant <= now else { continue }
            decided.append((uuid, finding.server))
        }
        for (uuid, _) in decided { findings[uuid]?.decidedAt = nil }
        return decided.sorted { $0.uuid < $1.uuid }
    }

    private mutating func rest(_ server: UnicastAddress, until instant: Instant) {
        servers[server]?.state = .idle
        servers[server]?.restsUntil = instant
        listening.remove(server)
    }

    private mutating func end(_ address: UnicastAddress, at now: Instant) {
        guard var server = servers[address] else { return }
        server.state = .idle
        listening.remove(address)
        if server.uuid == nil {
            server.hasSearched = true
            let isFull = server.reported.count >= server.limit
            if isFull, server.wanted == 0 {
                server.place = 0
            } else if !isFull {
                server.restsUntil = now.advanced(by: RemoteSearch.rest)
            }
        }
        servers[address] = server
    }

    /// The scans to request next, at most `count`, in the order of addresses.
    ///
    /// - Parameters:
    ///   - isFree: whether a server is needed and can be asked.
    ///   - missing: the next missing device, from a place in the queue on, that the node may reach, and the place after
    ///     it.
    mutating func requests(
        count: Int,
        at now: Instant,
        isFree: (UnicastAddress, DeviceUUID) -> Bool,
        missing: (Int, DeviceUUID) -> (uuid: DeviceUUID, next: Int)?
    ) -> [Request] {
        var requests: [Request] = []
        for address in servers.keys.sorted() {
            guard requests.count < count else { break }
            guard var server = servers[address], case .idle = server.state, server.restsUntil <= now,
                isFree(address, server.node)
            else { continue }
            server.uuid = nil
            if let place = server.place {
                let next = missing(place, server.node)
                server.uuid = next?.uuid
                server.place = next?.next
                if next == nil {
                    server.restsUntil = now.advanced(by: RemoteSearch.rest)
                    servers[address] = server
                    continue
                }
            }
            server.state = .asking
            listening.insert(address)
            server.reported = []
            server.wanted = 0
            servers[address] = server
            let seconds = server.uuid == nil ? RemoteSearch.seconds.all : RemoteSearch.seconds.single
            let message = RemoteProvisioningScanStart(scannedItemsLimit: 0, timeout: seconds, uuid: server.uuid)
            requests.append(Request(server: address, node: server.node, message: message))
        }
        return requests
    }
}
