package import MeshCore
package import Planning
package import Store

/// One apply: listen, resolve doubts, plan, approve, run, settle, and wait for confirmation.
///
/// The value knows where the apply stands and what follows; ``ApplyEffects`` do everything else. ``next(_:)`` goes one
/// stage further. A plan of a file enters after planning, since somebody has seen and approved it.
package struct Apply<Effects: ApplyEffects> {
    package typealias End = ApplyEnd<Effects.Status, Effects.Planned>

    /// What is done next.
    package enum Stage {
        /// Take the lock, and read what the database knows.
        case begin
        /// Check a saved plan against the database.
        case inspect(Plan, Snapshot)
        case listen(Snapshot)
        /// Find out what earlier runs have done. Planning is possible only afterwards.
        case resolve(Snapshot)
        /// Make and show a plan, and ask its guards.
        case plan(Snapshot)
        /// Record what follows from a plan with nothing to do.
        case conclude(Plan, Snapshot)
        case approve(Plan, Snapshot)
        case run(Plan, Snapshot, isToBeConfirmed: Bool)
        /// Continue with nodes that did not answer.
        case askAgain(ApplyRunResult, pause: Duration, end: Instant, isToBeConfirmed: Bool)
        /// Show the recap, and update the records.
        case settle(ApplyRunResult, isToBeConfirmed: Bool)
        case await(PendingConfirmation?, Effects.Status)
        case confirm(PendingConfirmation, until: Timestamp, interrupts: Int, Effects.Status)
        /// Nothing is left to do.
        case ended(End)
    }

    package private(set) var stage = Stage.begin
    private let options: ApplyOptions
    /// The plan of a file; nil if plans are made.
    private let saved: Plan?
    /// The content of the plan that was approved by its digest, as it was before the outcome of earlier requests was
    /// known; nil if any plan will do.
    private var approvedContent: String?
    /// The plan that was made for that, and the serial it was made from.
    private var first: (serial: UInt64, planned: Effects.Planned)?
    /// The recap of finding out what earlier runs had done.
    private var resolved: Recap?

    /// An apply that makes its plan.
    package init(_ options: ApplyOptions) {
        self.options = options
        saved = nil
    }

    /// An apply of a plan that was made and approved before.
    package init(_ options: ApplyOptions, saved: Plan) {
        self.options = options
        self.saved = saved
    }

    /// Carries it out to the end.
    ///
    /// - Throws: what an effect throws. Then nothing more is done.
    package mutating func perform(with effects: Effects) throws(Effects.EffectError) -> End {
        while true {
            if case .ended(let end) = stage { return end }
            try next(effects)
        }
    }

    /// Goes one stage further.
    ///
    /// - Throws: what an effect throws. The stage stays.
    package mutating func next(_ effects: Effects) throws(Effects.EffectError) {
        switch stage {
        case .begin: stage = try begin(effects)
        case .inspect(let plan, let snapshot): stage = try inspect(plan, snapshot, effects)
        case .listen(let snapshot): stage = try listen(snapshot, effects)
        case .resolve(let snapshot): stage = try resolve(snapshot, effects)
        case .plan(let snapshot): stage = try plan(snapshot, effects)
        case .conclude(let plan, let snapshot): stage = try conclude(plan, snapshot, effects)
        case .approve(let plan, let snapshot): stage = try approve(plan, snapshot, effects)
        case .run(let plan, let snapshot, let isToBeConfirmed):
            stage = try run(plan, snapshot, isToBeConfirmed: isToBeConfirmed, effects)
        case .askAgain(let result, let pause, let end, let isToBeConfirmed):
            stage = try askAgain(result, pause: pause, end: end, isToBeConfirmed: isToBeConfirmed, effects)
        case .settle(let result, let isToBeConfirmed):
            stage = try settle(result, isToBeConfirmed: isToBeConfirmed, effects)
        case .await(let pending, let status): stage = beginWaiting(pending, status, effects)
        case .confirm(let pending, let deadline, let interrupts, let status):
            stage = try confirm(pending, until: deadline, interrupts: interrupts, status, effects)
        case .ended: break
        }
    }

    // MARK: Before the plan

    private mutating func begin(_ effects: Effects) throws(Effects.EffectError) -> Stage {
        if let saved, let refusal = otherDigest(of: saved) { return .ended(.refused(refusal)) }
        try effects.lock()
        let pending = try effects.unconfirmed()
        if let takesBack = options.takesBack {
            guard pending == takesBack else { return .ended(.refused(.nothingToTakeBack)) }
        } else if let pending {
            return .ended(.refused(.unconfirmed(pending)))
        }
        let snapshot = try effects.snapshot()
        try effects.check(snapshot)
        if let saved { return .inspect(saved, snapshot) }
        if options.expectedDigest != nil {
            // Whoever approved the plan saw it before this apply listened and asked: that raises the serial.
            let planned = asApproved(try effects.plan(snapshot))
            if !planned.isRefused, let refusal = otherDigest(of: planned.plan) {
                try effects.show(planned, snapshot)
                return .ended(.refused(refusal))
            }
            approvedContent = planned.plan.digestOfContent
            first = (snapshot.serial, planned)
        }
        return .listen(snapshot)
    }

    /// A plan that was saved may be outdated, or begun before. The run itself refuses or continues it; this is about
    /// what must be known before the radio is used.
    private func inspect(_ plan: Plan, _ snapshot: Snapshot, _ effects: Effects) throws(Effects.EffectError) -> Stage {
        let earlier = try effects.earlierRun(of: plan)
        try effects.announce(plan, snapshot, earlier: earlier)
        let isFresh = plan.serial == snapshot.serial
        // An outdated plan is refused as such, whether or not the radio can be used.
        if !plan.isEmpty, isFresh {
            if options.confirmWithin != nil { try effects.checkWayBack(plan, snapshot) }
            try effects.probe()
        }
        if options.confirmWithin != nil, !isFresh, earlier != nil { return .ended(.refused(.begunBefore)) }
        return .run(plan, snapshot, isToBeConfirmed: options.confirmWithin != nil && !plan.isEmpty && isFresh)
    }

    private func listen(_ snapshot: Snapshot, _ effects: Effects) throws(Effects.EffectError) -> Stage {
        let network = snapshot.network
        let canBeReset = network.nodes.contains { $0.isManaged && $0.uuid != network.ownProvisioner }
        guard options.listens, canBeReset else { return .resolve(snapshot) }
        switch try effects.listen(snapshot) {
        // A radio that cannot listen may still send.
        case .completed, .linkFailed: return .resolve(try effects.snapshot())
        case .interrupted: return .ended(.interrupted)
        case let ending: return .ended(.stopped(ending))
        }
    }

    private mutating func resolve(_ snapshot: Snapshot, _ effects: Effects) throws(Effects.EffectError) -> Stage {
        guard snapshot.hasDoubts || !snapshot.network.pendingProvisionings.isEmpty else { return .plan(snapshot) }
        let recap = try effects.resolveDoubts(snapshot).recap
        guard recap.ending == .completed else { return .ended(.finished(effects.finish(recap).status)) }
        resolved = recap
        return .plan(try effects.snapshot())
    }

    // MARK: The plan

    private func plan(_ snapshot: Snapshot, _ effects: Effects) throws(Effects.EffectError) -> Stage {
        let planned =
            if let first, first.serial == snapshot.serial { first.planned } else {
                asApproved(try effects.plan(snapshot))
            }
        try effects.show(planned, snapshot)
        if planned.isRefused { return .ended(.refused(.guarded(planned))) }
        if options.expectedDigest != nil, planned.plan.digestOfContent != approvedContent {
            return .ended(.refused(.otherDigest(planned.plan.digest ?? "")))
        }
        return planned.plan.isEmpty ? .conclude(planned.plan, snapshot) : .approve(planned.plan, snapshot)
    }

    private func otherDigest(of plan: Plan) -> ApplyRefusal<Effects.Planned>? {
        guard let expected = options.expectedDigest else { return nil }
        let digest = plan.digest ?? ""
        return digest.hasPrefix(expected) ? nil : .otherDigest(digest)
    }

    /// The plan without what was left open when it was approved, so that it has the digest of then; any other plan as
    /// it is.
    private func asApproved(_ planned: Effects.Planned) -> Effects.Planned {
        guard let expected = options.expectedDigest, otherDigest(of: planned.plan) != nil else { return planned }
        var open = planned
        open.plan.dependencies.removeAll { !$0.isDeclared }
        return open.plan.digest?.hasPrefix(expected) == true ? open : planned
    }

    private func conclude(_ plan: Plan, _ snapshot: Snapshot, _ effects: Effects) throws(Effects.EffectError) -> Stage {
        try effects.declare()
        let isComplete = snapshot.unresolved.isEmpty
        try effects.settle(snapshot.network, isComplete: isComplete)
        guard isComplete else {
            var recap = Recap()
            recap.inDoubt = snapshot.unresolved.count
            return .ended(.finished(effects.finish(resolved ?? recap).status))
        }
        try effects.record(plan.claims)
        return .ended(.finished(try effects.finishWithoutChanges(plan, resolved: resolved)))
    }

    private func approve(_ plan: Plan, _ snapshot: Snapshot, _ effects: Effects) throws(Effects.EffectError) -> Stage {
        if options.confirmWithin != nil { try effects.checkWayBack(plan, snapshot) }
        try effects.probe()
        if !options.isApproved, options.expectedDigest == nil { try effects.approve(plan) }
        return .run(plan, snapshot, isToBeConfirmed: options.confirmWithin != nil)
    }

    // MARK: The run

    private func run(
        _ plan: Plan,
        _ snapshot: Snapshot,
        isToBeConfirmed: Bool,
        _ effects: Effects
    ) throws(Effects.EffectError) -> Stage {
        try effects.connect(snapshot)
        try effects.declare()
        if isToBeConfirmed { try effects.awaitConfirmation() }
        let result = try effects.run(plan, snapshot)
        guard saved == nil else { return .settle(result, isToBeConfirmed: isToBeConfirmed) }
        return .askAgain(
            result,
            pause: ApplyPauses.first,
            end: result.end.advanced(by: options.patience),
            isToBeConfirmed: isToBeConfirmed
        )
    }

    /// Continues with what is left while only nodes that do not answer stand in the way, and while the patience lasts.
    /// The rest is planned again each time. It needs no new approval.
    private func askAgain(
        _ result: ApplyRunResult,
        pause: Duration,
        end: Instant,
        isToBeConfirmed: Bool,
        _ effects: Effects
    ) throws(Effects.EffectError) -> Stage {
        let rest = result.end.duration(to: end)
        guard result.recap.isLeftToNodes, result.end < end, effects.wait(min(pause, rest), for: result.recap) else {
            return .settle(result, isToBeConfirmed: isToBeConfirmed)
        }
        let snapshot = try effects.snapshot()
        if snapshot.hasDoubts {
            let doubts = try effects.resolveDoubts(snapshot)
            guard doubts.recap.ending == .completed else { return .settle(doubts, isToBeConfirmed: isToBeConfirmed) }
        }
        let present = try effects.snapshot()
        return .askAgain(
            try effects.run(try effects.plan(present).plan, present),
            pause: min(pause * 2, ApplyPauses.longest),
            end: end,
            isToBeConfirmed: isToBeConfirmed
        )
    }

    private func settle(
        _ result: ApplyRunResult,
        isToBeConfirmed: Bool,
        _ effects: Effects
    ) throws(Effects.EffectError) -> Stage {
        var recap = result.recap
        if let resolved { recap.include(readBack: resolved) }
        let (status, isComplete) = effects.finish(recap)
        // If the database cannot be written any more, the recap has said so.
        if case .storeFailed = recap.ending { return .ended(.finished(status)) }
        if saved == nil {
            let network = if let known = result.network { known } else { try effects.snapshot().network }
            try effects.settle(network, isComplete: isComplete)
        }
        guard isToBeConfirmed, let time = options.confirmWithin else { return .ended(.finished(status)) }
        let (end, overflow) = effects.now.rawValue.addingReportingOverflow(time.components.seconds)
        let pending = try effects.setDeadline(Timestamp(rawValue: overflow ? .max : end))
        guard recap.ending != .interrupted else {
            effects.tell(.leftOpen)
            return .ended(.finished(status))
        }
        return .await(pending, status)
    }
}

/// The pauses before nodes are asked again.
package enum ApplyPauses {
    /// The first pause. It doubles up to the longest one.
    package static let first = Duration.seconds(10)
    package static let longest = Duration.seconds(120)
}

extension Snapshot {
    /// Whether nobody knows what earlier requests to nodes have done.
    fileprivate var hasDoubts: Bool { !unresolved.isEmpty || !network.pendingReprovisions.isEmpty }
}

extension Recap {
    /// Whether steps are left, and only nodes that do not answer stand in their way.
    fileprivate var isLeftToNodes: Bool {
        ending == .completed && failed.isEmpty && !pending.isEmpty && (notStarted > 0 || !blocked.isEmpty)
    }
}

/// Changes that are taken back unless somebody confirms them.
///
/// The database notes durably that they wait, before the first change. So however this process ends, they cannot stay
/// unnoticed.
extension Apply {
    /// Gives the lock back, so that somebody else can confirm.
    func beginWaiting(_ pending: PendingConfirmation?, _ status: Effects.Status, _ effects: Effects) -> Stage {
        effects.release()
        guard let pending, let deadline = pending.deadline else { return .ended(.confirmationLost) }
        effects.tell(.awaited(pending, until: deadline))
        return .confirm(pending, until: deadline, interrupts: effects.interrupts, status)
    }

    /// Looks once whether somebody has decided, or the time is over. Only a note says that somebody has confirmed.
    ///
    /// - Parameter interrupts: how often the user had interrupted when the wait began.
    func confirm(
        _ pending: PendingConfirmation,
        until deadline: Timestamp,
        interrupts: Int,
        _ status: Effects.Status,
        _ effects: Effects
    ) throws(Effects.EffectError) -> Stage {
        var undecided = try effects.confirmationNote()
        let decision = undecided?.decision
        undecided?.decision = nil
        // Another note, or none, is that of another database.
        guard undecided == pending else { return .ended(.confirmationLost) }
        switch decision {
        case .confirmed:
            effects.tell(.confirmed)
            return .ended(.finished(status))
        case .takenBack: return .ended(.takenBackElsewhere)
        case nil: break
        }
        let isInterrupted = effects.interrupts != interrupts
        if effects.now >= deadline || isInterrupted {
            switch try effects.goBack(pending, isInterrupted: isInterrupted) {
            case .ended(let status): return .ended(.wentBack(status))
            case .locked, .decided: break
            }
        }
        effects.sleep()
        return .confirm(pending, until: deadline, interrupts: interrupts, status)
    }
}
