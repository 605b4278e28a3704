import TestSupport
import Testing

@testable import MeshCore

@Suite("Provisioning between both machines")
struct ProvisioningPairTests {
    @Test(
        "every method, with both algorithms and both ways of the public key, ends in one and the same node",
        arguments: ProvisioningFixture.methods
    )
    func completes(method: ProvisioningFixture.Method) {
        for seed in 1...3 as ClosedRange<UInt64> {
            var pair = ProvisioningFixture.pair(method, seed: seed)
            pair.run()
            #expect(pair.provisionerFailure == nil)
            #expect(pair.deviceFailure == nil)
            #expect(pair.inputErrors.isEmpty)
            #expect(pair.capabilities == ProvisioningFixture.capabilities)
            #expect(pair.attention == 5)
            #expect(pair.node?.deviceKey == pair.provisioned?.key)
            #expect(pair.stored?.key == pair.node?.deviceKey)
            #expect(pair.stored?.address == ProvisioningFixture.data.address)
            #expect(pair.provisioned?.data == ProvisioningFixture.data)
            #expect(pair.node?.elementCount == 3)
            #expect(pair.node?.authentication.isPublicKeyOutOfBand == method.isPublicKeyOutOfBand)
            #expect(pair.node?.authentication == pair.choice.nodeAuthentication)
            #expect(pair.isOutputCompleted == (method.method.kind == .outputOOB))
            #expect(pair.isInputCompleted == (method.method.kind == .inputOOB))
            #expect(pair.provisioner.stage == .completed && pair.device.stage == .completed)
            let wait = method.isPublicKeyOutOfBand ? ProvisionerSession.agreementTime : .zero
            #expect(pair.now == Instant.zero.advanced(by: wait))
        }
    }

    @Test(
        "a device whose public key is known has time for the key agreement, which it does not report",
        arguments: ProvisioningFixture.methods.filter(\.isPublicKeyOutOfBand)
    )
    func agreement(method: ProvisioningFixture.Method) {
        var pair = ProvisioningFixture.pair(method)
        pair.agreementTime = .milliseconds(1500)
        pair.run()
        #expect(pair.provisionerFailure == nil)
        #expect(pair.node?.deviceKey == pair.provisioned?.key)
    }

    @Test("sessions go through packets of every size", arguments: [2, 3, 20, 66])
    func packets(size: Int) {
        for method in ProvisioningFixture.kinds {
            var pair = ProvisioningFixture.pair(method)
            pair.packetSize = size
            pair.run()
            #expect(pair.node != nil)
            #expect(pair.node?.deviceKey == pair.provisioned?.key)
        }
    }

    @Test("sessions with other randomness have other device keys")
    func fresh() {
        var keys: Set<KeyMaterial> = []
        for seed in 0..<20 as Range<UInt64> {
            var pair = ProvisioningFixture.pair(ProvisioningFixture.simple, seed: seed)
            pair.run()
            if let key = pair.node?.deviceKey { keys.insert(key) }
        }
        #expect(keys.count == 20)
    }

    @Test(
        "a wrong value ends in Confirmation Failed on both sides",
        arguments: ProvisioningFixture.methods.filter { [.outputOOB, .inputOOB].contains($0.method.kind) }
    )
    func wrongValue(method: ProvisioningFixture.Method) {
        var pair = ProvisioningFixture.pair(method)
        pair.carry = { value in
            switch value {
            case .number(let number): .number(number == 1 ? 2 : 1)
            case .text(let text):
                .text(String(text.reversed()) == text ? "Z" + text.dropFirst() : String(text.reversed()))
            }
        }
        pair.run()
        #expect(pair.node == nil && pair.provisioned == nil && pair.stored == nil)
        #expect(pair.deviceFailure == ProvisioningFailure(.confirmationMismatch, at: .verification))
        #expect(
            pair.provisionerFailure == ProvisioningFailure(.reportedByDevice(.confirmationFailed), at: .verification)
        )
        #expect(pair.transcript.last?.pdu == [0x09, 0x04])
    }

    @Test("a wrong static value ends in Confirmation Failed", arguments: ProvisioningAlgorithm.allCases)
    func wrongStaticValue(algorithm: ProvisioningAlgorithm) {
        var generator = SplitMix64(seed: 4)
        var pair = ProvisioningPair(
            provisioner: ProvisionerSession(attentionDuration: 0, secrets: .random(using: &generator)),
            device: ProvisioningDevice(
                capabilities: ProvisioningFixture.capabilities,
                staticValue: ProvisioningFixture.staticValue(),
                secrets: .random(using: &generator),
                at: .zero
            ),
            choice: ProvisioningChoice(
                algorithm: algorithm,
                publicKey: nil,
                authentication: .staticOOB(ProvisioningFixture.staticValue(Array(2...17)))
            ),
            data: ProvisioningFixture.data
        )
        pair.run()
        #expect(pair.deviceFailure?.reason == .confirmationMismatch)
        #expect(pair.provisionerFailure?.reason == .reportedByDevice(.confirmationFailed))
        #expect(pair.provisionerFailure?.mayBeProvisioned == false)
        #expect(pair.attention == nil)
    }

    @Test("what is dumped of a session shows no octet, at whatever stage", arguments: ProvisioningAlgorithm.allCases)
    func concealment(algorithm: ProvisioningAlgorithm) throws {
        var pair = ProvisioningFixture.pair(
            ProvisioningFixture.Method(algorithm: algorithm, isPublicKeyOutOfBand: false, method: .staticOOB)
        )
        var stages: Set<ProvisioningStage> = []
        func look() {
            var text = ""
            dump(pair.provisioner, to: &text)
            dump(pair.device, to: &text)
            stages.insert(pair.provisioner.stage)
            let lines = text.split(separator: "\n").map { $0.drop { $0 == " " || $0 == "-" } }
            #expect(!lines.contains { $0.first?.isNumber == true }, "\(text)")
        }
        var actions = pair.provisioner.start(at: .zero)
        while !actions.isEmpty {
            var next: [ProvisionerAction] = []
            for action in actions {
                switch action {
                case .send(let pdu):
                    for case .send(let answer) in pair.device.receive(pdu, at: .zero) {
                        look()
                        next += pair.provisioner.receive(answer, at: .zero)
                        look()
                    }
                case .capabilitiesReceived: next += try pair.provisioner.choose(pair.choice, data: pair.data, at: .zero)
                case .dataIsAboutToBeSent: next += try pair.provisioner.dataIsDurable(at: .zero)
                default: break
                }
                look()
            }
            actions = next
        }
        #expect(pair.provisioner.stage == .completed)
        #expect(stages.count >= 6, "\(stages)")
    }

    @Test("a public key of somebody else ends in a failure, whatever the method")
    func wrongPublicKey() {
        for authentication in [AuthenticationMethod.noOOB, .staticOOB] {
            let method = ProvisioningFixture.Method(
                algorithm: .hmacSHA256,
                isPublicKeyOutOfBand: true,
                method: authentication
            )
            var generator = SplitMix64(seed: 5)
            let stranger = P256KeyPair.random(using: &generator).publicKey
            var pair = ProvisioningPair(
                provisioner: ProvisionerSession(attentionDuration: 0, secrets: .random(using: &generator)),
                device: ProvisioningDevice(
                    capabilities: ProvisioningFixture.capabilities,
                    staticValue: ProvisioningFixture.staticValue(),
                    secrets: .random(using: &generator),
                    at: .zero
                ),
                choice: ProvisioningFixture.choice(method, key: stranger),
                data: ProvisioningFixture.data
            )
            pair.run()
            #expect(pair.node == nil && pair.provisioned == nil && pair.stored == nil)
            #expect(pair.deviceFailure?.reason == .confirmationMismatch)
        }
    }

    @Test("a static value of any length fits both algorithms", arguments: [1, 15, 16, 17, 32])
    func staticLengths(length: Int) throws {
        let value = try StaticOutOfBandValue((0..<length).map { UInt8($0 + 1) })
        for algorithm in ProvisioningAlgorithm.allCases {
            let octets = AuthenticationValue(value, algorithm).octets
            #expect(octets.count == algorithm.confirmationSize)
            let front = min(length, octets.count)
            #expect(octets.prefix(front) == (0..<front).map { UInt8($0 + 1) }[...])
            #expect(octets.dropFirst(front).allSatisfy { $0 == 0 })
        }
    }

    @Test("nothing of a session is printed that must stay secret")
    func secrecy() {
        var generator = SplitMix64(seed: 6)
        let secrets = ProvisioningSecrets.random(using: &generator)
        let value = ProvisioningFixture.staticValue()
        #expect("\(secrets) \(value)" == "(secret) (secret)")
        #expect(String(reflecting: secrets) == "(secret)" && String(reflecting: value) == "(secret)")
        #expect(String(describing: P256KeyPair.random(using: &generator)) == "(secret)")
        let choice = ProvisioningChoice(algorithm: .cmacAES128, publicKey: nil, authentication: .staticOOB(value))
        #expect("\(choice)".contains("(secret)") && !"\(choice)".contains("[1, 2, 3"))
    }
}
