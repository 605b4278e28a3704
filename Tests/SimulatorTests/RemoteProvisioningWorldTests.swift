import MeshCore
import Simulator
import TestSupport
import Testing

@Suite("SimulatedWorld: devices are provisioned through nodes")
struct RemoteProvisioningWorldTests {
    @Test("A device that only a node hears becomes a node that can be configured")
    func provisioned() throws {
        let device = TestDevice.remote(1)
        let site = try RemoteSite(devices: [device])
        let target = RemoteProvisioningLinkOpen.Target.device(device.uuid, timeout: 20)
        let data = TestDevice.data(site.network, at: 0x0100)
        let outcome = try site.provisioner.provision(target, through: site.server, data)
        let provisioned = try #require(outcome.node)
        #expect(outcome.end == .closedByClient(isConfirmed: true))
        let state = try #require(site.world.node(device.uuid))
        #expect(state.isProvisioned && state.deviceKey == provisioned.deviceKey && state.address == data.address)

        let node = TestDevice.node(device, provisioned)
        site.client.stack.keys.setDeviceKey(provisioned.deviceKey, of: provisioned.address)
        let status = try #require(
            try site.client.request(ConfigCompositionDataGet(page: 0), of: node, attempts: 3)
        )
        #expect(try Composition(page0: status.data) == device.composition)
        #expect(site.world.violations == [])
    }

    @Test("Sessions get through on a radio that loses a fifth of all copies", arguments: 1...8)
    func lossy(seed: Int) throws {
        let devices = [TestDevice.remote(1), TestDevice.remote(2)]
        let site = try RemoteSite(devices: devices, copyLoss: 0.2, seed: UInt64(seed))
        for (number, device) in devices.enumerated() {
            var outcome = TestRemoteProvisioner.Outcome()
            for attempt in 0..<4 where outcome.node == nil {
                guard site.world.node(device.uuid)?.isProvisioned == false else { break }
                outcome = try site.provisioner.provision(
                    .device(device.uuid, timeout: 20),
                    through: site.server,
                    TestDevice.data(site.network, at: UInt16(0x0100 + 0x20 * number + 4 * attempt))
                )
            }
            let state = try #require(site.world.node(device.uuid))
            #expect(state.isProvisioned)
            if let node = outcome.node { #expect(state.deviceKey == node.deviceKey) }
        }
        #expect(site.world.violations == [])
    }

    @Test("A device that offers PB-ADV alone is not heard by a bearer and cannot be connected to")
    func notOverGATT() throws {
        let site = try RemoteSite(devices: [TestDevice.remote(1), TestDevice.plain(2)])
        let bearer = SimulatedBearer(site.world)
        try bearer.scan(true)
        var heard: Set<DeviceUUID> = []
        let deadline = bearer.now.advanced(by: .seconds(5))
        while let event = try bearer.next(until: deadline) {
            guard case .heard(let advertisement) = event, case .unprovisioned(let device, _) = advertisement.content
            else { continue }
            heard.insert(device.uuid)
        }
        #expect(heard == [TestDevice.uuid(2)])
        let target = LinkTarget.provisioning(AdvertiserIdentifier(of: TestDevice.uuid(1)))
        #expect(throws: BearerError.self) { try bearer.opened(target) }
    }

    @Test("What is out of the node's range, without power or a node already is not reached")
    func unreachable() throws {
        let site = try RemoteSite(devices: [TestDevice.remote(1)], distant: [TestDevice.remote(2)])
        site.world.setPower(TestDevice.uuid(1), isOn: false)
        for uuid in [TestDevice.uuid(1), TestDevice.uuid(2), site.proxy.uuid, TestDevice.uuid(3)] {
            let start = site.client.bearer.now
            let outcome = try site.provisioner.provision(
                .device(uuid, timeout: 3),
                through: site.server,
                TestDevice.data(site.network, at: 0x0100)
            )
            #expect(outcome.end == .reported(.linkOpenFailed, nil))
            #expect(start.duration(to: site.client.bearer.now) < .seconds(6))
        }
    }

    @Test("A device that says nothing, drops the link or gives up ends the session, and can be tried again")
    func misbehaviour() throws {
        let device = TestDevice.remote(1)
        let site = try RemoteSite(devices: [device])
        let data = TestDevice.data(site.network, at: 0x0100)
        let target = RemoteProvisioningLinkOpen.Target.device(device.uuid, timeout: nil)
        for behaviour: ProvisioningFaults.Behaviour in [.silence, .linkLoss, .failure(.outOfResources)] {
            var faults = NodeFaults()
            faults.provisioning = ProvisioningFaults(misbehaviours: [.init(behaviour, at: .confirmation, count: 1)])
            site.world.setFaults(faults, of: device.uuid)
            let outcome = try site.provisioner.provision(target, through: site.server, data)
            let failure = try #require(outcome.failure)
            switch behaviour {
            case .silence: #expect(failure.reason == .timedOut || failure.reason == .linkClosed)
            case .linkLoss: #expect(outcome.end == .reported(.linkClosedByDevice, .fail))
            case .failure(let code): #expect(failure.reason == .reportedByDevice(code))
            }
        }
        #expect(try site.provisioner.provision(target, through: site.server, data).node != nil)
    }

    @Test("A device that loses its power in the middle is reported, a node that does is given up, and both come back")
    func powerLoss() throws {
        let device = TestDevice.remote(1)
        let site = try RemoteSite(devices: [device])
        let data = TestDevice.data(site.network, at: 0x0100)
        let target = RemoteProvisioningLinkOpen.Target.device(device.uuid, timeout: nil)
        for uuid in [device.uuid, site.server.uuid] {
            let outcome = try site.provisioner.provision(target, through: site.server, data) { number in
                if number == 2 { site.world.setPower(uuid, isOn: false) }
            }
            let isDevice = uuid == device.uuid
            #expect(outcome.end == (isDevice ? .reported(.linkClosedAsCannotSendPDU, nil) : .silent))
            #expect(outcome.failure?.reason == .linkClosed)
            site.world.setPower(uuid, isOn: true)
        }
        #expect(try site.provisioner.provision(target, through: site.server, data).node != nil)
        #expect(site.world.violations == [])
    }

    @Test("A node says what it can do, scans for the devices in its range, and stops in its time")
    func scan() throws {
        let devices = (1...6).map { TestDevice.remote($0) }
        let site = try RemoteSite(devices: devices, distant: [TestDevice.remote(9)])
        let capabilities = try site.client.request(RemoteProvisioningScanCapabilitiesGet(), of: site.server)
        #expect(capabilities?.maximumScannedItems == 16 && capabilities?.isActiveScanSupported == true)
        let started = try site.client.request(
            RemoteProvisioningScanStart(scannedItemsLimit: 0, timeout: 5),
            of: site.server
        )
        #expect(started?.status == .success && started?.state == .multipleDevices && started?.timeout == 5)
        #expect(started?.scannedItemsLimit == 16)
        try site.client.wait(.seconds(8))
        let reports = try site.provisioner.received(RemoteProvisioningScanReport.self, from: site.server)
        #expect(reports.map(\.uuid).sorted() == devices.map(\.uuid).sorted())
        #expect(reports.allSatisfy { (-100 ... -40).contains($0.signal) })
        let state = try site.client.request(RemoteProvisioningScanGet(), of: site.server)
        #expect(state?.state == .idle && state?.timeout == 0)
    }

    @Test("A scan reports no more than its limit, a single device alone, and nothing once it was stopped")
    func scanLimits() throws {
        let devices = (1...6).map { TestDevice.remote($0) }
        let site = try RemoteSite(devices: devices)
        func reports(_ start: RemoteProvisioningScanStart) throws -> [DeviceUUID] {
            let first = site.client.messages.count
            #expect(try site.client.request(start, of: site.server)?.status == .success)
            try site.client.wait(.seconds(6))
            return try site.provisioner.received(
                RemoteProvisioningScanReport.self,
                from: site.server,
                since: first
            ).map(\.uuid)
        }
        #expect(try reports(.init(scannedItemsLimit: 4, timeout: 5)).count == 4)
        #expect(try reports(.init(scannedItemsLimit: 4, timeout: 5, uuid: devices[5].uuid)) == [devices[5].uuid])
        let tooMany = try site.client.request(
            RemoteProvisioningScanStart(scannedItemsLimit: 17, timeout: 5),
            of: site.server
        )
        #expect(tooMany?.status == .scanningCannotStart)
        _ = try site.client.request(RemoteProvisioningScanStart(scannedItemsLimit: 4, timeout: 60), of: site.server)
        #expect(try site.client.request(RemoteProvisioningScanStop(), of: site.server)?.state == .idle)
        try site.client.wait(.seconds(1))
        let first = site.client.messages.count
        try site.client.wait(.seconds(5))
        #expect(site.client.messages.count == first)
    }

    @Test("An extended scan tells the name and URI of a device, or that it was not heard, and those of the node itself")
    func extendedScan() throws {
        var device = TestDevice.remote(1)
        device.uri = "https://example.com/lamp"
        device.outOfBandInformation = [.onBox]
        let site = try RemoteSite(devices: [device])
        func scan(_ uuid: DeviceUUID?, _ types: [UInt8]) throws -> RemoteProvisioningExtendedScanReport? {
            try site.client.request(
                RemoteProvisioningExtendedScanStart(
                    types: types,
                    device: uuid.map { .init(uuid: $0, timeout: 3) }
                ),
                of: site.server,
                patience: .seconds(6)
            )
        }
        let name = AdvertisingStructure(type: 0x09, data: Array(device.name.utf8))
        let uri = AdvertisingStructure(type: 0x24, data: AdvertisedURI.encode("https://example.com/lamp"))
        let both = try #require(try scan(device.uuid, [0x09, 0x24]))
        #expect(both.findings == .init(outOfBandInformation: [.onBox], structures: [name, uri]))
        #expect(try scan(device.uuid, [0x24])?.findings?.structures == [uri])
        let missing = try #require(try scan(TestDevice.uuid(7), [0x09]))
        #expect(missing.status == .success && missing.findings == nil)
        let own = try #require(try scan(nil, [0x09]))
        #expect(own.uuid == site.server.uuid)
        #expect(own.findings?.structures == [AdvertisingStructure(type: 0x09, data: Array(site.server.name.utf8))])
    }

    @Test("A node without the model does not answer, and nothing that is malformed is answered or traps")
    func hostile() throws {
        let device = TestDevice.remote(1)
        let site = try RemoteSite(devices: [device])
        let ask = RemoteProvisioningScanCapabilitiesGet()
        #expect(try site.client.request(ask, of: site.proxy, patience: .seconds(1)) == nil)
        var generator = SplitMix64(seed: 5)
        for _ in 0..<300 {
            let payload =
                [0x80, UInt8.random(in: 0x4F...0x5F, using: &generator)]
                + (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
            try site.provisioner.send(payload, to: site.server)
            try site.client.wait(.milliseconds(100))
        }
        try site.client.wait(.seconds(65))
        _ = try site.client.request(RemoteProvisioningLinkClose(reason: .fail), of: site.server)
        let outcome = try site.provisioner.provision(
            .device(device.uuid, timeout: nil),
            through: site.server,
            TestDevice.data(site.network, at: 0x0100)
        )
        #expect(outcome.node != nil)
    }

    @Test("A client that was killed in the middle of a session can begin again at once")
    func killedClient() throws {
        let device = TestDevice.remote(1)
        let site = try RemoteSite(devices: [device])
        let target = RemoteProvisioningLinkOpen.Target.device(device.uuid, timeout: nil)
        try site.provisioner.send(RemoteProvisioningLinkOpen(target: target).encoded, to: site.server)
        try site.client.wait(.seconds(2))
        try site.provisioner.send(RemoteProvisioningPDUSend(number: 1, pdu: [0, 0]).encoded, to: site.server)
        try site.client.wait(.seconds(2))
        let status = try site.client.request(RemoteProvisioningLinkGet(), of: site.server)
        #expect(status?.state == .active)
        let data = TestDevice.data(site.network, at: 0x0100)
        #expect(try site.provisioner.provision(target, through: site.server, data).node != nil)
    }
}
