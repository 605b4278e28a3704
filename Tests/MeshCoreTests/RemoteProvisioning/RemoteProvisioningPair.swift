import MeshCore
import TestSupport

/// A provisioner's session over a link of Remote Provisioning, and a server with a device in its range, or the node
/// itself; a test can disturb what goes between client and server.
struct RemoteProvisioningPair {
    /// A message between client and server.
    struct Message: Hashable {
        let isToServer: Bool
        let opcode: Opcode
        let payload: [UInt8]
    }

    private enum Event {
        case toServer([UInt8])
        case toClient([UInt8])
        case linkOpened
        case delivered([UInt8])
        case deviceSent([UInt8])
        case reportFailed
    }

    static let client = RemoteProvisioningServer.Client(address: .first, netKeyIndex: .primary)
    static let uuid = DeviceUUID(rawValue: Octets16(high: 7, low: 8))
    static let own = RemoteProvisioningServer.Own(
        uuid: DeviceUUID(rawValue: Octets16(high: 1, low: 1)),
        findings: .init(outOfBandInformation: [], structures: []),
        isCompositionRefreshable: true
    )

    var link: RemoteProvisioningLink
    var session: ProvisionerSession
    var server: RemoteProvisioningServer
    var device: ProvisioningDevice?
    /// Makes the device's side when a link to it opens.
    var makeDevice: (Instant) -> ProvisioningDevice?
    var data = ProvisioningFixture.data
    /// How often the message with that number arrives.
    var disturb: (Int, Message) -> Int = { _, _ in 1 }
    /// Whether the server notices that a report of a PDU was not acknowledged.
    var isReportFailureNoticed = true

    private(set) var now = Instant.zero
    private(set) var transcript: [Message] = []
    private(set) var toDevice: [[UInt8]] = []
    private(set) var node: ProvisionedNode?
    private(set) var failure: ProvisioningFailure?
    private(set) var end: RemoteProvisioningLinkEnd?
    private(set) var provisioned: (data: ProvisioningData, key: KeyMaterial)?
    private(set) var closeReasons: [RemoteProvisioningCloseReason] = []
    private(set) var stored: KeyMaterial?
    private var queue: [(time: Instant, event: Event)] = []

    init(
        target: RemoteProvisioningLinkOpen.Target = .device(Self.uuid, timeout: nil),
        seed: UInt64 = 1,
        reprovision: ReprovisionRules? = nil
    ) {
        var generator = SplitMix64(seed: seed)
        link = RemoteProvisioningLink(target: target)
        session = ProvisionerSession(attentionDuration: 0, secrets: .random(using: &generator))
        server = RemoteProvisioningServer()
        let secrets = ProvisioningSecrets.random(using: &generator)
        makeDevice = { now in
            ProvisioningDevice(
                capabilities: ProvisioningFixture.capabilities,
                secrets: secrets,
                reprovision: reprovision,
                at: now
            )
        }
    }

    /// Runs until everything has ended, or five minutes are over.
    mutating func run() {
        handle(link.open(at: now))
        while now < Instant.zero.advanced(by: .seconds(300)) {
            let deadlines = [link.nextDeadline, session.nextDeadline, server.nextDeadline, device?.nextDeadline]
            guard let next = (deadlines.compactMap(\.self) + queue.map(\.time)).min() else { return }
            now = max(now, next)
            if let first = queue.indices.min(by: { queue[$0].time < queue[$1].time }), queue[first].time <= now {
                handle(queue.remove(at: first).event)
            }
            handle(link.advance(to: now))
            handle(session.advance(to: now))
            handle(server.advance(to: now))
            handle(device?.advance(to: now) ?? [])
        }
    }

    private mutating func handle(_ event: Event) {
        switch event {
        case .toServer(let payload): handle(server.receive(payload, from: Self.client, own: Self.own, at: now))
        case .toClient(let payload): handle(link.receive(payload, at: now))
        case .linkOpened:
            device = makeDevice(now)
            if device != nil { handle(server.linkOpened(at: now)) }
        case .delivered(let pdu):
            toDevice.append(pdu)
            handle(server.pduDelivered(at: now))
            handle(device?.receive(pdu, at: now) ?? [])
        case .deviceSent(let pdu): handle(server.pduReceived(pdu, at: now))
        case .reportFailed: handle(server.pduReportFailed())
        }
    }

    private mutating func post(_ payload: [UInt8], isToServer: Bool) {
        var reader = ByteReader(payload)
        guard let opcode = try? Opcode(decoding: &reader) else { return }
        let message = Message(isToServer: isToServer, opcode: opcode, payload: payload)
        transcript.append(message)
        let copies = disturb(transcript.count - 1, message)
        let event: Event = isToServer ? .toServer(payload) : .toClient(payload)
        for copy in 0..<copies { add(event, after: .milliseconds(100 + 50 * Int64(copy))) }
        if copies == 0, opcode == RemoteProvisioningPDUReport.opcode, isReportFailureNoticed {
            add(.reportFailed, after: .seconds(3))
        }
    }

    private mutating func add(_ event: Event, after delay: Duration) {
        queue.append((now.advanced(by: delay), event))
    }

    private mutating func handle(_ actions: [RemoteProvisioningLink.Action]) {
        for action in actions {
            switch action {
            case .send(let payload): post(payload, isToServer: true)
            case .opened: handle(session.start(at: now))
            case .received(let pdu): handle(session.receive(pdu, at: now))
            case .closed(let end):
                self.end = end
                handle(session.linkClosed())
            }
        }
    }

    private mutating func handle(_ actions: [ProvisionerAction]) {
        for action in actions {
            switch action {
            case .send(let pdu): handle(link.send(pdu, at: now))
            case .capabilitiesReceived:
                let choice = ProvisioningChoice(algorithm: .hmacSHA256, publicKey: nil, authentication: .noOOB)
                handle((try? session.choose(choice, data: data, at: now)) ?? [])
            case .dataIsAboutToBeSent(let key, _):
                stored = key
                handle((try? session.dataIsDurable(at: now)) ?? [])
            case .completed(let node):
                self.node = node
                handle(link.close(.success, at: now))
            case .failed(let failure):
                self.failure = failure
                handle(link.close(.fail, at: now))
            case .askForOutput, .showInput, .inputCompleted: break
            }
        }
    }

    private mutating func handle(_ actions: [RemoteProvisioningServer.Action]) {
        for action in actions {
            switch action {
            case .answer(let payload, _), .report(let payload, _): post(payload, isToServer: false)
            case .open: add(.linkOpened, after: .milliseconds(300))
            case .send(let pdu): add(.delivered(pdu), after: .milliseconds(200))
            case .close(let reason):
                closeReasons.append(reason)
                _ = device?.linkClosed(at: now)
                device = nil
            }
        }
    }

    private mutating func handle(_ actions: [ProvisioningDeviceAction]) {
        for action in actions {
            switch action {
            case .send(let pdu): add(.deviceSent(pdu), after: .milliseconds(150))
            case .provisioned(let data, let deviceKey): provisioned = (data, deviceKey)
            case .drawAttention, .output, .outputCompleted, .askForInput, .failed: break
            }
        }
    }
}
