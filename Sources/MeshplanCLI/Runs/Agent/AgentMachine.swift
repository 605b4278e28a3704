/// Decides what an agent does next, and remembers what came of it. Without effects: times, results and what has changed
/// are given to it.
///
/// ``next(at:ahead:)`` says what to do. Whoever does it reports the outcome by one of the other functions, and stores
/// ``state`` before it asks again.
struct AgentMachine {
    let settings: AgentSettings
    /// What has to survive a restart. Only the functions of this type change it.
    var state: AgentState
    /// Events that were not shown yet.
    private var raised: [AgentEvent] = []
    private(set) var present: [Present] = []
    private var approvals = AgentApprovals()
    /// When it looks next; nil for at once.
    var lookAt: Int64?

    /// What to do.
    enum Step: Hashable {
        /// Look at the definitions and the approvals, and report by ``looked(_:_:at:)`` or ``couldNotLook(_:at:)``.
        case look
        /// Plan networks, and report each by ``planned(_:_:at:)``.
        case plan([String])
        /// Apply exactly the plan with a digest, and report by ``applied(_:_:at:)``.
        case apply(String, digest: String)
        /// Look up the nodes of a network, ask ``choose(from:of:at:)`` which to read, and report by
        /// ``sampled(_:_:sent:_:at:)`` and ``drifted(_:of:at:)``.
        case sample(String)
        /// Play the tests of networks, and report each by ``tested(_:_:at:)``.
        case test([String])
        /// Do nothing until this time.
        case wait(until: Int64)

        /// Whether it is begun only once it is stored what is known: approvals that were used, airtime that was spent,
        /// and that tests were begun, which may end the process.
        var needsMemory: Bool {
            switch self {
            case .apply, .sample, .test: true
            case .look, .plan, .wait: false
            }
        }
    }

    /// A network there is.
    struct Present: Hashable {
        var name: String
        /// A digest of its definition and the version of its database.
        var fingerprint: String
        /// Whether anybody has said how it is reached.
        var isReachable: Bool
        /// The digest for a plan that holds for every way, if ``fingerprint`` is that of one way.
        var fingerprintOfAnyWay: String?
    }

    /// How a command has ended.
    struct Outcome: Hashable {
        var status: ExitStatus
        var digest: String?
        var changes = 0
        /// What became of it, as a clause without a full stop.
        var summary = ""
    }

    init(_ settings: AgentSettings, _ state: AgentState = AgentState()) {
        self.settings = settings
        self.state = state
        self.state.settings = settings
        // Whoever starts an agent again may have mended what was wrong.
        for name in state.networks.keys {
            self.state.networks[name]?.planAt = nil
            self.state.networks[name]?.applyAt = nil
        }
    }

    // MARK: What to do

    /// What to do now.
    ///
    /// - Parameters:
    ///   - now: in seconds since 1970.
    ///   - ahead: how many seconds local time is ahead of UTC.
    mutating func next(at now: Int64, ahead: Int64) -> Step {
        guard let lookAt, now < lookAt, lookAt <= now + settings.lookEvery else { return .look }
        let unplanned = present.filter { isUnplanned($0) && isOver(state.networks[$0.name]?.planAt, now) }.map(\.name)
        guard unplanned.isEmpty else { return .plan(unplanned) }
        if let network = present.first(where: { mayApply($0) && isOver(state.networks[$0.name]?.applyAt, now) })?
            .name, let digest = state.networks[network]?.digest
        {
            // Whoever is killed meanwhile finds another plan, and knows by this that its approval is used.
            state.networks[network]?.begun = digest
            return .apply(network, digest: digest)
        }
        if takesTests(at: now, ahead: ahead) { return .test(present.map(\.name)) }
        if settings.sampling != nil, let due = present.first(where: { $0.isReachable && sampleAt($0.name, now) <= now })
        {
            return .sample(due.name)
        }
        return .wait(until: wakeUp(at: now, ahead: ahead))
    }

    private func wakeUp(at now: Int64, ahead: Int64) -> Int64 {
        var times = [lookAt ?? now]
        for network in present {
            if let time = state.networks[network.name]?.planAt, isUnplanned(network) { times.append(time) }
            if let time = state.networks[network.name]?.applyAt, mayApply(network) { times.append(time) }
            if settings.sampling != nil, network.isReachable { times.append(sampleAt(network.name, now)) }
        }
        if !present.isEmpty, let next = settings.nextTests(after: state.testedDay, at: now, ahead: ahead) {
            times.append(next)
        }
        return max(times.min() ?? now, now + 1)
    }

    private func isUnplanned(_ network: Present) -> Bool {
        let planned = state.networks[network.name]?.planned
        return planned != network.fingerprint && (planned == nil || planned != network.fingerprintOfAnyWay)
    }

    /// Whether a time is over. A time that is much too far away was set by a wrong clock.
    private func isOver(_ time: Int64?, _ now: Int64) -> Bool { time.map { $0 <= now || $0 > now + 3_600 } ?? true }

    private func mayApply(_ network: Present) -> Bool {
        guard settings.applies, network.isReachable, !isUnplanned(network), let known = state.networks[network.name],
            let digest = known.digest
        else { return false }
        return isApproved(digest, of: network.name)
    }

    /// Whether somebody approves a plan with words that have not been used. What was used stays used, whatever becomes
    /// of the file: whoever approves the same plan again says so with other words behind its digest.
    private func isApproved(_ digest: String, of name: String) -> Bool {
        let used = state.networks[name]?.used ?? []
        return approvals.approvals(of: digest, for: name).contains { !used.contains($0.line) }
    }

    /// Uses up the approvals of a plan.
    private mutating func use(_ digest: String, of name: String) {
        state.networks[name]?.used.insert(digest)
        for approval in approvals.approvals(of: digest, for: name) {
            state.networks[name]?.used.insert(approval.line)
        }
    }

    private func sampleAt(_ name: String, _ now: Int64) -> Int64 {
        // Reading back raises the serial. A plan that waits for approval would become another one each time.
        if settings.applies, state.networks[name]?.digest != nil { return .max }
        guard let last = state.networks[name]?.sampledAt, last <= now else { return now }
        return last + AgentSampling.pause
    }

    /// Whether tests are due. An agent that is started during the day waits for the night; one that was off in the
    /// night makes up for it.
    private mutating func takesTests(at now: Int64, ahead: Int64) -> Bool {
        guard let testsAt = settings.testsAt else { return false }
        let (day, time) = AgentSettings.day(now, ahead)
        if state.testedDay == nil { state.testedDay = time >= testsAt ? day : day - 1 }
        guard time >= testsAt, state.testedDay != day, !present.isEmpty else { return false }
        state.testedDay = day
        return true
    }

    // MARK: What has changed

    /// Reports what there is.
    mutating func looked(_ networks: [Present], _ approvals: AgentApprovals, at now: Int64) {
        present = networks
        self.approvals = approvals
        lookAt = now + settings.lookEvery
        state.toldProblem = nil
        for network in networks where state.networks[network.name] == nil { state.networks[network.name] = .init() }
        review(at: now)
    }

    /// Reports that the definitions or approvals cannot be looked at. What was approved before no longer counts.
    mutating func couldNotLook(_ problem: String, at now: Int64) {
        approvals = AgentApprovals()
        lookAt = now + settings.lookEvery
        guard state.toldProblem != problem else { return }
        state.toldProblem = problem
        raise(.failed, nil, problem, at: now)
    }

    mutating func planned(_ name: String, _ outcome: Outcome, at now: Int64) {
        guard var known = state.networks[name], let present = present.first(where: { $0.name == name }) else { return }
        let former = known.digest
        known.status = outcome.status.rawValue
        known.digest = outcome.status == .changes ? outcome.digest : nil
        known.changes = outcome.changes
        known.plannedAt = now
        let isPassing = [.locked, .failure].contains(outcome.status)
        if isPassing {
            known.planFailures += 1
            known.planAt = now + agentPatience(after: known.planFailures)
        } else {
            known.planned = present.fingerprint
            (known.planFailures, known.planAt) = (0, nil)
            if let begun = known.begun, begun != known.digest {
                use(begun, of: name)
                known.used = state.networks[name]?.used ?? known.used
                known.begun = nil
            }
            if known.digest != former { (known.applyFailures, known.applyAt) = (0, nil) }
        }
        state.networks[name] = known
        switch outcome.status {
        case .success, .changes:
            state.networks[name]?.toldProblem = nil
            if known.digest != known.toldPlan {
                state.networks[name]?.toldPlan = known.digest
                if let digest = known.digest {
                    raise(.planReady, name, "plan ready: \(outcome.summary)", digest, at: now)
                }
            }
        default:
            state.networks[name]?.toldPlan = nil
            tell(problem: "cannot be planned: \(outcome.summary)", of: name, at: now)
        }
        review(at: now)
    }

    /// Reports that an approved plan was applied.
    mutating func applied(_ name: String, _ outcome: Outcome, at now: Int64) {
        guard let digest = state.networks[name]?.digest else { return }
        // The database has changed, or may have.
        lookAt = nil
        let summary = outcome.summary.isEmpty ? "" : ": \(outcome.summary)"
        switch outcome.status {
        case .success:
            use(digest, of: name)
            state.networks[name]?.begun = nil
            state.networks[name]?.planned = nil
            raise(.applied, name, "applied\(summary)", digest, at: now)
        case .partial:
            // If nothing was done, the plan stays as it is and its approval counts; otherwise the rest needs its own.
            let isFirst = state.networks[name]?.toldPartial != digest
            state.networks[name]?.toldPartial = digest
            state.networks[name]?.planned = nil
            delay(name, at: now)
            if isFirst { raise(.partial, name, "applied in part\(summary)", digest, at: now) }
        default:
            if outcome.status == .stale { state.networks[name]?.planned = nil }
            delay(name, at: now)
            tell(problem: "cannot be applied\(summary)", of: name, at: now)
        }
    }

    private mutating func delay(_ name: String, at now: Int64) {
        guard var known = state.networks[name] else { return }
        known.applyFailures += 1
        known.applyAt = now + agentPatience(after: known.applyFailures)
        state.networks[name] = known
    }

    /// Tells which plans wait for approval, and which approvals mean nothing.
    private mutating func review(at now: Int64) {
        guard settings.applies else { return }
        for network in present where !isUnplanned(network) {
            guard let known = state.networks[network.name] else { continue }
            guard let digest = known.digest else {
                state.networks[network.name]?.toldWaiting = nil
                continue
            }
            guard !isApproved(digest, of: network.name), known.toldWaiting != digest else { continue }
            state.networks[network.name]?.toldWaiting = digest
            let isUsed = !approvals.approvals(of: digest, for: network.name).isEmpty
            let reason = isUsed ? "waits for approval: the present one has been used" : "waits for approval"
            raise(.waiting, network.name, reason, digest, at: now)
        }
        guard present.allSatisfy({ !isUnplanned($0) }) else { return }
        var ignored: [(key: String, network: String?, digest: String?, reason: String)] = []
        for approval in approvals.approvals {
            let known = state.networks[approval.network]
            guard present.contains(where: { $0.name == approval.network }) else {
                ignored.append((approval.key, nil, approval.digest, "an approval names no network of the folder"))
                continue
            }
            guard known?.digest != approval.digest, known?.used.contains(approval.line) != true else { continue }
            ignored.append(
                (approval.key, approval.network, approval.digest, "an approval is ignored: it is of no present plan")
            )
        }
        for (line, problem) in approvals.problems {
            ignored.append(("line \(line)", nil, nil, "line \(line) of the approvals is ignored: \(problem)"))
        }
        for (key, network, digest, reason) in ignored where !state.toldApprovals.contains(key) {
            raise(.approvalIgnored, network, reason, digest, at: now)
        }
        state.toldApprovals = Set(ignored.map(\.key))
    }

    // MARK: Events

    /// Takes the events that were not shown yet.
    mutating func takeEvents() -> [AgentEvent] {
        defer { raised = [] }
        return raised
    }

    private mutating func tell(problem: String, of name: String, at now: Int64) {
        guard state.networks[name]?.toldProblem != problem else { return }
        state.networks[name]?.toldProblem = problem
        raise(.failed, name, problem, at: now)
    }

    mutating func raise(
        _ kind: AgentEvent.Kind,
        _ network: String?,
        _ message: String,
        _ digest: String? = nil,
        at now: Int64
    ) {
        let event = AgentEvent(
            number: state.nextNumber,
            kind: kind,
            network: network,
            time: now,
            digest: digest,
            message: message
        )
        state.nextNumber += 1
        raised.append(event)
    }
}
