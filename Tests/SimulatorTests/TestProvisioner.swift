import MeshCore
import Simulator
import TestSupport

/// Devices for the tests of provisioning. All keys and values are test values.
enum TestDevice {
    static let staticOctets: [UInt8] = [0x0A, 0x0B, 0x0C, 0x0D]

    static func staticValue(_ octets: [UInt8] = staticOctets) throws -> StaticOutOfBandValue {
        try StaticOutOfBandValue(octets)
    }

    /// Two elements with every feature but Low Power.
    static func composition(_ features: FeatureSet = [.relay, .proxy, .friend]) -> Composition {
        Composition(
            company: 0x0059,
            product: 3,
            version: 4,
            replayListSize: 40,
            features: features,
            elements: [
                CompositionElement(
                    location: 0x0100,
                    models: [.configurationServer, .healthServer, TestNetwork.onOffServer]
                ),
                CompositionElement(location: 0x0101, models: [TestNetwork.levelServer, TestNetwork.vendorModel]),
            ]
        )
    }

    static func uuid(_ number: Int) -> DeviceUUID { TestNetwork.uuid(0xD000 + UInt64(number)) }

    /// A device that can do everything.
    static func versatile(_ number: Int) throws -> DeviceDescription {
        var device = DeviceDescription(
            uuid: uuid(number),
            name: "device-\(number)",
            composition: composition(),
            capabilities: ProvisioningCapabilities(
                elementCount: 2,
                isPublicKeyAvailable: true,
                isStaticValueAvailable: true,
                outputSize: 6,
                outputActions: OutputAction.allCases,
                inputSize: 6,
                inputActions: InputAction.allCases
            )
        )
        device.staticValue = try staticValue()
        device.keyPair = P256KeyPair(privateKey: [UInt8](repeating: UInt8(number & 0x3F) + 1, count: 32))
        return device
    }

    /// A device with nothing out of band.
    static func plain(_ number: Int, _ features: FeatureSet = [.relay, .proxy, .friend]) -> DeviceDescription {
        DeviceDescription(
            uuid: uuid(number),
            name: "device-\(number)",
            composition: composition(features),
            capabilities: ProvisioningCapabilities(elementCount: 2)
        )
    }

    static func data(_ network: MeshNetwork, at address: UInt16) -> ProvisioningData {
        ProvisioningData(
            subnet: network.netKeys[0],
            ivIndex: network.ivIndex,
            address: TestNetwork.address(address)
        )
    }

    static let noOOB = ProvisioningChoice(algorithm: .hmacSHA256, publicKey: nil, authentication: .noOOB)

    /// What the database says of a device once it is a node.
    static func node(_ device: DeviceDescription, _ provisioned: ProvisionedNode) -> Node {
        var node = Node(
            uuid: device.uuid,
            name: device.name,
            unicastAddress: provisioned.address,
            deviceKey: provisioned.deviceKey,
            netKeys: [NodeKey(index: .primary)]
        )
        node.record(device.composition)
        return node
    }
}

/// A provisioner on a bearer, and the person who carries values between it and the device.
final class TestProvisioner {
    enum Outcome {
        case node(ProvisionedNode)
        case failed(ProvisioningFailure)

        var node: ProvisionedNode? { if case .node(let node) = self { node } else { nil } }
        var failure: ProvisioningFailure? { if case .failed(let failure) = self { failure } else { nil } }
    }

    let bearer: SimulatedBearer
    /// What was stored before the provisioning data left.
    private(set) var stored: [(deviceKey: KeyMaterial, address: UnicastAddress)] = []
    /// Why the device ended the last link, nil if it did not.
    private(set) var linkEnd: BearerError?
    private var generator: SplitMix64

    init(_ world: SimulatedWorld, seed: UInt64 = 1) {
        bearer = SimulatedBearer(world)
        generator = SplitMix64(seed: seed)
    }

    func provision(_ device: DeviceUUID, _ choice: ProvisioningChoice, _ data: ProvisioningData) throws -> Outcome {
        let (link, size) = try bearer.opened(.provisioning(AdvertiserIdentifier(of: device)))
        defer { bearer.close(link) }
        var session = ProvisionerSession(attentionDuration: 5, secrets: .random(using: &generator))
        var reassembler = ProxyReassembler()
        var outcome: Outcome?
        var isLookingAt = false
        var carried: OutOfBandValue?
        let seen = bearer.world.observations.count
        linkEnd = nil

        func perform(_ actions: [ProvisionerAction]) throws {
            for action in actions {
                switch action {
                case .send(let pdu):
                    let pdu = ProxyPDU(type: .provisioning, payload: pdu)
                    for packet in ProxySegmenter.packets(of: pdu, maximumSize: size) {
                        try bearer.send(packet, on: link)
                    }
                case .capabilitiesReceived: try perform(session.choose(choice, data: data, at: bearer.now))
                case .askForOutput: isLookingAt = true
                case .showInput(_, _, let value): carried = value
                case .inputCompleted: break
                case .dataIsAboutToBeSent(let deviceKey, let address):
                    stored.append((deviceKey, address))
                    try perform(session.dataIsDurable(at: bearer.now))
                case .completed(let node): outcome = .node(node)
                case .failed(let failure): outcome = .failed(failure)
                }
            }
        }

        /// The person looks at the device, and does what it waits for.
        func walk() throws {
            for observation in bearer.world.observations[seen...] where observation.uuid == device {
                if isLookingAt, case .output(_, let value) = observation.event {
                    isLookingAt = false
                    try perform(session.supply(value, at: bearer.now))
                }
                if let value = carried, case .inputAwaited = observation.event {
                    carried = nil
                    try bearer.world.input(device, value)
                }
            }
        }

        try perform(session.start(at: bearer.now))
        while outcome == nil || linkEnd == nil {
            let isWaitingForPerson = isLookingAt || carried != nil
            let patience =
                outcome == nil
                ? isWaitingForPerson
                    ? bearer.now.advanced(by: .milliseconds(50)) : session.nextDeadline ?? .distantFuture
                : bearer.now.advanced(by: .seconds(1))
            switch try bearer.next(until: patience) {
            case .received(link, let packet):
                if let pdu = try reassembler.receive(packet, at: bearer.now), pdu.type == .provisioning {
                    try perform(session.receive(pdu.payload, at: bearer.now))
                }
            case .closed(link, let error):
                linkEnd = error
                try perform(session.linkClosed())
            case nil:
                if outcome != nil { return try required(outcome) }
                try perform(session.advance(to: bearer.now))
            default: break
            }
            try walk()
        }
        return try required(outcome)
    }
}
