import TestSupport
import Testing

@testable import MeshCore

@Suite("Attacks on provisioning")
struct ProvisioningAttackTests {
    /// A provisioner with its rules and its memory, which meets a device any number of times.
    private struct Building {
        var policy: ProvisioningPolicy
        var memory: DeviceMemory
        var refusal: ProvisioningPolicyError?
        var failure: ProvisioningFailureReason?
        private var generator = SplitMix64(seed: 3)

        init(_ assurance: ProvisioningAssurance, isAgain: Bool = false) {
            policy = ProvisioningPolicy(assurance: assurance, allowsUsedValue: isAgain)
            memory = DeviceMemory(
                uuid: DeviceUUID(rawValue: Octets16(high: 1, low: 1)),
                key: KeyMaterial(Octets16(high: 2, low: 2))
            )
        }

        /// Holds a session. What is about to be given away is remembered before Start is sent.
        mutating func meet(_ device: AttackDevice) {
            (refusal, failure) = (nil, nil)
            var session = ProvisionerSession(attentionDuration: 0, secrets: .random(using: &generator))
            var actions = session.start(at: .zero)
            while !actions.isEmpty {
                switch actions.removeFirst() {
                case .send(let pdu):
                    for answer in device.answers(to: pdu) { actions += session.receive(answer, at: .zero) }
                    if device.isClosed { actions += session.linkClosed() }
                case .capabilitiesReceived(let capabilities):
                    var material = device.attack.material
                    material.isStaticValueUsed = material.staticValue.map(memory.isUsed) ?? false
                    do throws(ProvisioningPolicyError) {
                        let choice = try policy.choice(for: capabilities, with: material)
                        if let value = choice.valueGivenAway { _ = memory.use(value) }
                        let data = ProvisioningFixture.data
                        actions += (try? session.choose(choice, data: data, at: .zero)) ?? []
                    } catch {
                        refusal = error
                        return
                    }
                // A person reads the real device, which stands there as well.
                case .askForOutput: actions += (try? session.supply(.text("K7RX20QZ"), at: .zero)) ?? []
                case .dataIsAboutToBeSent: actions += (try? session.dataIsDurable(at: .zero)) ?? []
                case .failed(let end): failure = end.reason
                case .showInput, .inputCompleted, .completed: break
                }
            }
        }
    }

    /// The attack as a whole: whoever comes twice does.
    private func play(_ attack: ProvisioningAttack, _ building: inout Building) -> AttackDevice {
        let device = AttackDevice(attack)
        building.meet(device)
        switch attack {
        case .bruteForce: device.reopen(with: attack.capabilities)
        case .reopenedLink:
            device.reopen(with: ProvisioningCapabilities(elementCount: 1, isStaticValueAvailable: true))
        default: return device
        }
        building.meet(device)
        return device
    }

    @Test(
        "Where devices must be authenticated, none of the twelve attackers reads the network's key",
        arguments: ProvisioningAttack.allCases
    )
    func authenticated(attack: ProvisioningAttack) {
        var building = Building(.authenticated)
        let device = play(attack, &building)
        #expect(device.obtained == nil)
        #expect(building.refusal != nil || building.failure != nil)
    }

    @Test(
        "A claim is worth what it says: who undoes AES-CMAC gets in, and the other attackers do not",
        arguments: ProvisioningAttack.allCases
    )
    func claimed(attack: ProvisioningAttack) {
        var building = Building(.claimed)
        let device = play(attack, &building)
        let forgers: Set<ProvisioningAttack> = [.forgedStatic, .forgedOutput, .forgedInput, .downgradedAlgorithm]
        #expect((device.obtained == ProvisioningFixture.data) == forgers.contains(attack), "\(building)")
    }

    @Test(
        "A device that cannot prove enough is told nothing but the Invite",
        arguments: [ProvisioningAttack.forgedStatic, .forgedOutput, .forgedInput, .bruteForce, .downgradedAlgorithm]
    )
    func refusedEarly(attack: ProvisioningAttack) throws {
        var building = Building(.authenticated)
        let device = AttackDevice(attack)
        building.meet(device)
        #expect(device.received == [0x00])
        guard case .noMethod(let refusals, _) = try #require(building.refusal) else {
            Issue.record("\(String(describing: building.refusal))")
            return
        }
        #expect(refusals.contains { $0.cause.isTooWeak })
        #expect(building.memory.usedValues.isEmpty)
    }

    @Test(
        "The forger has learnt the static value, and a short one is found by trying",
        arguments: [
            ProvisioningAttack.forgedStatic, .bruteForce,
        ]
    )
    func learnt(attack: ProvisioningAttack) throws {
        var building = Building(.claimed)
        let device = AttackDevice(attack)
        building.meet(device)
        let value = try #require(attack.material.staticValue)
        #expect(device.learnt == Array(value.octets.prefix(16)))
        #expect(building.memory.isUsed(value))
    }

    @Test("What was given away is not offered again, and with --again it proves no more than a claim")
    func usedValue() throws {
        var building = Building(.claimed)
        let device = AttackDevice(.bruteForce)
        building.meet(device)
        device.reopen(with: ProvisioningAttack.bruteForce.capabilities)
        building.meet(device)
        guard case .noMethod(let refusals, _) = try #require(building.refusal) else { return }
        #expect(refusals.contains { $0.cause == .usedUp })
        #expect(device.obtained == nil)
        // Whoever says so gets what was said of it.
        var careless = Building(.claimed, isAgain: true)
        #expect(play(.bruteForce, &careless).obtained == ProvisioningFixture.data)
        // A full value that was given away under AES-CMAC does not authenticate under HMAC-SHA256 either.
        let value = ProvisioningFixture.staticValue(Array(1...32))
        let capabilities = ProvisioningCapabilities(elementCount: 1, isStaticValueAvailable: true)
        let fresh = OutOfBandMaterial(staticValue: value)
        let used = OutOfBandMaterial(staticValue: value, isStaticValueUsed: true)
        let policy = ProvisioningPolicy(assurance: .authenticated, allowsUsedValue: true)
        #expect(try policy.choice(for: capabilities, with: fresh).assurance == .authenticated)
        #expect(throws: ProvisioningPolicyError.self) { try policy.choice(for: capabilities, with: used) }
        // Where a claim is not enough, nobody is told to offer it again, and what would prove too little is not asked for.
        func causes(
            _ material: OutOfBandMaterial,
            _ algorithms: [ProvisioningAlgorithm]
        ) -> Set<ProvisioningPolicyError.Cause> {
            let offer = ProvisioningCapabilities(
                elementCount: 1,
                algorithms: algorithms,
                isStaticValueAvailable: true,
                outputSize: 6,
                outputActions: [.numeric]
            )
            do throws(ProvisioningPolicyError) {
                _ = try ProvisioningPolicy(assurance: .authenticated).choice(for: offer, with: material)
                return []
            } catch {
                guard case .noMethod(let refusals, _) = error else { return [] }
                return Set(refusals.map(\.cause))
            }
        }
        let demanded: Set<ProvisioningPolicyError.Cause> = [.authenticationRequired, .notOffered]
        #expect(causes(used, [.hmacSHA256]) == demanded.union([.givenAway, .notAtHand]))
        #expect(causes(used, [.cmacAES128]) == demanded.union([.forgeable(.cmacAES128)]))
        #expect(causes(OutOfBandMaterial(), [.cmacAES128]) == demanded.union([.forgeable(.cmacAES128)]))
    }

    @Test("What authenticates: HMAC-SHA256 with a value that nobody guesses, or the public key out of band")
    func levels() throws {
        var generator = SplitMix64(seed: 1)
        let key = P256KeyPair.random(using: &generator).publicKey
        let full = ProvisioningFixture.staticValue(Array(1...32))
        let padded = ProvisioningFixture.staticValue(Array(1...16) + [UInt8](repeating: 0, count: 16))
        let cases: [(ProvisioningChoice.Authentication, cmac: ProvisioningAssurance, hmac: ProvisioningAssurance)] = [
            (.noOOB, .nothing, .nothing),
            (.staticOOB(full), .claimed, .authenticated),
            (.staticOOB(padded), .claimed, .claimed),
            (.staticOOB(ProvisioningFixture.staticValue()), .claimed, .claimed),
            (.outputOOB(.numeric, size: 6), .claimed, .authenticated),
            (.outputOOB(.numeric, size: 5), .claimed, .claimed),
            (.outputOOB(.alphanumeric, size: 4), .claimed, .authenticated),
            (.outputOOB(.alphanumeric, size: 3), .claimed, .claimed),
            (.outputOOB(.blink, size: 1), .claimed, .claimed),
            (.inputOOB(.numeric, size: 6), .claimed, .authenticated),
            (.inputOOB(.push, size: 1), .claimed, .claimed),
        ]
        for (authentication, cmac, hmac) in cases {
            for (algorithm, expected) in [(ProvisioningAlgorithm.cmacAES128, cmac), (.hmacSHA256, hmac)] {
                let choice = ProvisioningChoice(algorithm: algorithm, publicKey: nil, authentication: authentication)
                #expect(choice.assurance == expected, "\(algorithm) \(authentication.method)")
                let vouched = ProvisioningChoice(algorithm: algorithm, publicKey: key, authentication: authentication)
                #expect(vouched.assurance == .authenticated)
                #expect(vouched.valueGivenAway == nil)
            }
        }
        let staticChoice = { (algorithm: ProvisioningAlgorithm, value: StaticOutOfBandValue) in
            ProvisioningChoice(algorithm: algorithm, publicKey: nil, authentication: .staticOOB(value))
        }
        #expect(staticChoice(.hmacSHA256, full).valueGivenAway == nil)
        #expect(staticChoice(.hmacSHA256, padded).valueGivenAway == padded)
        #expect(staticChoice(.cmacAES128, full).valueGivenAway == full)
    }
}
