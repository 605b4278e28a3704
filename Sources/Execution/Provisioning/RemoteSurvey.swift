import MeshCore

/// Remote Provisioning Servers that listen side by side for devices without a network: which is asked what and when
/// (Mesh Protocol 1.1, 4.4.5.1).
///
/// Each server is asked for its capabilities, then to scan, again and again until its time is over, because a scan
/// reports each device once and no more than its list can hold. A value machine: messages, failures and time in,
/// requests out.
struct RemoteSurvey {
    /// A question to a server.
    enum Question: Hashable {
        /// How many devices it can report in one scan, and whether it scans actively.
        case capabilities
        case scan(seconds: UInt8)
        case stop
    }

    /// A question, and the server to ask.
    struct Request: Hashable {
        let server: UnicastAddress
        let node: DeviceUUID
        let question: Question
    }

    private enum State {
        /// A question is due, not before this instant.
        case due(Kind, at: Instant)
        case asked(Kind)
        case listening(until: Instant)
        case over
    }

    private enum Kind {
        case capabilities
        case scan
        case stop
    }

    private struct Server {
        let node: DeviceUUID
        var state = State.due(.capabilities, at: .zero)
        var capabilities: RemoteProvisioningScanCapabilitiesStatus?
        /// How many devices the present scan can report.
        var limit = Int(RemoteProvisioningScanCapabilitiesStatus.leastMaximum)
        /// Until when it scans; nil if it does not.
        var scansUntil: Instant?
        /// The devices that it has reported in this scan.
        var reported: Set<DeviceUUID> = []
        /// When its time is over; nil before its first scan, and if there is no end.
        var end: Instant?
        var outcome = RemoteListening.Outcome.notAsked
        var isListFull = false

        /// Whether the next scan would be over at once.
        func isOver(at now: Instant) -> Bool { end.map { now.duration(to: $0) < .milliseconds(500) } ?? false }
    }

    /// The longest scan: it ends soon even if its client is gone.
    private static let longestScan: Duration = .seconds(20)
    /// How long a report may take after a scan.
    private static let grace: Duration = .seconds(1)
    /// When there is no end, the wait before a server is asked again that did not answer.
    private static let rest: Duration = .seconds(30)

    /// For how long each is to listen; nil until ``finish(at:)``.
    private let duration: Duration?
    private var servers: [UnicastAddress: Server] = [:]

    /// A survey that has asked nobody yet.
    ///
    /// - Parameters:
    ///   - nodes: the servers, each with the address of its primary element.
    ///   - duration: for how long each is to listen; nil until ``finish(at:)``.
    init(_ nodes: [(address: UnicastAddress, uuid: DeviceUUID)], for duration: Duration?) {
        self.duration = duration
        for node in nodes { servers[node.address] = Server(node: node.uuid) }
    }

    /// Whether there is nothing left to ask or to wait for.
    var isOver: Bool { servers.values.allSatisfy { if case .over = $0.state { true } else { false } } }

    /// When to call ``advance(to:)`` or ``requests(count:at:)``.
    var nextDeadline: Instant? {
        servers.values.compactMap { server in
            switch server.state {
            case .due(_, let instant), .listening(let instant): instant
            case .asked, .over: nil
            }
        }.min()
    }

    func node(of server: UnicastAddress) -> DeviceUUID? { servers[server]?.node }

    /// The results, by address.
    var listenings: [RemoteListening] {
        servers.sorted { $0.key < $1.key }.map { _, server in
            RemoteListening(
                node: server.node,
                outcome: server.outcome,
                maximumScannedItems: server.capabilities?.maximumScannedItems,
                isActiveScanSupported: server.capabilities?.isActiveScanSupported,
                isListFull: server.isListFull
            )
        }
    }

    // MARK: What is asked

    /// What to ask now, at most `count` questions, in the order of addresses.
    mutating func requests(count: Int, at now: Instant) -> [Request] {
        guard count > 0 else { return [] }
        var requests: [Request] = []
        for address in servers.keys.sorted() {
            guard requests.count < count else { break }
            guard let server = servers[address], case .due(let kind, let instant) = server.state, instant <= now else {
                continue
            }
            servers[address]?.state = .asked(kind)
            let question: Question =
                switch kind {
                case .capabilities: .capabilities
                case .scan: .scan(seconds: seconds(of: server, at: now))
                case .stop: .stop
                }
            if kind == .scan { servers[address]?.reported = [] }
            requests.append(Request(server: address, node: server.node, question: question))
        }
        return requests
    }

    private func seconds(of server: Server, at now: Instant) -> UInt8 {
        let rest = server.end.map { now.duration(to: $0) } ?? duration ?? Self.longestScan
        let microseconds = min(rest, Self.longestScan).microseconds
        return UInt8(clamping: max((microseconds + 999_999) / 1_000_000, 1))
    }

    /// Ends all listening: servers that scan are asked to stop.
    ///
    /// - Returns: the servers whose answers are no longer awaited.
    mutating func finish(at now: Instant) -> [UnicastAddress] {
        var cancelled: [UnicastAddress] = []
        for address in servers.keys.sorted() {
            switch servers[address]?.state {
            case .due(.stop, _), .asked(.stop), .over, nil: break
            case .due:
                let isScanning = servers[address]?.scansUntil.map { $0 > now } ?? false
                servers[address]?.state = isScanning ? .due(.stop, at: now) : .over
            case .asked(.capabilities):
                cancelled.append(address)
                servers[address]?.state = .over
            case .asked(.scan):
                // The scan may have begun.
                cancelled.append(address)
                servers[address]?.state = .due(.stop, at: now)
            case .listening: servers[address]?.state = .due(.stop, at: now)
            }
        }
        return cancelled
    }

    // MARK: What servers say

    /// A message of a server.
    ///
    /// - Returns: its report of a device, if it contains one.
    mutating func receive(
        _ payload: [UInt8],
        from server: UnicastAddress,
        at now: Instant
    ) -> RemoteProvisioningScanReport? {
        switch try? decodeFoundationMessage(payload) {
        case let status as RemoteProvisioningScanCapabilitiesStatus: receive(status, from: server, at: now)
        case let status as RemoteProvisioningScanStatus: receive(status, from: server, at: now)
        case let report as RemoteProvisioningScanReport: return receive(report, from: server, at: now)
        default: break
        }
        return nil
    }

    private mutating func receive(
        _ status: RemoteProvisioningScanCapabilitiesStatus,
        from server: UnicastAddress,
        at now: Instant
    ) {
        guard case .asked(.capabilities)? = servers[server]?.state else { return }
        servers[server]?.capabilities = status
        servers[server]?.limit = Int(status.maximumScannedItems)
        servers[server]?.state = .due(.scan, at: now)
    }

    private mutating func receive(
        _ status: RemoteProvisioningScanStatus,
        from server: UnicastAddress,
        at now: Instant
    ) {
        guard case .asked(let kind)? = servers[server]?.state else { return }
        switch kind {
        case .capabilities: break
        case .stop where status.state == .idle || status.status != .success: servers[server]?.state = .over
        case .stop: break
        case .scan where status.status != .success: end(server, .refused(status.status), at: now)
        case .scan where status.state == .idle: break
        case .scan:
            servers[server]?.outcome = .listened
            if status.scannedItemsLimit > 0 { servers[server]?.limit = Int(status.scannedItemsLimit) }
            if let duration, servers[server]?.end == nil { servers[server]?.end = now.advanced(by: duration) }
            let end = now.advanced(by: .seconds(Int64(status.timeout)))
            servers[server]?.scansUntil = end
            servers[server]?.state = .listening(until: end.advanced(by: Self.grace))
        }
    }

    private mutating func receive(
        _ report: RemoteProvisioningScanReport,
        from address: UnicastAddress,
        at now: Instant
    ) -> RemoteProvisioningScanReport? {
        guard var server = servers[address] else { return nil }
        server.reported.insert(report.uuid)
        if case .listening = server.state, server.reported.count >= server.limit {
            server.isListFull = true
            // Other devices are heard only after the next start of the scan.
            let pause = duration == nil ? Self.longestScan / 2 : Self.grace
            if !server.isOver(at: now) { server.state = .due(.scan, at: now.advanced(by: pause)) }
        }
        servers[address] = server
        return report
    }

    /// A server did not answer, or cannot be reached.
    mutating func unanswered(_ server: UnicastAddress, at now: Instant) {
        guard case .asked(let kind)? = servers[server]?.state else { return }
        end(server, kind == .stop ? .notStopped : .silent, at: now)
    }

    private mutating func end(_ server: UnicastAddress, _ outcome: RemoteListening.Outcome, at now: Instant) {
        servers[server]?.outcome = outcome
        let isOver = duration != nil || outcome == .notStopped
        servers[server]?.state = isOver ? .over : .due(.capabilities, at: now.advanced(by: Self.rest))
    }

    // MARK: Time

    /// Time has passed: scans are over, and others follow as long as there is time.
    mutating func advance(to now: Instant) {
        for address in servers.keys {
            guard let server = servers[address] else { continue }
            switch server.state {
            case .listening(let until) where until <= now:
                servers[address]?.state = server.isOver(at: now) ? .over : .due(.scan, at: now)
            case .due(.scan, _) where server.isOver(at: now): servers[address]?.state = .due(.stop, at: now)
            default: break
            }
        }
    }
}
