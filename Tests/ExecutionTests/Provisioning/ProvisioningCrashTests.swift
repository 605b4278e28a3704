import DefinitionModel
import Execution
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

@Suite("A run that is killed while devices are provisioned")
struct ProvisioningCrashTests {
    private static let devices = (1...3).map { Commissioning.device($0) }

    private static let moments = Result { () throws -> Int in
        let site = try Commissioning(devices)
        return try MortalRuns.packets(of: site) { () throws in #expect(try site.apply().isComplete) }
    }

    /// The first device was a node, and was reset by hand, when the runs begin.
    private func replace(in site: Commissioning) throws {
        #expect(try site.apply().isComplete)
        site.world.factoryReset(Self.devices[0].uuid)
        #expect(try site.execute { $0.listen(for: .seconds(3)) }.foundUnprovisioned.count == 1)
    }

    private func dieAndGoOn(moment: Int, isReplacing: Bool) throws {
        let site = try Commissioning(Self.devices, seed: UInt64(moment))
        if isReplacing { try replace(in: site) }
        let runs = MortalRuns(site, moment: moment)
        var recap = try site.apply()
        while try runs.revive() {
            // Whoever is a node is one that the database has, or has an attempt recorded with its key and address.
            let network = try site.network
            let known = Set(network.nodes.filter { $0.unprovisionedSeenAt == nil }.map(\.uuid))
            for device in Self.devices where !known.contains(device.uuid) {
                guard let state = site.world.node(device.uuid), state.isProvisioned else { continue }
                let pending = try #require(network.pendingProvisioning(of: device.uuid), "moment \(moment)")
                #expect(pending.address == state.address)
                #expect(state.deviceKey.map(pending.deviceKeys.contains) == true)
            }
            recap = try site.resolveAndApply()
        }
        if !recap.isComplete, recap.ending == .completed { recap = try site.resolveAndApply() }
        #expect(recap.isComplete, "moment \(moment): \(recap)")
        let network = try site.network
        #expect(site.world.mismatches(against: network) == [], "moment \(moment)")
        #expect(site.world.violations == [], "moment \(moment)")
        #expect(network.pendingProvisionings == [], "moment \(moment)")
        #expect(network.retiredNodes.count == (isReplacing ? 1 : 0), "moment \(moment)")
        let excluded = network.exclusions.flatMap { $0.addresses.map(\.rawValue) }
        #expect(excluded.count == (isReplacing ? 2 : 0), "moment \(moment)")
        let given = try site.usedAddresses() + excluded
        #expect(given.sorted() == Array(1...(isReplacing ? 9 : 7)), "moment \(moment): no block leaked, none twice")
        #expect(try site.database.snapshot().unresolved == [], "moment \(moment)")
        #expect(try site.plan().steps == [], "moment \(moment)")
    }

    @Test(
        "At 120 moments, going on makes every device a node, each with its own addresses and DeviceKey",
        arguments: 0..<6
    )
    func killed(part: Int) throws {
        let moments = try Self.moments.get()
        for index in 0..<20 { try dieAndGoOn(moment: 1 + (part * 20 + index) * moments / 120, isReplacing: false) }
    }

    @Test("At 40 moments, going on replaces a device that was reset by hand, once", arguments: 0..<4)
    func killedReplacing(part: Int) throws {
        let moments = try Self.moments.get() / 3
        for index in 0..<10 {
            try dieAndGoOn(moment: 1 + (part * 10 + index) * moments / 40, isReplacing: true)
        }
    }
}
