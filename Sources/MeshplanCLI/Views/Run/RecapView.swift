import DefinitionModel
import Execution
import MeshCore
import Planning

/// The recap at the end of every run: what was done, what was not and why, and how to continue.
struct RecapView {
    var recap: Recap
    var title: RunTitle
    var plan: Plan?
    var tally: StepTally
    var style: Style
    var repeated: RepeatedCommand

    /// The most failures and nodes to name.
    static let limit = 50

    init(_ recap: Recap, _ title: RunTitle, plan: Plan?, tally: StepTally, style: Style, repeated: RepeatedCommand) {
        self.recap = recap
        self.title = title
        self.plan = plan
        self.tally = tally
        self.style = style
        self.repeated = repeated
    }

    func render() -> String {
        var text = "\n"
        if !recap.failed.isEmpty {
            text += style(.delete, "Failed:") + "\n"
            for failed in recap.failed.prefix(Self.limit) {
                text += "  \(plan?.change(of: failed.step)?.address.printable ?? "step \(failed.step)"): "
                text += "\(failed.failure.headline.printable)\n"
            }
            text += rest(of: recap.failed.count)
        }
        if !recap.problems.isEmpty {
            text += style(.delete, "Impossible with the nodes' compositions:") + "\n"
            for problem in recap.problems.prefix(Self.limit) {
                let resource = problem.diagnostic.resource ?? problem.name
                text += "  \(resource.printable): \(problem.diagnostic.message.printable)\n"
            }
            text += rest(of: recap.problems.count)
        }
        text += gone()
        text += pending("Pending, because they do not answer:") { $0 == .unanswered }
        text += pending("Pending, because they were not heard:") { $0 != .unanswered }
        text += waiting()
        for waiting in recap.changesWaiting { text += waiting.text + "\n" }
        text += unconfirmedResets()
        text += provisioned()
        text += valuesGivenAway()
        if recap.directLinks > 0 {
            text += "Made \(count(recap.directLinks, "link")) to single nodes to configure them.\n"
        }
        text += ending() + "\n"
        if case .refused = recap.ending { return text }
        if let changes = tally.changes {
            let isOfDatabase = tally.applied == 0 && !recap.isComplete
            text += "\(isOfDatabase ? "Done in the database alone" : "Done"): \(changes).\(unlisted)\n"
        }
        text += figures() + "\n"
        for line in advice() { text += "Next: \(line)\n" }
        return text
    }

    /// Removals of things that the nodes no longer had.
    private func gone() -> String {
        guard !recap.foundGone.isEmpty else { return "" }
        var text = style(.update, "Already gone:") + "\n"
        for found in recap.foundGone.prefix(Self.limit) {
            let address = plan?.change(of: found.step)?.address.printable ?? "step \(found.step)"
            text += "  \(address): \(found.status)\n"
        }
        return text + rest(of: recap.foundGone.count)
    }

    private func pending(_ title: String, _ isListed: (Recap.PendingReason) -> Bool) -> String {
        let nodes = recap.pending.filter { isListed($0.reason) }
        guard !nodes.isEmpty else { return "" }
        var text = style(.update, title) + "\n"
        for node in nodes.prefix(Self.limit) {
            let steps = node.steps == 0 ? "an earlier request in doubt" : count(node.steps, "step")
            var doubt = node.reason == .notHeardMayBeNode ? ", an earlier attempt may have succeeded" : ""
            if let listener = node.listener, listener != .anybody { doubt += ", \("\(listener)".printable)" }
            text += "  \(node.name.printable) (\(steps)\(doubt))\n"
        }
        return text + rest(of: nodes.count)
    }

    /// Devices that were not tried, because the node through which they join did not get that far.
    private func waiting() -> String {
        guard let plan, !recap.blocked.isEmpty else { return "" }
        let names = Dictionary(plan.nodes.map { ($0.uuid, $0.name) }) { first, _ in first }
        let devices = recap.blocked.compactMap { blocked -> (name: String, server: String)? in
            guard plan.steps.indices.contains(blocked.step), case .provision(let order) = plan.steps[blocked.step].work,
                let server = order.route.server
            else { return nil }
            return (order.name, names[server] ?? server.description)
        }
        guard !devices.isEmpty else { return "" }
        var text = style(.update, "Not tried, because they depend on other devices:") + "\n"
        for device in devices.prefix(Self.limit) {
            text += "  \(device.name.printable) (to be provisioned through \(device.server.printable))\n"
        }
        return text + rest(of: devices.count)
    }

    /// The nodes that were reset but not seen as devices, and those of which nobody knows whether they were reset.
    private func unconfirmedResets() -> String {
        var text = ""
        let seen = recap.resets.count { $0.sighting == .unprovisioned }
        if seen > 0 { text += "Seen without a network after the reset: \(count(seen, "device")).\n" }
        text += resets(
            "Reported their reset, but were not seen afterwards (out of range, or silent):",
            { $0 == .notSeen }
        )
        text += resets("Reported their reset, and were not looked for afterwards:") { $0 == .notLookedFor }
        guard !recap.uncertainResets.isEmpty else { return text }
        text += style(.update, "Unknown whether they were reset:") + "\n"
        for node in recap.uncertainResets.prefix(Self.limit) { text += "  \(node.name.printable)\n" }
        return text + rest(of: recap.uncertainResets.count)
    }

    private func resets(_ title: String, _ isListed: (ResetSighting) -> Bool) -> String {
        let nodes = recap.resets.filter { isListed($0.sighting) }
        guard !nodes.isEmpty else { return "" }
        let names = nodes.prefix(5).map(\.name.printable).joined(separator: ", ")
        return "\(title) \(names)\(nodes.count > 5 ? " and \(nodes.count - 5) more" : "").\n"
    }

    /// Why more was done than the plan says, as a sentence after another one; empty if it was not.
    private var unlisted: String {
        let more = tally.unlisted
        return more == 0 ? "" : " The plan did not list \(more) of these, which follow from compositions."
    }

    /// The summary line: everything that is not zero, each step counted once.
    func figures() -> String {
        let steps = recap.pending.reduce(0) { $0 + $1.steps }
        var waits = [steps > 0 ? count(steps, "step") : nil].compactMap(\.self)
        var doubts = recap.inDoubt > 0 ? [count(recap.inDoubt, "request") + " in doubt"] : []
        if !recap.pending.isEmpty { (waits, doubts) = (waits + doubts, []) }
        let detail = waits.isEmpty ? "" : " (\(waits.joined(separator: ", ")))"
        // Neither a pending node nor the end of the run keeps these from being begun.
        let heldBack = recap.notStartedOfNodes - recap.waiting - steps
        var parts = [
            tally.applied > 0
                ? "applied \(count(tally.applied, "step"))" : tally.edits > 0 ? "edited the database" : nil,
            tally.unchanged > 0 ? "unchanged \(tally.unchanged)" : nil,
            recap.failed.isEmpty ? nil : "failed \(recap.failed.count)",
            tally.blocked > 0 ? "blocked \(tally.blocked)" : nil,
            recap.pending.isEmpty ? nil : "pending \(count(recap.pending.count, "node"))\(detail)",
            heldBack > 0 ? "held back \(heldBack)" : nil,
            recap.waiting > 0 ? "not started \(recap.waiting)" : nil,
        ].compactMap(\.self)
        parts += doubts
        return Self.sentence(parts, otherwise: "Nothing was applied") + Self.effort(of: recap)
    }

    /// Parts as a sentence.
    ///
    /// - Parameter empty: what it says without any.
    static func sentence(_ parts: [String], otherwise empty: String) -> String {
        let text = parts.isEmpty ? empty : parts.joined(separator: ", ")
        return "\(text.prefix(1).uppercased())\(text.dropFirst())."
    }

    /// What a run has taken, as a sentence after another one; empty if nothing.
    static func effort(of recap: Recap) -> String {
        let effort = [
            recap.messagesSent > 0 ? count(recap.messagesSent, "message") : nil,
            recap.retries > 0 ? count(recap.retries, "retry", plural: "retries") : nil,
            recap.duration >= .milliseconds(50) ? seconds(recap.duration) : nil,
        ].compactMap(\.self).joined(separator: ", ")
        return effort.isEmpty ? "" : " \(effort)."
    }

    /// How many devices became nodes, and what was not proved about them.
    private func provisioned() -> String {
        guard recap.provisioned > 0 else { return "" }
        var text = "Provisioned \(count(recap.provisioned, "device"))"
        for (number, words) in [
            (recap.notAuthenticated, "not authenticated"), (recap.onlyClaimed, ProvisioningAssurance.claimedWords),
        ] where number > 0 {
            text += number == recap.provisioned ? ", \(words)" : ", \(number) of them \(words)"
        }
        return text + ".\n"
    }

    /// Static values that somebody else may know now.
    private func valuesGivenAway() -> String {
        guard !recap.valuesGivenAway.isEmpty else { return "" }
        let names = recap.valuesGivenAway.prefix(5).map(\.printable).joined(separator: ", ")
        let more = recap.valuesGivenAway.count > 5 ? " and \(recap.valuesGivenAway.count - 5) more" : ""
        return
            "Given away, and not offered again: the static \(recap.valuesGivenAway.count == 1 ? "value" : "values") of "
            + "\(names)\(more). Whoever answered may know it by now.\n"
    }

    private func ending() -> String {
        switch recap.ending {
        case .completed:
            return recap.isComplete
                ? style(.good, "\(title.text) complete.") : style(.warning, "\(title.text) is not complete.")
        case .interrupted: return style(.warning, "Interrupted.")
        case .refused: return style(.error, "The plan was not begun.")
        case .storeFailed, .linkFailed, .sendingFailed: return style(.error, "Stopped.")
        }
    }

    /// The command that continues, ready to be typed.
    private var command: String {
        repeated.text(usual: plan?.refreshedSubnet.map { "meshplan keys refresh \($0.printable)" } ?? "meshplan apply")
    }

    private func advice() -> [String] {
        if case .refused = recap.ending { return [] }
        var lines: [String] = []
        if !recap.failed.isEmpty {
            lines.append("fix the failures (see the advice at each), then \(command)")
        }
        if !recap.problems.isEmpty {
            lines.append("remove from the definition what the nodes cannot do, then \(command)")
        }
        if recap.pending.contains(where: { $0.reason != .unanswered }) {
            let isRemote = recap.pending.contains { node in
                switch node.listener {
                case .nodes, .node, .silentNode: true
                case nil, .anybody, .bearer, .nobody: false
                }
            }
            lines.append(
                repeated.lacksSimulatedDevices
                    ? "name the file with the devices: the simulator has only those of --devices FILE"
                    : "check that the missing devices have power, are near and are in no other network; meshplan scan "
                        + (isRemote ? "--remote shows which nodes hear them" : "lists the devices in range")
            )
        }
        if let first = recap.uncertainResets.first {
            let name = first.name.printable.shellWord
            lines.append(
                "if \(name) has left the network: meshplan node was-reset \(name); if it is still there, check its power"
            )
        }
        let doubts = recap.inDoubt - recap.uncertainResets.count
        if doubts > 0 {
            let requests = count(doubts, "request")
            lines.append("\(command) (reads back first what became of \(requests) that may or may not have arrived)")
        } else if recap.pending.contains(where: { pending in
            !recap.uncertainResets.contains { $0.node == pending.node }
        }) {
            lines.append(
                "\(command) (continues with what is left when the pending nodes can be reached"
                    + (plan?.refreshedSubnet == nil ? ")" : "; --exclude NODE excludes a node that is gone for good)")
            )
        } else if recap.notStarted > 0 && recap.failed.isEmpty || isCutShort {
            lines.append("\(command) (continues with what is left)")
        }
        let silent = recap.pending.first { pending in
            pending.reason == .unanswered && !recap.uncertainResets.contains { $0.node == pending.node }
        }
        if let silent {
            lines.append("meshplan diagnose \(silent.name.printable.shellWord) (finds out why it does not answer)")
        }
        if let name = missedByRefresh {
            lines.append(
                "if \(name) was reset meanwhile: meshplan node was-reset "
                    + "\(name.shellWord), then \(command)"
            )
        }
        return lines
    }

    /// A node that holds a key refresh up, as far as anybody knows; nil where none does.
    private var missedByRefresh: String? {
        guard let plan, plan.refreshedSubnet != nil else { return nil }
        let uncertain = Set(recap.uncertainResets.map(\.node))
        if let node = recap.pending.first(where: { $0.reason == .unanswered && !uncertain.contains($0.node) }) {
            return node.name.printable
        }
        guard case .linkFailed = recap.ending else { return nil }
        return plan.nodes.first { $0.action == .update }?.name.printable
    }

    /// Whether an error ended the run, so that some of what was done may not be recorded.
    private var isCutShort: Bool {
        switch recap.ending {
        case .storeFailed, .linkFailed, .sendingFailed: true
        case .completed, .interrupted, .refused: false
        }
    }

    private func rest(of count: Int) -> String {
        count > Self.limit ? "  and \(count - Self.limit) more\n" : ""
    }

    /// `12.3 s`.
    static func seconds(_ duration: Duration) -> String {
        let tenths = (max(duration.microseconds, 0) + 50_000) / 100_000
        return "\(tenths / 10).\(tenths % 10) s"
    }
}

extension Recap.Waiting {
    /// One line: “Relay off of 27 nodes waits for hub-1 or hub-2 (relay), which are not nodes yet.”
    fileprivate var text: String {
        let what =
            switch change.kind {
            case .relayOff: "Relay off"
            case .proxyOff: "GATT proxy off"
            case .subnetLoss: "Leaving a subnet"
            case .friendOff: "Friend off"
            case .reset: "The reset"
            case .exclusion: "The exclusion"
            }
        let role =
            switch change.role {
            case .proxy: "proxy"
            case .relay: "relay"
            case .friend: "friend"
            }
        let isOne = change.carrierCount == 1
        let reason =
            switch change.reason {
            case .notNodes: isOne ? "is not a node yet" : "are not nodes yet"
            case .silent: "did not answer"
            case .unchanged: isOne ? "has not taken its change" : "have not taken their changes"
            case .unheard:
                isOne
                    ? "answers, but was not heard here: nobody knows whether it can be connected to"
                    : "answer, but were not heard here: nobody knows whether they can be connected to"
            case .outside:
                isOne
                    ? "answers over its own link, but reaches no other node"
                    : "answer over links of their own, but reach no other node"
            }
        let whom = nodes.count <= 3 ? nodes.map(\.printable).joined(separator: ", ") : count(nodes.count, "node")
        // One new device is enough; of nodes that are there already, all are to take their changes.
        let conjunction = change.reason == .notNodes ? " or " : " and "
        var carriers = change.carriers.map(\.printable).joined(separator: conjunction)
        let others = change.carrierCount - change.carriers.count
        if others > 0 { carriers += "\(conjunction)\(others) more" }
        return "\(what) of \(whom) waits for \(carriers) (\(role)), which \(reason)."
    }
}
