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
