import DefinitionModel
import Execution
import Foundation
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

@Suite("A key refresh that is killed")
struct KeyRefreshCrashTests {
    private static let settings: WorldSettings = {
        var settings = WorldSettings.ideal
        settings.copyLoss = 0.05
        settings.topology = .hops(2)
        return settings
    }()

    private static let moments = Result { () throws -> Int in
        let site = try Site(lamps: 3, settings: settings, database: try Site.furnished(lamps: 3))
        return try MortalRuns.packets(of: site) {
            let recap = try site.refresh()
            #expect(recap.isComplete)
        }
    }

    /// Kills the first run after so many packets, every third time the second run too, and goes on.
    private func dieAndGoOn(moment: Int) throws {
        let old = try Site.furnished(lamps: 3)
        let site = try Site(lamps: 3, settings: Self.settings, seed: UInt64(moment), database: old)
        let plan = try site.refreshPlan()
        let runs = MortalRuns(site, moment: moment)
        var recap = try site.apply(plan)
        while try runs.revive() {
            #expect(try site.lostNodes() == [], "moment \(moment)")
            recap = try moment.isMultiple(of: 5) ? site.apply(plan) : site.goOn()
        }
        if !recap.isComplete, recap.ending == .completed { recap = try site.goOn() }
        #expect(recap.isComplete || recap.ending == .refused(.alreadyApplied), "moment \(moment): \(recap)")
        #expect(try site.database.snapshot().unresolved == [], "moment \(moment)")
        try site.expectRefreshed(from: old, nodes: (1...3).map { "lamp-\($0)" })
    }

    @Test("At every moment nobody is lost, and one more refresh ends it", arguments: 0..<8)
    func killed(part: Int) throws {
        let moments = try Self.moments.get()
        for moment in stride(from: 1 + part, through: moments, by: 8) { try dieAndGoOn(moment: moment) }
    }
}

extension Site {
    /// The same command once more, unless the refresh is finished: then it would begin another one.
    fileprivate func goOn() throws -> Recap {
        try execute { executor in
            if !(try database.snapshot().unresolved.isEmpty) {
                let resolved = executor.resolveInDoubt()
                guard resolved.ending == .completed else { return resolved }
            }
            let key = try self.network.netKeys[0]
            guard key.phase != .normal || key.key == secret(0x10) else { return Recap() }
            return executor.apply(try refreshPlan())
        }
    }
}
