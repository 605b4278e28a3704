import DefinitionModel
import Execution
import MeshCore
import Store
import SystemLayer

/// Shows what is found out about a node that does not answer: a line for each finding, and the likely cause last.
struct DiagnosisView {
    private let context: Context
    private let conversation: NodeConversation
    private let node: Node
    private let network: MeshNetwork
    private let lastSequence: UInt32?
    private var shown: NodeDiagnosis

    init(_ conversation: NodeConversation, _ node: Node, in snapshot: Snapshot) {
        context = conversation.context
        self.conversation = conversation
        self.node = node
        network = snapshot.network
        lastSequence = snapshot.replay.first { $0.source == node.unicastAddress }?.sequence
        shown = NodeDiagnosis(of: node.uuid)
    }

    private var name: String { conversation.name(of: node) }

    // MARK: Findings

    /// Says what the database knows.
    func begin() {
        guard context.json == nil else { return }
        var known: [String] = []
        if let readBackAt = node.readBackAt { known.append("read back at \(readBackAt.text)") }
        if let observedAt = node.observedAt, observedAt != node.readBackAt {
            known.append("last answered at \(observedAt.text)")
        }
        if let lastSequence { known.append("last heard message number \(lastSequence)") }
        let text = known.isEmpty ? "nothing was heard of it so far" : known.joined(separator: ", ")
        context.output.line("\(name) (\(node.unicastAddress)): \(text).")
    }

    mutating func show(_ diagnosis: NodeDiagnosis) {
        let isFirst = shown == NodeDiagnosis(of: node.uuid)
        if isFirst { showListening(diagnosis) }
        let ttl = "TTL \(diagnosis.usualTTL)"
        if shown.usual != diagnosis.usual { say("asked with \(ttl)", diagnosis.usual) }
        if shown.others != diagnosis.others { showOthers(diagnosis.others) }
        if shown.farthest != diagnosis.farthest { say("asked with TTL 127", diagnosis.farthest) }
        if shown.application != diagnosis.application { say("asked under an application key", diagnosis.application) }
        if shown.afterSkipping != diagnosis.afterSkipping {
            say("asked after 65,536 sequence numbers were left out", diagnosis.afterSkipping)
        }
        shown = diagnosis
    }

    private func showListening(_ diagnosis: NodeDiagnosis) {
        if let deafness = diagnosis.deafness { return line("listening", "not possible: \(deafness.printable)") }
        var heard =
            diagnosis.proxies == 0 ? "no proxy of the network" : count(diagnosis.proxies, "proxy", plural: "proxies")
        if diagnosis.isIdentityHeard {
            heard += ", \(name) itself" + (diagnosis.identitySignal.map { " (\($0) dBm)" } ?? "")
        }
        if diagnosis.isUnprovisioned { heard += ", \(name) as a device without a network" }
        line("listening", "heard \(heard)")
    }

    private func showOthers(_ others: [NodeDiagnosis.Other]) {
        let answering = others.count { $0.reply == .answered }
        line("others of its subnets", "\(answering) of \(others.count) answer")
        let silent = others.filter { $0.reply != .answered }.map { name(of: $0.node) }
        if answering > 0, !silent.isEmpty { line("", "silent: \(Self.list(silent))") }
        let idle = others.filter { $0.isRelay && $0.isRelaying == false }.map { name(of: $0.node) }
        if !idle.isEmpty { line("", "do not relay, although recorded as relays: \(Self.list(idle))") }
    }

    private func say(_ what: String, _ reply: NodeDiagnosis.Reply) {
        switch reply {
        case .notAsked: line(what, "not asked")
        case .answered: line(what, "answers")
        case .silent: line(what, "no answer")
        case .unreachable(let reason): line(what, reason.printable)
        }
    }

    private func line(_ what: String, _ text: String) {
        guard context.json == nil else { return }
        context.output.line(what.isEmpty ? "    \(text)" : "  \(what): \(text)")
    }

    private func name(of uuid: DeviceUUID) -> String {
        network.nodes.first { $0.uuid == uuid }.map { conversation.name(of: $0) } ?? uuid.description
    }

    private static func list(_ names: [String]) -> String {
        names.prefix(6).joined(separator: ", ") + (names.count > 6 ? " and \(names.count - 6) more" : "")
    }

    // MARK: The cause

    /// Shows the likely cause.
    func finish(_ diagnosis: NodeDiagnosis, _ status: ExitStatus) {
        let (cause, advice) = words(diagnosis)
        if let lines = context.json { return write(diagnosis, cause, advice, status, lines) }
        let style = context.style
        let head = diagnosis.cause == .none ? style(.good, "Result:") : style(.bold, "Likely cause:")
        context.output.line("\(head) \(cause).")
        if let advice { context.output.line("  \(advice)") }
    }

    /// The cause as a clause, and what to do as sentences.
    private func words(_ diagnosis: NodeDiagnosis) -> (cause: String, advice: String?) {
        switch diagnosis.cause {
        case .none: return ("\(name) answers", nil)
        case .reset:
            return (
                "\(name) was reset, and waits to be provisioned", "meshplan apply makes it a node again, as it was."
            )
        case .noProxy:
            return (
                "no proxy of the network is in reach",
                "Go nearer to one, or see that it has power; meshplan scan shows what is heard."
            )
        case .sequenceNumbers:
            return (
                "the nodes have seen higher sequence numbers of ours, because this database is an older copy",
                "Numbers were left out, and the nodes answer again. Keep one database of a network only."
            )
        case .nobodyAnswers:
            return (
                "nobody answers, although there is a link to a proxy",
                "Another database may have used our address with higher sequence numbers; meshplan network iv show "
                    + "tells ours. Otherwise the proxy does not pass messages on: try another one with --proxy."
            )
        case .tooFar:
            return (
                "\(name) is more than \(diagnosis.usualTTL) hops away",
                "Switch relays on or add some on the way, or use a proxy that is nearer."
            )
        case .deviceKey:
            return (
                "\(name) has another device key than the database knows: somebody else has provisioned it again",
                "Reset it by hand, then meshplan node was-reset \(name.shellWord) and meshplan apply."
            )
        case .deaf:
            return (
                "\(name) is there, because it is heard, but does not answer",
                "Switch it off and on; if that does not help, reset it by hand."
            )
        case .relays(let relays):
            let names = relays.map { self.name(of: $0) }
            return (
                "\(name) is out of reach because relays on the way are silent or off: \(Self.list(names))",
                "See that they have power; meshplan refresh and meshplan apply switch relays on again."
            )
        case .off:
            return (
                "\(name) has no power, or is out of reach of every relay",
                "Check its power. If it was reset, meshplan scan near it shows it as a device without a network."
            )
        }
    }

    private func write(
        _ diagnosis: NodeDiagnosis,
        _ cause: String,
        _ advice: String?,
        _ status: ExitStatus,
        _ lines: JSONLines
    ) {
        lines.event([
            "type": "diagnosis", "node": name.json, "node_uuid": node.uuid.description.json,
            "cause": diagnosis.cause.identifier.json, "text": cause.json, "advice": advice?.json,
            "proxies_heard": .integer(diagnosis.proxies), "identity_heard": .bool(diagnosis.isIdentityHeard),
            "unprovisioned": .bool(diagnosis.isUnprovisioned), "usual_ttl": diagnosis.usual.identifier.json,
            "ttl_127": diagnosis.farthest.identifier.json, "application_key": diagnosis.application.identifier.json,
            "after_skipping": diagnosis.afterSkipping.identifier.json,
            "others": .array(
                diagnosis.others.map { other in
                    .object([
                        "node": name(of: other.node).json, "node_uuid": other.node.description.json,
                        "reply": other.reply.identifier.json, "relay": .bool(other.isRelay),
                        "relaying": other.isRelaying.map { .bool($0) },
                    ])
                }
            ),
            "exit_code": .integer(Int(status.rawValue)),
        ])
    }
}

extension NodeDiagnosis.Reply {
    /// The reply, for machines.
    fileprivate var identifier: String {
        switch self {
        case .notAsked: "not_asked"
        case .answered: "answered"
        case .silent: "silent"
        case .unreachable: "unreachable"
        }
    }
}

extension NodeDiagnosis.Cause {
    /// The cause, for machines.
    fileprivate var identifier: String {
        switch self {
        case .none: "none"
        case .reset: "reset"
        case .noProxy: "no_proxy"
        case .sequenceNumbers: "sequence_numbers"
        case .nobodyAnswers: "nobody_answers"
        case .tooFar: "too_far"
        case .deviceKey: "device_key"
        case .relays: "relays"
        case .deaf: "deaf"
        case .off: "off"
        }
    }
}
