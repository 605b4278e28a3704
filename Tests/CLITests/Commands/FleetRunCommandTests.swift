import Foundation
import Synchronization
import SystemLayer
import TestSupport
import Testing

@testable import MeshplanCLI
@testable import Store

extension String {
    /// The text without the names of runs, which are random.
    var withoutRuns: String {
        replacing(#/(Run|run|rollback|continue) [0-9a-f]{8}/#, with: { "\($0.1) (run)" })
    }
}

/// A fleet of three shops, and what happens to its runs.
private struct Site {
    let fixture: CommandFixture
    private let database: PostgreSQLServer.Database?

    /// The places for runs that this machine has.
    static let places = PostgreSQLServer.isInstalled ? ["file", "server"] : ["file"]

    init(_ place: String = "file") throws {
        database = place == "file" ? nil : try PostgreSQLServer.shared.newDatabase()
        let state = try database.map { try PostgreSQLServer.shared.address($0.name) }
        fixture = try FleetCommandTests.shops(state: state)
    }

    static let apply = ["fleet", "apply", "--auto-approve", "--devices", "devices/all.yaml"]

    /// Makes a run on which nobody works: its first process is interrupted before it takes any job.
    ///
    /// - Parameter plans: whether it makes the plans itself.
    func interrupted(_ more: String..., plans: Bool = true) throws -> FleetRunRecord {
        var rounds = plans ? 0 : 1
        fixture.fleetWorkers = FleetWorkers { workers, context, next, tell in
            rounds += 1
            guard rounds > 1 else { return FleetWorkers.inThisProcess.run(workers, context, next, tell) }
            fixture.interruptCount = { 1 }
        }
        let result = fixture.run(Self.apply + more)
        fixture.fleetWorkers = .inThisProcess
        fixture.interruptCount = { 0 }
        #expect(result.status == 130, "\(result.combined)")
        let run = try #require(try store().runs().first)
        #expect(run.state == .open)
        #expect(try store().jobs(of: run.id).allSatisfy { $0.attempts == 0 })
        return run
    }

    /// Opens the runs as another process does.
    var open: @Sendable () throws -> FleetRunStore? {
        let (database, path) = (database, fixture.folder.path + "/.meshplan/fleet.runs")
        return {
            guard let database else { return try FleetRunStore.file(path, creating: false) }
            let clock = StoreClock(now: { .zero }, wait: { _ in false })
            let shared = try SharedStore(PostgreSQLServer.shared.address(database.name), clock: clock)
            return try FleetRunStore.shared(shared, creating: false)
        }
    }

    func store() throws -> FleetRunStore { try required(open()) }

    /// Whether nobody is connected to the shared database any more. Its server may need a moment to notice that.
    func isUnused() throws -> Bool {
        guard let database else { return true }
        for _ in 0..<50 {
            let count = try PostgreSQLServer.shared.sql(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(database.name)' AND pid <> pg_backend_pid()",
                in: database.name
            )
            if count == "0" { return true }
        }
        return false
    }

    /// Takes the next job as a process that is killed before it tells anything.
    func die(_ run: FleetRunRecord, _ work: (FleetJob, CommandFixture) throws -> Void = { _, _ in }) throws {
        let store = try store()
        _ = try store.join(run.id, FleetWorkerRecord(id: "dead", since: fixture.now), heartbeat: .seconds(1000))
        // Those that an earlier one had are not given to this one.
        let held = try store.jobs(of: run.id).filter { $0.state == .running }.map(\.number)
        var job = try required(store.claim(run.id, by: "dead", holding: held))
        let own = CommandFixture(inSystemFolder: fixture.folder.path + "/sites/" + job.network)
        own.environment = fixture.environment
        let number = ["graz-1": "1", "graz-2": "2", "wien-1": "3"][job.network] ?? ""
        own.environment["MESHPLAN_VAR_name"] = job.network
        own.environment["MESHPLAN_VAR_building"] = number
        if job.network == "graz-2" { own.environment["MESHPLAN_VAR_lamps"] = "3" }
        job.notes.serialBefore = try serial(of: job.network, own)
        #expect(try store.note(job, of: run.id))
        try work(job, own)
        _ = try store.tables.transact([FleetStatement("UPDATE meshplan_fleet_workers SET expires = 0")])
    }

    private func serial(of network: String, _ site: CommandFixture) throws -> UInt64 {
        let history = site.run("state", "history", "--network", network, "--json")
        let line = try required(history.output.split(separator: "\n").last)
        return UInt64(try required(JSONParser.parse(Array(line.utf8))["serial"]?.number))
    }

    /// Replaces the definition by one with a mistake: the lamps no longer listen to their group.
    ///
    /// - Returns: the good one.
    func plantMistake() throws -> String {
        let text = String(decoding: try required(fixture.read("shop.yaml")), as: UTF8.self)
        try fixture.put(nil, to: "shop.yaml")
        try fixture.write(text.replacing(", subscribe: [lamps]", with: ""), to: "shop.yaml")
        return text
    }

    func mend(_ text: String) throws {
        try fixture.put(nil, to: "shop.yaml")
        try fixture.write(text, to: "shop.yaml")
    }

    /// Lets something happen right before the first apply of a worker begins.
    func beforeFirstApply(_ work: @escaping () throws -> Void) {
        var hasCome = false
        fixture.fleetWorkers = FleetWorkers { workers, context, next, tell in
            let intercepted = { () -> (number: Int, call: FleetCall)? in
                guard let (number, call) = next() else { return nil }
                if call.arguments.first == "apply", !hasCome {
                    hasCome = true
                    #expect(throws: Never.self) { try work() }
                }
                return (number, call)
            }
            FleetWorkers.inThisProcess.run(workers, context, intercepted, tell)
        }
    }

    /// The command of a worker that is gone, which goes on by itself.
    ///
    /// - Parameter devices: the file with the devices that it finds.
    func goesOn(_ job: FleetJob, _ own: CommandFixture, devices: String) throws -> CommandFixture.Result {
        own.run([
            "apply", fixture.folder.path + "/shop.yaml", "--network", job.network, "--via", "simulator", "--devices",
            fixture.folder.path + "/" + devices, "--expect-digest", try required(job.notes.digest), "--listen", "1s",
            "--json",
        ])
    }

    /// How many applies the history of a network has.
    func applies(_ network: String) throws -> Int {
        let own = CommandFixture(inSystemFolder: fixture.folder.path + "/sites/" + network)
        own.environment = fixture.environment
        let lines = own.run("state", "history", "--network", network, "--json").output.split(separator: "\n")
        return lines.filter { $0.contains(#""operation":"apply""#) }.count
    }
}

@Suite("meshplan fleet: durable runs")
struct FleetRunCommandTests {
    @Test("A wave with a mistake stops after the first building, and the run is taken back", arguments: Site.places)
    func rollback(_ place: String) throws {
        let site = try Site(place)
        let fixture = site.fixture
        try #require(fixture.run(Site.apply).status == 0)
        let good = try site.plantMistake()
        let stopped = fixture.run(Site.apply + ["--waves", "1,rest", "--gate", "tests"])
        #expect(stopped.status == 4, "\(stopped.combined)")
        #expect(stopped.output.contains("Wave 1 of 2: 1 network") && !stopped.output.contains("Wave 2"))
        let run = try #require(try site.store().runs().first)
        #expect(run.state == .failed)
        #expect(stopped.output.contains("Take it back with: meshplan fleet rollback \(run.id)"))
        let status = fixture.run("fleet", "status")
        #expect(status.output.contains("Run \(run.id): apply, stopped in wave 1 of 2, by tester@bench"))
        #expect(status.output.contains("Stopped: 1 network failed, stayed partial or did not pass."))

        fixture.isTerminal = true
        fixture.answers = ["no"]
        #expect(fixture.run("fleet", "rollback").status == 8)
        fixture.answers = ["yes"]
        let back = fixture.run("fleet", "rollback")
        fixture.isTerminal = false
        #expect(back.status == 0, "\(back.combined)")
        #expect(back.output.contains("Run \(run.id) stopped: 1 network failed, stayed partial or did not pass."))
        #expect(back.output.contains("graz-1: did not pass the gate tests"), "\(back.output)")
        #expect(back.output.contains("graz-1  taken back  1 applied") || back.output.contains("taken back"))
        let reversal = try #require(try site.store().runs().first)
        #expect(reversal.request.takesBack == run.id && reversal.state == .done)
        try site.mend(good)
        let plan = fixture.run("fleet", "plan", "--detailed-exitcode")
        #expect(plan.status == 0, "all is as before: \(plan.combined)")

        // What was done since is not run over.
        let again = fixture.run("fleet", "rollback", run.id, "--auto-approve")
        #expect(again.status == 5, "\(again.combined)")
        #expect(again.output.contains("omething else has changed it since"), "\(again.combined)")
        // A reversal can be taken back, too.
        let forward = fixture.run("fleet", "rollback", "--auto-approve")
        #expect(forward.status == 0, "\(forward.combined)")
        #expect(fixture.run("fleet", "plan", "--detailed-exitcode").status == 2)
    }

    @Test("Two workers at once do each network once", arguments: Site.places)
    func together(_ place: String) throws {
        let site = try Site(place)
        let run = try site.interrupted("--waves", "2,rest", "--gate", "drift")
        let results = Mutex<[String]>([])
        let folder = site.fixture.folder.path
        let environment = site.fixture.environment
        let (open, id, start) = (site.open, run.id, ContinuousClock.now)
        DispatchQueue.concurrentPerform(iterations: 2) { number in
            let worker = CommandFixture(inSystemFolder: folder)
            worker.environment = environment
            worker.processNumber = Int32(5000 + number)
            worker.whilePausing = { Thread.sleep(forTimeInterval: 0.02) }
            // Neither begins before the other is there, so that both have something to do.
            var hasMet = false
            worker.fleetWorkers = FleetWorkers { workers, context, next, tell in
                while !hasMet, start.duration(to: .now) < .seconds(60) {
                    let store = try? open()
                    hasMet = (try? store?.workers(of: id).count) == 2 || (try? store?.run(id)?.state) == .done
                    Thread.sleep(forTimeInterval: 0.01)
                }
                FleetWorkers.inThisProcess.run(workers, context, next, tell)
            }
            let result = worker.run("fleet", "work", "--workers", "1")
            results.withLock { $0.append("\(result.status)\n\(result.combined)") }
        }
        for result in results.withLock({ $0 }) { #expect(result.hasPrefix("0\n"), "\(result)") }
        let store = try site.store()
        #expect(try store.run(run.id)?.state == .done)
        let jobs = try store.jobs(of: run.id)
        #expect(jobs.allSatisfy { $0.state == .done && $0.attempts == 1 }, "\(jobs)")
        for name in ["graz-1", "graz-2", "wien-1"] { #expect(try site.applies(name) == 1, "\(name)") }
        #expect(site.fixture.run("fleet", "plan", "--detailed-exitcode").status == 0)
    }

    @Test("Whatever a killed worker had done, another one brings its network to the end", arguments: Site.places)
    func killed(_ place: String) throws {
        let site = try Site(place)
        let run = try site.interrupted()
        // One dies before it begins, one after the work, one in the middle: its devices are not there.
        try site.die(run)
        try site.die(run) { job, own in
            let done = own.run([
                "apply", "../../shop.yaml", "--network", job.network, "--via", "simulator", "--devices",
                "../../devices/all.yaml", "--expect-digest", try required(job.notes.digest),
            ])
            #expect(done.status == 0, "\(done.combined)")
        }
        try site.fixture.write("products: {}\ndevices: {}\n", to: "devices/none.yaml")
        try site.die(run) { job, own in
            let part = own.run([
                "apply", site.fixture.folder.path + "/shop.yaml", "--network", job.network, "--via", "simulator",
                "--devices", "../../devices/none.yaml", "--expect-digest", try required(job.notes.digest), "--listen",
                "1s",
            ])
            #expect(part.status == 4, "\(part.combined)")
        }
        let status = site.fixture.run("fleet", "status")
        #expect(status.output.contains("open, but nobody works on it"), "\(status.output)")
        let result = site.fixture.run("fleet", "continue")
        #expect(result.status == 0, "\(result.combined)")
        let jobs = try site.store().jobs(of: run.id).filter { !$0.isGate }
        #expect(jobs.allSatisfy { $0.state == .done && $0.attempts == 2 && $0.hasChanged }, "\(jobs)")
        #expect(jobs.contains { $0.notes.summary == "was carried out by an earlier attempt" }, "\(jobs)")
        #expect(try site.applies("graz-1") == 1)
        #expect(site.fixture.run("fleet", "plan", "--detailed-exitcode").status == 0)
    }

    /// One of two lamps of the first shop.
    private static let oneLamp = """
        products: { lamp: { features: [relay, proxy], elements: [{ models: [generic-onoff-server] }] } }
        devices: { a: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c010001, product: lamp } }

        """

    @Test("What an earlier attempt changes after the plan is planned once more", arguments: Site.places)
    func plansOnceMore(_ place: String) throws {
        let site = try Site(place)
        try site.fixture.write(Self.oneLamp, to: "devices/one.yaml")
        let run = try site.interrupted()
        try site.die(run) { job, own in
            site.beforeFirstApply {
                let part = try site.goesOn(job, own, devices: "devices/one.yaml")
                #expect(part.status == 4, "\(part.combined)")
            }
        }
        let result = site.fixture.run("fleet", "continue")
        #expect(result.status == 0, "\(result.combined)")
        let job = try #require(try site.store().jobs(of: run.id).first)
        #expect(job.state == .done && job.attempts == 2 && job.notes.begun.count == 1, "\(job)")
        #expect(job.notes.entries.count == 2, "\(job)")
        #expect(site.fixture.run("fleet", "plan", "--detailed-exitcode").status == 0)
    }

    @Test("What somebody else has changed after the plan ends the job as out of date")
    func somebodyElse() throws {
        let site = try Site()
        try site.fixture.write(Self.oneLamp, to: "devices/one.yaml")
        let run = try site.interrupted()
        try site.die(run) { job, own in
            site.beforeFirstApply {
                let part = try site.goesOn(job, own, devices: "devices/one.yaml")
                #expect(part.status == 4, "\(part.combined)")
                // Another definition, which nobody has approved.
                let text = String(decoding: try required(site.fixture.read("shop.yaml")), as: UTF8.self)
                try site.fixture.write(text.replacing(", subscribe: [lamps]", with: ""), to: "other.yaml")
                let changed = own.run([
                    "apply", "../../other.yaml", "--network", job.network, "--via", "simulator", "--devices",
                    "../../devices/one.yaml", "--auto-approve", "--listen", "1s",
                ])
                #expect(changed.status == 4, "\(changed.combined)")
            }
        }
        let result = site.fixture.run("fleet", "continue")
        #expect(result.status == 4, "\(result.combined)")
        let job = try #require(try site.store().jobs(of: run.id).first)
        #expect(job.state == .failed && job.status == 7, "\(job)")
    }

    @Test("A worker waits until the command of one that was killed has ended")
    func waitsForCommand() throws {
        let site = try Site()
        let run = try site.interrupted()
        try site.die(run) { job, own in
            // The worker's apply begins in the middle of that of the other.
            var hasMet = false
            site.fixture.fleetWorkers = FleetWorkers { workers, context, next, tell in
                let intercepted = { () -> (number: Int, call: FleetCall)? in
                    guard let (number, call) = next() else { return nil }
                    guard call.arguments.first == "apply", !hasMet else { return (number, call) }
                    withoutActuallyEscaping(tell) { tell in
                        own.onText = { text in
                            guard !hasMet, text.contains(#""type":"apply_node_complete""#) else { return }
                            hasMet = true
                            var calls = [(number: number, call: call)]
                            FleetWorkers.inThisProcess.run(workers, context, { calls.popLast() }, tell)
                        }
                        #expect(throws: Never.self) {
                            let all = try site.goesOn(job, own, devices: "devices/all.yaml")
                            #expect(all.status == 0, "\(all.combined)")
                            try #require(hasMet)
                        }
                        own.onText = { _ in }
                    }
                    return hasMet ? next() : (number, call)
                }
                FleetWorkers.inThisProcess.run(workers, context, intercepted, tell)
            }
        }
        let result = site.fixture.run("fleet", "continue")
        #expect(result.status == 0, "\(result.combined)")
        #expect(result.error.contains("graz-1: waiting for the command of a worker that is gone"), "\(result.error)")
        let job = try #require(try site.store().jobs(of: run.id).first)
        #expect(job.state == .done && job.notes.summary == "was carried out by an earlier attempt", "\(job)")
        #expect(try site.applies("graz-1") == 1)
    }

    @Test("Whoever waits says at once for whose claim, and until when", arguments: Site.places)
    func waiting(_ place: String) throws {
        let site = try Site(place)
        let run = try site.interrupted()
        let store = try site.store()
        let life = try store.join(
            run.id,
            FleetWorkerRecord(id: "anna@desk 12-9f3a", since: site.fixture.now),
            heartbeat: .seconds(1000)
        )
        let claimed = try store.claim(run.id, by: "anna@desk 12-9f3a")
        #expect(claimed?.network == "graz-1")
        var pauses = 0
        site.fixture.whilePausing = {
            pauses += 1
            guard pauses == 2 else { return }
            // The minute is over.
            #expect(throws: Never.self) {
                _ = try store.tables.transact([
                    FleetStatement("UPDATE meshplan_fleet_workers SET expires = 0 WHERE id = 'anna@desk 12-9f3a'")
                ])
            }
        }
        let result = site.fixture.run("fleet", "continue", "--json")
        withExtendedLifetime(life) {}
        #expect(result.status == 0, "\(result.combined)")
        let lines = result.output.split(separator: "\n").filter { $0.contains(#""type":"fleet_waiting""#) }
        #expect(lines.count == 1, "once for each claim: \(result.output)")
        let line = try #require(lines.first)
        #expect(line.contains(#""worker":"anna@desk 12-9f3a","networks":["graz-1"],"until":"20"#), "\(line)")
        #expect(pauses == 2)
    }

    @Test("A run of saved plans goes on with those, and says which were begun and cut off", arguments: Site.places)
    func savedPlans(_ place: String) throws {
        let site = try Site(place)
        let fixture = site.fixture
        try #require(fixture.run("fleet", "plan", "--out", "plans").status == 0)
        let run = try site.interrupted("--plan", "plans", plans: false)
        #expect(run.request.plans?.path == "plans")
        func applySaved(_ job: FleetJob, _ own: CommandFixture, _ devices: String) throws -> CommandFixture.Result {
            let folder = fixture.folder.path + "/plans"
            let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            let file = try required(files.first { $0.hasPrefix(job.network) })
            return own.run([
                "apply", "\(folder)/\(file)", "--network", job.network, "--via", "simulator", "--devices", devices,
                "--expect-digest", try required(job.notes.digest), "--listen", "1s",
            ])
        }
        try site.die(run) { job, own in
            let done = try applySaved(job, own, "../../devices/all.yaml")
            #expect(done.status == 0, "\(done.combined)")
        }
        try fixture.write("products: {}\ndevices: {}\n", to: "devices/none.yaml")
        try site.die(run) { job, own in
            let part = try applySaved(job, own, "../../devices/none.yaml")
            #expect(part.status == 4, "\(part.combined)")
        }
        let result = fixture.run("fleet", "continue")
        #expect(result.status == 4, "\(result.combined)")
        #expect(result.output.contains("Make new plans with: meshplan fleet plan --out plans\n"), "\(result.output)")
        #expect(!result.output.contains("--retry"))
        let jobs = try site.store().jobs(of: run.id).filter { !$0.isGate }
        #expect(jobs.map(\.state) == [.done, .failed, .done], "\(jobs)")
        #expect(jobs[0].notes.summary == "was carried out by an earlier attempt")
        #expect(jobs[1].notes.summary.contains("begun and cut off"), "\(jobs[1].notes.summary)")
        let again = fixture.run("fleet", "continue", "--retry", "--auto-approve")
        #expect(again.status == 5 && again.error.contains("fleet plan --out"), "\(again.combined)")
        #expect(try site.applies("graz-1") == 1)
    }

    @Test("An apply that finds nothing left closes the run whose commands have gone on by themselves")
    func nothingLeft() throws {
        let site = try Site()
        let run = try site.interrupted()
        for _ in 0..<3 {
            try site.die(run) { job, own in
                let done = try site.goesOn(job, own, devices: "devices/all.yaml")
                #expect(done.status == 0, "\(done.combined)")
            }
        }
        // Another part of the fleet does not tell that the run is at its end.
        #expect(site.fixture.run(Site.apply + ["--select", "network=graz-*"]).status == 0)
        #expect(try site.store().run(run.id)?.state == .open)
        let again = site.fixture.run(Site.apply)
        #expect(again.status == 0, "\(again.combined)")
        #expect(try site.store().run(run.id)?.state == .stopped)
        #expect(try site.store().run(run.id)?.reason == "nothing was left to do")
        for name in ["graz-1", "graz-2", "wien-1"] { #expect(try site.applies(name) == 1, "\(name)") }
    }

    @Test("A rollback that was cut off goes on when it is repeated, and does not lead forward again")
    func rollbackCutOff() throws {
        let site = try Site()
        let fixture = site.fixture
        try #require(fixture.run(Site.apply).status == 0)
        let good = try site.plantMistake()
        try #require(fixture.run(Site.apply).status == 0)
        // It is interrupted once the first network is done.
        fixture.fleetWorkers = FleetWorkers { workers, context, next, tell in
            var isCarriedOut = false
            let watched = { () -> (number: Int, call: FleetCall)? in
                let call = next()
                isCarriedOut = call?.call.arguments.contains { $0.hasPrefix("--expect-digest") } ?? isCarriedOut
                return call
            }
            FleetWorkers.inThisProcess.run(workers, context, watched) { number, event in
                tell(number, event)
                if isCarriedOut, case .ended = event { fixture.interruptCount = { 1 } }
            }
        }
        let cut = fixture.run("fleet", "rollback", "--auto-approve")
        #expect(cut.status == 130, "\(cut.combined)")
        fixture.interruptCount = { 0 }
        fixture.fleetWorkers = .inThisProcess
        let runs = try site.store().runs().count
        let repeated = fixture.run("fleet", "rollback", "--auto-approve")
        #expect(repeated.status == 0 && repeated.output.contains(" goes on, which takes back the run "), "\(repeated)")
        #expect(try site.store().runs().count == runs)
        try site.mend(good)
        #expect(fixture.run("fleet", "plan", "--detailed-exitcode").status == 0)
    }

    @Test("A rollback shows the plans of its networks as text, too, and takes back just these")
    func rollbackInDetail() throws {
        let site = try Site()
        let fixture = site.fixture
        try #require(fixture.run(Site.apply).status == 0)
        let good = try site.plantMistake()
        try #require(fixture.run(Site.apply).status == 0)
        let result = fixture.run("fleet", "rollback", "--auto-approve", "--details")
        #expect(result.status == 0 && result.output.contains("3 networks: 3 taken back."), "\(result.combined)")
        #expect(result.output.contains("  Plan for network graz-1") && !result.output.contains("Nothing was sent"))
        try site.mend(good)
        #expect(fixture.run("fleet", "plan", "--detailed-exitcode").status == 0)
    }

    @Test("A network that a rollback has left out is named with the next command, which brings it back, too")
    func rollbackLeftOut() throws {
        let site = try Site()
        let fixture = site.fixture
        try #require(fixture.run(Site.apply).status == 0)
        let good = try site.plantMistake()
        try #require(fixture.run(Site.apply).status == 0)
        // One plan fails.
        fixture.fleetWorkers = FleetWorkers { workers, context, next, tell in
            FleetWorkers.inThisProcess.run(workers, context, next) { number, event in
                var event = event
                if number == 0, case .ended = event { event = .ended(.ended(.failure, "ended by signal 9")) }
                tell(number, event)
            }
            fixture.fleetWorkers = .inThisProcess
        }
        let part = fixture.run("fleet", "rollback", "--auto-approve")
        #expect(part.status == 4, "\(part.combined)")
        let run = try #require(try site.store().runs().first)
        #expect(part.output.contains("Go on with: meshplan fleet continue \(run.id) --retry"), "\(part.combined)")
        let rest = fixture.run("fleet", "continue", run.id, "--retry", "--auto-approve")
        #expect(rest.status == 0, "\(rest.combined)")
        try site.mend(good)
        #expect(fixture.run("fleet", "plan", "--detailed-exitcode").status == 0)
    }

    @Test("Another checkout applies nothing, and what has failed is tried again after approval")
    func otherCheckout() throws {
        let site = try Site()
        let fixture = site.fixture
        let run = try site.interrupted()
        let good = try site.plantMistake()
        let worked = fixture.run("fleet", "work")
        #expect(worked.status == 7, "\(worked.combined)")
        for name in ["graz-1", "graz-2", "wien-1"] { #expect(try site.applies(name) == 0, "\(name)") }
        try site.mend(good)
        #expect(fixture.run("fleet", "continue", "--auto-approve").status == 7, "nothing is left without --retry")
        fixture.isTerminal = true
        fixture.answers = ["no"]
        #expect(fixture.run("fleet", "continue", "--retry").status == 8)
        fixture.answers = ["yes"]
        let retried = fixture.run("fleet", "continue", String(run.id.prefix(5)), "--retry")
        fixture.isTerminal = false
        #expect(retried.status == 0, "\(retried.combined)")
        #expect(try site.store().jobs(of: run.id).allSatisfy { $0.state == .done })
        #expect(fixture.run("fleet", "continue").status == 0)
    }

    @Test("Ctrl-C finishes what is being changed and gives back the rest, and continue does that")
    func interruption() throws {
        let site = try Site()
        let fixture = site.fixture
        var rounds = 0
        fixture.fleetWorkers = FleetWorkers { workers, context, next, tell in
            rounds += 1
            FleetWorkers.inThisProcess.run(workers, context, next) { number, event in
                tell(number, event)
                if rounds > 1, case .ended = event { fixture.interruptCount = { 1 } }
            }
        }
        let stopped = fixture.run(Site.apply)
        #expect(stopped.status == 130, "\(stopped.combined)")
        #expect(stopped.output.contains("Stopped: interrupted. 2 networks not begun."))
        let run = try #require(try site.store().runs().first)
        #expect(stopped.output.contains("Go on with: meshplan fleet continue \(run.id)\n"))
        #expect(try site.store().workers(of: run.id) == [])
        #expect(try site.store().jobs(of: run.id).map(\.state) == [.done, .waiting, .waiting, .waiting])
        fixture.interruptCount = { 0 }
        fixture.fleetWorkers = .inThisProcess
        let rest = fixture.run("fleet", "continue")
        #expect(rest.status == 0 && !rest.output.contains("graz-1"), "\(rest.combined)")
        #expect(rest.output.contains("3 networks: 3 applied."))
        for name in ["graz-1", "graz-2", "wien-1"] { #expect(try site.applies(name) == 1, "\(name)") }
    }

    @Test("A worker whose list lacks a network does not do anything for it")
    func unknownNetwork() throws {
        let site = try Site()
        let run = try site.interrupted()
        let list = String(decoding: try required(site.fixture.read("fleet.yaml")), as: UTF8.self)
        let lines = list.split(separator: "\n").filter { !$0.contains("wien-1") }
        try site.fixture.put(nil, to: "fleet.yaml")
        try site.fixture.write(lines.joined(separator: "\n") + "\n", to: "fleet.yaml")
        let worked = site.fixture.run("fleet", "work")
        #expect(worked.status == 4, "\(worked.combined)")
        #expect(worked.output.contains("The fleet in this folder has no network"), "\(worked.output)")
        let jobs = try site.store().jobs(of: run.id)
        #expect(jobs.map(\.status) == [0, 0, 7, nil])
        #expect(try site.applies("wien-1") == 0)
    }

    @Test("Machines take the networks that they serve, and leave when those are done", arguments: Site.places)
    func selecting(_ place: String) throws {
        let site = try Site(place)
        let run = try site.interrupted("--waves", "1,rest")
        let none = site.fixture.run("fleet", "work", "--select", "city=Linz")
        #expect(none.status == 64 && none.error.contains("no network of the fleet has these tags"), "\(none.combined)")
        // The first wave has no network in Vienna, so that worker waits until somebody else has done it.
        var pauses = 0
        site.fixture.whilePausing = {
            pauses += 1
            guard pauses == 1 else { return }
            site.fixture.whilePausing = {}
            let own = CommandFixture(sharing: site.fixture)
            own.environment = site.fixture.environment
            let graz = own.run("fleet", "work", "--select", "city=Graz")
            #expect(graz.status == 0, "\(graz.combined)")
            #expect(graz.output.contains("graz-1") && graz.output.contains("2 networks: 2 applied."), "\(graz.output)")
            #expect(!graz.output.contains("wien-1") && !graz.output.contains("Go on with"), "\(graz.output)")
        }
        let vienna = site.fixture.run("fleet", "work", "--select", "city=Wien")
        #expect(vienna.status == 0, "\(vienna.combined)")
        #expect(vienna.error.contains("Waiting for a worker that takes the other networks"), "\(vienna.error)")
        #expect(vienna.output.contains("1 network: 1 applied.") && !vienna.output.contains("graz"), "\(vienna.output)")
        #expect(try site.store().run(run.id)?.state == .done)
        for name in ["graz-1", "graz-2", "wien-1"] { #expect(try site.applies(name) == 1, "\(name)") }
    }

    @Test("A worker that does not take all networks of a wave leaves the gates to another one")
    func selectingWithGates() throws {
        let site = try Site()
        let run = try site.interrupted("--gate", "drift")
        let graz = site.fixture.run("fleet", "work", "--select", "city=Graz")
        #expect(graz.status == 0 && !graz.output.contains("Gate"), "\(graz.combined)")
        let vienna = site.fixture.run("fleet", "work", "--select", "city=Wien")
        #expect(vienna.status == 0 && !vienna.output.contains("Gate"), "\(vienna.combined)")
        #expect(try site.store().run(run.id)?.state == .open)
        let gone = site.fixture.run("fleet", "work", "--select", "city=Wien")
        #expect(gone.status == 0 && gone.output.contains("1 network: 1 applied."), "\(gone.combined)")
        let all = site.fixture.run("fleet", "work")
        #expect(all.status == 0 && all.output.contains("Gate: drift"), "\(all.combined)")
        #expect(try site.store().run(run.id)?.state == .done)
    }

    @Test("A run is stopped, listed, shown and continued", arguments: Site.places)
    func stopping(_ place: String) throws {
        let site = try Site(place)
        let fixture = site.fixture
        #expect(fixture.run("fleet", "runs").output == "The fleet has had no run yet.\n")
        #expect(fixture.run("fleet", "work").error.contains("the fleet has had no run yet"))
        #expect(!fixture.run("fleet", "status").output.contains("Run "))
        let run = try site.interrupted()
        let stop = fixture.run("fleet", "stop")
        #expect(stop.status == 0 && stop.output == "Stopped the run \(run.id).\n", "\(stop.combined)")
        #expect(fixture.run("fleet", "stop").status == 1)
        #expect(fixture.run("fleet", "stop", run.id).error.contains("is not open"))
        #expect(fixture.run("fleet", "work").error.contains("no run of the fleet is open"))
        let list = fixture.run("fleet", "runs")
        #expect(list.output.contains("\(run.id)  2026-11-18T11:06:40Z  tester@bench  apply    stopped       0/3"))
        #expect(fixture.run("fleet", "continue").status == 0)
        #expect(try site.isUnused(), "a worker leaves databases open")
        #expect(fixture.run("fleet", "runs").output.contains("done        3/3"))
        let shown = fixture.run("fleet", "status", "--run", run.id)
        expectSnapshot(shown.transcript.withoutRuns, "fleet-run.txt")
        #expect(fixture.run("fleet", "status", "--run", "ffff").status == 64)
    }

    @Test("Networks on which somebody works begin no second run; a run without workers gives way")
    func oneAtATime() throws {
        let site = try Site()
        let run = try site.interrupted()
        let store = try site.store()
        let life = try store.join(
            run.id,
            FleetWorkerRecord(id: "anna@desk 1-ab", since: site.fixture.now),
            heartbeat: .seconds(1000)
        )
        let refused = site.fixture.run(Site.apply)
        #expect(refused.status == 6, "\(refused.combined)")
        #expect(refused.error.contains("is being carried out by anna@desk 1-ab"))
        #expect(site.fixture.run("fleet", "rollback").status == 6)
        #expect(site.fixture.run("fleet", "status").output.contains("anna@desk 1-ab works on it since 2026-11-18"))
        try store.leave(run.id, "anna@desk 1-ab")
        #expect(site.fixture.run(Site.apply).status == 0)
        let old = try #require(try store.run(run.id))
        #expect(old.state == .stopped && old.reason.hasSuffix("has taken its place"))
        _ = life
    }

    @Test("No password is stored, and the file of runs is its owner's and not git's")
    func secrets() throws {
        let site = try Site()
        let refused = site.fixture.run(Site.apply + ["--", "--state", "postgres://me:hush@host/db"])
        #expect(refused.status == 64 && !refused.combined.contains("hush"), "\(refused.combined)")
        #expect(site.fixture.read(".meshplan/fleet.runs") == nil)
        let command = "cat \(site.fixture.folder.path)/sites/graz-1/.meshplan/key # hush"
        _ = try site.interrupted("--select", "network=graz-1", "--key-command", command)
        let octets = try #require(site.fixture.read(".meshplan/fleet.runs"))
        #expect(octets.firstRange(of: Array("hush".utf8)) == nil)
        #expect(octets.firstRange(of: Array("--auto-approve".utf8)) != nil)
        #expect(try site.fixture.mode(".meshplan/fleet.runs") == 0o600)
        let ignored = String(decoding: try #require(site.fixture.read(".gitignore")), as: UTF8.self)
        #expect(ignored.contains(".meshplan/"))
    }

    @Test("The lines of JSON about runs are as the schema says")
    func json() throws {
        let site = try Site()
        let run = try site.interrupted("--waves", "1,rest", "--gate", "tests")
        let store = try site.store()
        let life = try store.join(
            run.id,
            FleetWorkerRecord(id: "anna@desk 1-ab", since: site.fixture.now),
            heartbeat: .seconds(1000)
        )
        let schema = try JSONSchema("meshplan-events.schema.json")
        let types: Set<String> = ["fleet_run", "fleet_job", "fleet_worker"]
        var seen: Set<String> = []
        for command in [
            ["fleet", "status", "--run", run.id], ["fleet", "runs"], ["fleet", "stop"], ["fleet", "continue"],
            ["fleet", "status"], ["fleet", "status", "--run", run.id],
        ] {
            if command[1] == "continue" { try store.leave(run.id, "anna@desk 1-ab") }
            for line in site.fixture.run(command + ["--json"]).output.split(separator: "\n") {
                let value = try JSONParser.parse(Array(line.utf8))
                guard let type = value["type"]?.text, types.contains(type) else { continue }
                seen.insert(type)
                for mistake in schema.mistakes(in: value) { Issue.record("\(command): \(mistake)") }
            }
        }
        #expect(seen == types)
        _ = life
    }
}
