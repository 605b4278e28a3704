import DefinitionModel
import MeshCore
import Planning
import TestSupport

@testable import Execution

/// Proxies in reach of a client, on a manual clock: each is a node that speaks the real protocol, hears all the others
/// over the air, and does what a test says.
final class ProxyField {
    /// One node.
    final class Peer {
        let name: String
        let address: UnicastAddress
        let netKeys: [NetKeyIndex]
        var stack: MeshStack
        /// Whether it has power and is in reach.
        var isOn = true
        /// Whether its GATT proxy is on, so that it advertises Network IDs and forwards.
        var isProxy = true
        /// Whether it forwards what comes over a link, if it is a proxy.
        var forwards = true
        /// The subnets whose Network IDs it advertises, if not all.
        var advertisedNetKeys: [NetKeyIndex]?
        /// Whether it advertises its Node Identity instead.
        var showsIdentity = false
        var signal: Int8? = -60
        var sendsBeacons = true
        /// Whether it neither sends beacons nor answers to its filter being set.
        var isSilent = false
        /// Whether connecting to it comes to anything.
        var acceptsLinks = true
        /// Whether it answers requests.
        var answers = true
        var connectDelay = Duration.milliseconds(50)
        /// How long it takes to answer proxy configuration messages.
        var filterDelay = Duration.zero
        fileprivate(set) var link: LinkIdentifier?
        fileprivate var reassembler = ProxyReassembler()
        /// Its answer.
        var answer: [UInt8] = ConfigDefaultTTLStatus(ttl: 7).encoded
        /// The TTL of its answers.
        var answerTTL: UInt8 = 5
        /// The element that answers, and how; nil for the primary one under the DeviceKey.
        fileprivate var answering: (element: UnicastAddress, security: MessageSecurity)?
        /// Requests that reached it.
        fileprivate(set) var requests = 0

        /// What it advertises under, if not its name.
        var advertisedAs: AdvertiserIdentifier?
        var advertiser: AdvertiserIdentifier { advertisedAs ?? AdvertiserIdentifier(rawValue: Array(name.utf8)) }

        fileprivate init(name: String, address: UnicastAddress, netKeys: [NetKeyIndex], stack: MeshStack) {
            self.name = name
            self.address = address
            self.netKeys = netKeys
            self.stack = stack
        }
    }

    static let home = NetKeyIndex.primary
    static let guests = NetKeyIndex(rawValue: 1) ?? .primary
    static let netKeys = [
        NetKey(index: home, name: "home", key: secret(1)), NetKey(index: guests, name: "guests", key: secret(2)),
    ]

    var client: MeshClient
    private(set) var now = Instant.zero
    private(set) var peers: [Peer] = []
    /// Whether the bearer can scan.
    var canScan = true
    /// Whether the bearer can connect; if not, it says so at once.
    var canConnect = true
    /// What is heard beside the peers, each time that they are.
    var strangers: [Advertisement] = []
    private(set) var isScanning = false
    private var nextLink: UInt32 = 0
    private var pending: [LinkIdentifier: Peer] = [:]
    /// Why the bearer hears nobody.
    var deafness: BearerError?
    private var events: [(time: Instant, number: Int, event: (ProxyField) throws -> Void)] = []
    private var eventCount = 0
    /// What the client put out that is not a packet, with its time in milliseconds.
    private(set) var log: [String] = []
    private(set) var mostLinks = 0
    /// The waits that were told with each link that was down; nil for good.
    private(set) var delays: [Duration?] = []
    /// What setting up links took.
    private(set) var linkTimes: [LinkTimes] = []
    /// What the bearer says that opening a link took.
    var gattTimes: GATTTimes?
    /// The TTL of each network PDU that the client sent.
    private(set) var sentTTLs: [UInt8] = []
    /// Acknowledgments of segments among them.
    private(set) var acknowledgments = 0
    /// Network PDUs that came to the client, by whatever way.
    private(set) var notifiedPDUs = 0
    /// What the client has heard beyond answers.
    private(set) var watched: [WatchEvent] = []
    /// How often each sequence number of the client was used.
    private(set) var sequenceNumbers: [UInt32: Int] = [:]

    init(maximumLinks: Int = 1, policy: LinkPolicy = LinkPolicy(), nodes: [Node] = []) throws {
        var keys = KeyRing()
        for key in ProxyField.netKeys { keys.set(key) }
        client = MeshClient(
            address: try unicast(0x0001),
            ivIndex: IVIndex(value: 5),
            keys: keys,
            nodes: nodes,
            sequenceNumbers: InMemorySequenceNumbers(),
            linkPolicy: policy,
            maximumLinks: maximumLinks
        )
        schedule(after: .milliseconds(100)) { try $0.advertise() }
    }

    /// Puts a node in reach, which the client gets to know.
    @discardableResult
    func add(_ name: String, _ address: UInt16, _ netKeys: [NetKeyIndex], signal: Int8? = -60) throws -> Peer {
        let address = try unicast(address)
        var ring = KeyRing()
        for key in ProxyField.netKeys where netKeys.contains(key.index) { ring.set(key) }
        ring.setDeviceKey(secret(UInt64(address.rawValue)), of: address)
        let stack = MeshStack(
            address: address,
            elementCount: 2,
            ivIndex: IVIndex(value: 5),
            keys: ring,
            sequenceNumbers: InMemorySequenceNumbers()
        )
        let peer = Peer(name: name, address: address, netKeys: netKeys, stack: stack)
        peer.signal = signal
        peers.append(peer)
        client.set(node(peer))
        return peer
    }

    /// The database's record of a node.
    func node(_ peer: Peer) -> Node {
        var node = Node(
            uuid: uuid(UInt64(peer.address.rawValue)),
            name: peer.name,
            unicastAddress: peer.address,
            deviceKey: secret(UInt64(peer.address.rawValue)),
            netKeys: peer.netKeys.map { NodeKey(index: $0) }
        )
        node.elements = [Element(), Element()]
        return node
    }

    /// Lets the client know whether a node's GATT proxy is on.
    func setProxy(_ isOn: Bool, of peer: Peer) {
        var node = node(peer)
        node.features.proxy = isOn ? .enabled : .disabled
        client.set(node)
    }

    func request(_ peer: Peer, withOldKey missing: [NetKeyIndex] = []) throws {
        let inquiry = try ActionInquiries(
            .setDefaultTTL(7),
            node: peer.address,
            network: House.network(lamps: 1)
        ).request()
        let (_, outputs) = client.request(
            inquiry,
            to: peer.address,
            subnets: peer.netKeys,
            withOldKey: missing,
            at: now
        )
        try take(outputs)
    }

    func setMaximumLinks(_ count: Int) throws {
        try take(client.setMaximumLinks(count, at: now))
    }

    /// Lets a peer lose power.
    func turnOff(_ peer: Peer) throws {
        peer.isOn = false
        guard let link = peer.link else { return }
        peer.link = nil
        try take(client.handle(.closed(link, BearerError("out of range")), at: now))
    }

    /// Feeds an advertisement to the client.
    func hear(_ advertisement: Advertisement) throws {
        try take(client.handle(.heard(advertisement), at: now))
    }

    /// Lets time pass.
    func run(for duration: Duration) throws {
        let end = now.advanced(by: duration)
        while true {
            let event = events.min { ($0.time, $0.number) < ($1.time, $1.number) }
            let stacks = peers.compactMap(\.stack.nextDeadline).min()
            let due = [client.nextDeadline, event?.time, stacks].compactMap(\.self).min()
            guard let due, due <= end else { break }
            now = max(now, due)
            for peer in peers where peer.stack.nextDeadline.map({ $0 <= now }) ?? false {
                try send(peer.stack.advance(to: now), from: peer)
            }
            if let event, event.time <= now {
                events.removeAll { $0.number == event.number }
                try event.event(self)
            }
            if let deadline = client.nextDeadline, deadline <= now {
                try take(client.advance(to: now, deafness: deafness))
            }
        }
        now = end
    }

    /// The entries of the log that begin with a word, without their times.
    func logged(_ word: String) -> [String] {
        log.compactMap { entry in
            let text = entry.split(separator: " ", maxSplits: 1).last.map(String.init) ?? ""
            return text.hasPrefix(word) ? text : nil
        }
    }

    /// When the last entry of the log with that text was made, in milliseconds.
    func time(of text: String) -> Int? {
        log.last { $0.hasSuffix(" " + text) }.flatMap { $0.split(separator: " ").first }.flatMap { Int($0) }
    }

    private func schedule(after delay: Duration, _ event: @escaping (ProxyField) throws -> Void) {
        events.append((now.advanced(by: delay), eventCount, event))
        eventCount += 1
    }

    private func note(_ text: String) {
        log.append("\(now.microseconds / 1_000) \(text)")
    }

    // MARK: Advertising

    func advertisement(of peer: Peer, in index: NetKeyIndex) throws -> Advertisement {
        let key = try required(ProxyField.netKeys.first { $0.index == index })
        let credentials = SubnetCredentials(key.key)
        let content: ProxyAdvertisement =
            peer.showsIdentity
            ? .nodeIdentity(of: peer.address, random: 0x1234, credentials: credentials)
            : .networkID(credentials.networkID)
        return Advertisement(advertiser: peer.advertiser, content: .proxy(content), signal: peer.signal)
    }

    private func advertise() throws {
        schedule(after: .milliseconds(500)) { try $0.advertise() }
        for advertisement in isScanning ? strangers : [] { try hear(advertisement) }
        for peer in peers where peer.isOn && peer.link == nil && (peer.isProxy || peer.showsIdentity) {
            for index in peer.advertisedNetKeys ?? peer.netKeys where isScanning {
                try hear(advertisement(of: peer, in: index))
            }
        }
    }

    // MARK: What the client wants

    private func take(_ outputs: [MeshClient.Output]) throws {
        for output in outputs {
            switch output {
            case .connect(let target): try connect(target)
            case .send(let packet, on: let link):
                guard let peer = peers.first(where: { $0.link == link }) else { continue }
                if let pdu = try? peer.reassembler.receive(packet, at: now) { try receive(pdu, at: peer) }
            case .closeLink(let link):
                if let peer = pending.removeValue(forKey: link) { note("stop connecting to \(peer.name)") }
                guard let peer = peers.first(where: { $0.link == link }) else { continue }
                note("close \(peer.name)")
                peer.link = nil
            case .scan(let isOn):
                if isOn, !canScan {
                    try take(client.scanFailed(at: now))
                } else {
                    isScanning = isOn
                }
            case .linkUp(let proxy, let times):
                note("up \(name(proxy))")
                linkTimes.append(times)
            case .directLinkUp(let node, let times):
                note("directly up \(name(node))")
                linkTimes.append(times)
            case .directLinkDown(let node, let failure):
                note("directly down \(name(node))" + (failure.map { ": \($0.reason)" } ?? ""))
            case .linkDown(let failure, let delay):
                note("down: \(failure.reason)\(delay == nil ? ", for good" : "")")
                delays.append(delay)
            case .answered(_, _, let transmissions): note("answered after \(transmissions)")
            case .unanswered: note("unanswered")
            case .unreachable(_, let failure): note("unreachable: \(failure.reason)")
            case .unsendable: note("unsendable")
            case .watch(let event): watched.append(event)
            case .sent, .said, .ivIndexChanged, .keyRefreshPhaseChanged, .quirk: continue
            }
        }
    }

    private func name(_ address: UnicastAddress?) -> String {
        peers.first { $0.address == address }?.name ?? "?"
    }

    private func connect(_ target: LinkTarget) throws {
        let peer: Peer? =
            switch target {
            case .anyProxy: peers.first { $0.isOn && $0.isProxy }
            case .proxy(let advertiser): peers.first { $0.advertiser == advertiser }
            case .provisioning: nil
            }
        guard let peer, canConnect else {
            note("connect to nobody")
            return try take(client.connectFailed(target, BearerError("nobody there"), at: now))
        }
        let link = LinkIdentifier(rawValue: nextLink)
        nextLink += 1
        note("connect to \(peer.name)")
        pending[link] = peer
        mostLinks = max(mostLinks, pending.count + peers.count { $0.link != nil })
        try take(client.connecting(link, to: target, at: now))
        schedule(after: peer.connectDelay) { try $0.open(link) }
    }

    private func open(_ link: LinkIdentifier) throws {
        guard let peer = pending.removeValue(forKey: link) else { return }
        guard peer.isOn, peer.acceptsLinks else {
            return try take(client.handle(.closed(link, BearerError("no connection to \(peer.name)")), at: now))
        }
        peer.link = link
        peer.reassembler = ProxyReassembler()
        try take(client.handle(.opened(link, maximumPacketSize: 20, gattTimes), at: now))
        guard peer.sendsBeacons, !peer.isSilent else { return }
        for index in peer.netKeys {
            if let beacon = peer.stack.secureNetworkBeacon(index) { try notify(.beacon, beacon, from: peer) }
        }
    }

    private func notify(_ type: ProxyPDU.MessageType, _ payload: [UInt8], from peer: Peer) throws {
        for packet in ProxySegmenter.packets(of: ProxyPDU(type: type, payload: payload), maximumSize: 20) {
            guard let link = peer.link else { return }
            try take(client.handle(.received(link, packet), at: now))
        }
        if type == .network { notifiedPDUs += 1 }
    }

    /// Ends the link to a peer, which stays where it is.
    func dropLink(_ peer: Peer) throws {
        guard let link = peer.link else { return }
        peer.link = nil
        try take(client.handle(.closed(link, BearerError("out of range")), at: now))
    }

    /// Wants links of their own to those peers.
    func keepDirectLinks(to peers: [Peer]) throws {
        try take(client.keepDirectLinks(to: peers.map(\.address), at: now))
    }

    /// Asks the second element of a peer for a state under an AppKey; from now on that element answers.
    ///
    /// - Parameter isStep: whether a step of a plan asks, which has one request to the whole node.
    func askSecondElement(of peer: Peer, isStep: Bool = false) throws {
        let index = try required(AppKeyIndex(rawValue: 0))
        let key = AppKey(index: index, name: "lighting", boundNetKey: .primary, key: secret(0x99))
        client.set(key)
        peer.stack.keys.set(key)
        let element = try required(peer.address.element(1))
        peer.answering = (element, .application(index))
        peer.answer = [0x82, 0x04, 0x01]
        let request = OperatingRequest(
            node: node(peer).uuid,
            destination: element,
            payload: [0x82, 0x01],
            key: index,
            subnets: peer.netKeys,
            answer: 0x8204
        )
        let form = ModelStateForm(
            name: "onoff",
            server: .sig(0x1000),
            setServer: .sig(0x1000),
            getPayload: request.payload,
            statusOpcode: 0x8204
        )
        let inquiry =
            isStep
            ? ConfigurationInquiry(request.payload, about: form, on: 1, under: index) { _ in .told([]) }
            : ConfigurationInquiry(request)
        let asked = isStep ? peer.address : element
        let (_, outputs) = client.request(inquiry, to: asked, subnets: peer.netKeys, at: now)
        try take(outputs)
    }

    /// Asks a peer for its composition, whose answer comes in segments.
    func requestComposition(_ peer: Peer) throws {
        let inquiry = try ActionInquiries(
            .readComposition(page: 0),
            node: peer.address,
            network: House.network(lamps: 1)
        ).request()
        let (_, outputs) = client.request(inquiry, to: peer.address, subnets: peer.netKeys, at: now)
        try take(outputs)
    }

    /// Asks a peer for a change whose request goes in segments.
    func addAppKey(_ peer: Peer) throws {
        var network = try House.network(lamps: 1)
        let index = try required(AppKeyIndex(rawValue: 0))
        network.appKeys = [AppKey(index: index, name: "lighting", boundNetKey: .primary, key: secret(0x99))]
        let inquiry = try ActionInquiries(
            .addAppKey(index, boundTo: .primary),
            node: peer.address,
            network: network
        ).request()
        let (_, outputs) = client.request(inquiry, to: peer.address, subnets: peer.netKeys, at: now)
        try take(outputs)
    }

    // MARK: The mesh

    private func receive(_ pdu: ProxyPDU, at peer: Peer) throws {
        switch pdu.type {
        case .configuration:
            if let read = try? peer.stack.decode(networkPDU: pdu.payload, as: .proxyConfiguration) {
                sequenceNumbers[read.pdu.sequence, default: 0] += 1
            }
            guard let received = try? peer.stack.receive(proxyConfiguration: pdu.payload), !peer.isSilent else {
                return
            }
            let size: UInt16 = if case .addAddresses = received.message { 1 } else { 0 }
            let status = try peer.stack.encode(
                .filterStatus(.acceptList, listSize: size),
                netKeyIndex: received.netKeyIndex
            )
            guard peer.filterDelay > .zero else { return try notify(.configuration, status, from: peer) }
            schedule(after: peer.filterDelay) { try $0.notify(.configuration, status, from: peer) }
        case .network:
            if let read = try? peer.stack.decode(networkPDU: pdu.payload) {
                sequenceNumbers[read.pdu.sequence, default: 0] += 1
                sentTTLs.append(read.pdu.ttl)
                if read.pdu.isControl { acknowledgments += 1 }
            }
            try send(peer.stack.receive(networkPDU: pdu.payload, at: now), from: peer)
        case .beacon, .provisioning: return
        }
    }

    /// What a node sends reaches all others that have power, and the client through those that forward to it.
    private func send(_ actions: [StackAction], from peer: Peer) throws {
        for action in actions {
            switch action {
            case .transmit(let pdu, let destination):
                if destination.rawValue == 0x0001 { try notify(.network, pdu, from: peer) }
                try radiate(pdu, from: peer)
            case .relay(let pdu, source: _, destination: _) where peer.isProxy && peer.forwards:
                try radiate(pdu, from: peer)
            case .deliver:
                peer.requests += 1
                guard peer.answers else { continue }
                schedule(after: .milliseconds(100)) { try $0.answer(peer) }
            default: continue
            }
        }
    }

    private func radiate(_ pdu: [UInt8], from peer: Peer) throws {
        for other in peers where other !== peer && other.isOn {
            var own: [StackAction] = []
            for action in other.stack.receive(networkPDU: pdu, at: now) {
                if case .relay(let forwarded, source: _, destination: let destination) = action {
                    if destination.rawValue == 0x0001, other.isProxy {
                        try notify(.network, forwarded, from: other)
                    }
                } else {
                    own.append(action)
                }
            }
            try send(own, from: other)
        }
    }

    private func answer(_ peer: Peer) throws {
        guard peer.isOn else { return }
        let message = OutgoingMessage(
            source: peer.answering?.element ?? peer.address,
            destination: .unicast(try unicast(0x0001)),
            payload: peer.answer,
            security: peer.answering?.security ?? .device(node: peer.address),
            netKeyIndex: try required(peer.netKeys.first),
            ttl: peer.answerTTL
        )
        try send(peer.stack.send(message, at: now).1, from: peer)
    }
}
