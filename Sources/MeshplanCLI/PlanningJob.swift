internal import Definitions
internal import MeshCore
internal import Planning
internal import Store

/// What `plan` and `apply` have in common: definition and snapshot → plan, with all that is to be said on the way.
struct PlanningJob {
    /// The effects.
    var context: Context

    /// A definition that was read.
    struct Prepared {
        var context: Context
        var definition: Definition
        var files: SourceFiles
        /// What the reader had to say; no errors.
        var diagnostics: [Diagnostic]

        /// The name of the network.
        var network: String { definition.network.value }
    }

    /// Reads the definition of one network.
    func prepare(_ paths: [String], network: String?) throws -> Prepared {
        let (definitions, diagnostics, files) = try DefinitionFiles(context: context).load(paths)
        return Prepared(
            context: context,
            definition: try definitions.selected(network).resolvingKeyFiles(in: files),
            files: files,
            diagnostics: diagnostics
        )
    }
}

extension PlanningJob.Prepared {
    /// Plans against a snapshot and shows what is worth knowing of the definition.
    ///
    /// - Throws: ``InvalidDefinition`` if the definition does not fit the network, with the status of a refusal where a
    ///   guard has said no.
    func plan(_ snapshot: Snapshot) throws -> Plan {
        var generator = context.randomNumbers
        let result = Planner.plan(
            definition: definition,
            network: snapshot.network,
            base: (snapshot.lineage, snapshot.serial),
            identifier: Octets16(high: generator.next(), low: generator.next())
        )
        let all = diagnostics + result.diagnostics
        guard let plan = result.plan else {
            throw InvalidDefinition(
                diagnostics: all,
                files: files,
                status: result.refusals.isEmpty ? .invalidInput : .refused
            )
        }
        if let lines = context.json {
            lines.write(all, files: files)
        } else {
            context.errorOutput.write(DiagnosticView(files: files, style: context.errorStyle).render(all))
        }
        return plan
    }

    /// Shows a plan.
    ///
    /// - Parameter unresolved: requests of earlier runs of which nobody knows whether they arrived.
    func show(_ plan: Plan, unresolved: Int, isFull: Bool) {
        var shown = plan
        if unresolved > 0 {
            shown.notes.append(
                unresolved == 1
                    ? "1 request of an earlier run may have arrived or not; apply reads it back first."
                    : "\(unresolved) requests of an earlier run may have arrived or not; apply reads them back first."
            )
        }
        if let lines = context.json {
            PlanJSON(plan: shown).write(to: lines)
        } else {
            context.output.write(PlanView(plan: shown, style: context.style, isFull: isFull).render())
        }
    }
}
