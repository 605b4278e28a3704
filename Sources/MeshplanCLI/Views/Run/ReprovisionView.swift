import Execution
import MeshCore
import Planning
import Store
import SystemLayer

/// Shows a `reprovision`, as text or JSON, whichever the command should write.
struct ReprovisionView {
    let context: Context
    let name: String
    private let node: DeviceUUID
    private let reporter: ApplyReporter

    init(context: Context, name node: Node, reporter: ApplyReporter) {
        self.context = context
        name = node.name.printable
        self.node = node.uuid
        self.reporter = reporter
    }

    // MARK: Before

    func show(_ plan: ReprovisionPlan, in network: MeshNetwork) {
        if let lines = context.json {
            lines.write([
                "type": "reprovision_plan", "network": network.name.json, "node": plan.name.json,
                "node_uuid": node.description.json, "procedure": plan.procedure.identifier.json,
                "address": Address(rawValue: plan.before.lowerBound).description.json,
                "elements": .integer(plan.before.count),
                "new_address": plan.before == plan.after
                    ? nil : Address(rawValue: plan.after.lowerBound).description.json,
                "new_elements": plan.before == plan.after ? nil : .integer(plan.after.count),
                "subnet": .integer(Int(plan.netKeyIndex.rawValue)),
                "publishers": names(plan.references.publishers), "heartbeats": names(plan.references.heartbeats),
                "bridges": names(plan.references.bridges),
            ])
            return
        }
        let style = context.style
        let sign = plan.procedure == .deviceKeyRefresh ? style(.update, "~") : style(.update, "-/+")
        context.output.line("\(style(.bold, "Reprovision")) in network \(style(.bold, network.name.printable))")
        context.output.line()
        context.output.line("\(sign) \(style(.bold, name))  \(addresses(plan.before))  \(plan.procedure.name)")
        for line in details(plan) { context.output.line("    " + line) }
        context.output.line()
    }

    private func details(_ plan: ReprovisionPlan) -> [String] {
        var lines = ["device key: a new one; the present one is kept until the node has answered with the new one"]
        switch plan.procedure {
        case .deviceKeyRefresh: lines.append("all else stays as it is")
        case .nodeCompositionRefresh:
            lines.append(
                "composition: what the node has prepared (page 128); models that stay keep their configuration"
            )
        case .nodeAddressRefresh:
            lines.append("addresses: \(addresses(plan.before)) -> \(addresses(plan.after))")
            lines.append(
                "keeps its network and application keys; the next apply restores the rest of its configuration"
            )
            let references = plan.references
            for (names, one, many) in [
                (references.publishers, "publishes to it", "publish to it"),
                (references.heartbeats, "names it in heartbeats", "name it in heartbeats"),
                (references.bridges, "names it in its bridging table", "name it in bridging tables"),
            ] where !names.isEmpty {
                let (does, stays) = names.count == 1 ? (one, "stays") : (many, "stay")
                lines.append("\(list(names)) \(does) and \(stays) as recorded until the next apply")
            }
        }
        lines.append("through its own Remote Provisioning Server, over the network")
        return lines
    }

    func explanation(of plan: ReprovisionPlan) -> String {
        switch plan.procedure {
        case .deviceKeyRefresh: "meshplan will give the node a new device key."
        case .nodeAddressRefresh: "meshplan will give the node a new device key and move it to other addresses."
        case .nodeCompositionRefresh:
            "meshplan will give the node a new device key and have it take on its new composition."
        }
    }

    // MARK: After

    /// Reports what became of an earlier attempt.
    func settled(_ outcome: ReprovisionOutcome, _ procedure: NodeProvisioningProcedure) {
        reporter.terminal.show(status: nil)
        switch outcome {
        case .reprovisioned: reporter.handle(.reprovisionSettled(node, procedure, tookEffect: true))
        case .unchanged: reporter.handle(.reprovisionSettled(node, procedure, tookEffect: false))
        case .unresolved, .unreachable, .unanswered, .stopped: explain(outcome)
        }
    }

    func show(_ outcome: ReprovisionOutcome, of plan: ReprovisionPlan, in network: MeshNetwork) {
        reporter.terminal.show(status: nil)
        guard case .reprovisioned(let result, let newAuthentication) = outcome else { return explain(outcome) }
        let before = result.former.node
        let isMoved = before.unicastAddress != result.node.unicastAddress
        let end = isMoved ? network.exclusionEnd(of: before.unicastAddress) : nil
        if let lines = context.json {
            lines.event([
                "type": "reprovisioned", "node": plan.name.json, "node_uuid": node.description.json,
                "procedure": plan.procedure.identifier.json, "address": result.node.unicastAddress.description.json,
                "elements": .integer(result.node.addresses.count),
                "authenticated": newAuthentication.map { .bool($0.assurance > .nothing) },
                "former_address": isMoved ? before.unicastAddress.description.json : nil,
                "former_free_from_iv_index": end.map { .integer(Int($0)) },
                "dropped_models": result.droppedModels.isEmpty
                    ? nil
                    : .array(
                        result.droppedModels.map {
                            .object(["element": .integer(Int($0.element)), "model": $0.model.name.json])
                        }
                    ),
            ])
            return
        }
        // The session was secured by the node's DeviceKey, so a value that is only claimed leaves no doubt about it.
        let authentication = newAuthentication?.assurance == .nothing ? ", not authenticated" : ""
        switch plan.procedure {
        case .deviceKeyRefresh: context.output.line("\(name) has a new device key\(authentication).")
        case .nodeAddressRefresh:
            let free =
                end.map { "; \(addresses(before.addresses)) can be given out again from IV index \($0) on" } ?? ""
            context.output.line("\(name) is at \(addresses(result.node.addresses)) now\(authentication)\(free).")
        case .nodeCompositionRefresh:
            let models = result.node.elements.reduce(0) { $0 + $1.models.count }
            let version = result.node.product.map { ", version \($0.version)" } ?? ""
            context.output.line(
                "\(name) has activated its new composition\(authentication): "
                    + "\(count(models, "model")) on \(count(result.node.elements.count, "element"))\(version)."
            )
        }
        for model in result.droppedModels {
            context.output.line("  gone with its configuration: element[\(model.element)].\(model.model.name)")
        }
        guard plan.procedure != .deviceKeyRefresh else { return }
        context.output.line("Next: meshplan plan shows what to configure now, including nodes that refer to it.")
    }

    private func explain(_ outcome: ReprovisionOutcome) {
        guard let failure = failure(of: outcome) else { return }
        FailureView(context).show(failure)
    }

    private func failure(of outcome: ReprovisionOutcome) -> Failure? {
        switch outcome {
        case .reprovisioned: return nil
        case .unchanged(let problem):
            return Failure(.failure, "\(name) is unchanged: \(problem)", hint: hint(problem))
        case .unresolved(let reason, let hint):
            return Failure(
                .partial,
                "it is not known whether \(name) has its new device key" + (reason.map { ": \($0)" } ?? ""),
                hint: (hint.map { $0.worded.asSentence + " " } ?? "")
                    + "Both are kept. Check that the node has power and run the command again, which finds out first."
            )
        case .unanswered:
            return Failure(
                .partial,
                "\(name) does not answer; nothing has changed",
                hint: "Check that it has power and that other nodes relay messages to it."
            )
        case .unreachable(let reason, let hint):
            return Failure(.failure, "\(name) cannot be reached: \(reason)", hint: hint?.worded)
        case .stopped(.interrupted): return Failure(.interrupted, "interrupted; \(name) is unchanged")
        case .stopped(let ending): return Failure(ending: ending) ?? Failure(.failure, "\(name) was not reprovisioned")
        }
    }

    private func hint(_ problem: ReprovisionProblem) -> String {
        problem.advice.worded.asSentence
    }

    func status(of outcome: ReprovisionOutcome) -> ExitStatus { failure(of: outcome)?.status ?? .success }

    /// The last line for machines.
    func finish(_ status: ExitStatus) {
        context.json?.write(["type": "summary", "exit_code": .integer(Int(status.rawValue))])
    }

    // MARK: Words

    private func addresses(_ range: ClosedRange<UInt16>) -> String {
        let first = Address(rawValue: range.lowerBound).description
        return range.count == 1 ? first : "\(first) to \(Address(rawValue: range.upperBound))"
    }

    private func list(_ names: [String]) -> String {
        let few = names.prefix(5).map(\.printable).joined(separator: ", ")
        return names.count > 5 ? few + " and \(names.count - 5) more" : few
    }

    private func names(_ names: [String]) -> JSONValue? {
        names.isEmpty ? nil : .array(names.map(\.json))
    }
}

/// Sentences about reprovisioning nodes.
enum ReprovisionText {
    /// What was found out about an earlier attempt that did not finish.
    static func settled(_ name: String, _ procedure: NodeProvisioningProcedure, _ tookEffect: Bool?) -> String {
        switch tookEffect {
        case true: "\(name): the \(procedure.name) of an earlier run has taken effect"
        case false: "\(name): the \(procedure.name) of an earlier run has not taken effect"
        case nil: "\(name): does not answer, so it is not known yet whether its \(procedure.name) has taken effect"
        }
    }
}

extension NodeProvisioningProcedure {
    /// The name for machines.
    var identifier: String {
        switch self {
        case .deviceKeyRefresh: "device_key_refresh"
        case .nodeAddressRefresh: "node_address_refresh"
        case .nodeCompositionRefresh: "node_composition_refresh"
        }
    }
}
