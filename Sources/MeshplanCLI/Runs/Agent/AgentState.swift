import SystemLayer

/// What an agent has to know after a restart.
struct AgentState: Hashable {
    /// The networks, by name.
    var networks: [String: Network] = [:]
    var nextNumber = 1
    /// The day, counted from 1970 in local time, of the last tests; nil before the first look.
    var testedDay: Int64?
    /// What the last agent was asked to do; nil if it was of a version that did not store that.
    var settings: AgentSettings?
    /// The approvals that were told to be ignored.
    var toldApprovals: Set<String> = []
    /// The last problem of the folder as a whole that was told.
    var toldProblem: String?

    /// What is known of a network.
    struct Network: Hashable {
        /// What was last planned: a digest of the definition and the version of the database.
        var planned: String?
        /// The exit status of that plan.
        var status: Int32 = 0
        /// The digest of the plan that can be applied; nil if there is none.
        var digest: String?
        var changes = 0
        var plannedAt: Int64?
        /// The digest that was told to be ready.
        var toldPlan: String?
        /// The digest that was told to wait for approval.
        var toldWaiting: String?
        var toldProblem: String?
        /// The digest that was told to be applied in part.
        var toldPartial: String?
        /// The approvals that were used, for ever: digests, and lines of approvals behind the network.
        var used: Set<String> = []
        /// The digest of a plan that is or was being applied, until it is applied wholly.
        var begun: String?
        /// How often it could not be planned for a passing reason.
        var planFailures = 0
        /// When it is planned again; nil for at once.
        var planAt: Int64?
        /// How often the plan could not be applied.
        var applyFailures = 0
        /// When that is tried again; nil for at once.
        var applyAt: Int64?
        /// The problem with reading back that was told.
        var toldReading: String?
        /// The airtime that may be spent on reading back, in microseconds; nil before the first session.
        var allowance: Int64?
        /// Until when it has accrued.
        var accruedAt: Int64 = 0
        /// The airtime that was spent in all, in microseconds.
        var spent: Int64 = 0
        /// When nodes were last read back.
        var sampledAt: Int64?
        /// When nodes were last asked, by UUID.
        var asked: [String: Int64] = [:]
        /// How many values of nodes had drifted when that was told, by UUID.
        var drift: [String: Int] = [:]
        /// Whether it was told that the budget does not suffice.
        var toldBudget = false
        /// What the failing tests tested, if that was told.
        var toldTests: String?
        var testsFail = false
    }
}

extension AgentState.Network: Codable {
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        planned = try members.text(.planned)
        status = Int32(clamping: try members.number(.status) ?? 0)
        digest = try members.text(.digest)
        changes = Int(try members.number(.changes) ?? 0)
        plannedAt = try members.number(.plannedAt)
        toldPlan = try members.text(.toldPlan)
        toldWaiting = try members.text(.toldWaiting)
        toldProblem = try members.text(.toldProblem)
        toldPartial = try members.text(.toldPartial)
        used = try members.texts(.used)
        begun = try members.text(.begun)
        planFailures = Int(try members.number(.planFailures) ?? 0)
        planAt = try members.number(.planAt)
        applyFailures = Int(try members.number(.applyFailures) ?? 0)
        applyAt = try members.number(.applyAt)
        toldReading = try members.text(.toldReading)
        allowance = try members.number(.allowance)
        accruedAt = try members.number(.accruedAt) ?? 0
        spent = try members.number(.spent) ?? 0
        sampledAt = try members.number(.sampledAt)
        asked = try members.value(.asked, or: [:])
        drift = try members.value(.drift, or: [:])
        toldBudget = try members.value(.toldBudget, or: false)
        toldTests = try members.text(.toldTests)
        testsFail = try members.value(.testsFail, or: false)
        guard asked.values.allSatisfy(ClosedRange.believed.contains) else { throw members.senseless(.asked) }
        guard drift.values.allSatisfy({ ClosedRange.believed.contains(Int64($0)) }) else {
            throw members.senseless(.drift)
        }
    }
}

/// How long something waits that has failed so often: a minute, twice as long each time, an hour at most.
func agentPatience(after failures: Int) -> Int64 { min(60 << Int64(min(max(failures - 1, 0), 6)), 3_600) }
