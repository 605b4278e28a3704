import Foundation
import MeshCore
import Synchronization
import TestSupport
import Testing

@testable import Store

extension FleetRunStore {
    fileprivate func enter(_ run: FleetRunRecord, as worker: String) throws -> AnyObject? {
        try join(run.id, FleetWorkerRecord(id: worker, since: now), heartbeat: .seconds(1000))
    }

    /// Takes a job and ends it.
    fileprivate func work(
        _ run: FleetRunRecord,
        as worker: String,
        _ state: FleetJob.State = .done
    ) throws -> String? {
        guard var job = try claim(run.id, by: worker) else { return nil }
        job.state = state
        job.status = state == .done ? 0 : 4
        #expect(try finish(job, of: run.id))
        return job.network
    }

    fileprivate func decide(_ run: FleetRunRecord, as worker: String) throws -> Bool {
        guard let decision = try claimDecision(run.id, by: worker) else { return false }
        return try decide(decision, of: run.id, failed: [])
    }

    fileprivate func state(_ run: FleetRunRecord) throws -> FleetRunRecord.State {
        try required(self.run(run.id)).state
    }
}

@Suite("Runs of fleets")
struct FleetRunStoreTests {
    @Test("Nothing is made for readers, and what is made is for the owner only", arguments: FleetRunKind.installed)
    func creation(_ kind: FleetRunKind) throws {
        let fixture = try FleetRunFixture(kind)
        #expect(try fixture.open(creating: false) == nil)
        #expect(!FileManager.default.fileExists(atPath: fixture.path))
        let run = try fixture.run([["a", "b"], ["c"]])
        let reader = try required(fixture.open(creating: false))
        #expect(try reader.runs() == [run])
        #expect(try reader.run("5eed") == run)
        #expect(try reader.run("beef") == nil)
        let jobs = try reader.jobs(of: run.id)
        #expect(jobs.map(\.network) == ["a", "b", "", "c", ""])
        #expect(jobs.map(\.wave) == [1, 1, 1, 2, 2])
        #expect(jobs[1].notes.digest == "d-b")
        #expect(try reader.counts() == [run.id: [.waiting: 3]])
        if kind == .file { #expect(try mode(fixture.path) == 0o600) }
        #expect(storeError { try fixture.run([["x"]]) }?.code != nil, "no identifier is given twice")
    }

    @Test("A later version of the tables, and something else in place of the file, are refused")
    func foreign() throws {
        for kind in FleetRunKind.installed {
            let fixture = try FleetRunFixture(kind)
            try fixture.run([["a"]])
            try fixture.sql("UPDATE meshplan_schema SET version = 2 WHERE id = 2")
            #expect(storeError { _ = try fixture.open() }?.code == .newerFormat)
        }
        let fixture = try FleetRunFixture(.file)
        try writeFile(fixture.path, Array("what is this? certainly not a database".utf8))
        let error = storeError { _ = try fixture.open() }
        #expect(error?.code == .notADatabase && error?.message == "is not a file with the runs of a fleet")
        try FileManager.default.removeItem(atPath: fixture.path)
        try SQLiteRowStore.create(
            at: fixture.path,
            lineage: Octets16(high: 1, low: 2),
            slots: [],
            rows: [],
            revision: 1
        )
        let before = try readFile(fixture.path)
        #expect(storeError { _ = try fixture.open() }?.code == .notADatabase)
        #expect(try readFile(fixture.path) == before)
    }

    @Test("Programs that know no runs still accept the database", .enabled(if: PostgreSQLServer.isInstalled))
    func olderPrograms() throws {
        let shared = try SharedFixture()
        #expect(try shared.sql("SELECT id, version FROM meshplan_schema ORDER BY id") == "1|1\n2|1")
        // An older program has made only the first row.
        try shared.sql("DROP TABLE meshplan_fleet_runs; DELETE FROM meshplan_schema WHERE id = 2")
        #expect(try FleetRunStore.shared(shared.store(), creating: false) == nil)
        #expect(try FleetRunStore.shared(shared.store(), creating: true)?.runs() == [])
        #expect(try shared.open().snapshot().serial == 1)
    }

    @Test("A worker takes only the jobs that it may take", arguments: FleetRunKind.installed)
    func chosen(_ kind: FleetRunKind) throws {
        let fixture = try FleetRunFixture(kind)
        let run = try fixture.run([["a", "b", "c"]])
        let store = try fixture.store()
        let life = try store.enter(run, as: "north")
        let first = try required(store.claim(run.id, by: "north", among: [2, 3, 77]))
        #expect(first.network == "b")
        #expect(try store.claim(run.id, by: "north", holding: [2], among: [2]) == nil)
        #expect(try store.claim(run.id, by: "north", holding: [2], among: []) == nil)
        #expect(try store.claim(run.id, by: "north", holding: [2], among: [2, 3])?.network == "c")
        #expect(try store.claim(run.id, by: "south")?.network == "a")
        withExtendedLifetime(life) {}
    }

    @Test("Until when a worker's claims hold is known", arguments: FleetRunKind.installed)
    func until(_ kind: FleetRunKind) throws {
        let fixture = try FleetRunFixture(kind)
        let run = try fixture.run([["a"]])
        let store = try fixture.store()
        let before = Int64(Date().timeIntervalSince1970)
        let life = try store.enter(run, as: "desk")
        let until = try required(store.workers(of: run.id).first?.until).rawValue
        #expect((before + 59...before + 75).contains(until), "a minute from now: \(until - before)")
        withExtendedLifetime(life) {}
    }

    @Test("Jobs are taken in their order, one wave after the other", arguments: FleetRunKind.installed)
    func waves(_ kind: FleetRunKind) throws {
        let fixture = try FleetRunFixture(kind)
        let run = try fixture.run([["a", "b"], ["c"]])
        let (desk, laptop) = (try fixture.store(), try fixture.store())
        let lives = (try desk.enter(run, as: "desk"), try laptop.enter(run, as: "laptop"))
        var (first, second) = (
            try required(try desk.claim(run.id, by: "desk")), try required(try laptop.claim(run.id, by: "laptop"))
        )
        #expect([first.network, second.network] == ["a", "b"] && first.attempts == 1 && first.worker == "desk")
        #expect(try desk.claim(run.id, by: "desk", holding: [first.number]) == nil)
        #expect(try laptop.claim(run.id, by: "laptop", holding: [second.number]) == nil)
        first.notes.serialBefore = 7
        #expect(try desk.note(first, of: run.id))
        (first.state, first.status, first.notes.summary) = (.done, 0, "2 applied")
        (first.notes.serialAfter, first.notes.entries) = (9, [3])
        #expect(try desk.finish(first, of: run.id))
        #expect(try !desk.finish(first, of: run.id), "it has ended")
        #expect(try desk.claimDecision(run.id, by: "desk") == nil, "b runs")
        (second.state, second.status) = (.done, 0)
        #expect(try laptop.finish(second, of: run.id))
        #expect(try laptop.claim(run.id, by: "laptop") == nil, "the gate comes before the next wave")
        let decision = try required(try laptop.claimDecision(run.id, by: "laptop"))
        #expect(try desk.claimDecision(run.id, by: "desk") == nil, "one decides")
        #expect(try laptop.decide(decision, of: run.id, failed: []))
        #expect(try required(desk.run(run.id)).wave == 2)
        #expect(try desk.work(run, as: "desk") == "c")
        #expect(try desk.decide(run, as: "desk"))
        #expect(try desk.state(run) == .done)
        let jobs = try laptop.jobs(of: run.id)
        #expect(jobs[0] == first && jobs[0].hasChanged && !jobs[1].hasChanged)
        _ = lives
    }

    @Test("Many workers at once take each job exactly once", arguments: FleetRunKind.installed)
    func concurrency(_ kind: FleetRunKind) throws {
        let fixture = try FleetRunFixture(kind)
        let names = (1...30).map { "n\($0)" }
        let run = try fixture.run([Array(names[..<5]), Array(names[5...])])
        let taken = Mutex<[String]>([])
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { number in
            do {
                let store = try fixture.store()
                let worker = "w\(number)"
                let life = try store.enter(run, as: worker)
                while try store.state(run) == .open {
                    while let network = try store.work(run, as: worker) { taken.withLock { $0.append(network) } }
                    _ = try store.decide(run, as: worker)
                }
                try store.leave(run.id, worker)
                _ = life
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(taken.withLock { $0.sorted() } == names.sorted())
        let store = try fixture.store()
        #expect(try store.state(run) == .done)
        #expect(try store.jobs(of: run.id).allSatisfy { $0.attempts == 1 && $0.state == .done })
        #expect(try store.workers(of: run.id) == [])
    }

    @Test(
        "The claim of a worker that is silent goes to another one, and its late result is not recorded",
        arguments: FleetRunKind.installed
    )
    func silence(_ kind: FleetRunKind) throws {
        let fixture = try FleetRunFixture(kind)
        let run = try fixture.run([["a"], ["b"]])
        let (desk, laptop) = (try fixture.store(), try fixture.store())
        let lives = (try desk.enter(run, as: "desk"), try laptop.enter(run, as: "laptop"))
        var lost = try required(try desk.claim(run.id, by: "desk"))
        #expect(try laptop.claim(run.id, by: "laptop") == nil)
        try fixture.silence("desk")
        #expect(try laptop.workers(of: run.id).map(\.id) == ["laptop"])
        #expect(try desk.claim(run.id, by: "desk", holding: [lost.number]) == nil, "nobody takes over from oneself")
        // A sign of life in time keeps it.
        _ = try desk.tables.transact([desk.signOfLife("desk")])
        #expect(try laptop.claim(run.id, by: "laptop") == nil)
        try fixture.silence("desk")
        var taken = try required(try laptop.claim(run.id, by: "laptop"))
        #expect(taken.network == "a" && taken.attempts == 2)
        (lost.state, lost.status, lost.notes.summary) = (.failed, 1, "late")
        #expect(try !desk.note(lost, of: run.id))
        #expect(try !desk.finish(lost, of: run.id))
        (taken.state, taken.status) = (.done, 0)
        #expect(try laptop.finish(taken, of: run.id))
        // The same for the decision.
        let late = try required(try desk.claimDecision(run.id, by: "desk"))
        let decided = try required(try laptop.claimDecision(run.id, by: "laptop"))
        #expect(decided.attempts == 2)
        var failed = taken
        failed.state = .failed
        #expect(try !desk.decide(late, of: run.id, failed: [failed]))
        #expect(try laptop.state(run) == .open)
        #expect(try laptop.jobs(of: run.id)[0].state == .done)
        #expect(try laptop.decide(decided, of: run.id, failed: []))
        #expect(try required(laptop.run(run.id)).wave == 2)
        // Who leaves gives back what it has.
        let given = try required(try laptop.claim(run.id, by: "laptop"))
        try laptop.leave(run.id, "laptop")
        #expect(try desk.claim(run.id, by: "desk")?.attempts == given.attempts + 1)
        _ = lives
    }

    @Test("What was given in an answer that was lost is given again", arguments: FleetRunKind.installed)
    func lostAnswer(_ kind: FleetRunKind) throws {
        let fixture = try FleetRunFixture(kind)
        let run = try fixture.run([["a", "b"]])
        let (desk, laptop) = (try fixture.store(), try fixture.store())
        let lives = (try desk.enter(run, as: "desk"), try laptop.enter(run, as: "laptop"))
        let lost = try required(try desk.claim(run.id, by: "desk"))
        let other = try required(try laptop.claim(run.id, by: "laptop"))
        #expect(try laptop.claim(run.id, by: "laptop", holding: [other.number]) == nil, "desk lives")
        var again = try required(try desk.claim(run.id, by: "desk", holding: [other.number]))
        #expect(again.number == lost.number && again.attempts == 2)
        #expect(try !desk.note(lost, of: run.id), "the first claim is over")
        #expect(try desk.claim(run.id, by: "desk", holding: [again.number]) == nil)
        (again.state, again.status) = (.done, 0)
        #expect(try desk.finish(again, of: run.id))
        var ended = other
        (ended.state, ended.status) = (.done, 0)
        #expect(try laptop.finish(ended, of: run.id))
        let decision = try required(try desk.claimDecision(run.id, by: "desk"))
        #expect(try laptop.claimDecision(run.id, by: "laptop") == nil)
        let repeated = try required(try desk.claimDecision(run.id, by: "desk"))
        #expect(repeated.attempts == decision.attempts + 1)
        #expect(try desk.decide(repeated, of: run.id, failed: []))
        #expect(try laptop.state(run) == .done)
        _ = lives
    }

    @Test("Signs of life go on by themselves", arguments: FleetRunKind.installed)
    func heartbeat(_ kind: FleetRunKind) throws {
        let fixture = try FleetRunFixture(kind)
        let run = try fixture.run([["a"]])
        let store = try fixture.store()
        let life = try store.join(run.id, FleetWorkerRecord(id: "desk", since: now), heartbeat: .milliseconds(20))
        try fixture.silence("desk")
        let deadline = ContinuousClock.now.advanced(by: .seconds(20))
        while try store.workers(of: run.id).isEmpty, ContinuousClock.now < deadline {
            Thread.sleep(forTimeInterval: 0.01)
        }
        #expect(try store.workers(of: run.id).map(\.id) == ["desk"])
        withExtendedLifetime(life) {}
    }

    @Test("More failures than allowed end a run, also those at a gate", arguments: FleetRunKind.installed)
    func failures(_ kind: FleetRunKind) throws {
        let fixture = try FleetRunFixture(kind)
        let store = try fixture.store()
        let run = try fixture.run([["a", "b", "c", "d"], ["e"]], most: 1)
        let life = try store.enter(run, as: "desk")
        #expect(try store.work(run, as: "desk", .failed) == "a")
        #expect(try store.state(run) == .open)
        #expect(try store.work(run, as: "desk", .failed) == "b")
        #expect(try store.state(run) == .failed)
        #expect(try store.claim(run.id, by: "desk") == nil)
        #expect(try store.claimDecision(run.id, by: "desk") == nil)
        // Again, with new plans for those that have failed.
        var retried = Array(try store.jobs(of: run.id)[..<2])
        for index in retried.indices {
            (retried[index].state, retried[index].status, retried[index].notes.digest) = (.waiting, nil, "new")
        }
        try store.reopen(run.id, changing: retried)
        for name in ["a", "b", "c", "d"] { #expect(try store.work(run, as: "desk") == name) }
        #expect(try store.jobs(of: run.id)[0].notes.digest == "new")
        let decision = try required(try store.claimDecision(run.id, by: "desk"))
        var failed = Array(try store.jobs(of: run.id)[1...2])
        for index in failed.indices { (failed[index].status, failed[index].notes.summary) = (3, "drift") }
        #expect(try store.decide(decision, of: run.id, failed: failed))
        #expect(try store.state(run) == .failed)
        #expect(try required(store.run(run.id)).wave == 1)
        let jobs = try store.jobs(of: run.id)
        #expect(jobs.map(\.state) == [.done, .failed, .failed, .done, .done, .waiting, .waiting])
        #expect(jobs[1].status == 3 && jobs[1].notes.summary == "drift")
        // One of them may stay so.
        retried = [jobs[1]]
        (retried[0].state, retried[0].status) = (.waiting, nil)
        try store.reopen(run.id, changing: retried)
        #expect(try store.work(run, as: "desk") == "b")
        #expect(try store.decide(run, as: "desk"), "the gate of that wave is asked again")
        #expect(try store.work(run, as: "desk") == "e")
        #expect(try store.decide(run, as: "desk"))
        #expect(try store.state(run) == .done)
        _ = life
    }

    @Test("A run without a limit goes on whatever fails", arguments: FleetRunKind.installed)
    func noLimit(_ kind: FleetRunKind) throws {
        let fixture = try FleetRunFixture(kind)
        let store = try fixture.store()
        let run = try fixture.run([["a", "b"]], most: nil)
        let life = try store.enter(run, as: "desk")
        for name in ["a", "b"] { #expect(try store.work(run, as: "desk", .failed) == name) }
        #expect(try store.decide(run, as: "desk"))
        #expect(try store.state(run) == .done)
        #expect(try store.counts() == [run.id: [.failed: 2]])
        _ = life
    }

    @Test("A run that somebody stops begins nothing, and goes on where it was", arguments: FleetRunKind.installed)
    func stopping(_ kind: FleetRunKind) throws {
        let fixture = try FleetRunFixture(kind)
        let store = try fixture.store()
        let run = try fixture.run([["a"], ["b"]])
        let life = try store.enter(run, as: "desk")
        var job = try required(try store.claim(run.id, by: "desk"))
        #expect(try store.stop(run.id, because: "anna wants to go home"))
        #expect(try !store.stop(run.id, because: "again"))
        #expect(try required(store.run(run.id)).reason == "anna wants to go home")
        (job.state, job.status) = (.done, 0)
        #expect(try store.finish(job, of: run.id), "what runs is recorded")
        #expect(try store.claimDecision(run.id, by: "desk") == nil)
        try store.reopen(run.id)
        let found = try required(store.run(run.id))
        #expect(found.state == .open && found.reason == "" && found.wave == 1)
        #expect(try store.claim(run.id, by: "desk") == nil, "the gate comes before the next wave")
        #expect(try store.decide(run, as: "desk"))
        #expect(try store.work(run, as: "desk") == "b")
        #expect(try store.decide(run, as: "desk"))
        #expect(try store.state(run) == .done)
        _ = life
    }

    @Test("The oldest runs that have ended are forgotten", arguments: FleetRunKind.installed)
    func forgetting(_ kind: FleetRunKind) throws {
        let fixture = try FleetRunFixture(kind)
        let store = try fixture.store()
        for number in 0..<(FleetRunStore.mostRuns + 5) {
            let id = "r\(number)"
            try fixture.run([["a"]], id: id)
            // Times of the clock may be equal.
            let sql: FleetSQL = "UPDATE meshplan_fleet_runs SET created = $1 WHERE id = $2"
            _ = try store.tables.transact([FleetStatement(sql, [.integer(Int64(number)), .text(id)])])
            if number != 1 { _ = try store.stop(id, because: "enough") }
        }
        let ids = try store.runs().map(\.id)
        #expect(ids.first == "r\(FleetRunStore.mostRuns + 4)" && ids.last == "r1", "\(ids)")
        #expect(ids.count == FleetRunStore.mostRuns + 1)
        #expect(try store.jobs(of: "r0") == [])
        // So are workers that nobody has heard of for a day.
        let life = try store.join("r1", FleetWorkerRecord(id: "desk", since: now), heartbeat: .seconds(1000))
        let workers = FleetStatement("SELECT id FROM meshplan_fleet_workers", columns: 1)
        try fixture.run([["a"]], id: "new")
        #expect(try store.tables.transact([workers])[0].count == 1)
        try fixture.silence("desk")
        try fixture.run([["a"]], id: "newer")
        #expect(try store.tables.transact([workers])[0].isEmpty)
        _ = life
    }

    @Test(
        "A request or notes that cannot be read are damage, not a request for less",
        arguments: [
            ("request", ""), ("request", "nonsense"), ("request", "{}"),
            ("request", #"{"command":7}"#), ("request", #"{"command":"apply","extra":"--node"}"#),
            ("request", #"{"command":"apply","via":[1]}"#),
            ("request", #"{"command":"apply","plans":"x"}"#), ("notes", "[]"),
            ("notes", #"{"digest":1}"#), ("notes", #"{"restoring":"yes"}"#),
            ("notes", #"{"entries":["a"]}"#), ("notes", String(repeating: "[", count: 100_000)),
            ("request", #"{"command":"apply","more":"# + String(repeating: "[", count: 100_000)),
        ]
    )
    func damage(_ column: String, _ text: String) throws {
        let fixture = try FleetRunFixture(.file)
        let store = try fixture.store()
        let run = try fixture.run([["a"]])
        let sql: FleetSQL =
            column == "request"
            ? "UPDATE meshplan_fleet_runs SET request = $1" : "UPDATE meshplan_fleet_jobs SET notes = $1"
        _ = try store.tables.transact([FleetStatement(sql, [.text(text)])])
        #expect(throws: StoreError.self) {
            _ = try store.run(run.id)
            _ = try store.jobs(of: run.id)
        }
    }

    @Test("What version 0.3.0 has stored is read, and members that a later one adds are ignored")
    func released() throws {
        let fixture = try FleetRunFixture(.file)
        let store = try fixture.store()
        let run = try fixture.run([["a"]])
        let request =
            #"{"user":"anna","host":"vm","began":1795994142,"command":"apply","words":["fleet","apply"],"devices":["#
            + #""dev.yaml"],"plans":"plans","plans_digest":"7190eb9e","takes_back":"0123abcd","later":[{"a":1.5}]}"#
        let notes =
            #"{"digest":"58bd","serial_before":1,"serial_after":8,"restoring":true,"entries":[1],"summary":"5 applied"}"#
        _ = try store.tables.transact([
            FleetStatement("UPDATE meshplan_fleet_runs SET request = $1", [.text(request)]),
            FleetStatement("UPDATE meshplan_fleet_jobs SET notes = $1", [.text(notes)]),
        ])
        let found = try #require(try store.run(run.id)).request
        #expect(found.user == "anna" && found.began.rawValue == 1_795_994_142 && found.devices == ["dev.yaml"])
        #expect(found.plans == .init(path: "plans", digest: "7190eb9e") && found.takesBack == "0123abcd")
        let job = try #require(try store.jobs(of: run.id).first).notes
        #expect(job.digest == "58bd" && job.serialBefore == 1 && job.serialAfter == 8 && job.isRestoring)
        #expect(job.entries == [1] && job.summary == "5 applied")
    }

    @Test("Values go to their places, whatever else the text holds")
    func values() throws {
        let tables = try FleetRunFixture(.file).store().tables
        let statement = FleetStatement(
            "SELECT $2, '$1', $1, 'costs $' WHERE $2 = 7",
            [.text("one"), .integer(7)],
            columns: 4
        )
        let row = try required(tables.transact([statement])[0].first)
        #expect(try row.integer(0) == 7 && row.text(2) == "one" && row.text(3) == "costs $")
        // What a user says is never part of a text, so it stays what it is.
        let hostile = "'); DROP TABLE meshplan_fleet_runs; -- $2 ?1"
        let said = FleetStatement("SELECT $1, $2", [.text(hostile), .integer(7)], columns: 2)
        let answer = try required(tables.transact([said])[0].first)
        #expect(try answer.text(0) == hostile && answer.integer(1) == 7)
    }
}
