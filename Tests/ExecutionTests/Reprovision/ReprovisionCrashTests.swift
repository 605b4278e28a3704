import DefinitionModel
import Execution
import Foundation
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

@Suite("A reprovisioning of a node that is killed")
struct ReprovisionCrashTests {
    private static let procedures = NodeProvisioningProcedure.allCases

    /// How many packets a whole reprovisioning takes, by procedure.
    private static let moments = procedures.map { procedure in
        Result { () throws -> Int in
            let site = try ReprovisionField.site(preparing: 2)
            return try MortalRuns.packets(of: site) {
                guard case .reprovisioned = try site.reprovision(procedure) else { throw MissingValue() }
            }
        }
    }

    /// Kills the first run after so many packets, every third time the second run too, and goes on: with the same
    /// command, or with what every run does first.
    private func dieAndGoOn(_ procedure: NodeProvisioningProcedure, moment: Int, proxy: Int = 1) throws {
        let comment: Comment = "\(procedure) at \(moment)"
        let site = try ReprovisionField.site(preparing: 2, proxy: proxy, seed: UInt64(moment))
        let old = try site.lamp(2)
        let runs = MortalRuns(site, moment: moment)
        var outcome = try site.reprovision(procedure)
        while try runs.revive() {
            try site.expectNothingLost(comment)
            if moment.isMultiple(of: 2) {
                let recap = try site.execute { $0.resolveInDoubt() }
                if runs.isDead { continue }
                #expect(recap.isComplete, comment)
                #expect(try site.network.pendingReprovisions.isEmpty, comment)
            }
            outcome = try site.lamp(2).deviceKey == old.deviceKey ? site.reprovision(procedure) : outcome
        }
        runs.endDeaths()
        let node = try site.lamp(2)
        #expect(node.deviceKey != old.deviceKey, "\(procedure) at \(moment): \(outcome)")
        let network = try site.network
        #expect(network.retiredNodes.map(\.node.deviceKey).contains(old.deviceKey), comment)
        let isMoved = procedure == .nodeAddressRefresh
        #expect((node.unicastAddress != old.unicastAddress) == isMoved, comment)
        let left = network.exclusions.flatMap { $0.addresses.map(\.rawValue) }
        #expect(left == (isMoved ? Array(old.addresses) : []), comment)
        #expect(node.product?.version == (procedure == .deviceKeyRefresh ? 2 : 3), comment)
        try site.expectSettled(comment)
    }

    @Test(
        "After every packet of an address refresh, and every fifth of the others: no DeviceKey is lost",
        arguments: 0..<6
    )
    func killed(part: Int) throws {
        for (procedure, count) in zip(Self.procedures, Self.moments) {
            let last = try count.get()
            let step = procedure == .nodeAddressRefresh ? 1 : 5
            for moment in stride(from: 1 + part * step, through: last, by: 6 * step) {
                try dieAndGoOn(procedure, moment: moment)
            }
        }
    }

    @Test("The only proxy, which moves to another address, is reached again whenever the run dies", arguments: 0..<4)
    func onlyProxy(part: Int) throws {
        let site = try ReprovisionField.site(preparing: 2, proxy: 2)
        let last = try MortalRuns.packets(of: site) {
            guard case .reprovisioned = try site.reprovision(.nodeAddressRefresh) else { throw MissingValue() }
        }
        for moment in stride(from: 1 + part, through: last, by: 4) {
            try dieAndGoOn(.nodeAddressRefresh, moment: moment, proxy: 2)
        }
    }

    @Test("A node that is silent after its provisioning data is left alone by every run until it answers")
    func silent() throws {
        for procedure in Self.procedures {
            let site = try ReprovisionField.site(preparing: 2)
            // The node falls silent as soon as what it will be is stored.
            site.onEvent = { event in
                if case .provisioningStage(_, .session(.completion)) = event {
                    site.world.setFaults(NodeFaults(isOff: true), of: uuid(2))
                }
            }
            #expect(try site.reprovision(procedure) == .unresolved(reason: nil, hint: nil), "\(procedure)")
            site.onEvent = { _ in }
            let network = try site.network
            let pending = try #require(network.pendingReprovisions[uuid(2)])
            #expect(pending.procedure == procedure)
            let before = try site.lamp(2)
            #expect(before.deviceKey == secret(0xD002))
            #expect(
                UnicastAddressPool(network).conflict(at: pending.address, count: 1) != nil,
                "its addresses are held"
            )
            let recap = try site.execute { $0.readBack([uuid(2), uuid(1)]) }
            #expect(recap.pending.map(\.node) == [uuid(2)] && recap.applied == 1, "\(recap)")
            #expect(site.events.contains(.reprovisionSettled(uuid(2), procedure, tookEffect: nil)))
            #expect(throws: ReprovisionRefusal.self) { try site.reprovisionPlan(procedure) }
            #expect(try site.lamp(2) == before && site.network.pendingReprovisions[uuid(2)] == pending)
            site.world.setFaults(NodeFaults(isOff: false), of: uuid(2))
            #expect(try site.execute { $0.readBack([uuid(2)]) }.isComplete)
            #expect(
                site.events.contains { event in
                    if case .reprovisionSettled(uuid(2), procedure, tookEffect: _?) = event { true } else { false }
                }
            )
            try site.expectSettled("\(procedure)")
        }
    }
}
