import DefinitionModel
import Execution
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

/// A bearer that cannot scan.
private final class BlindBearer: Bearer {
    private let inner: any Bearer

    init(_ inner: any Bearer) {
        self.inner = inner
    }

    var now: Instant { inner.now }
    var maximumLinks: Int { inner.maximumLinks }
    func connect(to target: LinkTarget) throws(BearerError) -> LinkIdentifier { try inner.connect(to: target) }
    func send(_ packet: [UInt8], on link: LinkIdentifier) throws(BearerError) { try inner.send(packet, on: link) }
    func next(until deadline: Instant) throws(BearerError) -> BearerEvent? { try inner.next(until: deadline) }
    func close(_ link: LinkIdentifier) { inner.close(link) }
    func scan(_ isOn: Bool) throws(BearerError) {
        if isOn { throw BearerError("the radio cannot scan") }
    }
}

@Suite("Devices become nodes in runs")
struct ProvisioningRunTests {
    private func devices(_ count: Int) -> [DeviceDescription] { (1...count).map { Commissioning.device($0) } }

    private func faults(_ misbehaviour: ProvisioningFaults.Misbehaviour) -> NodeFaults {
        NodeFaults(provisioning: ProvisioningFaults(misbehaviours: [misbehaviour]))
    }

    private func expectFinished(_ site: Commissioning, _ count: Int) throws {
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(site.world.violations == [])
        #expect(try site.network.pendingProvisionings == [])
        #expect(try site.usedAddresses() == Array(1...UInt16(1 + 2 * count)), "no gap, nothing twice")
        #expect(try site.plan().steps == [])
    }

    @Test("From nothing: three devices are provisioned, read and configured in one run")
    func fromNothing() throws {
        let site = try Commissioning(devices(3))
        let recap = try site.apply()
        #expect(recap.isComplete, "\(recap)")
        #expect(recap.provisioned == 3)
        try expectFinished(site, 3)
        for number in 1...3 {
            let node = try #require(try site.node(number))
            #expect(node.isManaged && node.isCompositionKnown && node.name == "device-\(number)")
        }
    }

    @Test("40 devices are provisioned over all the links there are", arguments: [1, 2, 6])
    func many(connections: Int) throws {
        var settings = WorldSettings.ideal
        settings.maximumLinks = 6
        let site = try Commissioning(devices(40), settings: settings)
        site.options.maximumConnections = connections
        let recap = try site.apply()
        #expect(recap.isComplete, "\(recap)")
        #expect(recap.provisioned == 40)
        try expectFinished(site, 40)
    }

    @Test("A device that is not heard is pending, the others are done, and it joins in another run")
    func notHeard() throws {
        let site = try Commissioning(devices(3))
        site.world.setFaults(NodeFaults(isOff: true), of: site.devices[1].uuid)
        let recap = try site.apply()
        #expect(recap.ending == .completed)
        #expect(recap.pending.map(\.name) == ["device-2"])
        #expect(recap.pending.map(\.reason) == [.notHeard])
        #expect(recap.pending.map(\.steps) == [3])
        #expect(recap.provisioned == 2)
        #expect(try site.network.pendingProvisionings == [], "nothing was handed out")
        site.world.setFaults(NodeFaults(), of: site.devices[1].uuid)
        #expect(try site.resolveAndApply().isComplete)
        try expectFinished(site, 3)
    }

    @Test("When Complete is lost, the run finds out that the device is a node, and goes on with it")
    func lostComplete() throws {
        let site = try Commissioning(devices(2))
        site.world.setFaults(faults(.init(.linkLoss, at: .completed, count: 1)), of: site.devices[0].uuid)
        let recap = try site.apply()
        #expect(recap.isComplete, "\(recap)")
        try expectFinished(site, 2)
        let found = site.events.filter {
            if case .provisioned(site.devices[0].uuid, _, _, authentication: nil) = $0 { true } else { false }
        }
        #expect(found.count == 1)
    }

    @Test("When the data is lost, the device is provisioned again with the same address")
    func lostData() throws {
        let site = try Commissioning(devices(1))
        site.world.setFaults(faults(.init(.linkLoss, at: .completion, count: 2)), of: site.devices[0].uuid)
        var addresses: Set<UnicastAddress> = []
        site.onEvent = { _ in
            for pending in (try? site.network.pendingProvisionings) ?? [] { addresses.insert(pending.address) }
        }
        let recap = try site.apply()
        #expect(recap.isComplete, "\(recap)")
        #expect(addresses.count == 1)
        try expectFinished(site, 1)
    }

    @Test(
        "The only device there is, gone with its data, is given up in bounded time and found as a node when it is back"
    )
    func onlyDeviceGone() throws {
        let site = try Commissioning(devices(1))
        let uuid = site.devices[0].uuid
        site.world.setFaults(faults(.init(.linkLoss, at: .completed, count: 1)), of: uuid)
        site.onEvent = { event in
            if case .provisioningRetried = event { site.world.setFaults(NodeFaults(isOff: true), of: uuid) }
        }
        let start = site.world.now
        #expect(try site.apply().pending.map(\.reason) == [.notHeardMayBeNode])
        #expect(try site.execute { $0.resolveInDoubt() }.ending == .completed)
        #expect(try site.apply().pending.map(\.reason) == [.notHeardMayBeNode])
        #expect(start.duration(to: site.world.now) < .seconds(180))
        site.onEvent = { _ in }
        site.world.setFaults(NodeFaults(), of: uuid)
        #expect(try site.resolveAndApply().isComplete)
        try expectFinished(site, 1)
    }

    @Test("A device that took the data of one attempt of two is found under its key, whichever that is")
    func severalKeys() throws {
        let site = try Commissioning(devices(2))
        let uuid = site.devices[0].uuid
        let misbehaviours: [ProvisioningFaults.Misbehaviour] = [
            .init(.linkLoss, at: .completion, count: 1), .init(.linkLoss, at: .completed, count: 1),
        ]
        site.world.setFaults(NodeFaults(provisioning: ProvisioningFaults(misbehaviours: misbehaviours)), of: uuid)
        var keys = 0
        site.onEvent = { _ in keys = max(keys, (try? site.network.pendingProvisionings.first?.deviceKeys.count) ?? 0) }
        let recap = try site.apply()
        #expect(recap.isComplete, "\(recap)")
        #expect(keys == 2)
        try expectFinished(site, 2)
    }

    @Test("With a tenth of all copies lost every device becomes a node", arguments: [1, 2, 3])
    func losses(seed: UInt64) throws {
        var settings = WorldSettings.office
        settings.copyLoss = 0.1
        settings.maximumLinks = 4
        let site = try Commissioning(devices(10), settings: settings, seed: seed)
        var recap = try site.apply()
        for _ in 0..<3 where !recap.isComplete { recap = try site.resolveAndApply() }
        #expect(recap.isComplete, "\(recap)")
        try expectFinished(site, 10)
    }

    @Test("The second interrupt ends at once; what may have become a node is recorded and found", arguments: 0..<4)
    func interruptedTwice(moment: Int) throws {
        let site = try Commissioning(devices(3), seed: UInt64(moment + 1))
        var completions = 0
        site.interrupts = { completions > moment ? 2 : 0 }
        site.onEvent = { event in if case .provisioningStage(_, .session(.completion)) = event { completions += 1 } }
        _ = try site.apply()
        site.interrupts = { 0 }
        #expect(try site.resolveAndApply().isComplete)
        try expectFinished(site, 3)
    }

    @Test("A device that went away with its data stays pending with its addresses; another run finds it as a node")
    func goneWithData() throws {
        let site = try Commissioning(devices(2))
        let uuid = site.devices[0].uuid
        site.world.setFaults(faults(.init(.linkLoss, at: .completed, count: 1)), of: uuid)
        site.onEvent = { event in
            if case .provisioningRetried(uuid, _, in: _) = event {
                site.world.setFaults(NodeFaults(isOff: true), of: uuid)
            }
        }
        let recap = try site.apply()
        #expect(recap.pending.map(\.reason) == [.notHeardMayBeNode])
        #expect(try site.network.pendingProvisionings.map(\.uuid) == [uuid])
        let held = try #require(try site.network.pendingProvisionings.first?.addresses)
        #expect(try site.node(2).map { !$0.addresses.overlaps(held) } == true)

        site.onEvent = { _ in }
        let away = try site.execute { $0.resolveInDoubt() }
        #expect(away.ending == .completed)
        #expect(try site.network.pendingProvisionings.count == 1, "nothing was learned")

        site.world.setFaults(NodeFaults(), of: uuid)
        let resolved = try site.execute { $0.resolveInDoubt() }
        #expect(resolved.ending == .completed)
        #expect(resolved.provisioned == 1)
        #expect(try site.network.pendingProvisionings == [])
        #expect(try site.resolveAndApply().isComplete)
        try expectFinished(site, 2)
    }

    @Test("A wrong static value fails that device with stage and advice, and no other")
    func wrongStaticValue() throws {
        let capabilities = ProvisioningCapabilities(elementCount: 2, isStaticValueAvailable: true)
        var descriptions = [Commissioning.device(1, capabilities), Commissioning.device(2, capabilities)]
        for place in descriptions.indices { descriptions[place].staticValue = try StaticOutOfBandValue([1, 2, 3]) }
        let site = try Commissioning(descriptions)
        let values = [
            site.devices[0].uuid: try StaticOutOfBandValue([9]),
            site.devices[1].uuid: try StaticOutOfBandValue([1, 2, 3]),
        ]
        site.prompter.staticValue = { (order) throws(ExecutionContext.KeyError) in values[order.uuid] }
        let recap = try site.apply()
        #expect(recap.failed.count == 1)
        #expect(recap.blocked.count == 2)
        #expect(recap.provisioned == 1)
        guard case .provisioning(let problem)? = recap.failed.first?.failure else {
            Issue.record("\(recap)")
            return
        }
        #expect(problem.description.contains("confirmation"))
        #expect(try site.node(2)?.isCompositionKnown == true)
    }

    @Test("A secret that cannot be read, and a device that the rules refuse, fail at once and are not tried again")
    func refusals() throws {
        let site = try Commissioning(devices(2))
        site.adjust = { $0.assurance = $0.name == "device-2" ? .authenticated : .nothing }
        site.prompter.staticValue = { (order) throws(ExecutionContext.KeyError) in
            if order.name == "device-1" { throw ExecutionContext.KeyError("the file is not there") }
            return nil
        }
        let recap = try site.apply()
        #expect(recap.failed.count == 2)
        let problems = recap.failed.map(\.failure)
        #expect(problems.contains(.provisioning(.secretUnavailable("the file is not there"))))
        #expect(problems.contains { if case .provisioning(.policy) = $0 { true } else { false } })
        #expect(!site.events.contains { if case .provisioningRetried = $0 { true } else { false } })
    }

    @Test("A fixed address is used, and one that somebody has fails the device")
    func fixedAddresses() throws {
        let site = try Commissioning(devices(2))
        let own = try unicast(1)
        let high = try unicast(0x0400)
        site.adjust = { $0.address = $0.name == "device-1" ? high : own }
        let recap = try site.apply()
        #expect(try site.node(1)?.unicastAddress == high)
        let text = "its 2 elements cannot begin at 0x0001: 0x0001 is taken by node `meshplan`"
        #expect(recap.failed.map(\.failure) == [.provisioning(.fixedAddress(text))])
    }

    @Test("With a bearer that cannot scan devices fail with a clear message, and everything else runs")
    func blind() throws {
        let site = try Commissioning(devices(1))
        site.wrap = { BlindBearer($0) }
        let recap = try site.apply()
        #expect(recap.failed.map(\.failure) == [.provisioning(.cannotScan(BearerError("the radio cannot scan")))])
        #expect(recap.applied == 1, "the key was made")
    }

    @Test("Devices that show a value are done one after another, with one question at a time")
    func person() throws {
        let capabilities = ProvisioningCapabilities(elementCount: 2, outputSize: 3, outputActions: [.numeric])
        let site = try Commissioning((1...3).map { Commissioning.device($0, capabilities) } + [Commissioning.device(4)])
        var shown: [String: OutOfBandValue] = [:]
        site.world.onObservation = { observation in
            if case .output(_, let value) = observation.event { shown[observation.name] = value }
        }
        var open: String?
        var asked: [String] = []
        site.prompter.isAttended = true
        site.prompter.ask = { question in
            #expect(open == nil)
            if case .output(let device, _, size: _) = question {
                open = device
                asked.append(device)
            }
        }
        site.prompter.withdraw = { open = nil }
        site.prompter.answer = {
            guard let open, case .number(let number)? = shown[open] else { return nil }
            return String(number)
        }
        let recap = try site.apply()
        #expect(recap.isComplete, "\(recap)")
        #expect(asked.sorted() == ["device-1", "device-2", "device-3"])
        #expect(open == nil)
        try expectFinished(site, 4)
    }

    @Test("A device without power for its session is tried again, then given up, while others go on")
    func deaf() throws {
        let site = try Commissioning(devices(2))
        site.world.setFaults(faults(.init(.failure(.outOfResources), at: .invitation)), of: site.devices[0].uuid)
        let recap = try site.apply()
        #expect(recap.provisioned == 1)
        #expect(site.events.filter { if case .provisioningRetried = $0 { true } else { false } }.count == 2)
        guard case .provisioning(.session(let failure, _))? = recap.failed.first?.failure else {
            Issue.record("\(recap)")
            return
        }
        #expect(failure.reason == .reportedByDevice(.outOfResources))
    }

    @Test("An interrupt lets sessions finish whose data has left, and another run does the rest", arguments: 0..<6)
    func interrupted(moment: Int) throws {
        let site = try Commissioning(devices(4), seed: UInt64(moment + 1))
        var stages = 0
        site.interrupts = { stages > moment * 6 ? 1 : 0 }
        site.onEvent = { event in if case .provisioningStage(_, .session) = event { stages += 1 } }
        let recap = try site.apply()
        #expect(recap.ending == .interrupted || recap.isComplete)
        #expect(try site.network.pendingProvisionings == [], "what has left was finished, nothing else was recorded")
        site.interrupts = { 0 }
        #expect(try site.resolveAndApply().isComplete)
        try expectFinished(site, 4)
    }

    // MARK: Leaving

    @Test("A reset node is retired, its addresses are excluded, and the device can be heard again")
    func reset() throws {
        let site = try Commissioning(devices(2))
        #expect(try site.apply().isComplete)
        let uuid = site.devices[0].uuid
        let addresses = try #require(try site.node(1)?.addresses)
        let recap = try site.apply(resetting: [uuid])
        #expect(recap.isComplete, "\(recap)")
        #expect(site.world.node(uuid)?.isProvisioned == false)
        let network = try site.network
        #expect(network.nodes.allSatisfy { $0.uuid != uuid })
        #expect(network.retiredNodes.map(\.node.uuid) == [uuid])
        #expect(network.retiredNodes.map(\.reason) == [.reset])
        #expect(
            addresses.allSatisfy { address in
                network.exclusions.contains { $0.addresses.contains { $0.rawValue == address } }
            }
        )
        #expect(try site.resolveAndApply().isComplete)
        let again = try #require(try site.node(1))
        #expect(!again.addresses.overlaps(addresses), "its former addresses wait for the IV index")
        #expect(try site.world.mismatches(against: site.network) == [])
    }

    @Test("When the status of a reset is lost, the device's advertising confirms it", arguments: [1, 2])
    func lostResetStatus(count: Int) throws {
        let site = try Commissioning(devices(count))
        #expect(try site.apply().isComplete)
        let uuid = site.devices[0].uuid
        site.onEvent = { event in
            if case .stepSent = event { site.world.setFaults(NodeFaults(isMute: true), of: uuid) }
        }
        // Mute as a node; as a device it is heard.
        site.world.onObservation = { observation in
            if observation.event == .unprovisioned { site.world.setFaults(NodeFaults(), of: observation.uuid) }
        }
        let recap = try site.apply(resetting: [uuid])
        #expect(recap.isComplete, "\(recap)")
        #expect(try site.network.retiredNodes.map(\.node.uuid) == [uuid])
        #expect(try site.database.snapshot().unresolved == [])
    }

    @Test("A reset whose outcome nobody tells is in doubt, and the next run finds out")
    func resetInDoubt() throws {
        let site = try Commissioning(devices(2))
        #expect(try site.apply().isComplete)
        let uuid = site.devices[0].uuid
        site.world.setFaults(NodeFaults(isMute: true), of: uuid)
        let recap = try site.apply(resetting: [uuid])
        #expect(recap.inDoubt == 1)
        #expect(try site.network.retiredNodes == [])
        site.world.setFaults(NodeFaults(), of: uuid)
        let resolved = try site.execute { $0.resolveInDoubt() }
        #expect(resolved.doubtsResolved == 1)
        #expect(try site.network.retiredNodes.map(\.node.uuid) == [uuid])
    }

    @Test("A device that was reset by hand is noticed by listening and replaced, and its former self retired")
    func replacement() throws {
        let site = try Commissioning(devices(2))
        #expect(try site.apply().isComplete)
        let uuid = site.devices[0].uuid
        let old = try #require(try site.node(1))
        #expect(try site.execute { $0.listen(for: .seconds(3)) }.foundUnprovisioned == [])
        site.world.factoryReset(uuid)
        let report = try site.execute { $0.listen(for: .seconds(3)) }
        #expect(report.foundUnprovisioned == [uuid])
        #expect(report.sightings.count == 2)
        #expect(try site.node(1)?.unprovisionedSeenAt == Site.now)
        let serial = try site.database.snapshot().serial
        _ = try site.execute { $0.listen(for: .seconds(3)) }
        #expect(try site.database.snapshot().serial == serial, "what is known already changes nothing")

        let recap = try site.apply()
        #expect(recap.isComplete, "\(recap)")
        let new = try #require(try site.node(1))
        #expect(new.deviceKey != old.deviceKey)
        #expect(!new.addresses.overlaps(old.addresses))
        #expect(new.unprovisionedSeenAt == nil)
        let network = try site.network
        #expect(network.retiredNodes.map(\.reason) == [.replaced])
        #expect(network.retiredNodes.map(\.node.deviceKey) == [old.deviceKey])
        #expect(network.nodes.count == 3)
        #expect(site.world.mismatches(against: network) == [])
        #expect(try site.plan().steps == [])
    }
}
