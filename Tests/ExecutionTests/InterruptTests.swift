import DefinitionModel
import Execution
import MeshCore
import Planning
import Simulator
import Store
import Testing

@Suite("Interrupts and saved plans")
struct InterruptTests {
    /// A site whose run is interrupted after so many steps.
    private func interrupted(after steps: Int, signals: Int) throws -> (site: Site, plan: Plan, recap: Recap) {
        let site = try Site(lamps: 3)
        var count = 0
        site.onEvent = { if case .stepSucceeded = $0 { count += 1 } }
        site.interrupts = { count >= steps ? signals : 0 }
        let plan = try site.plan()
        let recap = try site.apply(plan)
        site.interrupts = { 0 }
        return (site, plan, recap)
    }

    @Test("The first interrupt lets what is in flight finish and sends nothing new; apply does the rest")
    func first() throws {
        let (site, plan, recap) = try interrupted(after: 20, signals: 1)
        #expect(recap.ending == .interrupted)
        #expect(recap.inDoubt == 0)
        #expect(recap.applied >= 20)
        #expect(recap.applied + recap.notStarted == plan.steps.count)
        #expect(site.events.contains(.interrupted(immediately: false)))
        #expect(try site.database.runs().map(\.outcome) == [.interrupted])
        #expect(try site.world.mismatches(against: site.network) == [])
        let rest = try site.resolveAndApply()
        #expect(rest.isComplete)
        #expect(rest.total == recap.notStarted)
    }

    @Test("The second interrupt ends the run at once; what was in flight is in doubt and read back later")
    func second() throws {
        let (site, plan, recap) = try interrupted(after: 20, signals: 2)
        #expect(recap.ending == .interrupted)
        #expect(recap.inDoubt > 0)
        #expect(recap.applied + recap.notStarted + recap.inDoubt == plan.steps.count)
        #expect(try site.database.snapshot().unresolved.count == recap.inDoubt)
        site.world.advance(to: site.world.now.advanced(by: .seconds(5)))
        #expect(try site.resolveAndApply().isComplete)
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(site.world.violations == [])
    }

    @Test("A saved plan goes on after an interrupt, and is applied once", arguments: [1, 2])
    func savedPlan(signals: Int) throws {
        let (site, plan, recap) = try interrupted(after: 20, signals: signals)
        site.world.advance(to: site.world.now.advanced(by: .seconds(5)))
        let rest = try site.apply(plan)
        #expect(rest.isComplete, "\(rest)")
        #expect(rest.unchanged >= recap.applied)
        #expect(try site.plan().steps == [])
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(try site.apply(plan).ending == .refused(.alreadyApplied))
    }

    @Test("An interrupt while there is no link ends the run, with nothing in doubt")
    func withoutLink() throws {
        let site = try Site(lamps: 2)
        for number in [1, 2] as [UInt64] { site.world.setFaults(NodeFaults(isOff: true), of: uuid(number)) }
        var isDown = false
        site.onEvent = { if case .linkDown = $0 { isDown = true } }
        site.interrupts = { isDown ? 1 : 0 }
        let plan = try site.plan()
        let recap = try site.apply(plan)
        #expect(recap.ending == .interrupted)
        #expect(recap.messagesSent == 0)
        #expect(recap.inDoubt == 0)
        #expect(recap.applied + recap.notStarted == plan.steps.count)
        #expect(try site.database.snapshot().unresolved == [])
    }

    @Test("When the database can no longer be written, nothing more is sent and the recap tells what is durable")
    func storeFails() throws {
        let site = try Site(lamps: 3)
        var count = 0
        var sentAfter = 0
        site.onEvent = { event in
            switch event {
            case .stepSucceeded:
                count += 1
                if count == 20 { site.lease?.release() }
            case .stepSent where count >= 20: sentAfter += 1
            default: break
            }
        }
        let recap = try site.apply(try site.plan())
        guard case .storeFailed = recap.ending else {
            Issue.record("\(recap)")
            return
        }
        #expect(sentAfter <= 2, "what became durable in the very same commit, at most of both other nodes")
        #expect(recap.inDoubt > 0)
        #expect(recap.applied + recap.notStarted + recap.inDoubt == recap.total)
        #expect(try site.database.snapshot().unresolved.count == recap.inDoubt)
        site.world.advance(to: site.world.now.advanced(by: .seconds(5)))
        #expect(try site.resolveAndApply().isComplete)
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(site.world.violations == [])
    }

    @Test("An empty plan does nothing, however often it is applied")
    func emptyPlan() throws {
        let site = try Site(lamps: 1)
        #expect(try site.apply(try site.plan()).isComplete)
        for _ in 0..<2 {
            let recap = try site.apply(try site.plan())
            #expect(recap.isComplete)
            #expect(recap.messagesSent == 0)
        }
        #expect(try site.database.runs().count == 1)
    }

    @Test("A plan is stale once something else has changed the database")
    func stale() throws {
        let site = try Site(lamps: 1)
        let plan = try site.plan()
        let lease = try site.database.lock(
            holder: LockHolder(user: "bert", host: "desk", process: 2, operation: "import", since: Site.now)
        )
        var changes = StoreChanges()
        changes.network = try site.network
        try site.database.commit(changes, with: lease)
        lease.release()
        let recap = try site.apply(plan)
        #expect(recap.ending == .refused(.stale(planned: plan.serial, present: plan.serial + 1)))
        #expect(recap.messagesSent == 0)
        #expect(recap.notStarted == plan.steps.count)
    }

    @Test("A plan of another database is refused")
    func foreign() throws {
        let site = try Site(lamps: 1)
        var plan = try site.plan()
        plan.lineage = Octets16(high: 1, low: 1)
        #expect(try site.apply(plan).ending == .refused(.foreign))
    }

    @Test("A plan whose steps depend on later ones is refused as damaged")
    func damaged() throws {
        let site = try Site(lamps: 1)
        var plan = try site.plan()
        plan.steps[3].dependencies = [3]
        #expect(try site.apply(plan).ending == .refused(.damaged(step: 3)))
    }
}
