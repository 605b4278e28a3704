import TestSupport
import Testing

@testable import MeshCore

@Suite("ProvisioningPolicy")
struct ProvisioningPolicyTests {
    private let everything: OutOfBandMaterial = {
        var generator = SplitMix64(seed: 1)
        return OutOfBandMaterial(
            staticValue: ProvisioningFixture.staticValue(),
            publicKey: P256KeyPair.random(using: &generator).publicKey,
            canReadOutput: true,
            canEnterInput: true
        )
    }()

    @Test("what is chosen is what the device offers, for all capabilities and material")
    func offered() throws {
        var generator = SplitMix64(seed: 2)
        var outcomes = (chosen: 0, refused: 0)
        for _ in 0..<3000 {
            let bits = generator.next()
            let capabilities = ProvisioningCapabilities(
                elementCount: 1,
                algorithms: ProvisioningAlgorithm.allCases.filter { _ in generator.chance(70) },
                isPublicKeyAvailable: bits & 1 != 0,
                isStaticValueAvailable: bits & 2 != 0,
                requiresAuthentication: bits & 4 != 0,
                outputSize: UInt8(bits >> 8 & 7) + UInt8(bits >> 11 & 1),
                outputActions: OutputAction.allCases.filter { _ in generator.chance(30) },
                inputSize: UInt8(bits >> 16 & 7) + UInt8(bits >> 19 & 1),
                inputActions: InputAction.allCases.filter { _ in generator.chance(30) }
            )
            let material = OutOfBandMaterial(
                staticValue: bits & 8 != 0 ? everything.staticValue : nil,
                publicKey: bits & 16 != 0 ? everything.publicKey : nil,
                canReadOutput: bits & 32 != 0,
                canEnterInput: bits & 64 != 0
            )
            let policy = ProvisioningPolicy(
                assurance: ProvisioningAssurance.allCases[Int(generator.next() % 3)],
                requiresPublicKeyOutOfBand: generator.chance(10),
                countedDigits: UInt8(generator.next() % 10)
            )
            do throws(ProvisioningPolicyError) {
                let choice = try policy.choice(for: capabilities, with: material)
                outcomes.chosen += 1
                #expect(capabilities.offer(choice.start))
                #expect(choice.assurance >= policy.assurance)
                #expect(choice.publicKey == material.publicKey)
                #expect(choice.publicKey != nil || !policy.requiresPublicKeyOutOfBand)
                switch choice.authentication {
                case .noOOB: #expect(!capabilities.requiresAuthentication)
                case .staticOOB(let value): #expect(value == material.staticValue)
                case .outputOOB: #expect(material.canReadOutput)
                case .inputOOB: #expect(material.canEnterInput)
                }
            } catch {
                outcomes.refused += 1
                #expect(!error.description.isEmpty)
            }
        }
        #expect(outcomes.chosen > 500 && outcomes.refused > 500)
    }

    @Test("HMAC is preferred to CMAC and any authentication to none")
    func preference() throws {
        let full = ProvisioningFixture.capabilities
        var material = everything
        let choice = try ProvisioningPolicy().choice(for: full, with: material)
        #expect(choice.algorithm == .hmacSHA256)
        #expect(choice.authentication.method == .staticOOB)
        material.staticValue = nil
        #expect(
            try ProvisioningPolicy().choice(for: full, with: material).authentication
                == .outputOOB(.alphanumeric, size: 8)
        )
        material.canReadOutput = false
        #expect(
            try ProvisioningPolicy().choice(for: full, with: material).authentication
                == .inputOOB(.alphanumeric, size: 8)
        )
        material.canEnterInput = false
        #expect(try ProvisioningPolicy().choice(for: full, with: material).authentication == .noOOB)
        let old = ProvisioningCapabilities(elementCount: 1, algorithms: [.cmacAES128])
        #expect(try ProvisioningPolicy().choice(for: old, with: OutOfBandMaterial()).algorithm == .cmacAES128)
    }

    @Test("a device that we have a static value for does not get away without, by not offering it")
    func downgrade() throws {
        let impostor = ProvisioningCapabilities(elementCount: 1)
        var material = OutOfBandMaterial(staticValue: everything.staticValue)
        #expect(
            throws: ProvisioningPolicyError.noMethod([
                .init(.staticOOB, .notOffered), .init(.outputOOB, .notOffered), .init(.inputOOB, .notOffered),
                .init(.noOOB, .authenticationRequired),
            ])
        ) { try ProvisioningPolicy().choice(for: impostor, with: material) }
        // Whoever says that there is to be none means it.
        #expect(try ProvisioningPolicy(kinds: [.noOOB]).choice(for: impostor, with: material).authentication == .noOOB)
        // Who has the private key is the device.
        material.publicKey = everything.publicKey
        let genuine = ProvisioningCapabilities(elementCount: 1, isPublicKeyAvailable: true)
        #expect(try ProvisioningPolicy().choice(for: genuine, with: material).authentication == .noOOB)
    }

    @Test("nobody has to count further than the policy says", arguments: 0...9 as ClosedRange<UInt8>)
    func counted(digits: UInt8) throws {
        let blinking = ProvisioningCapabilities(elementCount: 1, outputSize: 8, outputActions: [.blink, .beep])
        let material = OutOfBandMaterial(canReadOutput: true)
        let choice = try ProvisioningPolicy(countedDigits: digits).choice(for: blinking, with: material)
        #expect(choice.authentication == .outputOOB(.beep, size: min(max(1, digits), 8)))
    }

    @Test("a device that nobody vouches for is refused where authentication is required, and the error says why")
    func required() throws {
        let policy = ProvisioningPolicy(assurance: .authenticated)
        let device = ProvisioningCapabilities(elementCount: 1, isPublicKeyAvailable: true, isStaticValueAvailable: true)
        let expected = ProvisioningPolicyError.noMethod(
            [
                .init(.staticOOB, .notAtHand), .init(.outputOOB, .notOffered), .init(.inputOOB, .notOffered),
                .init(.noOOB, .authenticationRequired),
            ],
            publicKeyHelps: true
        )
        #expect(throws: expected) { try policy.choice(for: device, with: OutOfBandMaterial()) }
        #expect(
            expected.description
                == "there is no way to authenticate the device: its value for Static OOB is not known, "
                + "it does not offer Output OOB or Input OOB, No OOB does not authenticate"
        )
        // A public key that was read out of band vouches for it.
        let key = OutOfBandMaterial(publicKey: everything.publicKey)
        #expect(try policy.choice(for: device, with: key).assurance == .authenticated)
        // Unless the device itself wants more (1.1).
        let strict = ProvisioningCapabilities(elementCount: 1, isPublicKeyAvailable: true, requiresAuthentication: true)
        #expect(throws: ProvisioningPolicyError.self) { try policy.choice(for: strict, with: key) }
    }

    @Test(
        "what the definition does not ask for is no reason, but where there is no other",
        arguments: [
            (AuthenticationMethod.Kind.outputOOB, "nobody can read the value that it outputs (Output OOB)"),
            (.inputOOB, "nobody can enter a value into it (Input OOB)"),
            (.staticOOB, "it does not offer Static OOB"),
        ]
    )
    func asked(kind: AuthenticationMethod.Kind, clause: String) {
        let device = ProvisioningCapabilities(
            elementCount: 1,
            outputSize: 4,
            outputActions: [.blink],
            inputSize: 4,
            inputActions: [.push]
        )
        let error = #expect(throws: ProvisioningPolicyError.self) {
            try ProvisioningPolicy(kinds: [kind]).choice(for: device, with: OutOfBandMaterial())
        }
        #expect(error?.description == "there is no way to authenticate the device: " + clause)
        let nothing = #expect(throws: ProvisioningPolicyError.self) {
            try ProvisioningPolicy(kinds: []).choice(for: device, with: OutOfBandMaterial())
        }
        #expect(nothing?.description.hasSuffix("Input OOB is not allowed") == true)
    }

    @Test(
        "how little it takes to find a value is told in its own figures",
        arguments: [
            ([1, 2, 3], "its value for Static OOB can be found by trying, one of 2^24 values"),
            (
                Array(1...16) + [UInt8](repeating: 0, count: 16),
                "its value for Static OOB fills only 16 of 32 octets, and can be found by trying if it is not random"
            ),
            (nil, "its value for Output OOB can be guessed, one of 46656 values"),
        ] as [([UInt8]?, String)]
    )
    func shortness(octets: [UInt8]?, clause: String) {
        let device = ProvisioningCapabilities(
            elementCount: 1,
            isStaticValueAvailable: octets != nil,
            outputSize: octets == nil ? 3 : 0,
            outputActions: octets == nil ? [.alphanumeric] : []
        )
        let material = OutOfBandMaterial(staticValue: octets.map(ProvisioningFixture.staticValue), canReadOutput: true)
        let error = #expect(throws: ProvisioningPolicyError.self) {
            try ProvisioningPolicy(assurance: .authenticated).choice(for: device, with: material)
        }
        #expect(error?.description.hasPrefix("there is no way to authenticate the device: " + clause) == true)
        guard case .noMethod(let refusals, publicKeyHelps: false)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusals.count { $0.cause.isTooWeak } == 1)
    }

    @Test("a public key that the device offers helps where a method is left with it, whatever else is lacking")
    func publicKeyHelps() {
        func helps(
            isOffered: Bool = true,
            static isStatic: Bool = false,
            isStrict: Bool = false,
            _ policy: ProvisioningPolicy = ProvisioningPolicy(assurance: .authenticated)
        ) -> Bool? {
            let device = ProvisioningCapabilities(
                elementCount: 1,
                algorithms: [.cmacAES128],
                isPublicKeyAvailable: isOffered,
                isStaticValueAvailable: isStatic,
                requiresAuthentication: isStrict
            )
            do throws(ProvisioningPolicyError) {
                _ = try policy.choice(for: device, with: OutOfBandMaterial())
                return nil
            } catch {
                if case .noMethod(_, let helps) = error { return helps }
                return nil
            }
        }
        #expect(helps() == true)
        #expect(helps(isOffered: false) == false)
        // A static value has to come with it.
        #expect(helps(static: true, ProvisioningPolicy(kinds: [.staticOOB], assurance: .authenticated)) == true)
        #expect(helps(isStrict: true) == false)
        #expect(helps(ProvisioningPolicy()) == nil)
    }

    @Test("a public key at hand is never silently left out")
    func publicKey() {
        let device = ProvisioningCapabilities(elementCount: 1)
        #expect(throws: ProvisioningPolicyError.publicKeyNotOffered) {
            try ProvisioningPolicy().choice(for: device, with: OutOfBandMaterial(publicKey: everything.publicKey))
        }
        let policy = ProvisioningPolicy(requiresPublicKeyOutOfBand: true)
        #expect(throws: ProvisioningPolicyError.publicKeyNotOffered) {
            try policy.choice(for: device, with: OutOfBandMaterial())
        }
        #expect(throws: ProvisioningPolicyError.publicKeyMissing) {
            try policy.choice(for: ProvisioningFixture.capabilities, with: OutOfBandMaterial())
        }
    }

    @Test("a policy of one kind or one algorithm refuses the others")
    func narrow() {
        let device = ProvisioningCapabilities(elementCount: 1, algorithms: [.cmacAES128])
        #expect(
            throws: ProvisioningPolicyError.algorithm(offered: [.cmacAES128], allowed: [.hmacSHA256])
        ) {
            try ProvisioningPolicy(algorithms: [.hmacSHA256]).choice(for: device, with: everything)
        }
        #expect(
            throws: ProvisioningPolicyError.noMethod([
                .init(.staticOOB, .notOffered), .init(.noOOB, .notAllowed), .init(.outputOOB, .notAllowed),
                .init(.inputOOB, .notAllowed),
            ])
        ) {
            try ProvisioningPolicy(kinds: [.staticOOB]).choice(for: device, with: OutOfBandMaterial())
        }
    }
}
