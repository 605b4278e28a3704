import DefinitionModel
import Execution
import MeshCore
import Planning
import Store
import SystemLayer

/// A run as lines of JSON: events as they happen, and the summary last.
struct ApplyJSON {
    var lines: JSONLines
    var plan: Plan?
    /// The steps of the run so far.
    var tally = StepTally()

    private static func milliseconds(_ duration: Duration) -> JSONValue {
        .integer(Int(clamping: duration.microseconds / 1_000))
    }

    /// The parts of `connect_ms`.
    private static func object(_ times: GATTTimes) -> JSONValue {
        .object([
            "wait_ms": milliseconds(times.wait), "connect_ms": milliseconds(times.connection),
            "mtu_ms": milliseconds(times.mtuExchange), "discover_ms": milliseconds(times.discovery),
            "subscribe_ms": milliseconds(times.subscription),
        ])
    }

    /// Writes the line of an event; some events have none.
    func handle(_ event: ExecutionEvent) {
        switch event {
        case .runStarted(_, let inDoubt):
            lines.event(["type": "apply_start", "steps": .integer(tally.total), "in_doubt": .integer(inDoubt)])
        case .linkUp(let proxy, let isDirect, let times):
            lines.event([
                "type": "link_up", "proxy": proxy?.description.json, "direct": .bool(isDirect),
                "scan_ms": Self.milliseconds(times.scan), "connect_ms": Self.milliseconds(times.connect),
                "beacon_ms": Self.milliseconds(times.beacon), "filter_ms": Self.milliseconds(times.filter),
                "gatt": times.gatt.map { Self.object($0) },
            ])
        case .linkDown(let reason, let delay):
            lines.event([
                "type": "link_down", "reason": reason.json,
                "retry_in_ms": delay.map { .integer(Int(clamping: $0.microseconds / 1_000)) },
            ])
        case .nodeStarted(let node):
            lines.event(["type": "apply_node_start", "node_uuid": node.description.json])
        case .stepSent, .seekingProxy, .connecting: break
        case .stepRetried(let step, let transmissions):
            write("apply_retry", step, transmissions: .integer(transmissions))
        case .stepUnknown(let step): write("apply_unknown", step)
        case .stepAnsweredOddly(let step, let answer):
            write("apply_odd_answer", step, reason: answer.description.json)
        case .removalFoundNothing(let step, let status):
            write("apply_found_gone", step, reason: status.description.json)
        case .quirkMet(let node, let quirk):
            lines.event([
                "type": "known_quirk", "node_uuid": node.description.json, "quirk": quirk.rawValue.json,
                "stack": quirk.facts.stack.json, "message": "\(quirk.text); \(quirk.facts.remedy)".json,
            ])
        // Its changes follow, each with an event of its own; nothing was sent for it.
        case .stepSucceeded(let step, _) where plan?.growsPlan(step) == true: break
        case .stepSkipped(let step) where plan?.growsPlan(step) == true: break
        case .stepSucceeded(let step, let byReadBack):
            write("apply_complete", step, byReadBack: .bool(byReadBack))
        case .stepSkipped(let step): write("apply_unchanged", step)
        case .stepFailed(let step, let failure):
            write(
                "apply_failed",
                step,
                reason: failure.description.json,
                advice: failure.advice.worded.json,
                stage: failure.stage?.identifier.json
            )
        case .stepBlocked(let step, let cause): write("apply_blocked", step, by: .integer(cause))
        case .nodeFinished(let node):
            lines.event(["type": "apply_node_complete", "node_uuid": node.description.json])
        case .nodePending(let node, let steps):
            lines.event([
                "type": "apply_node_pending", "node_uuid": node.description.json, "steps": .integer(steps),
            ])
        case .nodeUnreachable(let node, let reason):
            lines.event([
                "type": "apply_node_unreachable", "node_uuid": node.description.json, "reason": reason.json,
            ])
        case .provisioningStage(let node, let progress):
            lines.event([
                "type": "provisioning_stage", "node_uuid": node.description.json, "stage": progress.identifier.json,
                "through_uuid": progress.carrier?.description.json,
            ])
        case .provisioned(let node, let address, let elementCount, let authentication):
            lines.event([
                "type": "provisioned", "node_uuid": node.description.json, "address": address.description.json,
                "elements": .integer(Int(elementCount)),
                "expected_elements": plan?.expectedElementCount(of: node, otherThan: elementCount).map {
                    .integer(Int($0))
                },
                "authenticated": authentication.map { .bool($0.assurance == .authenticated) },
                "authentication": authentication?.json,
                "by_earlier_attempt": authentication == nil ? true : nil,
            ])
        case .provisioningRetried(let node, let problem, let delay):
            lines.event([
                "type": "provisioning_retry", "node_uuid": node.description.json,
                "stage": problem.stage.identifier.json, "reason": problem.description.json,
                "advice": problem.advice.worded.json,
                "retry_in_ms": .integer(Int(clamping: delay.microseconds / 1_000)),
            ])
        case .offersLess(let node, let witness):
            lines.event([
                "type": "device_offers_less", "node_uuid": node.description.json, "witness": witness.identifier.json,
            ])
        case .valueGivenAway(let node):
            lines.event(["type": "static_value_given_away", "node_uuid": node.description.json])
        case .deviceNotHeard(let node, let mayBeNode, let listener):
            lines.event([
                "type": "device_not_heard", "node_uuid": node.description.json, "may_be_node": .bool(mayBeNode),
                "listener": listener.identifier.json, "through_uuid": listener.node?.description.json,
            ])
        case .planGrown(let changes, let steps):
            lines.event([
                "type": "plan_grown", "changes": .integer(changes.count),
                "steps": .integer(steps.count(where: \.concernsNode)),
            ])
            for change in changes {
                lines.event([
                    "type": "plan_change", "address": change.address.json, "action": change.action.rawValue.json,
                    "node_uuid": change.node?.description.json, "before": change.before?.json,
                    "after": change.after?.json,
                ])
            }
        case .problem(let node, let diagnostic):
            lines.event([
                "type": "apply_problem", "node_uuid": node.description.json, "resource": diagnostic.resource?.json,
                "message": diagnostic.message.json, "hint": diagnostic.hint?.worded.json,
            ])
        case .doubtResolved(let node, let action, let tookEffect):
            lines.event([
                "type": "doubt_resolved", "node_uuid": node.description.json, "request": action.text.json,
                "took_effect": .bool(tookEffect),
            ])
        case .changeWaits(let node, let change):
            lines.event([
                "type": "change_waits", "node_uuid": node.description.json, "change": change.kind.identifier.json,
                "carriers": .array(change.carriers.map(\.json)), "reason": change.reason.identifier.json,
            ])
        case .doubtAbandoned(let node, let action, let end):
            lines.event([
                "type": "doubt_abandoned", "node_uuid": node.description.json, "request": action?.text.json,
                "reason": end.identifier.json,
            ])
        case .resetSeen(let node, let sighting):
            lines.event([
                "type": "reset_seen", "node_uuid": node.description.json, "seen": sighting.identifier.json,
            ])
        case .reprovisionSettled(let node, let procedure, let tookEffect):
            lines.event([
                "type": "refresh_settled", "node_uuid": node.description.json,
                "procedure": procedure.identifier.json, "took_effect": tookEffect.map { .bool($0) },
            ])
        case .progress:
            guard tally.total > 0 else { break }
            lines.event([
                "type": "apply_progress", "decided": .integer(tally.decided), "total": .integer(tally.total),
            ])
        case .interrupted(let immediately):
            lines.event(["type": "interrupted", "immediately": .bool(immediately)])
        case .nodeReadBack, .figures, .runFinished: break
        }
    }

    func finish(_ recap: Recap, status: ExitStatus) {
        let done = tally.done
        lines.event(summary: [
            "type": "summary",
            "exit_code": .integer(Int(status.rawValue)),
            "complete": .bool(recap.isComplete),
            "steps": .integer(tally.total),
            "applied": .integer(tally.applied),
            "unchanged": .integer(tally.unchanged),
            "edits": .integer(tally.edits),
            "added": .integer(done?.added ?? 0),
            "changed": .integer(done?.changed ?? 0),
            "removed": .integer(done?.removed ?? 0),
            "forgotten": .integer(done?.forgotten ?? 0),
            "unlisted": .integer(tally.unlisted),
            "found_gone": .integer(recap.foundGone.count),
            "failed": .integer(recap.failed.count),
            "blocked": .integer(tally.blocked),
            "not_started": .integer(recap.notStartedOfNodes),
            "in_doubt": .integer(recap.inDoubt),
            "doubts_resolved": .integer(recap.doubtsResolved),
            "doubts_abandoned": .integer(recap.doubtsAbandoned),
            "uncertain_resets": .array(
                recap.uncertainResets.map {
                    .object(["node": $0.name.json, "node_uuid": $0.node.description.json])
                }
            ),
            "resets": .array(
                recap.resets.map {
                    .object([
                        "node": $0.name.json, "node_uuid": $0.node.description.json,
                        "seen": $0.sighting.identifier.json,
                    ])
                }
            ),
            "pending": .array(
                recap.pending.map {
                    .object([
                        "node": $0.name.json, "node_uuid": $0.node.description.json,
                        "steps": .integer($0.steps), "reason": $0.reason.identifier.json,
                        "listener": $0.listener?.identifier.json, "through_uuid": $0.listener?.node?.description.json,
                    ])
                }
            ),
            "provisioned": .integer(recap.provisioned),
            "problems": .integer(recap.problems.count),
            "direct_links": .integer(recap.directLinks),
            "messages": .integer(recap.messagesSent),
            "retries": .integer(recap.retries),
            "duration_ms": .integer(Int(clamping: recap.duration.microseconds / 1_000)),
        ])
    }

    private func write(
        _ type: String,
        _ step: Int,
        transmissions: JSONValue? = nil,
        byReadBack: JSONValue? = nil,
        reason: JSONValue? = nil,
        advice: JSONValue? = nil,
        by cause: JSONValue? = nil,
        stage: JSONValue? = nil
    ) {
        let node = plan?.node(of: step)
        var (isEdit, isDeferred) = (false, false)
        if let plan, plan.steps.indices.contains(step) {
            if case .edit = plan.steps[step].work { isEdit = true }
            isDeferred = plan.growsPlan(step)
        }
        lines.event([
            "type": type.json, "step": .integer(step), "address": plan?.change(of: step)?.address.json,
            "node_uuid": node?.description.json, "edit": isEdit ? true : nil, "deferred": isDeferred ? true : nil,
            "transmissions": transmissions, "read_back": byReadBack,
            "stage": stage, "reason": reason, "advice": advice, "blocked_by": cause,
        ])
    }
}

extension Plan {
    /// Whether a step sends nothing, but adds steps once a composition or an address is known.
    fileprivate func growsPlan(_ step: Int) -> Bool {
        guard steps.indices.contains(step), case .configureWhenKnown = steps[step].work else { return false }
        return true
    }
}

extension Recap.PendingReason {
    /// The reason, for machines.
    fileprivate var identifier: String {
        switch self {
        case .unanswered: "unanswered"
        case .notHeard: "not_heard"
        case .notHeardMayBeNode: "not_heard_may_be_node"
        }
    }
}

extension WaitingChange.Kind {
    /// The waiting action, for machines.
    fileprivate var identifier: String {
        switch self {
        case .relayOff: "relay_off"
        case .proxyOff: "proxy_off"
        case .subnetLoss: "subnet_loss"
        case .friendOff: "friend_off"
        case .reset: "reset"
        case .exclusion: "exclusion"
        }
    }
}

extension WaitingChange.Reason {
    /// Why it waits, for machines.
    fileprivate var identifier: String {
        switch self {
        case .notNodes: "not_nodes"
        case .silent: "silent"
        case .unchanged: "unchanged"
        case .unheard: "unheard"
        case .outside: "outside"
        }
    }
}

extension DoubtEnd {
    /// Why the node is no longer asked, for machines.
    fileprivate var identifier: String {
        switch self {
        case .wasReset: "was_reset"
        case .isGone: "is_gone"
        case .isExcluded: "is_excluded"
        case .partIsMissing: "part_is_missing"
        case .isNotDeclared: "is_not_declared"
        case .answersOtherwise: "answers_otherwise"
        case .mayHaveSilenced: "may_have_silenced"
        }
    }
}

extension ResetSighting {
    /// The place where the device was found, for machines.
    fileprivate var identifier: String {
        switch self {
        case .unprovisioned: "unprovisioned"
        case .stillNode: "still_node"
        case .notSeen: "not_seen"
        case .notLookedFor: "not_looked_for"
        }
    }
}

extension DeviceListener {
    /// The listener, for machines.
    fileprivate var identifier: String {
        switch self {
        case .anybody: "anybody"
        case .bearer: "bearer"
        case .nodes: "nodes"
        case .nobody: "nobody"
        case .node: "node"
        case .silentNode: "silent_node"
        }
    }
}

extension StepFailure {
    /// How far provisioning had come for a device that has not become a node.
    fileprivate var stage: ProvisioningStage? {
        guard case .provisioning(let problem) = self else { return nil }
        return problem.stage
    }
}
