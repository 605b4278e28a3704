import MeshCore
import Simulator
import TestSupport
import Testing

@Suite("SimulatedWorld: what goes wrong with devices while they are provisioned")
struct ProvisioningFaultWorldTests {
    private let network = TestNetwork.network([])
    private let device = TestDevice.plain(1)

    private static let stages: [ProvisioningStage] = [
        .invitation, .decision, .publicKeyExchange, .confirmation, .verification, .completion, .completed,
    ]

    private func outcome(
        _ behaviour: ProvisioningFaults.Behaviour,
        at stage: ProvisioningStage
    ) throws -> (outcome: TestProvisioner.Outcome, world: SimulatedWorld, duration: Duration) {
        let world = SimulatedWorld(network: network, devices: [device], seed: 1)
        let fault = ProvisioningFaults.Misbehaviour(behaviour, at: stage, count: 1)
        world.setFaults(NodeFaults(provisioning: ProvisioningFaults(misbehaviours: [fault])), of: device.uuid)
        let data = TestDevice.data(network, at: 0x0100)
        let outcome = try TestProvisioner(world).provision(device.uuid, TestDevice.noOOB, data)
        let duration = Instant.zero.duration(to: world.now)
        if stage != .completed {
            #expect(world.node(device.uuid)?.isProvisioned == false)
            let again = try TestProvisioner(world, seed: 2).provision(device.uuid, TestDevice.noOOB, data)
            #expect(again.node != nil, "the fault is over")
        } else {
            #expect(world.node(device.uuid)?.isProvisioned == true, "it is a node and does not tell")
            #expect(outcome.failure?.mayBeProvisioned == true)
        }
        return (outcome, world, duration)
    }

    @Test("A device that falls silent is given up after sixty seconds", arguments: stages)
    func silence(stage: ProvisioningStage) throws {
        let (outcome, _, duration) = try outcome(.silence, at: stage)
        let reason = outcome.failure?.reason
        #expect(reason == .timedOut || reason == .linkClosed)
        #expect(duration > .seconds(59) && duration < .seconds(62))
    }

    @Test("A device that gives up says so with its code", arguments: stages)
    func failure(stage: ProvisioningStage) throws {
        let (outcome, _, _) = try outcome(.failure(.outOfResources), at: stage)
        #expect(outcome.failure?.reason == .reportedByDevice(.outOfResources))
    }

    @Test("A device that drops the link is not waited for", arguments: stages)
    func linkLoss(stage: ProvisioningStage) throws {
        let (outcome, _, duration) = try outcome(.linkLoss, at: stage)
        #expect(outcome.failure?.reason == .linkClosed)
        #expect(duration < .seconds(2))
    }

    @Test("A device with another static value does not get the provisioning data")
    func wrongStaticValue() throws {
        let device = try TestDevice.versatile(1)
        let world = SimulatedWorld(network: network, devices: [device], seed: 1)
        let wrong = try TestDevice.staticValue([9, 9, 9, 9])
        world.setFaults(NodeFaults(provisioning: ProvisioningFaults(staticValue: wrong)), of: device.uuid)
        let choice = ProvisioningChoice(
            algorithm: .hmacSHA256,
            publicKey: nil,
            authentication: .staticOOB(try TestDevice.staticValue())
        )
        let provisioner = TestProvisioner(world)
        let outcome = try provisioner.provision(device.uuid, choice, TestDevice.data(network, at: 0x0100))
        #expect(outcome.failure?.reason == .reportedByDevice(.confirmationFailed))
        #expect(provisioner.stored.isEmpty)
    }

    @Test("A device refuses as many connections as it is told to")
    func refusedConnections() throws {
        let world = SimulatedWorld(network: network, devices: [device], seed: 1)
        world.setFaults(NodeFaults(provisioning: ProvisioningFaults(connectionsToRefuse: 2)), of: device.uuid)
        let bearer = SimulatedBearer(world)
        let target = LinkTarget.provisioning(AdvertiserIdentifier(of: device.uuid))
        #expect(throws: BearerError.self) { _ = try bearer.opened(target) }
        #expect(throws: BearerError.self) { _ = try bearer.opened(target) }
        _ = try bearer.opened(target)
    }

    @Test("A device to which nobody speaks closes the link after sixty seconds")
    func deviceTimeout() throws {
        let world = SimulatedWorld(network: network, devices: [device], seed: 1)
        let bearer = SimulatedBearer(world)
        let link = try bearer.opened(.provisioning(AdvertiserIdentifier(of: device.uuid))).link
        guard case .closed(link, _)? = try bearer.next(until: Instant(microseconds: 61_000_000)) else {
            Issue.record("the link stays open")
            return
        }
        #expect(bearer.now > Instant(microseconds: 59_000_000))
    }

    @Test(
        "Links that drop after some packets leave the device unprovisioned or a node that both sides know",
        arguments: 1...12
    )
    func droppedLinks(packets: Int) throws {
        var settings = WorldSettings.ideal
        settings.maximumPacketSize = 20
        settings.dropsLinkAfterPackets = packets
        let world = SimulatedWorld(network: network, devices: [device], settings: settings, seed: 1)
        let provisioner = TestProvisioner(world)
        let outcome = try provisioner.provision(device.uuid, TestDevice.noOOB, TestDevice.data(network, at: 0x0100))
        let state = try #require(world.node(device.uuid))
        if state.isProvisioned {
            #expect(provisioner.stored.map(\.deviceKey) == [try #require(state.deviceKey)])
        } else {
            #expect(outcome.node == nil)
        }
    }
}
