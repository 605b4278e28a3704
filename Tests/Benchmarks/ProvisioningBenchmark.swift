import MeshCore

/// Compares whole provisioning sessions, for each role separately, with the bare P-256 operations that every session
/// needs: one key generation and one key agreement.
///
/// First it records sessions between both state machines. Then it runs each machine alone on what its peer sent.
enum ProvisioningBenchmark {
    /// Sessions in one timed run.
    private static let count = 200
    private static let rounds = 15

    /// Prints sessions per CPU second for both algorithms and roles, from the fastest of interleaved runs.
    static func run() {
        guard let bare = BareKeyAgreement() else {
            print("libcrypto has no P-256")
            return
        }
        let algorithms = ProvisioningAlgorithm.allCases
        let sessions = algorithms.map { algorithm in
            (0..<UInt64(count)).compactMap { RecordedSession(algorithm: algorithm, seed: $0) }
        }
        guard sessions.allSatisfy({ $0.count == count }) else {
            print("a session did not complete")
            return
        }
        var provisioner = [Double](repeating: .infinity, count: algorithms.count)
        var device = provisioner
        var floor = (envelope: Double.infinity, points: Double.infinity)
        var isSound = true
        for _ in 0..<rounds {
            floor.envelope = min(floor.envelope, time { for _ in 0..<count { isSound = bare.agree() && isSound } })
            floor.points = min(floor.points, time { for _ in 0..<count { isSound = bare.multiply() && isSound } })
            for (index, recorded) in sessions.enumerated() {
                let ours = time { for session in recorded { isSound = session.replayProvisioner() && isSound } }
                provisioner[index] = min(provisioner[index], ours)
                let theirs = time { for session in recorded { isSound = session.replayDevice() && isSound } }
                device[index] = min(device[index], theirs)
            }
        }
        guard isSound else {
            print("a replayed session or a bare operation failed")
            return
        }
        print("provisioning sessions in band, no OOB, best of \(rounds) x \(count), per second of CPU")
        let best = min(floor.envelope, floor.points)
        for (index, algorithm) in algorithms.enumerated() {
            let (ours, theirs) = (provisioner[index], device[index])
            print("\(algorithm.name)")
            print("  provisioner: \(perSecond(ours)) sessions/s, \(percent(best, ours)) % of bare P-256")
            print("  device:      \(perSecond(theirs)) sessions/s, \(percent(best, theirs)) % of bare P-256")
        }
        print("libcrypto, one key generation and one agreement")
        print("  EVP_PKEY_generate and EVP_PKEY_derive: \(perSecond(floor.envelope)) /s")
        print("  EC_POINT_mul twice:                    \(perSecond(floor.points)) /s")
    }

    private static func time(_ work: () -> Void) -> Double { ProcessUsage.measure(work).seconds }

    private static func perSecond(_ seconds: Double) -> Int { Int(Double(count) / max(seconds, 1e-9)) }

    private static func percent(_ floor: Double, _ seconds: Double) -> Int { Int(100 * floor / max(seconds, 1e-9)) }
}

/// One session with fixed randomness, and what each side sent in it.
private struct RecordedSession {
    private let algorithm: ProvisioningAlgorithm
    private let seed: UInt64
    private var fromProvisioner: [[UInt8]] = []
    private var fromDevice: [[UInt8]] = []
    private var deviceKey: KeyMaterial?

    private static let capabilities = ProvisioningCapabilities(elementCount: 2)
    private static let data = ProvisioningData(
        netKey: KeyMaterial(Octets16(high: 1, low: 2)),
        netKeyIndex: .primary,
        ivIndex: IVIndex(value: 3),
        address: .first
    )

    /// Runs the session; nil if it does not complete.
    init?(algorithm: ProvisioningAlgorithm, seed: UInt64) {
        self.algorithm = algorithm
        self.seed = seed
        var provisioner = makeProvisioner()
        var device = makeDevice()
        var inbox = note(provisioner.start(at: .zero), &provisioner)
        while !inbox.isEmpty {
            var answers: [[UInt8]] = []
            for pdu in inbox {
                for action in device.receive(pdu, at: .zero) {
                    if case .send(let answer) = action { answers.append(answer) }
                }
            }
            fromDevice += answers
            inbox = []
            for pdu in answers { inbox += note(provisioner.receive(pdu, at: .zero), &provisioner) }
        }
        guard deviceKey != nil else { return nil }
    }

    /// Runs the provisioner alone. Returns whether it ends with the same device key.
    func replayProvisioner() -> Bool {
        var copy = self
        copy.deviceKey = nil
        copy.fromProvisioner = []
        var provisioner = makeProvisioner()
        _ = copy.note(provisioner.start(at: .zero), &provisioner)
        for pdu in fromDevice { _ = copy.note(provisioner.receive(pdu, at: .zero), &provisioner) }
        return copy.deviceKey == deviceKey
    }

    /// Runs the device alone. Returns whether it ends with the same device key.
    func replayDevice() -> Bool {
        var device = makeDevice()
        var key: KeyMaterial?
        for pdu in fromProvisioner {
            for case .provisioned(_, let deviceKey) in device.receive(pdu, at: .zero) { key = deviceKey }
        }
        return key == deviceKey
    }

    private func makeProvisioner() -> ProvisionerSession {
        var generator = CountingGenerator(state: seed &* 2 &+ 1)
        return ProvisionerSession(attentionDuration: 0, secrets: .random(using: &generator))
    }

    private func makeDevice() -> ProvisioningDevice {
        var generator = CountingGenerator(state: ~seed)
        return ProvisioningDevice(
            capabilities: RecordedSession.capabilities,
            secrets: .random(using: &generator),
            at: .zero
        )
    }

    /// Does what the owner of a session does, and returns the PDUs to send.
    private mutating func note(_ actions: [ProvisionerAction], _ session: inout ProvisionerSession) -> [[UInt8]] {
        var sent: [[UInt8]] = []
        for action in actions {
            switch action {
            case .send(let pdu):
                sent.append(pdu)
                fromProvisioner.append(pdu)
            case .capabilitiesReceived:
                let choice = ProvisioningChoice(algorithm: algorithm, publicKey: nil, authentication: .noOOB)
                let next = try? session.choose(choice, data: RecordedSession.data, at: .zero)
                sent += note(next ?? [], &session)
            case .dataIsAboutToBeSent: sent += note((try? session.dataIsDurable(at: .zero)) ?? [], &session)
            case .completed(let node): deviceKey = node.deviceKey
            case .askForOutput, .showInput, .inputCompleted, .failed: break
            }
        }
        return sent
    }
}

/// A generator with different numbers for different seeds, and the same numbers for the same seed.
private struct CountingGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 29
    }
}
