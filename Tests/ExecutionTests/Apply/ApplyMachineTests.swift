import MeshCore
import Planning
import Testing

@testable import Execution
@testable import Store

/// Every way through an apply, in a table, without terminal, database or mesh.
@Suite("Apply, as a value machine")
struct ApplyMachineTests {
    typealias Effect = ScriptedEffects.Effect

    /// One way through.
    struct Way: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// How it ends: the words of the end, or the effect that threw.
        var end: String
        /// What is asked of the world, in order.
        var trace: [Effect]
        /// Whether the plan comes from a file.
        var isSaved = false
        var options: @Sendable (inout ApplyOptions) -> Void = { _ in }
        var world: @Sendable (ScriptedEffects) throws -> Void = { _ in }

        init(
            _ description: String,
            end: String,
            _ trace: [Effect],
            isSaved: Bool = false,
            options: @escaping @Sendable (inout ApplyOptions) -> Void = { _ in },
            world: @escaping @Sendable (ScriptedEffects) throws -> Void = { _ in }
        ) {
            testDescription = description
            self.end = end
            self.trace = trace
            self.isSaved = isSaved
            self.options = options
            self.world = world
        }
    }

    /// The state of a house with a lamp.
    static func snapshot(serial: UInt64 = 4, isManaged: Bool = true) throws -> Snapshot {
        var network = try House.network(lamps: 1)
        for place in network.nodes.indices where network.nodes[place].name == "lamp-1" {
            network.nodes[place].isManaged = isManaged
        }
        return Snapshot(
            lineage: Octets16(high: 7, low: 7),
            serial: serial,
            network: network,
            replay: [],
            unresolved: []
        )
    }

    /// The same with a request in doubt.
    static func doubtful() throws -> Snapshot {
        var snapshot = try snapshot()
        snapshot.unresolved = [
            JournalIntent(
                run: RunIdentifier(rawValue: 1),
                subject: .step(0),
                node: uuid(1),
                action: ConfigurationAction.setDefaultTTL(7).encoded
            )
        ]
        return snapshot
    }

    static func recap(_ ending: Recap.Ending = .completed, _ edit: (inout Recap) -> Void = { _ in }) -> Recap {
        var recap = Recap()
        recap.ending = ending
        edit(&recap)
        return recap
    }

    /// A run that a silent node has left something of.
    static let silence = recap { recap in
        recap.pending = [Recap.PendingNode(node: uuid(1), name: "lamp-1", steps: 1)]
        recap.notStarted = 1
    }

    // Functions, since the compiler takes minutes for the sums of arrays in these tables.

    /// What leads to the run of an approved plan, and what follows.
    static func approved(_ rest: Effect...) -> [Effect] {
        [.lock, .check, .listen, .plan, .show, .probe, .approve, .connect, .declare] + rest
    }

    /// The same up to the recap of a run whose changes need confirmation.
    static func running(_ rest: Effect...) -> [Effect] {
        let way: [Effect] = [
            .lock, .check, .listen, .plan, .show, .checkWayBack, .probe, .approve, .connect, .declare,
            .awaitConfirmation, .run, .finish,
        ]
        return way + rest
    }

    /// The same up to the wait for confirmation.
    static func confirming(_ rest: Effect...) -> [Effect] { running(.settle, .setDeadline) + rest }

    static let plannedWays: [Way] = [
        Way("everything is done", end: "complete", approved(.run, .finish, .settle)),
        Way(
            "approved in advance",
            end: "complete",
            [.lock, .check, .listen, .plan, .show, .probe, .connect, .declare, .run, .finish, .settle],
            options: { $0.isApproved = true }
        ),
        Way(
            "without listening",
            end: "complete",
            [.lock, .check, .plan, .show, .probe, .approve, .connect, .declare, .run, .finish, .settle],
            options: { $0.listens = false }
        ),
        Way(
            "nobody could have been reset",
            end: "complete",
            [.lock, .check, .plan, .show, .probe, .approve, .connect, .declare, .run, .finish, .settle],
            world: { $0.snapshots = [try snapshot(isManaged: false)] }
        ),
        Way(
            "refused by a guard",
            end: "guarded",
            [.lock, .check, .listen, .plan, .show],
            world: { $0.isRefused = true }
        ),
        Way(
            "another plan than the expected one",
            end: "other digest",
            [.lock, .check, .plan, .show],
            options: { $0.expectedDigest = "not a digest" }
        ),
        Way(
            "the expected plan needs no other approval",
            end: "complete",
            [.lock, .check, .plan, .listen, .show, .probe, .connect, .declare, .run, .finish, .settle],
            options: { $0.expectedDigest = "" }
        ),
        Way(
            "not approved, or interrupted at the question",
            end: "approve",
            [.lock, .check, .listen, .plan, .show, .probe, .approve],
            world: { $0.failing = .approve }
        ),
        Way("the lock is held", end: "lock", [.lock], world: { $0.failing = .lock }),
        Way("earlier changes wait", end: "unconfirmed", [.lock], world: { $0.pending = ScriptedEffects.note() }),
        Way(
            "interrupted while listening",
            end: "interrupted",
            [.lock, .check, .listen],
            world: { $0.listening = .interrupted }
        ),
        Way(
            "what was heard cannot be stored",
            end: "stopped",
            [.lock, .check, .listen],
            world: { $0.listening = .storeFailed("full") }
        ),
        Way(
            "nobody can listen",
            end: "complete",
            approved(.run, .finish, .settle),
            world: { $0.listening = .linkFailed("deaf", hint: nil) }
        ),
        Way(
            "stale: somebody wrote between plan and run",
            end: "incomplete",
            approved(.run, .finish, .settlePartly),
            world: { $0.runs = [recap(.refused(.stale(planned: 4, present: 5)))] }
        ),
        Way(
            "interrupted in the run",
            end: "incomplete",
            approved(.run, .finish, .settlePartly),
            world: { $0.runs = [recap(.interrupted)] }
        ),
        Way(
            "the database cannot be written in the run",
            end: "incomplete",
            approved(.run, .finish),
            world: { $0.runs = [recap(.storeFailed("full"))] }
        ),
        Way(
            "nothing to do",
            end: "nothing to do",
            [.lock, .check, .listen, .plan, .show, .declare, .settle, .record, .finishWithoutChanges],
            world: { $0.steps = [] }
        ),
        Way(
            "nothing to do, and the radio is of no use",
            end: "finishWithoutChanges",
            [.lock, .check, .listen, .plan, .show, .declare, .settle, .record, .finishWithoutChanges],
            world: {
                $0.steps = []
                $0.failing = .finishWithoutChanges
            }
        ),
    ]

    static let doubtfulWays: [Way] = [
        Way(
            "resolved, then planned",
            end: "complete",
            [
                .lock, .check, .listen, .resolveDoubts, .plan, .show, .probe, .approve, .connect, .declare, .run,
                .finish,
                .settle,
            ],
            world: { $0.snapshots = [try doubtful(), try doubtful(), try snapshot()] }
        ),
        Way(
            "resolved, and nothing to do",
            end: "doubts resolved",
            [.lock, .check, .listen, .resolveDoubts, .plan, .show, .declare, .settle, .record, .finishWithoutChanges],
            world: {
                $0.snapshots = [try doubtful(), try doubtful(), try snapshot()]
                $0.steps = []
            }
        ),
        Way(
            "not all resolved, and nothing else to do",
            end: "incomplete",
            [.lock, .check, .listen, .resolveDoubts, .plan, .show, .declare, .settlePartly, .finish],
            world: {
                $0.snapshots = [try doubtful()]
                $0.doubts = [recap { $0.inDoubt = 1 }]
                $0.steps = []
            }
        ),
        Way(
            "not resolved: no proxy",
            end: "incomplete",
            [.lock, .check, .listen, .resolveDoubts, .finish],
            world: {
                $0.snapshots = [try doubtful()]
                $0.doubts = [recap(.linkFailed("no proxy", hint: nil))]
            }
        ),
        Way(
            "interrupted",
            end: "incomplete",
            [.lock, .check, .listen, .resolveDoubts, .finish],
            world: {
                $0.snapshots = [try doubtful()]
                $0.doubts = [recap(.interrupted)]
            }
        ),
    ]

    static let confirmedWays: [Way] = [
        Way(
            "no way back",
            end: "checkWayBack",
            [.lock, .check, .listen, .plan, .show, .checkWayBack],
            options: { $0.confirmWithin = .seconds(3) },
            world: { $0.failing = .checkWayBack }
        ),
        Way(
            "confirmed in time",
            end: "complete",
            confirming(.release, .tell, .sleep, .sleep, .tell),
            options: { $0.confirmWithin = .seconds(3) },
            world: { world in
                let end = world.now.rawValue + 2
                world.whileSleeping = { if $0.now.rawValue == end { $0.pending?.decision = .confirmed } }
            }
        ),
        Way(
            "the time is over",
            end: "went back",
            confirming(.release, .tell, .sleep, .sleep, .sleep, .goBack),
            options: { $0.confirmWithin = .seconds(3) }
        ),
        Way(
            "interrupted while it waits",
            end: "went back",
            confirming(.release, .tell, .sleep, .goBack),
            options: { $0.confirmWithin = .seconds(3) },
            world: { $0.whileSleeping = { $0.interrupts = 1 } }
        ),
        Way(
            "somebody holds the lock when the time is over, and confirms",
            end: "complete",
            confirming(.release, .tell, .sleep, .goBack, .sleep, .tell),
            options: { $0.confirmWithin = .seconds(1) },
            world: { world in
                let end = world.now.rawValue + 2
                world.goingBack = [.locked]
                world.whileSleeping = { if $0.now.rawValue == end { $0.pending?.decision = .confirmed } }
            }
        ),
        Way(
            "somebody holds the lock when the time is over, and gives it back",
            end: "went back",
            confirming(.release, .tell, .sleep, .goBack, .sleep, .goBack),
            options: { $0.confirmWithin = .seconds(1) },
            world: { $0.goingBack = [.locked, .ended("went back")] }
        ),
        Way(
            "somebody confirms in the last moment",
            end: "complete",
            confirming(.release, .tell, .sleep, .goBack, .sleep, .tell),
            options: { $0.confirmWithin = .seconds(1) },
            world: { world in
                let end = world.now.rawValue + 2
                world.goingBack = [.decided]
                world.whileSleeping = { if $0.now.rawValue == end { $0.pending?.decision = .confirmed } }
            }
        ),
        Way(
            "the note of other changes is no confirmation",
            end: "confirmation lost",
            confirming(.release, .tell, .sleep),
            options: { $0.confirmWithin = .seconds(3) },
            world: { $0.whileSleeping = { $0.pending = ScriptedEffects.note(serial: 9) } }
        ),
        Way(
            "a missing note is no confirmation",
            end: "confirmation lost",
            confirming(.release, .tell, .sleep),
            options: { $0.confirmWithin = .seconds(3) },
            world: { $0.whileSleeping = { $0.pending = nil } }
        ),
        Way(
            "a note that is missing before the wait begins is no confirmation",
            end: "confirmation lost",
            confirming(.release),
            options: { $0.confirmWithin = .seconds(3) },
            world: { $0.losesNote = true }
        ),
        Way(
            "somebody else takes the changes back while it waits",
            end: "taken back elsewhere",
            confirming(.release, .tell, .sleep),
            options: { $0.confirmWithin = .seconds(3) },
            world: { $0.whileSleeping = { $0.pending?.decision = .takenBack } }
        ),
        Way(
            "interrupted in the run: it stays open",
            end: "incomplete",
            running(.settlePartly, .setDeadline, .tell),
            options: { $0.confirmWithin = .seconds(3) },
            world: { $0.runs = [recap(.interrupted)] }
        ),
        Way(
            "the database cannot be written in the run",
            end: "incomplete",
            running(),
            options: { $0.confirmWithin = .seconds(3) },
            world: { $0.runs = [recap(.storeFailed("full"))] }
        ),
        Way(
            "taken back",
            end: "complete",
            [.lock, .check, .listen, .plan, .show, .probe, .connect, .declare, .run, .finish, .settle],
            options: {
                $0.takesBack = ScriptedEffects.note()
                $0.isApproved = true
            },
            world: { $0.pending = ScriptedEffects.note() }
        ),
        Way(
            "confirmed before it can be taken back",
            end: "nothing to take back",
            [.lock],
            options: { $0.takesBack = ScriptedEffects.note() }
        ),
        Way(
            "other changes than those to take back",
            end: "nothing to take back",
            [.lock],
            options: { $0.takesBack = ScriptedEffects.note() },
            world: { $0.pending = ScriptedEffects.note(serial: 9) }
        ),
    ]

    static let savedWays: [Way] = [
        Way(
            "everything is done",
            end: "complete",
            [.lock, .check, .announce, .probe, .connect, .declare, .run, .finish],
            isSaved: true
        ),
        Way(
            "another plan than the expected one",
            end: "other digest",
            [],
            isSaved: true,
            options: { $0.expectedDigest = "x" }
        ),
        Way(
            "the radio is of no use",
            end: "probe",
            [.lock, .check, .announce, .probe],
            isSaved: true,
            world: { $0.failing = .probe }
        ),
        Way(
            "applied before",
            end: "announce",
            [.lock, .check, .announce],
            isSaved: true,
            world: { $0.failing = .announce }
        ),
        Way(
            "outdated: the run says so, whatever the radio",
            end: "incomplete",
            [.lock, .check, .announce, .connect, .declare, .run, .finish],
            isSaved: true,
            world: {
                $0.snapshots = [try snapshot(serial: 5)]
                $0.runs = [recap(.refused(.stale(planned: 4, present: 5)))]
            }
        ),
        Way(
            "begun before, it goes on",
            end: "complete",
            [.lock, .check, .announce, .connect, .declare, .run, .finish],
            isSaved: true,
            world: {
                $0.snapshots = [try snapshot(serial: 5)]
                $0.earlier = .unfinished
            }
        ),
        Way(
            "begun before, it cannot be taken back",
            end: "begun before",
            [.lock, .check, .announce],
            isSaved: true,
            options: { $0.confirmWithin = .seconds(3) },
            world: {
                $0.snapshots = [try snapshot(serial: 5)]
                $0.earlier = .unfinished
            }
        ),
        Way(
            "doubts are the run's business",
            end: "complete",
            [.lock, .check, .announce, .probe, .connect, .declare, .run, .finish],
            isSaved: true,
            world: { $0.snapshots = [try doubtful()] }
        ),
        Way(
            "silent nodes are left for the next apply",
            end: "incomplete",
            [.lock, .check, .announce, .probe, .connect, .declare, .run, .finish],
            isSaved: true,
            options: { $0.patience = .seconds(60) },
            world: { $0.runs = [silence] }
        ),
        Way(
            "nothing in it",
            end: "complete",
            [.lock, .check, .announce, .connect, .declare, .run, .finish],
            isSaved: true,
            options: { $0.confirmWithin = .seconds(3) },
            world: { $0.steps = [] }
        ),
        Way(
            "not confirmed in time",
            end: "went back",
            [
                .lock, .check, .announce, .checkWayBack, .probe, .connect, .declare, .awaitConfirmation, .run, .finish,
                .setDeadline, .release, .tell, .sleep, .sleep, .goBack,
            ],
            isSaved: true,
            options: { $0.confirmWithin = .seconds(2) }
        ),
        Way(
            "the database cannot be written in the run, so nobody waits",
            end: "incomplete",
            [
                .lock, .check, .announce, .checkWayBack, .probe, .connect, .declare, .awaitConfirmation, .run, .finish,
            ],
            isSaved: true,
            options: { $0.confirmWithin = .seconds(2) },
            world: { $0.runs = [recap(.storeFailed("full"))] }
        ),
    ]

    private func pass(_ way: Way) throws -> ScriptedEffects {
        let effects = ScriptedEffects(try Self.snapshot())
        let plan = effects.plan(of: try Self.snapshot())
        var options = ApplyOptions()
        way.options(&options)
        try way.world(effects)
        let saved = effects.steps.isEmpty ? effects.plan(of: try Self.snapshot()) : plan
        var apply = way.isSaved ? Apply<ScriptedEffects>(options, saved: saved) : Apply<ScriptedEffects>(options)
        do throws(ScriptedEffects.Trouble) {
            let end = try apply.perform(with: effects)
            #expect(end.text == way.end)
        } catch {
            #expect(error.effect.rawValue == way.end)
        }
        #expect(effects.trace == way.trace)
        return effects
    }

    @Test("A plan that is made now", arguments: plannedWays)
    func planned(way: Way) throws { _ = try pass(way) }

    @Test("Doubts of earlier runs", arguments: doubtfulWays)
    func resolving(way: Way) throws { _ = try pass(way) }

    @Test("Changes that need confirmation", arguments: confirmedWays)
    func confirmed(way: Way) throws { _ = try pass(way) }

    @Test("A plan of a file", arguments: savedWays)
    func saved(way: Way) throws { _ = try pass(way) }

    @Test("Silent nodes are asked again after longer and longer pauses, until the patience is over")
    func patience() throws {
        let effects = ScriptedEffects(try Self.snapshot())
        effects.runs = [Self.silence]
        var options = ApplyOptions()
        options.patience = .seconds(300)
        var apply = Apply<ScriptedEffects>(options)
        #expect(try apply.perform(with: effects).text == "incomplete")
        #expect(effects.pauses == [10, 20, 40, 80, 120, 30])
        #expect(effects.trace.count { $0 == .run } == 7)
        #expect(effects.trace.count { $0 == .approve } == 1)
        #expect(effects.trace.suffix(2) == [.finish, .settlePartly])
    }

    @Test("The patience ends with the silence, with a failure, with an interrupt, and with doubts that stay")
    func impatience() throws {
        func again(_ edit: (ScriptedEffects) throws -> Void) throws -> ScriptedEffects {
            let effects = ScriptedEffects(try Self.snapshot())
            effects.runs = [Self.silence, Self.silence, Recap()]
            try edit(effects)
            var options = ApplyOptions()
            options.patience = .seconds(300)
            var apply = Apply<ScriptedEffects>(options)
            _ = try apply.perform(with: effects)
            return effects
        }
        let answered = try again { _ in }
        #expect(answered.pauses == [10, 20])
        #expect(answered.trace.last == .settle)
        let failed = try again { $0.runs = [Self.recap(.linkFailed("no proxy", hint: nil))] }
        #expect(failed.pauses == [])
        let interrupted = try again { $0.waits = false }
        #expect(interrupted.pauses == [10])
        #expect(interrupted.trace.suffix(3) == [.wait, .finish, .settlePartly])
        let doubtful = try again {
            $0.snapshots = [try Self.snapshot(), try Self.snapshot(), try Self.doubtful()]
            $0.doubts = [Self.recap(.interrupted)]
        }
        #expect(doubtful.trace.suffix(4) == [.wait, .resolveDoubts, .finish, .settlePartly])
        #expect(doubtful.shown.map(\.ending) == [.interrupted])
    }

    @Test("What finding out took is in the recap")
    func resolved() throws {
        let effects = ScriptedEffects(try Self.snapshot())
        effects.snapshots = [try Self.doubtful(), try Self.doubtful(), try Self.snapshot()]
        effects.doubts = [Self.recap { $0.messagesSent = 3 }]
        effects.runs = [Self.recap { $0.messagesSent = 4 }]
        var apply = Apply<ScriptedEffects>(ApplyOptions())
        _ = try apply.perform(with: effects)
        #expect(effects.shown.map(\.messagesSent) == [7])
    }

    @Test("People are told until when the changes wait, and a deadline beyond time is the end of time")
    func deadline() throws {
        let effects = ScriptedEffects(try Self.snapshot())
        effects.now = Timestamp(rawValue: .max - 5)
        effects.whileSleeping = { $0.pending?.decision = .confirmed }
        var options = ApplyOptions()
        options.confirmWithin = .seconds(60)
        var apply = Apply<ScriptedEffects>(options)
        _ = try apply.perform(with: effects)
        let end = Timestamp(rawValue: .max)
        #expect(effects.news == [.awaited(ScriptedEffects.note(deadline: end), until: end), .confirmed])
    }

    @Test(
        "Whatever fails, nothing follows, and the machine stays where it was",
        arguments: confirming(.record, .finishWithoutChanges, .goBack, .resolveDoubts)
    )
    func failure(of effect: Effect) throws {
        guard effect != .finish else { return }
        let effects = ScriptedEffects(try Self.snapshot())
        effects.failing = effect
        var options = ApplyOptions()
        options.confirmWithin = .seconds(1)
        if effect == .record || effect == .finishWithoutChanges { effects.steps = [] }
        if effect == .resolveDoubts { effects.snapshots = [try Self.doubtful()] }
        var apply = Apply<ScriptedEffects>(options)
        #expect(throws: ScriptedEffects.Trouble(effect: effect)) { _ = try apply.perform(with: effects) }
        #expect(effects.trace.last == effect)
        #expect(effects.trace.count { $0 == effect } == 1)
        if case .ended = apply.stage { Issue.record("it has ended") }
    }

    @Test("Each call does one stage")
    func stages() throws {
        let effects = ScriptedEffects(try Self.snapshot())
        var apply = Apply<ScriptedEffects>(ApplyOptions())
        var traces: [[Effect]] = []
        for _ in 0..<7 {
            let before = effects.trace.count
            try apply.next(effects)
            traces.append(Array(effects.trace[before...]))
        }
        #expect(
            traces == [
                [.lock, .check], [.listen], [], [.plan, .show], [.probe, .approve], [.connect, .declare, .run], [],
            ]
        )
        if case .settle = apply.stage {} else { Issue.record("\(apply.stage)") }
    }
}
