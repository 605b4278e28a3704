import Catalogue
import DefinitionModel
import Definitions
import MeshCore
import Planning
import Store
import SystemLayer

/// The common part of `plan` and `apply`: makes a plan from a definition and a snapshot, and shows the diagnostics.
struct PlanningJob {
    var context: Context

    /// A definition that has been read.
    struct Prepared {
        var context: Context
        var definition: Definition
        var files: SourceFiles
        /// The diagnostics of the reader, without errors.
        var diagnostics: [Diagnostic]

        var vendorModels: [VendorModel]

        /// What it leads back to if it is a former definition; nil otherwise.
        var returnGoal: ReturnGoal?

        var network: String { definition.network.value }
    }

    /// Reads the definition of one network from files and folders.
    ///
    /// - Throws: ``InvalidDefinition`` if it has errors; ``Failure`` or ``FileError`` if it cannot be found or read.
    func prepare(_ paths: [String], network: String?) throws -> Prepared {
        try prepared(try DefinitionFiles(context: context).reading(paths), network: network)
    }

    /// Reads the definition of one network from files and folders, where commands work without one, too.
    ///
    /// - Returns: nil if no path is given and the current folder has no definition.
    /// - Throws: the same as reading what must be there.
    func prepareIfPresent(_ paths: [String], network: String?) throws -> Prepared? {
        if paths.isEmpty {
            let names = try Files.names(inFolder: context.workingDirectory, as: ".")
            if DefinitionPaths.definitionFiles(among: names).isEmpty { return nil }
        }
        return try prepare(paths, network: network)
    }

    /// Reads the definition of one network from texts.
    ///
    /// - Parameter wasApplied: whether the texts were applied before and cannot be edited. A selector that matches
    ///   nothing is then left to a guard.
    /// - Throws: ``InvalidDefinition`` if the texts have errors; ``Failure`` if the network cannot be chosen.
    func prepare(_ files: SourceFiles, network: String?, wasApplied: Bool = false) throws -> Prepared {
        try prepared(try DefinitionFiles.load(files, toleratesEmptySelectors: wasApplied), network: network)
    }

    private func prepared(_ reading: DefinitionReading, network: String?) throws(Failure) -> Prepared {
        Prepared(
            context: context,
            definition: try reading.definitions.selected(network).resolvingKeyFiles(in: reading.files),
            files: reading.files,
            diagnostics: reading.diagnostics,
            vendorModels: reading.vendorModels
        )
    }
}

/// A new plan, and the objections of guards.
struct PlannedJob {
    var plan: Plan
    var refusals: [Diagnostic]
    /// The files that the diagnostics point into.
    var files: SourceFiles
    /// The warnings that were shown before the plan.
    var warnings: [Diagnostic]

    /// A plan with notes in the words of this program, as a saved plan keeps them.
    init(plan: Plan, refusals: [Diagnostic], files: SourceFiles, warnings: [Diagnostic] = []) {
        self.plan = plan
        self.plan.notes = plan.notes.map { Advice($0.worded) }
        self.refusals = refusals
        self.files = files
        self.warnings = warnings
    }

    var isRefused: Bool { !refusals.isEmpty }

    /// What ends the command if a guard refuses the plan, with ``ExitStatus/refused``.
    var refusal: InvalidDefinition { InvalidDefinition(diagnostics: refusals, files: files, status: .refused) }

    /// Repeats the warnings, which a long plan has pushed out of sight. Show the plan before.
    func remind(in context: Context) {
        guard context.json == nil else { return }
        context.output.write(DiagnosticView(files: files, style: context.style).reminder(of: warnings))
    }

    /// Repeats the warnings, and ends the command if a guard refuses the plan. Show the plan before.
    ///
    /// - Throws: ``InvalidDefinition`` with ``ExitStatus/refused`` if a guard refuses.
    func checkGuards(in context: Context) throws {
        remind(in: context)
        if isRefused { throw refusal }
    }
}

extension PlanningJob.Prepared {
    /// Checks that the nodes, groups, subnets and tags exist to which the plan is limited.
    func checkNames(in network: MeshNetwork, options: PlannerOptions) throws {
        let problems =
            options.selection.problems(definition: definition, network: network)
            + (options.removal?.problems(definition: definition, network: network) ?? [])
        guard problems.isEmpty else { throw InvalidDefinition(diagnostics: problems, files: files, status: .usage) }
    }

    func plan(_ snapshot: Snapshot, options: PlannerOptions) throws -> PlannedJob {
        try checkNames(in: snapshot.network, options: options)
        var generator = context.randomNumbers
        let result = Planner.plan(
            definition: definition,
            network: snapshot.network,
            base: (snapshot.lineage, snapshot.serial),
            identifier: Octets16(high: generator.next(), low: generator.next()),
            options: options
        )
        guard var plan = result.plan else {
            throw InvalidDefinition(diagnostics: diagnostics + result.diagnostics, files: files)
        }
        plan.scope?.options = options.selection.options
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

    func show(_ plan: Plan, unresolved: Int, estimator: PlanEstimator, isFull: Bool) {
        show(plan, unresolved: unresolved, estimator: estimator, isFull: isFull, in: context)
    }
}

extension Plan {
    /// Writes the digest, for approval elsewhere, if the plan can be applied.
    func showDigest(in context: Context) {
        guard !isEmpty, refusals.isEmpty, let digest else { return }
        context.output.line("Digest: \(digest)")
    }
}
