internal import Definitions
internal import MeshCore
internal import Planning
internal import Store

/// What `plan` and `apply` have in common: definition and snapshot → plan, with all that is to be said on the way.
struct PlanningJob {
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
        try prepare(try DefinitionFiles(context: context).read(paths), network: network)
    }

    /// Reads the definition of one network from texts.
    ///
    /// - Parameter wasApplied: whether they were applied before and cannot be edited, so that a selector that selects nobody
    ///   is left to a guard.
    func prepare(_ files: SourceFiles, network: String?, wasApplied: Bool = false) throws -> Prepared {
        let (definitions, diagnostics) = try DefinitionFiles.load(files, toleratesEmptySelectors: wasApplied)
        return Prepared(
            context: context,
            definition: try definitions.selected(network).resolvingKeyFiles(in: files),
            files: files,
            diagnostics: diagnostics
        )
    }
}

/// A plan that was made now, and what guards have against it.
struct PlannedJob {
    /// The plan.
    var plan: Plan
    /// An error for each refusal.
    var refusals: [Diagnostic]
    /// The texts that they point into.
    var files: SourceFiles
    /// What was warned of before the plan was shown.
    var warnings: [Diagnostic] = []

    /// Whether a guard refuses the plan.
    var isRefused: Bool { !refusals.isEmpty }

    /// Repeats the warnings, which a long plan has carried out of sight, and ends the command if a guard refuses the plan;
    /// the plan is to be shown before.
    ///
    /// - Throws: ``InvalidDefinition`` with the status of a refusal.
    func checkGuards(in context: Context) throws {
        if context.json == nil {
            context.output.write(DiagnosticView(files: files, style: context.style).reminder(of: warnings))
        }
        guard isRefused else { return }
        throw InvalidDefinition(diagnostics: refusals, files: files, status: .refused)
    }
}

extension PlanningJob.Prepared {
    /// Plans against a snapshot and shows what is worth knowing of the definition.
    ///
    /// - Throws: ``InvalidDefinition`` if the definition does not fit the network.
    func plan(_ snapshot: Snapshot, options: PlannerOptions) throws -> PlannedJob {
        let problems = options.selection.problems(definition: definition, network: snapshot.network)
        guard problems.isEmpty else { throw InvalidDefinition(diagnostics: problems, files: files, status: .usage) }
        var generator = context.randomNumbers
        let result = Planner.plan(
            definition: definition,
            network: snapshot.network,
            base: (snapshot.lineage, snapshot.serial),
            identifier: Octets16(high: generator.next(), low: generator.next()),
            options: options
        )
        guard let plan = result.plan else {
            throw InvalidDefinition(diagnostics: diagnostics + result.diagnostics, files: files)
        }
        let refusals = result.diagnostics.filter { $0.severity == .error }
        let others =
            diagnostics + result.diagnostics.filter { $0.severity != .error }
            + MissingSources(context, paths: .ofWorkingFolder).warnings(of: plan, definition)
        if let lines = context.json {
            lines.write(others, files: files)
        } else {
            context.errorOutput.write(DiagnosticView(files: files, style: context.errorStyle).render(others))
        }
        return PlannedJob(
            plan: plan,
            refusals: refusals,
            files: files,
            warnings: others.filter { $0.severity == .warning }.arranged()
        )
    }

    /// Shows a plan.
    ///
    /// - Parameters:
    ///   - unresolved: requests of earlier runs of which nobody knows whether they arrived.
    ///   - estimator: tells how long it will take.
    func show(_ plan: Plan, unresolved: Int, estimator: PlanEstimator, isFull: Bool) {
        show(plan, unresolved: unresolved, estimator: estimator, isFull: isFull, in: context)
    }
}

extension Plan {
    /// Writes by which digits the plan can be approved elsewhere, if it can be applied.
    func showDigest(in context: Context) {
        guard !isEmpty, refusals.isEmpty, let digest else { return }
        context.output.line("Digest: \(digest)")
    }
}
