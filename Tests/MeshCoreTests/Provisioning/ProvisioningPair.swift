import MeshCore
import TestSupport

/// A provisioner and a device joined by a link that a test can disturb; people carry values between them.
struct ProvisioningPair {
    /// A PDU on its way.
    struct Message: Hashable {
        let isFromProvisioner: Bool
        let pdu: [UInt8]
    }

    var provisioner: ProvisionerSession
    var device: ProvisioningDevice
    let choice: ProvisioningChoice
    let data: ProvisioningData

    /// What arrives of the message with that number, in place of what was sent.
    var disturb: (Int, [UInt8]) -> [[UInt8]] = { [$1] }
    /// What the person carries in place of what was told.
    var carry: (OutOfBandValue) -> OutOfBandValue = { $0 }
    /// For how long the device is at work on the key agreement, and like Zephyr refuses what comes in between.
    var agreementTime = Duration.zero
    /// The packet size of the link, or nil to hand PDUs over whole.
    var packetSize: Int?

    private(set) var now = Instant.zero
    private(set) var transcript: [Message] = []
    private(set) var stored: (key: KeyMaterial, address: UnicastAddress)?
    private(set) var node: ProvisionedNode?
    private(set) var provisionerFailure: ProvisioningFailure?
    private(set) var provisioned: (data: ProvisioningData, key: KeyMaterial)?
    private(set) var deviceFailure: ProvisioningFailure?
    private(set) var capabilities: ProvisioningCapabilities?
    private(set) var isOutputCompleted = false
    private(set) var isInputCompleted = false
    private(set) var attention: UInt8?
    private(set) var inputErrors: [ProvisioningInputError] = []

    private var queue: [Message] = []
    private var agreedAt = Instant.zero
    private var pendingOutput: OutOfBandValue?
    private var pendingInput: OutOfBandValue?
    private var isOutputAsked = false
    private var isInputAsked = false
    private var toDevice = ProxyReassembler()
    private var toProvisioner = ProxyReassembler()

    init(
        provisioner: ProvisionerSession,
        device: ProvisioningDevice,
        choice: ProvisioningChoice,
        data: ProvisioningData
    ) {
        self.provisioner = provisioner
        self.device = device
        self.choice = choice
        self.data = data
    }

    /// Runs until both sides have ended, letting time pass where nothing is under way.
    mutating func run() {
        handle(provisioner.start(at: now))
        while true {
            while !queue.isEmpty {
                let message = queue.removeFirst()
                transcript.append(message)
                for pdu in disturb(transcript.count - 1, message.pdu) { deliver(pdu, message.isFromProvisioner) }
            }
            let deadlines = [provisioner.nextDeadline, device.nextDeadline].compactMap(\.self)
            guard let next = deadlines.min() else { return }
            now = next
            handle(provisioner.advance(to: now))
            handle(device.advance(to: now))
        }
    }

    private mutating func deliver(_ pdu: [UInt8], _ isToDevice: Bool) {
        guard let packetSize else {
            receive(pdu, isToDevice)
            return
        }
        let whole = ProxyPDU(type: .provisioning, payload: pdu)
        for packet in ProxySegmenter.packets(of: whole, maximumSize: packetSize) {
            let received =
                isToDevice
                ? try? toDevice.receive(packet, at: now)
                : try? toProvisioner.receive(packet, at: now)
            if let received, received.type == .provisioning { receive(received.payload, isToDevice) }
        }
    }

    private mutating func receive(_ pdu: [UInt8], _ isToDevice: Bool) {
        if isToDevice && now < agreedAt {
            queue.append(Message(isFromProvisioner: false, pdu: [0x09, 0x03]))
        } else if isToDevice {
            if pdu.first == 0x03 { agreedAt = now.advanced(by: agreementTime) }
            handle(device.receive(pdu, at: now))
        } else {
            handle(provisioner.receive(pdu, at: now))
        }
    }

    private mutating func handle(_ actions: [ProvisionerAction]) {
        for action in actions {
            switch action {
            case .send(let pdu): queue.append(Message(isFromProvisioner: true, pdu: pdu))
            case .capabilitiesReceived(let received):
                capabilities = received
                let (choice, data) = (choice, data)
                attempt { provisioner, now throws(ProvisioningInputError) in
                    try provisioner.choose(choice, data: data, at: now)
                }
            case .askForOutput:
                isOutputAsked = true
                carryOutput()
            case .showInput(_, _, let value):
                pendingInput = value
                carryInput()
            case .inputCompleted: isInputCompleted = true
            case .dataIsAboutToBeSent(let key, let address):
                stored = (key, address)
                attempt { provisioner, now throws(ProvisioningInputError) in try provisioner.dataIsDurable(at: now) }
            case .completed(let node): self.node = node
            case .failed(let failure): provisionerFailure = failure
            }
        }
    }

    private mutating func attempt(
        _ input: (inout ProvisionerSession, Instant) throws(ProvisioningInputError) -> [ProvisionerAction]
    ) {
        do throws(ProvisioningInputError) {
            handle(try input(&provisioner, now))
        } catch {
            inputErrors.append(error)
        }
    }

    private mutating func handle(_ actions: [ProvisioningDeviceAction]) {
        for action in actions {
            switch action {
            case .send(let pdu): queue.append(Message(isFromProvisioner: false, pdu: pdu))
            case .drawAttention(let seconds): attention = seconds
            case .output(_, _, let value):
                pendingOutput = value
                carryOutput()
            case .outputCompleted: isOutputCompleted = true
            case .askForInput:
                isInputAsked = true
                carryInput()
            case .provisioned(let data, let key): provisioned = (data, key)
            case .failed(let failure): deviceFailure = failure
            }
        }
    }

    private mutating func carryOutput() {
        guard isOutputAsked, let value = pendingOutput else { return }
        isOutputAsked = false
        let carried = carry(value)
        attempt { provisioner, now throws(ProvisioningInputError) in try provisioner.supply(carried, at: now) }
    }

    private mutating func carryInput() {
        guard isInputAsked, let value = pendingInput else { return }
        isInputAsked = false
        do throws(ProvisioningInputError) {
            handle(try device.supply(carry(value), at: now))
        } catch {
            inputErrors.append(error)
        }
    }
}

/// What the tests provision with.
enum ProvisioningFixture {
    /// A way to provision.
    struct Method: Sendable, CustomStringConvertible {
        let algorithm: ProvisioningAlgorithm
        let isPublicKeyOutOfBand: Bool
        let method: AuthenticationMethod

        var description: String {
            "\(algorithm == .hmacSHA256 ? "HMAC" : "CMAC"), \(isPublicKeyOutOfBand ? "OOB key" : "key in band"), \(method)"
        }
    }

    static let authentications: [AuthenticationMethod] =
        [.noOOB, .staticOOB]
        + OutputAction.allCases.flatMap { action in [1, 4, 8].map { .outputOOB(action, size: $0) } }
        + InputAction.allCases.flatMap { action in [1, 4, 8].map { .inputOOB(action, size: $0) } }

    /// Every authentication with both algorithms and both ways to get the device's public key.
    static let methods: [Method] = ProvisioningAlgorithm.allCases.flatMap { algorithm in
        [false, true].flatMap { isOutOfBand in
            authentications.map { Method(algorithm: algorithm, isPublicKeyOutOfBand: isOutOfBand, method: $0) }
        }
    }

    /// One method of every kind with both algorithms.
    static let kinds: [Method] = ProvisioningAlgorithm.allCases.flatMap { algorithm in
        [
            Method(algorithm: algorithm, isPublicKeyOutOfBand: false, method: .noOOB),
            Method(algorithm: algorithm, isPublicKeyOutOfBand: true, method: .staticOOB),
            Method(algorithm: algorithm, isPublicKeyOutOfBand: false, method: .outputOOB(.alphanumeric, size: 6)),
            Method(algorithm: algorithm, isPublicKeyOutOfBand: false, method: .inputOOB(.numeric, size: 8)),
        ]
    }

    static let capabilities = ProvisioningCapabilities(
        elementCount: 3,
        isPublicKeyAvailable: true,
        isStaticValueAvailable: true,
        outputSize: 8,
        outputActions: OutputAction.allCases,
        inputSize: 8,
        inputActions: InputAction.allCases
    )

    static let data: ProvisioningData = {
        guard let index = NetKeyIndex(rawValue: 0x123), let address = UnicastAddress(rawValue: 0x0100) else {
            preconditionFailure("a fixture is wrong")
        }
        return ProvisioningData(
            netKey: KeyMaterial(Octets16(high: 1, low: 2)),
            netKeyIndex: index,
            ivIndex: IVIndex(value: 7, isUpdateInProgress: true),
            address: address
        )
    }()

    static func staticValue(_ octets: [UInt8] = Array(1...16)) -> StaticOutOfBandValue {
        guard let value = try? StaticOutOfBandValue(octets) else { preconditionFailure("a fixture is wrong") }
        return value
    }

    static func choice(_ method: Method, key: P256PublicKey) -> ProvisioningChoice {
        let authentication: ProvisioningChoice.Authentication =
            switch method.method {
            case .noOOB: .noOOB
            case .staticOOB: .staticOOB(staticValue())
            case .outputOOB(let action, let size): .outputOOB(action, size: size)
            case .inputOOB(let action, let size): .inputOOB(action, size: size)
            }
        return ProvisioningChoice(
            algorithm: method.algorithm,
            publicKey: method.isPublicKeyOutOfBand ? key : nil,
            authentication: authentication
        )
    }

    /// A pair that has not begun; the same seed gives the same session.
    static func pair(_ method: Method, seed: UInt64 = 1) -> ProvisioningPair {
        var generator = SplitMix64(seed: seed)
        let deviceSecrets = ProvisioningSecrets.random(using: &generator)
        return ProvisioningPair(
            provisioner: ProvisionerSession(attentionDuration: 5, secrets: .random(using: &generator)),
            device: ProvisioningDevice(
                capabilities: capabilities,
                staticValue: staticValue(),
                secrets: deviceSecrets,
                at: .zero
            ),
            choice: choice(method, key: deviceSecrets.publicKey),
            data: data
        )
    }

    static let simple = Method(algorithm: .hmacSHA256, isPublicKeyOutOfBand: false, method: .noOOB)
}
