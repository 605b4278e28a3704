import MeshCore
import SystemLayer

/// Something that people want to hear of: told once, also over restarts.
struct AgentEvent: Hashable {
    /// What has happened.
    enum Kind: String, CaseIterable {
        case planReady = "plan_ready"
        /// The plan is not applied until somebody approves its digest.
        case waiting = "waiting_for_approval"
        case applied
        /// An approved plan was applied in part: nodes are pending or have failed.
        case partial
        /// Something cannot be done: a definition is not valid, a guard refuses, a command fails.
        case failed
        /// Nodes report values other than those recorded.
        case driftFound = "drift_found"
        /// Tests do not hold in the simulator.
        case testsFailed = "tests_failed"
        /// An approval means no present plan, so it is ignored.
        case approvalIgnored = "approval_ignored"
        /// The budget of airtime does not suffice to read all nodes in time.
        case budgetTooSmall = "budget_too_small"
    }

    /// Its number, by which a receiver that gets it twice notices that.
    var number: Int
    var kind: Kind
    /// The network; nil if it is about all of them.
    var network: String?
    /// When it happened, in seconds since 1970.
    var time: Int64
    /// The digest of the plan; nil if it is about no plan.
    var digest: String?
    /// What has happened, as a sentence without a full stop. Never holds key material.
    var message: String

    /// The members of its line of JSON, for whoever passes it on. Chats show `text`.
    var members: [JSONMember] {
        let named: KeyValuePairs<String, JSONValue?> = [
            "type": "agent_event", "event": kind.rawValue.json, "number": .integer(number), "network": network?.json,
            "digest": digest?.json, "message": message.json,
            "text": ((network.map { "\($0): " } ?? "") + message + ".").json,
            "time": Timestamp.text(milliseconds: time.multipliedReportingOverflow(by: 1_000).partialValue).json,
        ]
        return named.compactMap { name, value in value.map { JSONMember(name, $0) } }
    }
}
