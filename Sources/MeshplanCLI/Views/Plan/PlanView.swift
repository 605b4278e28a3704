import MeshCore
import Planning

/// Shows a plan: a legend of the symbols, changes of the network itself, a line and the details of each node, notes and
/// the summary.
struct PlanView {
    var plan: Plan
    /// The estimated time; nil to leave it out.
    var estimate: PlanEstimate?
    var style: Style
    /// Whether to show the details of nodes, however many there are.
    var isFull = false
    /// What the network matches if there is nothing to do.
    var goal = "the definition"

    /// The most nodes whose details are shown by default.
    static let detailLimit = 20

    func render() -> String {
        if plan.isEmpty, plan.changes.isEmpty {
            return style(.good, "No changes.") + " " + style(.bold, agreement) + "\n" + notes()
        }
        let showsDetails = isFull || plan.nodes.count <= Self.detailLimit
        var text = header() + legend() + "\n"
        let own = plan.changes.filter { $0.node == nil }
        if !own.isEmpty {
            text += style(.bold, "network \(plan.network.printable)") + "\n"
            text += ownDetails(own) + "\n"
        }
        text += nodes(showsDetails: showsDetails)
        if !showsDetails { text += style(.faint, "Details of each node: --full") + "\n\n" }
        let notes = notes() + allowances()
        return text + notes + (notes.isEmpty ? "" : "\n") + style(.bold, PlanSummary(plan).text) + "\n"
            + (estimate?.text.map { $0 + "\n" } ?? "") + refusals()
    }

    /// The sentence of an empty plan about the network. It says nothing about nodes that are left out.
    private var agreement: String {
        if let scope = plan.scope {
            return "What is selected by \(scope.options.joined(separator: ", ").printable) "
                + (plan.purpose == .destroy ? "is not managed." : "matches \(goal).")
        }
        return plan.purpose == .destroy ? "There is nothing left to destroy." : "The network matches \(goal)."
    }

    private func header() -> String {
        "Plan \(plan.purpose == .destroy ? "to destroy everything managed in" : "for") network \(style(.bold, plan.network.printable)) (serial \(plan.serial))\n\n"
    }

    private func legend() -> String {
        var used = Set(plan.changes.map(\.action))
        for node in plan.nodes { used.insert(Self.action(of: node.action)) }
        let meanings: [(Change.Action, String)] = [
            (.create, "add"), (.update, "change"), (.delete, "remove"),
            (.forget, "forget (stays as it is)"), (.replace, "replace"),
        ]
        return "  "
            + meanings.filter { used.contains($0.0) }.map { symbol($0.0) + " " + $0.1 }.joined(
                separator: "   "
            ) + "\n"
    }

    /// The changes of the network itself. Many removals of one kind share a line.
    private func ownDetails(_ changes: [Change]) -> String {
        let blocked = blockedResources
        func isFoldable(_ change: Change) -> Bool { change.action == .delete && blocked[change.address] == nil }
        var text = ""
        var shown: [Change] = []
        var rest = changes[...]
        while let first = rest.first {
            let run = rest.prefix { isFoldable($0) && $0.kind == first.kind }
            guard !isFull, run.count >= Self.shortestFold else {
                shown.append(first)
                rest = rest.dropFirst()
                continue
            }
            text += details(shown, under: "")
            shown = []
            let names = run.map { String($0.address.drop { $0 != "." }.dropFirst()).printable }
            let indent = String(repeating: " ", count: 10)
            text += "    \(symbol(.delete)) \(count(run.count, Self.word(first.kind)))\n"
            text += wrap(names.joined(separator: ", "), width: max(style.width - indent.count, 20))
                .map { indent + $0 + "\n" }.joined()
            rest = rest.dropFirst(run.count)
        }
        return text + details(shown, under: "")
    }

    func details(_ changes: [Change], under prefix: String) -> String {
        let blocked = blockedResources
        let rows = changes.map { change in
            if change.kind == .node { return (change, change.action == .delete ? "member" : "managed") }
            if change.kind == .provisioning { return (change, "provisioned") }
            if let previous = change.previousAddress {
                return (change, "\(previous.printable) \(arrow) \(change.address.printable)")
            }
            let isBelow = !prefix.isEmpty && change.address.hasPrefix(prefix)
            return (change, (isBelow ? String(change.address.dropFirst(prefix.count)) : change.address).printable)
        }
        let width = min(rows.map { $0.1.displayWidth }.max() ?? 0, 72)
        let readsComposition = changes.contains { $0.kind == .composition }
        return rows.map { change, address in
            let note =
                if let planGuard = blocked[change.address] {
                    "blocked by \(planGuard.rawValue)"
                } else if let drift = change.drift {
                    "changed outside of meshplan"
                        + (drift.recorded == change.after ? "" : ", recorded: \(drift.recorded?.printable ?? "none")")
                } else if change.isMovedByModel {
                    "moved by its model"
                } else if change.isImplied {
                    "without a separate message"
                } else if change.isDeferred {
                    readsComposition ? "once its composition is known" : "after its target is provisioned"
                } else {
                    ""
                }
            return line(change, address, note: note, width: width)
        }.joined()
    }

    /// One change. A value that does not fit after the address goes below it.
    private func line(_ change: Change, _ address: String, note: String, width: Int) -> String {
        let start = "    \(symbol(change.action)) "
        let note = note.isEmpty ? "" : "  " + style(.faint, "(\(note))")
        let values = self.values(of: change)
        guard !values.isEmpty else { return start + address + note + "\n" }
        let value = values.joined(separator: " ")
        if 6 + width + 2 + value.displayWidth <= style.width {
            return start + address.padded(to: width) + "  " + value + note + "\n"
        }
        let indent = String(repeating: " ", count: 10)
        return start + address + note + "\n" + values.map { indent + $0 + "\n" }.joined()
    }

    /// The values before and after a change, in parts that may stand below each other; without the name at the start of
    /// the line.
    private func values(of change: Change) -> [String] {
        if change.isOnlyRenamed { return ["renamed"] }
        let (before, after) = change.valuesWithoutName
        switch (before?.printable, after?.printable) {
        case (let before?, let after?):
            if before.isEmpty { return after.isEmpty ? [] : [after] }
            return [before, "\(arrow) \(after.isEmpty ? "not so" : after)"]
        case (let before?, nil): return change.action == .forget || before.isEmpty ? [] : [before]
        case (nil, let after?): return after.isEmpty ? [] : [after]
        case (nil, nil): return []
        }
    }

    /// How the management of a node changes, for the node's line: `managed`, `reset when removed`.
    func management(_ change: Change) -> String {
        if change.action == .create { return "managed" }
        if change.isOnlyRenamed { return "renamed" }
        return values(of: change).joined(separator: " ")
    }

    private var arrow: String { style.drawsBoxes ? "→" : "->" }

    private func notes() -> String {
        let scope = plan.scope.map { [$0.text] } ?? []
        return (scope + plan.notes.map(\.worded) + plan.movedNotes).map { note in
            let lines = wrap(note.printable, width: max(style.width - 6, 20))
            return lines.enumerated().map { index, line in
                (index == 0 ? style(.note, "Note:") + " " : "      ") + line + "\n"
            }.joined()
        }.joined()
    }

    /// The guards that refuse changes, by the address of the resource.
    private var blockedResources: [String: PlanGuard] {
        var blocked: [String: PlanGuard] = [:]
        for finding in plan.findings where !finding.isAllowed {
            for resource in finding.resources { blocked[resource] = finding.planGuard }
        }
        return blocked
    }

    /// The findings of guards that the user has allowed.
    private func allowances() -> String {
        plan.findings.filter(\.isAllowed).map { finding in
            let label = "Allowed (\(finding.planGuard.rawValue)):"
            let lines = wrap(label + " " + finding.message.printable + ".", width: max(style.width - 2, 20))
            return lines.enumerated().map { index, line in
                index == 0
                    ? style(.warning, label) + line.dropFirst(label.count) + "\n" : "  " + line + "\n"
            }.joined()
        }.joined()
    }

    /// The line about a plan that guards refuse; empty if none does.
    private func refusals() -> String {
        let names = plan.refusals.map(\.rawValue)
        return names.isEmpty ? "" : style(.error, "Refused") + " by \(names.joined(separator: ", ")).\n"
    }

    func symbol(_ action: Change.Action) -> String {
        let dress: Style.Dress =
            switch action {
            case .create: .create
            case .update, .replace: .update
            case .delete, .forget: .delete
            }
        return style(dress, Self.sign(action))
    }

    func messages(_ number: Int) -> String { "\(number) \(number == 1 ? "msg" : "msgs")" }

    func pdus(_ number: Int) -> String { count(number, "PDU") }

    static func sign(_ action: Change.Action) -> String {
        switch action {
        case .create: "+"
        case .update: "~"
        case .delete: "-"
        case .forget: "."
        case .replace: "-/+"
        }
    }

    static func action(of action: NodeSummary.Action) -> Change.Action {
        switch action {
        case .manage: .create
        case .update: .update
        case .forget: .forget
        case .provision: .create
        case .replace, .substitute: .replace
        case .reset, .exclude: .delete
        }
    }

    static func word(_ kind: Change.Kind) -> String {
        switch kind {
        case .subnet, .nodeSubnet: "subnet"
        case .applicationKey, .nodeApplicationKey: "key"
        case .group: "group"
        case .node: "node"
        case .composition: "composition"
        case .binding: "bind"
        case .subscription: "sub"
        case .publication: "pub"
        case .defaultTTL: "ttl"
        case .secureNetworkBeacon: "beacon"
        case .networkTransmit: "transmit"
        case .relay: "relay"
        case .relayRetransmit: "retransmit"
        case .proxy: "proxy"
        case .friend: "friend"
        case .provisioning: "provisioning"
        case .heartbeatPublication: "heartbeat pub"
        case .heartbeatSubscription: "heartbeat sub"
        case .nodeIdentity: "identity"
        case .sarTransmitter: "sar tx"
        case .sarReceiver: "sar rx"
        case .privateBeacon: "private beacon"
        case .privateGATTProxy: "private proxy"
        case .onDemandPrivateProxy: "on-demand proxy"
        case .privateNodeIdentity: "private identity"
        case .subnetBridge: "bridge"
        case .bridgingTableEntry: "bridging"
        case .modelState: "state"
        case .title: "title"
        }
    }
}

extension Change {
    /// The values before and after, without the name if it stays the same and the address shows it.
    fileprivate var valuesWithoutName: (before: String?, after: String?) {
        let name = "name " + address.drop { $0 != "." }.dropFirst()
        func holdsName(_ text: String?) -> Bool {
            guard let text else { return true }
            return text.split(separator: ",").contains { $0.drop { $0 == " " } == name }
        }
        guard kind != .provisioning, holdsName(before), holdsName(after) else { return (before, after) }
        func without(_ text: String) -> String {
            text.split(separator: ", ").filter { $0 != name }.joined(separator: ", ")
        }
        return (before.map(without), after.map(without))
    }

    /// Whether only the name changes.
    fileprivate var isOnlyRenamed: Bool {
        guard let previousAddress, let before, let after else { return false }
        let old = previousAddress.drop { $0 != "." }.dropFirst()
        let new = address.drop { $0 != "." }.dropFirst()
        return before.replacing("name \(old)", with: "name \(new)", maxReplacements: 1) == after
    }
}

extension Change {
    /// Whether the node itself has left the value: a light leaves its controller as soon as somebody sets the light.
    fileprivate var isMovedByModel: Bool {
        kind == .modelState && before != nil && action == .update && address.hasSuffix(".light-lc-server.state.lc-mode")
    }
}

extension Plan {
    /// How to leave alone what moves by itself.
    fileprivate var movedNotes: [String] {
        guard changes.contains(where: \.isMovedByModel) else { return [] }
        return [
            "lc-mode goes off by itself as soon as a switch or a person sets the light. To leave it as it is, take `mode` "
                + "out of the states of `light-lc-server`."
        ]
    }
}

extension PlanScope {
    /// A sentence about what is left out.
    fileprivate var text: String {
        let limits = options.joined(separator: ", ")
        var parts: [String] = []
        if nodesLeftOut > 0 { parts.append("\(count(nodesLeftOut, "node")) with changes") }
        if changesLeftOut > 0 { parts.append("\(count(changesLeftOut, "change")) of subnets, keys and groups") }
        guard !parts.isEmpty else { return "Limited by \(limits); nothing is left out." }
        let verb = nodesLeftOut + changesLeftOut == 1 ? "is" : "are"
        return "\(parts.joined(separator: " and ")) \(verb) left out by \(limits)."
    }
}
