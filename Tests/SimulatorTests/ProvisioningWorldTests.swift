import MeshCore
import Simulator
import TestSupport
import Testing

@Suite("SimulatedWorld: devices are provisioned over PB-GATT")
struct ProvisioningWorldTests {
    private let network = TestNetwork.network([])

    private static let methods: [AuthenticationMethod] =
        [.noOOB, .staticOOB] + OutputAction.allCases.map { .outputOOB($0, size: 2) }
        + InputAction.allCases.map { .inputOOB($0, size: 3) }

    private static let choices: [(ProvisioningAlgorithm, Bool, AuthenticationMethod)] = methods.flatMap { method in
        [(.cmacAES128, false, method), (.hmacSHA256, true, method)]
    }

    private func choice(
        _ device: DeviceDescription,
        _ algorithm: ProvisioningAlgorithm,
        isPublicKeyOutOfBand: Bool,
        _ method: AuthenticationMethod
    ) throws -> ProvisioningChoice {
        let authentication: ProvisioningChoice.Authentication =
            switch method {
            case .noOOB: .noOOB
            case .staticOOB: .staticOOB(try TestDevice.staticValue())
            case .outputOOB(let action, let size): .outputOOB(action, size: size)
            case .inputOOB(let action, let size): .inputOOB(action, size: size)
            }
        return ProvisioningChoice(
            algorithm: algorithm,
            publicKey: isPublicKeyOutOfBand ? device.keyPair?.publicKey : nil,
            authentication: authentication
        )
    }

    @Test(
        "With every method, algorithm and way of the public key the device becomes a node that can be talked to",
        arguments: choices
    )
    func methods(algorithm: ProvisioningAlgorithm, isPublicKeyOutOfBand: Bool, method: AuthenticationMethod) throws {
        let device = try TestDevice.versatile(1)
        let world = SimulatedWorld(network: network, devices: [device], seed: 1)
        let provisioner = TestProvisioner(world)
        let choice = try choice(device, algorithm, isPublicKeyOutOfBand: isPublicKeyOutOfBand, method)
        let outcome = try provisioner.provision(device.uuid, choice, TestDevice.data(network, at: 0x0100))
        let provisioned = try #require(outcome.node)
        let state = try #require(world.node(device.uuid))
        #expect(state.isProvisioned && state.deviceKey == provisioned.deviceKey)
        #expect(state.address == TestNetwork.address(0x0100))
        #expect(provisioner.linkEnd != nil, "the device disconnects")

        var known = network
        let node = TestDevice.node(device, provisioned)
        known.nodes.append(node)
        let client = TestClient(SimulatedBearer(world), network: known)
        try client.open(.proxy(AdvertiserIdentifier(of: device.uuid)))
        let status = try #require(try client.request(ConfigCompositionDataGet(page: 0), of: node))
        #expect(try Composition(page0: status.data) == device.composition)
        #expect(world.mismatches(against: known) == [])
        #expect(world.violations == [])
    }

    @Test("People see what they are to type, and that it is over")
    func observations() throws {
        let device = try TestDevice.versatile(1)
        let world = SimulatedWorld(network: network, devices: [device], seed: 1)
        var heard: [DeviceObservation] = []
        world.onObservation = { heard.append($0) }
        let output = try choice(device, .cmacAES128, isPublicKeyOutOfBand: false, .outputOOB(.blink, size: 1))
        _ = try TestProvisioner(world).provision(device.uuid, output, TestDevice.data(network, at: 0x0100))
        let input = try choice(device, .cmacAES128, isPublicKeyOutOfBand: false, .inputOOB(.push, size: 1))
        world.factoryReset(device.uuid)
        _ = try TestProvisioner(world).provision(device.uuid, input, TestDevice.data(network, at: 0x0200))
        world.advance(to: world.now.advanced(by: .seconds(10)))
        let events = heard.map(\.event)
        #expect(heard == world.observations)
        let attention = DeviceObservation.Event.attentionStarted(seconds: 5)
        guard case .output(.blink, .number(let count))? = events.dropFirst().first else {
            Issue.record("nothing is told: \(events)")
            return
        }
        #expect((1...9).contains(count))
        #expect(
            events.filter { $0 != .attentionEnded } == [
                attention, .output(.blink, .number(count)), .outputEnded, .provisioned(TestNetwork.address(0x0100)),
                .unprovisioned, attention, .inputAwaited(.push, size: 1), .inputEnded,
                .provisioned(TestNetwork.address(0x0200)),
            ]
        )
        #expect(events.filter { $0 == .attentionEnded }.count == 2)
        #expect(heard[1].description == "device-1 blinks \(count) \(count == 1 ? "time" : "times")")
    }

    @Test("What cannot be the value that a device waits for is refused, and it waits on")
    func wrongInput() throws {
        let device = try TestDevice.versatile(1)
        let world = SimulatedWorld(network: network, devices: [device], seed: 1)
        var errors: [DeviceInputError] = []
        func attempt(_ uuid: DeviceUUID, _ text: String) {
            do throws(DeviceInputError) { try world.input(uuid, text: text) } catch { errors.append(error) }
        }
        attempt(device.uuid, "12")
        attempt(TestDevice.uuid(9), "12")
        world.onObservation = { observation in
            guard case .inputAwaited = observation.event else { return }
            attempt(device.uuid, "x")
            attempt(device.uuid, "1234")
        }
        let input = try choice(device, .cmacAES128, isPublicKeyOutOfBand: false, .inputOOB(.numeric, size: 3))
        let outcome = try TestProvisioner(world).provision(device.uuid, input, TestDevice.data(network, at: 0x0100))
        #expect(outcome.node != nil)
        #expect(errors == [.notAwaited, .unknownDevice, .value(.wrongKind), .value(.outOfRange(0...999))])
    }

    @Test("The states of a new node are those of firmware, and its Node Identity is advertised for sixty seconds")
    func newNode() throws {
        let device = TestDevice.plain(1, [.relay, .proxy])
        let dumb = TestDevice.plain(2, [])
        let world = SimulatedWorld(network: network, devices: [device, dumb], seed: 1)
        let provisioner = TestProvisioner(world)
        let outcome = try provisioner.provision(device.uuid, TestDevice.noOOB, TestDevice.data(network, at: 0x0100))
        #expect(outcome.failure == nil)
        let state = try #require(world.node(device.uuid))
        #expect(state.relay == .enabled && state.proxy == .enabled && state.friend == .notSupported)
        #expect(state.secureNetworkBeacon && state.defaultTTL == 7)
        #expect(state.appKeys == [] && state.netKeys.map(\.key) == [network.netKeys[0].key])
        #expect(state.composition == device.composition)
        #expect(state.netKeys.first?.isIdentityRunning == true)
        world.advance(to: world.now.advanced(by: .seconds(58)))
        #expect(world.node(device.uuid)?.netKeys.first?.isIdentityRunning == true)
        world.advance(to: world.now.advanced(by: .seconds(2)))
        #expect(world.node(device.uuid)?.netKeys.first?.isIdentityRunning == false)

        _ = try provisioner.provision(dumb.uuid, TestDevice.noOOB, TestDevice.data(network, at: 0x0110))
        #expect(world.node(dumb.uuid)?.netKeys.first?.isIdentityRunning == false, "it can be no proxy")
    }

    @Test("The flags of the provisioning data are respected: IV update and phase 2 of a key refresh")
    func flags() throws {
        var refreshed = network
        refreshed.ivIndex = IVIndex(value: 8, isUpdateInProgress: true)
        refreshed.netKeys[0].oldKey = network.netKeys[0].key
        refreshed.netKeys[0].key = TestNetwork.key(0x77)
        refreshed.netKeys[0].phase = .usingNewKeys
        let device = TestDevice.plain(1)
        let world = SimulatedWorld(network: network, devices: [device], seed: 1)
        let outcome = try TestProvisioner(world).provision(
            device.uuid,
            TestDevice.noOOB,
            TestDevice.data(refreshed, at: 0x0100)
        )
        let node = TestDevice.node(device, try #require(outcome.node))
        #expect(world.node(device.uuid)?.netKeys.first?.phase == .usingNewKeys)
        refreshed.nodes.append(node)
        refreshed.nodes[1].netKeys[0].progress = .updated
        let client = TestClient(SimulatedBearer(world), network: refreshed)
        try client.open(.proxy(AdvertiserIdentifier(of: device.uuid)))
        let beacon = try SecureNetworkBeacon(decoding: try #require(client.beacons.first))
        #expect(beacon.ivIndex == refreshed.ivIndex && beacon.isKeyRefreshing)
        #expect(try client.request(ConfigDefaultTTLGet(), of: node)?.ttl == 7)
        #expect(world.mismatches(against: refreshed) == [])
        let end = ConfigKeyRefreshPhaseSet(netKeyIndex: .primary, transition: .revokeOldKeys)
        #expect(try client.request(end, of: node)?.phase == .normal)
    }

    @Test(
        "Who scans hears a device as unprovisioned, then its Node Identity, then its Network ID, after a reset the first"
    )
    func advertising() throws {
        var device = TestDevice.plain(1)
        device.outOfBandInformation = [.onBox, .number]
        device.uri = "https://example.org/device"
        let world = SimulatedWorld(network: network, devices: [device], seed: 1)
        let bearer = SimulatedBearer(world)
        func heard() throws -> Set<Advertisement.Content> {
            try bearer.scan(true)
            let deadline = bearer.now.advanced(by: .seconds(3))
            var heard: Set<Advertisement.Content> = []
            while let event = try bearer.next(until: deadline) {
                guard case .heard(let advertisement) = event else { continue }
                #expect(advertisement.advertiser == AdvertiserIdentifier(of: device.uuid))
                heard.insert(advertisement.content)
            }
            try bearer.scan(false)
            return heard
        }
        let advertisement = ProvisioningAdvertisement(uuid: device.uuid, oobInformation: 0x0820)
        let unprovisioned = Advertisement.Content.unprovisioned(advertisement, uriHash: device.uriHash)
        #expect(device.uriHash != nil)
        #expect(try heard() == [unprovisioned])
        world.setPower(device.uuid, isOn: false)
        #expect(try heard() == [])
        world.setPower(device.uuid, isOn: true)
        let link = try bearer.opened(.provisioning(AdvertiserIdentifier(of: device.uuid))).link
        #expect(try heard() == [], "somebody is connected")
        bearer.close(link)
        let data = TestDevice.data(network, at: 0x0100)
        _ = try TestProvisioner(world).provision(device.uuid, TestDevice.noOOB, data)
        let credentials = SubnetCredentials(network.netKeys[0].key)
        let identities = try heard()
        #expect(!identities.isEmpty)
        for identity in identities {
            guard case .proxy(.nodeIdentity(let hash, let random)) = identity else {
                Issue.record("\(identity) is no Node Identity")
                continue
            }
            #expect(
                ProxyAdvertisement.nodeIdentity(hash: hash, random: random).names(
                    data.address,
                    credentials: credentials
                )
            )
        }
        world.advance(to: world.now.advanced(by: .seconds(60)))
        #expect(try heard() == [.proxy(.networkID(credentials.networkID))])
        world.factoryReset(device.uuid)
        #expect(try heard() == [unprovisioned])
    }

    @Test("The provisioning service is closed to those who come at the wrong time or place")
    func refusals() throws {
        let devices = [TestDevice.plain(1), TestDevice.plain(2)]
        let first = AdvertiserIdentifier(of: devices[0].uuid)
        let world = SimulatedWorld(network: network, devices: devices, seed: 1)
        let bearer = SimulatedBearer(world)
        #expect(throws: BearerError.self) { _ = try bearer.opened(.proxy(first)) }
        #expect(throws: BearerError.self) { _ = try bearer.opened(.anyProxy) }
        let nobody = AdvertiserIdentifier(rawValue: [1, 2, 3])
        #expect(throws: BearerError.self) { _ = try bearer.opened(.provisioning(nobody)) }
        let link = try bearer.opened(.provisioning(first)).link
        #expect(throws: BearerError.self, "one at a time") { _ = try bearer.opened(.provisioning(first)) }
        let other = try bearer.opened(.provisioning(AdvertiserIdentifier(of: devices[1].uuid))).link
        bearer.close(other)
        bearer.close(link)
        world.setPower(devices[0].uuid, isOn: false)
        #expect(throws: BearerError.self, "no power") { _ = try bearer.opened(.provisioning(first)) }
        world.setPower(devices[0].uuid, isOn: true)
        let outcome = try TestProvisioner(world).provision(
            devices[0].uuid,
            TestDevice.noOOB,
            TestDevice.data(network, at: 0x0100)
        )
        #expect(outcome.node != nil)
        #expect(throws: BearerError.self, "a node already") { _ = try bearer.opened(.provisioning(first)) }
    }

    @Test("A device that loses power ends its link and stays unprovisioned")
    func powerLoss() throws {
        let device = TestDevice.plain(1)
        let world = SimulatedWorld(network: network, devices: [device], seed: 1)
        world.onObservation = { _ in world.setPower(device.uuid, isOn: false) }
        let outcome = try TestProvisioner(world).provision(
            device.uuid,
            TestDevice.noOOB,
            TestDevice.data(network, at: 0x0100)
        )
        #expect(outcome.failure?.reason == .linkClosed)
        #expect(world.node(device.uuid)?.isProvisioned == false)
        #expect(world.observations.last?.event == .attentionEnded)
    }

    @Test("The same seed gives the same trace, another seed another one")
    func determinism() throws {
        func trace(seed: UInt64) throws -> [UInt64] {
            let devices = try (1...3).map { try TestDevice.versatile($0) }
            let world = SimulatedWorld(network: network, devices: devices, settings: .office, seed: seed)
            let provisioner = TestProvisioner(world)
            for (index, device) in devices.enumerated() {
                let choice = try choice(device, .hmacSHA256, isPublicKeyOutOfBand: false, .outputOOB(.numeric, size: 6))
                let data = TestDevice.data(network, at: UInt16(0x0100 + 2 * index))
                #expect(try provisioner.provision(device.uuid, choice, data).node != nil)
            }
            return [world.traceHash, UInt64(bitPattern: world.now.microseconds)]
        }
        #expect(try trace(seed: 5) == trace(seed: 5))
        #expect(try trace(seed: 5) != trace(seed: 6))
    }

    @Test("Devices out of reach of each other are reached through the one that the client is connected to")
    func neighbours() throws {
        let devices = (1...4).map { TestDevice.plain($0, $0 == 4 ? [] : [.proxy, .relay]) }
        let world = SimulatedWorld(network: network, devices: devices, seed: 1)
        let provisioner = TestProvisioner(world)
        var known = network
        // The first device, beside which all others stand, comes last.
        for (index, device) in devices.dropFirst().enumerated() {
            let data = TestDevice.data(network, at: UInt16(0x0100 + 2 * index))
            let outcome = try provisioner.provision(device.uuid, TestDevice.noOOB, data)
            known.nodes.append(TestDevice.node(device, try #require(outcome.node)))
        }
        let client = TestClient(SimulatedBearer(world), network: known)
        try client.open(.proxy(AdvertiserIdentifier(of: devices[2].uuid)))
        for node in known.nodes.dropFirst() {
            #expect(try client.request(ConfigDefaultTTLGet(), of: node)?.ttl == 7)
        }
        #expect(world.mismatches(against: known) == [])
        #expect(world.violations == [])
    }

    @Test("An address that somebody has already is a violation")
    func overlap() throws {
        let devices = [TestDevice.plain(1), TestDevice.plain(2), TestDevice.plain(3)]
        let world = SimulatedWorld(network: network, devices: devices, seed: 1)
        let provisioner = TestProvisioner(world)
        for (device, address) in zip(devices, [0x0100, 0x0101, 0x0001] as [UInt16]) {
            _ = try provisioner.provision(device.uuid, TestDevice.noOOB, TestDevice.data(network, at: address))
        }
        #expect(
            world.violations == [
                "device-2 and device-1 both have the address 0101",
                "device-3 has an address of the provisioner client",
            ]
        )
    }

    @Test("A node that the database does not know, or knows with other keys, is a mismatch")
    func strangers() throws {
        let device = TestDevice.plain(1)
        let world = SimulatedWorld(network: network, devices: [device], seed: 1)
        #expect(world.mismatches(against: network) == [])
        let outcome = try TestProvisioner(world).provision(
            device.uuid,
            TestDevice.noOOB,
            TestDevice.data(network, at: 0x0100)
        )
        #expect(world.mismatches(against: network).count == 1)
        var pending = PendingProvisioning(
            uuid: device.uuid,
            name: device.name,
            address: TestNetwork.address(0x0100),
            elementCount: 2,
            deviceKeys: [TestNetwork.key(1), try #require(outcome.node).deviceKey],
            netKeyIndex: .primary,
            isSecurelyProvisioned: false,
            attemptedAt: Timestamp(rawValue: 0)
        )
        var known = network
        known.pendingProvisionings = [pending]
        #expect(world.mismatches(against: known) == [])
        pending.deviceKeys.removeLast()
        known.pendingProvisionings = [pending]
        #expect(world.mismatches(against: known).count == 1, "the key is lost")
    }
}
