import DefinitionModel
import Execution
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

@Suite("A reset is seen, not believed")
struct ResetSightingTests {
    private func devices(_ count: Int) -> [DeviceDescription] { (1...count).map { Commissioning.device($0) } }

    private func sightings(_ recap: Recap) -> [ResetSighting] { recap.resets.map(\.sighting) }

    @Test("A device that was reset is looked for and seen, together with all others")
    func seen() throws {
        let site = try Commissioning(devices(6))
        #expect(try site.apply().isComplete)
        let recap = try site.apply(resetting: site.devices.map(\.uuid))
        #expect(recap.isComplete, "\(recap)")
        #expect(recap.resets.map(\.name) == site.devices.map(\.name))
        #expect(sightings(recap) == Array(repeating: .unprovisioned, count: 6))
        #expect(try site.network.nodes.count == 1)
        #expect(recap.duration < .seconds(10), "looked for together: \(recap.duration)")
    }

    @Test("A node that answers the reset and stays a node is told as one, and keeps its record")
    func ignoresReset() throws {
        let site = try Commissioning(devices(2))
        #expect(try site.apply().isComplete)
        let uuid = site.devices[0].uuid
        site.world.setFaults(NodeFaults(quirks: [.ignoresReset]), of: uuid)
        let recap = try site.apply(resetting: [uuid])
        #expect(recap.failed.map(\.failure) == [.stillNode], "\(recap)")
        #expect(sightings(recap) == [.stillNode])
        #expect(try site.node(1)?.deviceKey != nil && site.network.retiredNodes.isEmpty)
        #expect(try site.database.snapshot().unresolved == [], "its answer is known")
        #expect(recap.duration < .seconds(20), "\(recap.duration)")
        // Switched off and on, it is reset for good.
        site.world.setFaults(NodeFaults(), of: uuid)
        let again = try site.apply(resetting: [uuid])
        #expect(again.isComplete && sightings(again) == [.unprovisioned])
    }

    @Test("A node that leaves only seconds after its status is not called one that stays")
    func resetsLate() throws {
        let site = try Commissioning(devices(2))
        #expect(try site.apply().isComplete)
        let uuid = site.devices[0].uuid
        site.world.setFaults(NodeFaults(quirks: [.resetsLate]), of: uuid)
        let recap = try site.apply(resetting: [uuid])
        #expect(recap.isComplete, "\(recap)")
        #expect(sightings(recap) == [.unprovisioned])
    }

    @Test("A status that never comes is made up for by the device that advertises")
    func resetsBeforeStatus() throws {
        let site = try Commissioning(devices(2))
        #expect(try site.apply().isComplete)
        let uuid = site.devices[0].uuid
        site.world.setFaults(NodeFaults(quirks: [.resetsBeforeStatus]), of: uuid)
        let recap = try site.apply(resetting: [uuid])
        #expect(recap.isComplete, "\(recap)")
        #expect(sightings(recap) == [.unprovisioned])
        #expect(recap.duration < .seconds(8), "\(recap.duration)")
    }

    @Test("Without status and out of hearing a reset stays in doubt, is named, and costs later runs little")
    func inDoubt() throws {
        let site = try Commissioning(devices(2))
        #expect(try site.apply().isComplete)
        let uuid = site.devices[0].uuid
        site.world.setFaults(NodeFaults(quirks: [.resetsBeforeStatus]), of: uuid)
        // Like bluetooth-meshd, which does not advertise as a device when it was reset.
        site.wrap = { DeafToDevices($0) }
        let recap = try site.apply(resetting: [uuid])
        #expect(recap.inDoubt == 1 && recap.uncertainResets.map(\.name) == ["device-1"], "\(recap)")
        #expect(recap.duration < .seconds(20), "\(recap.duration)")
        let later = try site.execute { $0.resolveInDoubt() }
        #expect(later.inDoubt == 1 && later.uncertainResets.map(\.name) == ["device-1"])
        #expect(later.duration < .seconds(10), "\(later.duration)")
        // The rest of a plan is carried out.
        let rest = try site.apply(resetting: [uuid, site.devices[1].uuid])
        #expect(rest.resets.map(\.name) == ["device-2"], "\(rest)")
        #expect(rest.uncertainResets.map(\.name) == ["device-1"])
        // Once it is heard as a device, nobody has to be asked.
        site.wrap = { $0 }
        #expect(try site.execute { $0.listen(for: .seconds(3)) }.foundUnprovisioned.contains(uuid))
        let settled = try site.execute { $0.resolveInDoubt() }
        #expect(settled.inDoubt == 0 && settled.messagesSent == 0, "\(settled)")
        #expect(try site.network.retiredNodes.map(\.node.uuid).contains(uuid))
    }

    @Test("What is neither heard nor answers is told as not seen; many such devices take no longer than one")
    func outOfHearing() throws {
        let site = try Commissioning(devices(12))
        #expect(try site.apply().isComplete)
        site.wrap = { DeafToDevices($0) }
        let recap = try site.apply(resetting: site.devices.dropFirst().map(\.uuid))
        #expect(recap.isComplete, "\(recap)")
        #expect(sightings(recap) == Array(repeating: .notSeen, count: 11))
        #expect(recap.duration < .seconds(15), "\(recap.duration)")
    }
}

/// A bearer that hears proxies but no devices without a network.
private final class DeafToDevices: Bearer {
    private let inner: any Bearer

    init(_ inner: any Bearer) { self.inner = inner }

    var now: Instant { inner.now }
    var maximumLinks: Int { inner.maximumLinks }
    func connect(to target: LinkTarget) throws(BearerError) -> LinkIdentifier { try inner.connect(to: target) }
    func send(_ packet: [UInt8], on link: LinkIdentifier) throws(BearerError) { try inner.send(packet, on: link) }
    func close(_ link: LinkIdentifier) { inner.close(link) }
    func scan(_ isOn: Bool) throws(BearerError) { try inner.scan(isOn) }

    func next(until deadline: Instant) throws(BearerError) -> BearerEvent? {
        while let event = try inner.next(until: deadline) {
            if case .heard(let advertisement) = event, case .unprovisioned = advertisement.content { continue }
            return event
        }
        return nil
    }
}
