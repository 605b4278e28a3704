import Testing

@testable import MeshplanCLI

/// Plays an agent's machine with a world that has no effects: nodes that can be read, plans.
struct SimulatedAgent {
    var machine: AgentMachine
    var now: Int64
    /// Local time is so far ahead of UTC.
    var ahead: Int64 = 0
    var present: [AgentMachine.Present] = [.init(name: "hq", fingerprint: "1", isReachable: true)]
    var approvals = AgentApprovals()
    /// The plan of every network.
    var plan = AgentMachine.Outcome(status: .success)
    /// What applying ends with.
    var applying = AgentMachine.Outcome(status: .success)
    var nodes: [AgentNode] = []
    /// When each node was read.
    var readings: [String: [Int64]] = [:]
    var applied: [String] = []
    var events: [AgentEvent] = []
    var tests: [Int64] = []
    var plans = 0
    /// Whether the agent is killed before it learns how an apply has ended.
    var isKilledApplying = false
    var steps = 0

    init(_ settings: AgentSettings, at now: Int64 = 1_795_000_000) {
        machine = AgentMachine(settings)
        self.now = now
    }

    /// Continues as after a restart: with what is in the file, and nothing else.
    mutating func restart() throws {
        let (path, bytes) = (try temporaryPath(), machine.state.bytes)
        try writePrivate(bytes, to: path)
        let state = try AgentState.read(path, as: "agent.json")
        #expect(state == machine.state)
        machine = AgentMachine(machine.settings, state)
        #expect(machine.state.networks.values.allSatisfy { $0.planAt == nil && $0.applyAt == nil })
    }

    /// Runs until a time, or until nothing is left to do.
    mutating func run(until end: Int64) {
        while now < end {
            steps += 1
            guard steps < 2_000_000 else {
                Issue.record("the agent never waits")
                return
            }
            perform(machine.next(at: now, ahead: ahead))
            events += machine.takeEvents()
        }
    }

    /// Runs until the machine waits.
    mutating func settle() { run(until: now + 1) }

    private mutating func perform(_ step: AgentMachine.Step) {
        switch step {
        case .look: machine.looked(present, approvals, at: now)
        case .plan(let names):
            for name in names {
                plans += 1
                machine.planned(name, plan, at: now)
            }
        case .apply(let name, let digest):
            applied.append(digest)
            guard !isKilledApplying else {
                now += 1
                return
            }
            machine.applied(name, applying, at: now)
        case .sample(let name):
            let chosen = machine.choose(from: nodes, of: name, at: now)
            guard !chosen.isEmpty else { return }
            for node in chosen {
                readings[node.uuid, default: []].append(now)
                if let place = nodes.firstIndex(where: { $0.uuid == node.uuid }) { nodes[place].readAt = now }
            }
            machine.sampled(name, chosen, sent: 0, .init(status: .success), at: now)
        case .test(let names):
            tests.append(now)
            for name in names { machine.tested(name, .init(status: .success), at: now) }
        case .wait(let until): now = until
        }
    }
}

@Suite("What an agent does next")
struct AgentMachineTests {
    private let digest = String(repeating: "ab", count: 32)
    private let week: Int64 = 7 * 86_400

    private func approvals(_ text: String) -> AgentApprovals { AgentApprovals(Array(text.utf8)) }

    private func nodes(_ count: Int, airtime: Int64) -> [AgentNode] {
        (0..<count).map { AgentNode(uuid: "node-\($0)", readAt: nil, airtime: airtime, messages: 20) }
    }

    @Test("in a simulated week every node is read, within the budget, also with restarts in the middle")
    func simulatedWeek() throws {
        var settings = AgentSettings()
        settings.sampling = AgentSampling()
        var agent = SimulatedAgent(settings)
        let start = agent.now
        // 2,500 s of airtime in a week of which 0.5 % are 3,024 s.
        agent.nodes = nodes(500, airtime: 5_000_000)
        for day in 1...7 {
            agent.run(until: start + Int64(day) * 86_400)
            try agent.restart()
        }
        #expect(agent.readings.count == 500)
        let spent = agent.machine.state.networks["hq"]?.spent ?? 0
        let budget = (agent.now - start + 3_600) * 5_000
        #expect(spent <= budget && spent > budget / 2, "\(spent) of \(budget)")
        #expect(agent.readings.values.allSatisfy { $0.count >= 1 })
        // Over any day, too: what was saved up is at most a day's worth.
        for from in stride(from: start, to: agent.now, by: 43_200) {
            let read = agent.readings.values.joined().count { (from..<from + 86_400).contains($0) }
            #expect(Int64(read) * 5_000_000 <= 2 * 86_400 * 5_000)
        }
        #expect(!agent.events.contains { $0.kind == .budgetTooSmall })
    }

    @Test("few nodes are not read more than once a day, and those that stay silent take no more turns than others")
    func fewNodes() {
        var settings = AgentSettings()
        settings.sampling = AgentSampling()
        var agent = SimulatedAgent(settings)
        agent.nodes = nodes(10, airtime: 1_000_000)
        agent.run(until: agent.now + week)
        #expect(agent.readings.values.allSatisfy { (7...8).contains($0.count) }, "\(agent.readings.mapValues(\.count))")
    }

    @Test("a budget that cannot suffice is told once, and never exceeded")
    func smallBudget() {
        var settings = AgentSettings()
        settings.sampling = AgentSampling(budget: 5_000, within: 86_400)
        var agent = SimulatedAgent(settings)
        let start = agent.now
        agent.nodes = nodes(500, airtime: 5_000_000)
        agent.run(until: agent.now + 2 * 86_400)
        let told = agent.events.filter { $0.kind == .budgetTooSmall }
        #expect(
            told.map(\.message) == [
                "reading all 500 nodes back within 1d takes 2.894 % of the air, more than the budget of 0.5 %"
            ]
        )
        #expect((agent.machine.state.networks["hq"]?.spent ?? 0) <= (agent.now - start + 3_600) * 5_000)
        #expect(agent.readings.count > 100)
    }

    @Test("messages that had to be repeated count, and a clock that went back gives nothing away")
    func charges() {
        var settings = AgentSettings()
        settings.sampling = AgentSampling()
        var machine = AgentMachine(settings)
        machine.looked([.init(name: "hq", fingerprint: "1", isReachable: true)], AgentApprovals(), at: 1_000_000)
        let chosen = machine.choose(from: nodes(4, airtime: 2_000_000), of: "hq", at: 1_000_000)
        #expect(chosen.count == 4 && machine.state.networks["hq"]?.spent == 8_000_000)
        machine.sampled("hq", chosen, sent: 120, .init(status: .partial), at: 1_000_010)
        #expect(machine.state.networks["hq"]?.spent == 12_000_000)
        let left = machine.state.networks["hq"]?.allowance
        #expect(machine.choose(from: nodes(40, airtime: 2_000_000), of: "hq", at: 900_000).count < 5)
        #expect((machine.state.networks["hq"]?.allowance ?? 0) <= (left ?? 0))
    }

    @Test("without --apply nothing is applied, whatever is approved")
    func appliesNothing() {
        var agent = SimulatedAgent(AgentSettings())
        agent.plan = .init(status: .changes, digest: digest, changes: 3, summary: "3 to add")
        agent.approvals = approvals("hq \(digest)\n")
        agent.run(until: agent.now + 86_400)
        #expect(agent.applied.isEmpty && agent.plans == 1)
        #expect(agent.events.map(\.kind) == [.planReady])
    }

    @Test("a plan waits, is told once, and is applied once its digest is approved, and once only")
    func approval() throws {
        var settings = AgentSettings()
        settings.applies = true
        var agent = SimulatedAgent(settings)
        agent.plan = .init(status: .changes, digest: digest, changes: 3, summary: "3 to add")
        agent.run(until: agent.now + 600)
        try agent.restart()
        agent.run(until: agent.now + 600)
        #expect(agent.applied.isEmpty)
        #expect(agent.events.map(\.kind) == [.planReady, .waiting])
        // Of another plan, of another network, and cut off.
        let other = String(repeating: "cd", count: 32)
        agent.approvals = approvals("hq \(other) eve\nyard \(digest)\nhq \(digest.prefix(10))\n# hq \(digest)\n")
        agent.run(until: agent.now + 600)
        #expect(agent.applied.isEmpty)
        #expect(agent.events.dropFirst(2).map(\.kind) == [.approvalIgnored, .approvalIgnored, .approvalIgnored])
        agent.approvals = approvals("hq \(digest) Ada, after the review\n")
        agent.settleAfterApply()
        #expect(agent.applied == [digest])
        #expect(agent.events.last?.kind == .applied)
        // The same plan again is not what was approved.
        agent.present[0].fingerprint = "3"
        agent.plan = .init(status: .changes, digest: digest, changes: 3, summary: "3 to add")
        agent.run(until: agent.now + 86_400)
        try agent.restart()
        agent.run(until: agent.now + 86_400)
        #expect(agent.applied == [digest])
        #expect(agent.events.last?.message == "waits for approval: the present one has been used")
        // A file that was away for a while approves nothing anew; other words do.
        agent.approvals = AgentApprovals()
        agent.run(until: agent.now + 60)
        for line in ["hq \(digest)\n", "hq \(digest) Ada, after the review\n"] {
            agent.approvals = approvals(line)
            agent.run(until: agent.now + 60)
        }
        #expect(agent.applied == [digest])
        agent.approvals = approvals("hq \(digest) Ada, a second time\n")
        agent.settleAfterApply()
        #expect(agent.applied == [digest, digest])
    }

    @Test(
        "what could not be applied is tried again ever later; the rest of what was applied in part waits for approval"
    )
    func failures() {
        var settings = AgentSettings()
        settings.applies = true
        var agent = SimulatedAgent(settings)
        agent.plan = .init(status: .changes, digest: digest)
        agent.approvals = approvals("hq \(digest)")
        agent.applying = .init(status: .failure, summary: "no proxy")
        agent.run(until: agent.now + 86_400)
        #expect((24...32).contains(agent.applied.count), "\(agent.applied.count)")
        #expect(agent.events.count { $0.kind == .failed } == 1)
        // Half of it gets through: the rest is another plan.
        agent.applying = .init(status: .partial, summary: "1 node pending")
        let before = agent.applied.count
        agent.run(until: agent.now + 3_601)
        #expect(agent.applied.count > before && agent.events.count { $0.kind == .partial } == 1)
        agent.plan = .init(status: .changes, digest: String(repeating: "ef", count: 32))
        agent.present[0].fingerprint = "2"
        agent.run(until: agent.now + 60)
        let count = agent.applied.count
        agent.run(until: agent.now + 86_400)
        #expect(agent.applied.count == count && agent.events.last?.kind == .waiting)
    }

    @Test(
        "the approval of an apply that was killed is used, whether the agent was killed with it or not",
        arguments: [true, false]
    )
    func killedApply(_ restarts: Bool) throws {
        var settings = AgentSettings()
        settings.applies = true
        var agent = SimulatedAgent(settings)
        agent.plan = .init(status: .changes, digest: digest, changes: 3, summary: "3 to add")
        agent.approvals = approvals("hq \(digest)\n")
        // All was done before the kill: the plan is stale, and the new one is empty.
        agent.applying = .init(status: .stale, summary: "the plan is stale")
        agent.isKilledApplying = restarts
        agent.run(until: agent.now + 1)
        try agent.restart()
        (agent.plan, agent.present[0].fingerprint) = (.init(status: .success), "2")
        agent.isKilledApplying = false
        agent.run(until: agent.now + 600)
        #expect(agent.applied.count == 1 && !agent.events.map(\.kind).contains(.approvalIgnored), "\(agent.events)")
        // A database that was put back has the same plan again.
        (agent.plan, agent.present[0].fingerprint) = (.init(status: .changes, digest: digest, changes: 3), "1")
        agent.run(until: agent.now + 600)
        #expect(agent.applied.count == 1 && agent.events.last?.kind == .waiting, "\(agent.events)")
        #expect(agent.events.last?.message.contains("has been used") == true)
    }

    @Test("tests are played once a night in local time, and made up for if the agent was off")
    func nights() throws {
        var settings = AgentSettings()
        settings.testsAt = 2 * 3_600
        // 11:06:40 UTC, 12:06:40 in Vienna.
        var agent = SimulatedAgent(settings)
        agent.ahead = 3_600
        let start = agent.now
        agent.run(until: start + 3 * 86_400)
        #expect(agent.tests.count == 3)
        #expect(agent.tests.allSatisfy { ($0 + 3_600) % 86_400 == 2 * 3_600 }, "\(agent.tests)")
        // Off over a night.
        agent.now += 86_400
        try agent.restart()
        agent.run(until: agent.now + 60)
        #expect(agent.tests.count == 4)
        // Summer time begins: 02:00 to 03:00 does not exist, and the night has its tests all the same.
        agent.ahead = 7_200
        agent.run(until: agent.now + 2 * 86_400)
        #expect(agent.tests.count == 6)
    }

    @Test("nothing is read back while a plan waits for approval, and again once it is applied")
    func noReadingWhileWaiting() {
        var settings = AgentSettings()
        settings.applies = true
        settings.sampling = AgentSampling()
        var agent = SimulatedAgent(settings)
        agent.nodes = nodes(3, airtime: 1_000)
        agent.plan = .init(status: .changes, digest: digest, changes: 1, summary: "1 to add")
        agent.run(until: agent.now + 7_200)
        #expect(agent.readings.isEmpty)
        agent.approvals = approvals("hq \(digest) Ada\n")
        agent.settleAfterApply()
        agent.run(until: agent.now + 86_400)
        #expect(agent.applied == [digest] && agent.readings.count == 3)
    }

    @Test("a problem is told once, however often it is met, and passing ones are tried again")
    func problems() {
        var agent = SimulatedAgent(AgentSettings())
        agent.plan = .init(status: .locked, summary: "somebody else holds the lock")
        agent.run(until: agent.now + 7_200)
        #expect(agent.plans > 3 && agent.events.map(\.kind) == [.failed])
        agent.plan = .init(status: .invalidInput, summary: "house.yaml:1:1: unknown key")
        agent.run(until: agent.now + 7_200)
        let plans = agent.plans
        agent.run(until: agent.now + 86_400)
        #expect(agent.plans == plans && agent.events.map(\.kind) == [.failed, .failed])
        agent.machine.couldNotLook("no such folder", at: agent.now)
        agent.machine.couldNotLook("no such folder", at: agent.now)
        #expect(agent.machine.takeEvents().map(\.message) == ["no such folder"])
    }

    @Test("drift is told once, and again only if there is more")
    func drift() {
        var machine = AgentMachine(AgentSettings())
        machine.looked([.init(name: "hq", fingerprint: "1", isReachable: true)], AgentApprovals(), at: 1)
        machine.drifted(["a": 2], of: "hq", at: 2)
        machine.drifted(["a": 2], of: "hq", at: 3)
        machine.drifted(["a": 2, "b": 1], of: "hq", at: 4)
        machine.drifted([:], of: "hq", at: 5)
        machine.drifted(["a": 2], of: "hq", at: 6)
        #expect(machine.takeEvents().map(\.time) == [2, 4, 6])
    }

    @Test("percent are written without needless digits")
    func percent() {
        #expect(
            [5_000, 10_000, 1, 1_000_000, 28_935].map(AgentMachine.percent) == [
                "0.5 %", "1 %", "0.001 %", "100 %", "2.894 %",
            ]
        )
        #expect(ShareArgument(argument: "0.5%")?.millionths == 5_000)
        #expect(ShareArgument(argument: "12.3456%")?.description == "12.346%")
        for text in ["", "%", "0%", "101%", "-1%", "0.5", "1e3%", "1.%", "0.00001%", "١%"] {
            #expect(ShareArgument(argument: text) == nil, "\(text)")
        }
        #expect(TimeOfDayArgument(argument: "02:05")?.seconds == 7_500)
        for text in ["24:00", "2", "02:60", "-1:00", "02:0"] { #expect(TimeOfDayArgument(argument: text) == nil) }
    }
}

extension SimulatedAgent {
    /// Runs until something was applied, which leaves nothing to do.
    mutating func settleAfterApply() {
        let before = applied.count
        let changed = plan
        while applied.count == before, steps < 100_000 {
            steps += 1
            step()
        }
        #expect(changed.status == .changes)
        plan = .init(status: .success)
        present[0].fingerprint += "+"
        run(until: now + 60)
    }

    private mutating func step() {
        let end = now + 1
        let time = now
        run(until: end)
        if now == time { now = end }
    }
}
