import TestSupport
import Testing

@testable import MeshCore

@Suite("Provisioning rules")
struct ProvisioningRulesTests {
    /// A session whose capabilities just came, and what it sent.
    private func deciding(
        _ capabilities: ProvisioningCapabilities = ProvisioningFixture.capabilities,
        seed: UInt64 = 1
    ) -> ProvisionerSession {
        var generator = SplitMix64(seed: seed)
        var session = ProvisionerSession(attentionDuration: 0, secrets: .random(using: &generator))
        #expect(session.start(at: .zero) == [.send([0, 0])])
        #expect(session.receive([1] + capabilities.encoded, at: .zero) == [.capabilitiesReceived(capabilities)])
        return session
    }

    private func device(seed: UInt64 = 2) -> ProvisioningDevice {
        var generator = SplitMix64(seed: seed)
        return ProvisioningDevice(
            capabilities: ProvisioningFixture.capabilities,
            staticValue: ProvisioningFixture.staticValue(),
            secrets: .random(using: &generator),
            at: .zero
        )
    }

    private func sent(_ actions: [ProvisioningDeviceAction]) -> [[UInt8]] {
        actions.compactMap { if case .send(let pdu) = $0 { pdu } else { nil } }
    }

    private func sent(_ actions: [ProvisionerAction]) -> [[UInt8]] {
        actions.compactMap { if case .send(let pdu) = $0 { pdu } else { nil } }
    }

    // MARK: Provisioner

    @Test("every PDU out of order ends the provisioner's session in every stage", arguments: ProvisioningFixture.kinds)
    func outOfOrder(method: ProvisioningFixture.Method) {
        var reference = ProvisioningFixture.pair(method)
        reference.run()
        let size = method.algorithm.confirmationSize
        let samples: [ProvisioningPDU] = [
            .invite(attentionDuration: 1), .capabilities(ProvisioningFixture.capabilities),
            .start(reference.choice.start),
            .publicKey(Array(reference.transcript[3].pdu.dropFirst())), .inputComplete,
            .confirmation([UInt8](repeating: 1, count: size)), .random([UInt8](repeating: 2, count: size)),
            .data([UInt8](repeating: 3, count: 33)), .complete,
        ]
        for (position, message) in reference.transcript.enumerated() {
            for sample in samples where sample.type.rawValue != message.pdu[0] {
                // In place of a device's message the provisioner gets another one, and the other way round.
                var pair = ProvisioningFixture.pair(method)
                pair.disturb = { number, pdu in number == position ? [sample.encoded] : [pdu] }
                pair.run()
                #expect(pair.node == nil, "\(position) \(sample.type)")
                if message.isFromProvisioner {
                    // An early device also refuses what it got before: only the reason matters here.
                    #expect(pair.deviceFailure?.reason == .unexpected(sample.type), "\(position) \(sample.type)")
                    #expect(pair.transcript.contains { $0.pdu == [0x09, 0x03] })
                } else {
                    #expect(pair.provisionerFailure?.reason == .unexpected(sample.type), "\(position) \(sample.type)")
                }
            }
        }
    }

    @Test("each error code of a device ends the session in every stage", arguments: ProvisioningErrorCode.allCases)
    func reported(code: ProvisioningErrorCode) {
        var reference = ProvisioningFixture.pair(ProvisioningFixture.simple)
        reference.run()
        for (position, message) in reference.transcript.enumerated() where !message.isFromProvisioner {
            var pair = ProvisioningFixture.pair(ProvisioningFixture.simple)
            pair.disturb = { number, pdu in number == position ? [[0x09, code.rawValue]] : [pdu] }
            pair.run()
            #expect(pair.provisionerFailure?.reason == .reportedByDevice(code))
            #expect(pair.provisionerFailure?.mayBeProvisioned == (position == reference.transcript.count - 1))
        }
        // A device that is told to give up says so.
        var device = device()
        #expect(
            device.refuse(with: code, at: .zero)
                == [.send([0x09, code.rawValue]), .failed(ProvisioningFailure(.refused(code), at: .invitation))]
        )
        #expect(device.refuse(with: code, at: .zero).isEmpty)
    }

    @Test("a prohibited or reserved error code ends the session too", arguments: [0x00, 0x0A, 0xFF] as [UInt8])
    func reservedCode(code: UInt8) {
        var session = deciding()
        let error = DecodeError.prohibited(field: "ErrorCode", value: UInt64(code))
        #expect(
            session.receive([0x09, code], at: .zero) == [.failed(ProvisioningFailure(.malformed(error), at: .decision))]
        )
    }

    @Test("our own public key sent back is refused, and its opposite as well")
    func reflectedKey() throws {
        for isOpposite in [false, true] {
            var session = deciding()
            let method = ProvisioningFixture.simple
            var generator = SplitMix64(seed: 3)
            let other = P256KeyPair.random(using: &generator).publicKey
            let actions = try session.choose(
                ProvisioningFixture.choice(method, key: other),
                data: ProvisioningFixture.data,
                at: .zero
            )
            var own = Array(sent(actions)[1].dropFirst())
            if isOpposite { own.replaceSubrange(32..., with: P256KeyAgreementTests.negated(Array(own[32...]))) }
            #expect(P256PublicKey(own) != nil)
            let failure = ProvisioningFailure(.reflectedPublicKey, at: .publicKeyExchange)
            #expect(session.receive([3] + own, at: .zero) == [.failed(failure)])
            var device = device()
            _ = device.receive([0, 0], at: .zero)
            #expect(device.receive([2, 1, 0, 0, 0, 0], at: .zero).isEmpty)
            var generator2 = SplitMix64(seed: 2)
            var deviceKey = ProvisioningSecrets.random(using: &generator2).publicKey.coordinates
            if isOpposite {
                deviceKey.replaceSubrange(32..., with: P256KeyAgreementTests.negated(Array(deviceKey[32...])))
            }
            #expect(
                device.receive([3] + deviceKey, at: .zero)
                    == [.send([0x09, 0x02]), .failed(failure)]
            )
        }
    }

    @Test("a point that is not on the curve is refused by both sides")
    func invalidPoint() throws {
        var generator = SplitMix64(seed: 3)
        let other = P256KeyPair.random(using: &generator).publicKey
        var invalid = other.coordinates
        invalid[63] ^= 1
        for point in [invalid, [UInt8](repeating: 0, count: 64), [UInt8](repeating: 0xFF, count: 64)] {
            var session = deciding()
            _ = try session.choose(
                ProvisioningFixture.choice(ProvisioningFixture.simple, key: other),
                data: ProvisioningFixture.data,
                at: .zero
            )
            let failure = ProvisioningFailure(.invalidPublicKey, at: .publicKeyExchange)
            #expect(session.receive([3] + point, at: .zero) == [.failed(failure)])
            var device = device()
            _ = device.receive([0, 0], at: .zero)
            _ = device.receive([2, 0, 0, 0, 0, 0], at: .zero)
            #expect(device.receive([3] + point, at: .zero) == [.send([0x09, 0x02]), .failed(failure)])
        }
    }

    @Test("our own confirmation and our own random number sent back are refused", arguments: ProvisioningFixture.kinds)
    func reflected(method: ProvisioningFixture.Method) {
        for (type, reason) in [
            (0x05, ProvisioningFailureReason.reflectedConfirmation), (0x06, .reflectedRandom),
        ] as [(UInt8, ProvisioningFailureReason)] {
            var reference = ProvisioningFixture.pair(method)
            reference.run()
            let ofDevice = reference.transcript.firstIndex { !$0.isFromProvisioner && $0.pdu[0] == type }
            let ofProvisioner = reference.transcript.firstIndex { $0.isFromProvisioner && $0.pdu[0] == type }
            guard let ofDevice, let ofProvisioner else {
                Issue.record("no message \(type)")
                continue
            }
            var pair = ProvisioningFixture.pair(method)
            let own = reference.transcript[ofProvisioner].pdu
            pair.disturb = { number, pdu in number == ofDevice ? [own] : [pdu] }
            pair.run()
            #expect(pair.provisionerFailure?.reason == reason)
            #expect(pair.stored == nil && pair.node == nil)
            // The device's own value, which an attacker could only guess, is refused in the same way.
            pair = ProvisioningFixture.pair(method)
            let devices = reference.transcript[ofDevice].pdu
            pair.disturb = { number, pdu in number == ofProvisioner ? [devices] : [pdu] }
            pair.run()
            #expect(pair.deviceFailure?.reason == reason)
            #expect(pair.provisionerFailure?.reason == .reportedByDevice(.confirmationFailed))
        }
    }

    @Test("a choice that the device does not offer, or without room for its elements, is refused and can be mended")
    func choices() throws {
        let poor = ProvisioningCapabilities(elementCount: 255, algorithms: [.cmacAES128], requiresAuthentication: false)
        var session = deciding(poor)
        var generator = SplitMix64(seed: 3)
        let other = P256KeyPair.random(using: &generator).publicKey
        for method in ProvisioningFixture.methods
        where method.algorithm != .cmacAES128 || method.isPublicKeyOutOfBand || method.method != .noOOB {
            #expect(throws: ProvisioningInputError.notOffered) {
                try session.choose(
                    ProvisioningFixture.choice(method, key: other),
                    data: ProvisioningFixture.data,
                    at: .zero
                )
            }
        }
        let choice = ProvisioningChoice(algorithm: .cmacAES128, publicKey: nil, authentication: .noOOB)
        var data = ProvisioningFixture.data
        data.address = try #require(UnicastAddress(rawValue: 0x7FFF - 253))
        #expect(throws: ProvisioningInputError.addressBlock(data.address, elementCount: 255)) {
            try session.choose(choice, data: data, at: .zero)
        }
        #expect(throws: ProvisioningInputError.notExpected(.decision)) { try session.dataIsDurable(at: .zero) }
        #expect(throws: ProvisioningInputError.notExpected(.decision)) { try session.supply(.number(1), at: .zero) }
        data.address = try #require(UnicastAddress(rawValue: 0x7FFF - 254))
        #expect(sent(try session.choose(choice, data: data, at: .zero)).count == 2)
        #expect(throws: ProvisioningInputError.notExpected(.publicKeyExchange)) {
            try session.choose(choice, data: data, at: .zero)
        }
    }

    @Test("a value that cannot be right is refused and can be given again")
    func supply() {
        let method = ProvisioningFixture.Method(
            algorithm: .hmacSHA256,
            isPublicKeyOutOfBand: true,
            method: .outputOOB(.blink, size: 1)
        )
        for value in [OutOfBandValue.number(0), .number(10), .text("1")] {
            var pair = ProvisioningFixture.pair(method)
            pair.carry = { _ in value }
            pair.run()
            #expect(pair.inputErrors.count == 1)
            #expect(pair.provisionerFailure == ProvisioningFailure(.timedOut, at: .outOfBandValue))
        }
    }

    @Test("data never leaves before device key and address are stored")
    func durability() throws {
        var reference = ProvisioningFixture.pair(ProvisioningFixture.simple)
        reference.run()
        let fromDevice = reference.transcript.filter { !$0.isFromProvisioner }.map(\.pdu)
        var generator = SplitMix64(seed: 1)
        _ = ProvisioningSecrets.random(using: &generator)
        var session = ProvisionerSession(attentionDuration: 5, secrets: .random(using: &generator))
        _ = session.start(at: .zero)
        _ = session.receive(fromDevice[0], at: .zero)
        _ = try session.choose(reference.choice, data: reference.data, at: .zero)
        _ = session.receive(fromDevice[1], at: .zero)
        _ = session.receive(fromDevice[2], at: .zero)
        let key = try #require(reference.node?.deviceKey)
        #expect(
            session.receive(fromDevice[3], at: .zero)
                == [.dataIsAboutToBeSent(deviceKey: key, address: reference.data.address)]
        )
        #expect(session.stage == .durability)
        // Time passes while it is stored; if too much, nothing is sent.
        var slow = session
        #expect(slow.advance(to: Instant(microseconds: 59_999_999)).isEmpty)
        let late = Instant(microseconds: 60_000_000)
        #expect(try slow.dataIsDurable(at: late) == [.failed(ProvisioningFailure(.timedOut, at: .durability))])
        #expect(throws: ProvisioningInputError.notExpected(.failed)) { try slow.dataIsDurable(at: late) }
        let data = try session.dataIsDurable(at: .zero)
        #expect(sent(data).map { $0[0] } == [0x07])
        #expect(session.cancel() == [.failed(ProvisioningFailure(.cancelled, at: .completion))])
        #expect(ProvisioningFailure(.cancelled, at: .completion).mayBeProvisioned)
    }

    @Test("the 60 seconds begin anew with every PDU either way")
    func timer() {
        var generator = SplitMix64(seed: 1)
        var session = ProvisionerSession(attentionDuration: 0, secrets: .random(using: &generator))
        #expect(session.nextDeadline == nil && session.advance(to: .distantFuture).isEmpty)
        let second: (Int64) -> Instant = { Instant(microseconds: $0 * 1_000_000) }
        _ = session.start(at: second(10))
        #expect(session.nextDeadline == second(70))
        #expect(session.start(at: second(11)).isEmpty)
        #expect(session.advance(to: second(69)).isEmpty)
        _ = session.receive([1] + ProvisioningFixture.capabilities.encoded, at: second(69))
        #expect(session.nextDeadline == second(129))
        #expect(session.receive([0x08], at: second(129)) == [.failed(ProvisioningFailure(.timedOut, at: .decision))])
        #expect(session.nextDeadline == nil)
        #expect(session.receive([0x08], at: second(130)).isEmpty && session.linkClosed().isEmpty)

        var device = device()
        #expect(device.nextDeadline == second(60))
        #expect(sent(device.receive([0, 0], at: second(59))).count == 1)
        #expect(device.nextDeadline == second(119))
        #expect(device.advance(to: second(119)) == [.failed(ProvisioningFailure(.timedOut, at: .decision))])
        #expect(device.advance(to: second(999)).isEmpty)
    }

    @Test("a link that closes ends both sides without a PDU")
    func linkClosed() {
        var session = deciding()
        #expect(session.linkClosed() == [.failed(ProvisioningFailure(.linkClosed, at: .decision))])
        var device = device()
        #expect(device.linkClosed(at: .zero) == [.failed(ProvisioningFailure(.linkClosed, at: .invitation))])
    }

    // MARK: Device

    @Test("a device answers everything with Unexpected PDU once it has failed")
    func afterFailure() {
        var device = device()
        #expect(sent(device.receive([0x08], at: .zero)) == [[0x09, 0x03]])
        for pdu in [[0, 0], [0x3F], [], [0x09, 0x01]] as [[UInt8]] {
            #expect(device.receive(pdu, at: .zero) == [.send([0x09, 0x03])])
        }
    }

    @Test("a device tells what is wrong with a PDU")
    func deviceErrors() {
        for (pdu, code) in [
            ([], 0x02), ([0x0A], 0x01), ([0x40, 0x00], 0x01), ([0xFF], 0x01), ([0x00], 0x02), ([0x00, 1, 2], 0x02),
            ([0x02, 0, 0, 0, 0, 0], 0x03), ([0x09, 0x01], 0x03),
        ] as [([UInt8], UInt8)] {
            var device = device()
            #expect(sent(device.receive(pdu, at: .zero)) == [[0x09, code]], "\(pdu)")
        }
    }

    @Test(
        "a device refuses a Start that it did not offer",
        arguments: [
            "02 0200000000", "02 0002000000", "02 0000040000", "02 0000000100", "02 0000000001", "02 0000010100",
            "02 0000010001", "02 0000020501", "02 0000020300", "02 0000020309", "02 0000030401", "02 0000030209",
            "02 0000030200",
        ]
    )
    func start(digits: String) {
        var device = device()
        _ = device.receive([0, 0], at: .zero)
        #expect(sent(device.receive(hex(digits), at: .zero)) == [[0x09, 0x02]])
    }

    @Test("a device with few capabilities refuses the rest of them")
    func poorDevice() {
        for method in ProvisioningFixture.methods {
            let start = ProvisioningStart(
                algorithm: method.algorithm,
                isPublicKeyOutOfBand: method.isPublicKeyOutOfBand,
                method: method.method
            )
            var generator = SplitMix64(seed: 2)
            var device = ProvisioningDevice(
                capabilities: ProvisioningCapabilities(
                    elementCount: 1,
                    algorithms: [.hmacSHA256],
                    isStaticValueAvailable: true,
                    requiresAuthentication: true,
                    outputSize: 4,
                    outputActions: [.numeric],
                    inputSize: 1,
                    inputActions: [.push]
                ),
                staticValue: nil,
                secrets: .random(using: &generator),
                at: .zero
            )
            _ = device.receive([0, 0], at: .zero)
            let isPossible =
                method.algorithm == .hmacSHA256 && !method.isPublicKeyOutOfBand
                && [
                    .outputOOB(.numeric, size: 1), .outputOOB(.numeric, size: 4), .inputOOB(.push, size: 1),
                ].contains(method.method)
            let answer = sent(device.receive(ProvisioningPDU.start(start).encoded, at: .zero))
            #expect(answer == (isPossible ? [] : [[0x09, 0x02]]), "\(method)")
        }
    }

    @Test(
        "a device says why it cannot use provisioning data that is authentic",
        arguments: [
            ("0000", "0123", 0x08), ("8000", "0123", 0x08), ("ffff", "0123", 0x08), ("7ffe", "0123", 0x08),
            ("7ffd", "0123", nil), ("0001", "0fff", nil), ("0001", "1000", 0x09), ("0000", "1000", 0x09),
        ] as [(String, String, UInt8?)]
    )
    func data(address: String, index: String, code: UInt8?) throws {
        // The keys of a session are only known to the two sides, so the provisioner's part is played by hand.
        var generator = SplitMix64(seed: 2)
        let deviceKey = ProvisioningSecrets.random(using: &generator).publicKey
        let own = P256KeyPair.random(using: &generator)
        var device = device()
        _ = device.receive([0, 0], at: .zero)
        _ = device.receive([2, 0, 0, 0, 0, 0], at: .zero)
        _ = device.receive([3] + own.publicKey.coordinates, at: .zero)
        let confirmations = ProvisioningConfirmations(
            algorithm: .cmacAES128,
            secret: own.sharedSecret(with: deviceKey),
            inputs: [0] + ProvisioningFixture.capabilities.encoded + [0, 0, 0, 0, 0] + own.publicKey.coordinates
                + deviceKey.coordinates
        )
        let random = [UInt8](repeating: 9, count: 16)
        _ = device.receive([5] + confirmations.confirmation(of: random, .none(.cmacAES128)), at: .zero)
        let answer = sent(device.receive([6] + random, at: .zero))
        let deviceRandom = Array(try #require(answer.first).dropFirst())
        let derived = confirmations.keys(provisionerRandom: random, deviceRandom: deviceRandom)
        let plaintext = [UInt8](repeating: 0xAB, count: 16) + hex(index) + [0xFF, 0, 0, 0, 1] + hex(address)
        let last = sent(device.receive([7] + derived.seal(octets: plaintext), at: .zero))
        #expect(last == [code.map { [0x09, $0] } ?? [0x08]])
    }

    @Test("a provisioner's data carries the key that a subnet in key refresh sends with")
    func keyRefresh() throws {
        let (old, new) = (KeyMaterial(Octets16(high: 0, low: 1)), KeyMaterial(Octets16(high: 0, low: 2)))
        var key = NetKey(index: .primary, name: "main", key: new, oldKey: old)
        for (phase, material, isRefreshing) in [
            (.normal, new, false), (.keyDistribution, old, false), (.usingNewKeys, new, true),
        ] as [(KeyRefreshPhase, KeyMaterial, Bool)] {
            key.phase = phase
            let data = ProvisioningData(subnet: key, ivIndex: IVIndex(value: 1), address: .first)
            #expect(data.netKey == material && data.isKeyRefreshing == isRefreshing)
        }
    }
}
