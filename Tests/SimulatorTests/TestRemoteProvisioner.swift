import MeshCore
import Simulator
import TestSupport

/// A provisioner that reaches devices, and the Node Provisioning Protocol Interface of nodes, through nodes with a
/// Remote Provisioning Server, over the access layer of a client.
final class TestRemoteProvisioner {
    /// How it went.
    struct Outcome {
        var node: ProvisionedNode?
        var failure: ProvisioningFailure?
        var end: RemoteProvisioningLinkEnd?
    }

    let client: TestClient
    private var generator: SplitMix64

    init(_ client: TestClient, seed: UInt64 = 1) {
        self.client = client
        generator = SplitMix64(seed: seed)
    }

    /// Runs a session and closes the link, with success if there is a node in the end.
    ///
    /// - Parameters:
    ///   - isPatient: false to give up as soon as the data would be sent.
    ///   - afterPDU: called with the number of each PDU of the device that came.
    func provision(
        _ target: RemoteProvisioningLinkOpen.Target,
        through server: Node,
        _ data: ProvisioningData,
        isPatient: Bool = true,
        afterPDU: (Int) -> Void = { _ in }
    ) throws -> Outcome {
        var received = 0
        var link = RemoteProvisioningLink(target: target)
        var session = ProvisionerSession(attentionDuration: 0, secrets: .random(using: &generator))
        var outcome = Outcome()
        var seen = client.messages.count

        func perform(_ actions: [RemoteProvisioningLink.Action]) throws {
            for action in actions {
                switch action {
                case .send(let payload): try send(payload, to: server)
                case .opened: try perform(session.start(at: client.bearer.now))
                case .received(let pdu):
                    received += 1
                    afterPDU(received)
                    try perform(session.receive(pdu, at: client.bearer.now))
                case .closed(let end):
                    outcome.end = end
                    try perform(session.linkClosed())
                }
            }
        }

        func perform(_ actions: [ProvisionerAction]) throws {
            let now = client.bearer.now
            for action in actions {
                switch action {
                case .send(let pdu): try perform(link.send(pdu, at: now))
                case .capabilitiesReceived: try perform(session.choose(TestDevice.noOOB, data: data, at: now))
                case .dataIsAboutToBeSent:
                    try perform(isPatient ? session.dataIsDurable(at: now) : session.cancel())
                case .completed(let node):
                    outcome.node = node
                    try perform(link.close(.success, at: now))
                case .failed(let failure):
                    outcome.failure = failure
                    try perform(link.close(.fail, at: now))
                case .askForOutput, .showInput, .inputCompleted: break
                }
            }
        }

        try perform(link.open(at: client.bearer.now))
        while !link.isClosed {
            try client.wait(.milliseconds(20))
            while seen < client.messages.count {
                let message = client.messages[seen]
                seen += 1
                guard message.source == server.unicastAddress else { continue }
                try perform(link.receive(message.payload, at: client.bearer.now))
            }
            try perform(session.advance(to: client.bearer.now))
            try perform(link.advance(to: client.bearer.now))
        }
        return outcome
    }

    /// Sends an access message under the DeviceKey of a node.
    func send(_ payload: [UInt8], to node: Node) throws {
        try client.send(payload, to: node.unicastAddress, under: .device(node: node.unicastAddress))
    }

    /// The messages of a type that came from a node since the one with that number.
    func received<Message: AccessMessage>(_: Message.Type, from node: Node, since first: Int = 0) throws -> [Message] {
        try client.messages.dropFirst(first).filter { $0.source == node.unicastAddress }.compactMap { message in
            var reader = ByteReader(message.payload)
            guard try Opcode(decoding: &reader) == Message.opcode else { return nil }
            return try Message(parameters: reader.readRest())
        }
    }
}

/// A proxy, a node with a Remote Provisioning Server that it hears, and devices that only that node hears.
struct RemoteSite {
    let network: MeshNetwork
    let proxy: Node
    let server: Node
    let world: SimulatedWorld
    let client: TestClient
    let provisioner: TestRemoteProvisioner

    /// Remembers what a world records.
    final class Memory {
        var state = SimulatorState()

        func record(_ record: StateRecord) -> Bool {
            state.apply(record)
            return true
        }
    }

    init(
        devices: [DeviceDescription],
        distant: [DeviceDescription] = [],
        serverDescription: DeviceDescription? = nil,
        copyLoss: Double = 0,
        seed: UInt64 = 1,
        memory: Memory = Memory(),
        numbers: InMemorySequenceNumbers = InMemorySequenceNumbers()
    ) throws {
        let proxy = TestNetwork.node(0, proxy: .enabled)
        var server = TestNetwork.node(1, with: [.remoteProvisioningServer])
        server.appKeys = [NodeKey(index: TestNetwork.appKey(0))]
        server.elements[0].models[2].bindings = [TestNetwork.appKey(0)]
        let network = TestNetwork.network([proxy, server])
        var settings = WorldSettings.ideal
        settings.copyLoss = copyLoss
        let links =
            [WorldSettings.RadioLink(proxy.uuid, server.uuid)]
            + devices.map { WorldSettings.RadioLink(server.uuid, $0.uuid) }
            + zip(devices, distant).map { WorldSettings.RadioLink($0.uuid, $1.uuid) }
        settings.topology = .links(links)
        let descriptions = devices + distant + (serverDescription.map { [$0] } ?? [])
        self.proxy = proxy
        self.server = server
        self.network = network
        world = SimulatedWorld(
            network: network,
            devices: descriptions,
            settings: settings,
            seed: seed,
            state: memory.state,
            recorder: memory.record
        )
        client = try TestClient.connected(to: world, network: network, sequenceNumbers: numbers)
        provisioner = TestRemoteProvisioner(client, seed: seed)
    }

    /// The provisioning data that the server's node would be reprovisioned with.
    func reprovisionData(at address: UInt16? = nil) -> ProvisioningData {
        TestDevice.data(network, at: address ?? server.unicastAddress.rawValue)
    }
}

extension TestDevice {
    /// A device that offers PB-ADV alone.
    static func remote(_ number: Int) -> DeviceDescription {
        var device = plain(number)
        device.provisioningBearers = .advertising
        return device
    }
}
