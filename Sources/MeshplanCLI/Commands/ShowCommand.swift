import ArgumentParser
import Catalogue
import DefinitionModel
import Definitions
import MeshCore
import Planning
import Store
import SystemLayer

/// `meshplan show`
struct ShowCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the mesh database, one part of it, or a saved plan.",
        discussion: """
            Keys are never shown. --why reads the definition: for a node, it shows each value with the line that sets \
            it and the lines that this one overrides; for a subnet, key or group, it shows the users and the lines \
            that make them users.
            """
    )

    @Argument(
        help: ArgumentHelp(
            """
            node.NAME (or its UUID or address instead of the name), group.NAME (or its address), subnet.NAME, key.NAME, or \
            a saved plan.
            """,
            valueName: "what"
        ),
        completion: Completion.shown
    )
    var what: String?

    @OptionGroup var definition: DefinitionOptions

    @Flag(help: "Show the line of the definition that sets each value.")
    var why = false

    @Flag(help: "Show what speaks for and against the Networked Lighting Control profiles of a node.")
    var nlc = false

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @Flag(help: "Always show the details of every node of a saved plan, even of a large one.")
    var full = false

    @OptionGroup var radio: RadioOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func validate() throws {
        if why, what == nil {
            throw ValidationError("Name what to explain: node.NAME, subnet.NAME, key.NAME or group.NAME.")
        }
        if nlc, why || what?.hasPrefix("node.") != true {
            throw ValidationError("Name the node whose profiles to look at: node.NAME.")
        }
        if !why, let path = definition.paths.first {
            throw ValidationError("Only --why reads a definition; \(path) is one too many.")
        }
    }

    func run(in context: Context) throws -> ExitStatus {
        if why, let what { return try explain(what, in: context) }
        let workspace = Workspace(context: context)
        if let what, SavedPlan.isNamed(by: what, in: context) {
            let (network, sealed) = try SavedPlan.read(what, in: context)
            let database = try workspace.open(network)
            let plan = try SavedPlan.open(sealed, of: network, path: what, database: database)
            let snapshot = try database.snapshot()
            let estimate = try radio.estimator(database).fitting(snapshot).estimate(plan)
            if let lines = context.json {
                PlanJSON(plan: plan, estimate: estimate, digest: plan.digest).write(to: lines)
            } else {
                let view = PlanView(plan: plan, estimate: estimate, style: context.style, isFull: full)
                context.output.write(view.render())
                plan.showDigest(in: context)
                if let line = plan.dependenciesLine { context.output.line(line) }
                let serial = snapshot.serial
                if serial != plan.serial {
                    context.errorOutput.line(
                        "This plan is out of date: it was made at serial \(plan.serial), and the database is at \(serial) now."
                    )
                }
            }
            return .success
        }
        let network = try workspace.only(networks.network)
        let snapshot = try workspace.open(network).snapshot()
        if nlc, let what { return try showLighting(what, of: snapshot, named: network, in: context) }
        try Self.show(what, of: snapshot, named: network, in: context)
        return .success
    }

    /// Shows the state of a database, or one part of it.
    ///
    /// - Throws: ``Failure`` if there is no such part, or if several nodes match.
    static func show(_ what: String?, of snapshot: Snapshot, named network: String, in context: Context) throws(Failure)
    {
        let models = knownModels(for: snapshot.network, in: context)
        let view = ShowView(snapshot.network, serial: snapshot.serial, style: context.style, models: models)
        guard let what else { return overview(of: snapshot, named: network, view, context) }
        let path = ShownPath(what, in: snapshot.network, context: context)
        switch try path.part() {
        case .node(let node):
            context.json?.write(ShowJSON.node(node, in: snapshot.network, models))
            if context.json == nil { context.output.write(view.node(node)) }
        case .group(let group):
            context.json?.write(ShowJSON.group(group, in: snapshot.network))
            if context.json == nil { context.output.write(view.group(group)) }
        case .subnet(let key):
            context.json?.write(ShowJSON.subnet(key, in: snapshot.network))
            if context.json == nil { context.output.write(view.subnet(key)) }
        case .applicationKey(let key):
            context.json?.write(ShowJSON.applicationKey(key, in: snapshot.network))
            if context.json == nil { context.output.write(view.applicationKey(key)) }
        case nil:
            throw Failure(.usage, "there is no `\(what.printable)` in the network `\(network)`", hint: path.hint)
        }
    }

    /// The vendor models that the definition in the working folder describes. Without it they are shown by their
    /// identifiers, and their states in octets.
    private static func knownModels(for network: MeshNetwork, in context: Context) -> KnownModels {
        let hasVendorModels = network.nodes.contains { node in
            node.elements.contains { $0.models.contains { $0.identifier.isVendor } }
        }
        guard hasVendorModels else { return .sig }
        let reading = DefinitionFiles(context: context).readingOfWorkingFolder(tells: false)
        return KnownModels(reading?.vendorModels ?? [])
    }

    /// Compares a node with its profiles of Networked Lighting Control. The definition in the working folder names
    /// them; without one, only what the node claims counts.
    private func showLighting(
        _ what: String,
        of snapshot: Snapshot,
        named name: String,
        in context: Context
    ) throws(Failure) -> ExitStatus {
        let path = ShownPath(what, in: snapshot.network, context: context)
        guard case .node(let node) = try path.part() else {
            throw Failure(.usage, "there is no `\(what.printable)` in the network `\(name)`", hint: path.hint)
        }
        let reading = DefinitionFiles(context: context).readingOfWorkingFolder()
        let definition = reading?.definitions.first { $0.network.value == name }
        let index = definition?.nodes.firstIndex { $0.uuid.value == node.uuid }
        let declared = index.flatMap { definition?.lightingProfiles(ofNode: $0) }?.value.map(\.value)
        let examination = NLCExamination(
            node,
            declared: declared ?? [],
            capacities: snapshot.network.capacities,
            models: definition?.modelNames ?? ModelNames()
        )
        let view = NLCView(name: node.name, examination: examination, style: context.style)
        if let lines = context.json { view.write(to: lines) } else { context.output.write(view.render()) }
        return .success
    }

    private func explain(_ what: String, in context: Context) throws -> ExitStatus {
        let prepared = try PlanningJob(context: context).prepare(definition.paths, network: networks.network)
        let snapshot = try Workspace(context: context).open(prepared.network).snapshot()
        let explainer = Explainer(prepared.definition, network: snapshot.network)
        guard !explainer.hasErrors else {
            let diagnostics = prepared.diagnostics + explainer.diagnostics
            throw InvalidDefinition(diagnostics: diagnostics, files: prepared.files)
        }
        let view = ExplanationView(files: prepared.files, style: context.style)
        if what.hasPrefix("node."), let node = explainer.node(String(what.dropFirst("node.".count))) {
            // The definition means one node; others with the name are mentioned in a note.
            let finder = NodeFinder(context: context, network: snapshot.network, use: .looking)
            _ = try finder.candidate(String(what.dropFirst("node.".count)))
            if let lines = context.json { ExplanationJSON(files: prepared.files).write(node, to: lines) }
            if context.json == nil { context.output.write(view.render(node)) }
        } else if let resource = explainer.resource(what) {
            if let lines = context.json { ExplanationJSON(files: prepared.files).write(resource, to: lines) }
            if context.json == nil { context.output.write(view.render(resource)) }
        } else {
            let path = ShownPath(what, in: snapshot.network, context: context)
            let isRecorded = try path.part() != nil
            let suggestion = path.suggestion(among: explainer.paths)
            throw Failure(
                .usage,
                isRecorded
                    ? "the definition does not mention `\(what)`"
                    : "there is no `\(what)` in the definition of the network `\(prepared.network)`",
                hint: isRecorded
                    ? "It stays as it is; meshplan show \(what) shows what the database knows."
                    : suggestion + "Use node.NAME, subnet.NAME, key.NAME or group.NAME."
            )
        }
        return .success
    }

    private static func overview(of snapshot: Snapshot, named network: String, _ view: ShowView, _ context: Context) {
        guard let lines = context.json else {
            context.output.write(view.overview(nodeName: network))
            if !snapshot.unresolved.isEmpty {
                let number = count(snapshot.unresolved.count, "request")
                context.output.line(
                    "\n\(number) of an earlier run may or may not have arrived; apply reads back first."
                )
            }
            return
        }
        lines.write([
            "type": "network", "network": network.json, "name": snapshot.network.name.json,
            "title": snapshot.network.titles[.network]?.json,
            "uuid": snapshot.network.uuid.hyphenated.json, "serial": .integer(Int(clamping: snapshot.serial)),
            "iv_index": .integer(Int(snapshot.network.ivIndex.value)), "in_doubt": .integer(snapshot.unresolved.count),
        ])
        for key in snapshot.network.netKeys { lines.write(ShowJSON.subnet(key, in: snapshot.network)) }
        for key in snapshot.network.appKeys { lines.write(ShowJSON.applicationKey(key, in: snapshot.network)) }
        for group in snapshot.network.groups { lines.write(ShowJSON.group(group, in: snapshot.network)) }
        for node in snapshot.network.nodes { lines.write(ShowJSON.node(node, in: snapshot.network, view.known)) }
        for pending in snapshot.network.pendingProvisionings { lines.write(ShowJSON.pendingProvisioning(pending)) }
        for pending in snapshot.network.sortedPendingReprovisions { lines.write(ShowJSON.pendingReprovision(pending)) }
        for retired in snapshot.network.retiredNodes {
            lines.write(ShowJSON.retiredNode(retired, in: snapshot.network))
        }
    }
}
