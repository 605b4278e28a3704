internal import ArgumentParser
internal import MeshCore
internal import Planning
internal import Store

/// `meshplan show`
struct ShowCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the mesh database, one node or group of it, or a saved plan.",
        discussion: """
            Keys are never shown. With --why the definition is read, and each value of a node is shown with the line that \
            sets it and those that it overrides; of a subnet, key or group, who uses it and which lines say so.
            """
    )

    @Argument(
        help: ArgumentHelp(
            """
            node.NAME (or its UUID or address instead of the name), group.NAME (or its address), or a saved plan; \
            with --why also subnet.NAME and key.NAME.
            """,
            valueName: "what"
        )
    )
    var what: String?

    @OptionGroup var definition: DefinitionOptions

    @Flag(help: "Tell which line of the definition sets each value.")
    var why = false

    @OptionGroup var networks: NetworkOptions

    @Flag(help: "Of a saved plan, show the details of each node however many there are.")
    var full = false

    @OptionGroup var radio: RadioOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func validate() throws {
        if why, what == nil {
            throw ValidationError("Say what is to be explained: node.NAME, subnet.NAME, key.NAME or group.NAME.")
        }
        if !why, let path = definition.paths.first {
            throw ValidationError("Only --why reads a definition; \(path) is one too many.")
        }
    }

    func run(in context: Context) throws -> ExitStatus {
        if why, let what { return try explain(what, in: context) }
        let workspace = Workspace(context: context)
        if let what, SavedPlan.isMeant(by: what, in: context) {
            let (network, sealed) = try SavedPlan.read(what, in: context)
            let database = try workspace.open(network)
            let plan = try SavedPlan.open(sealed, of: network, path: what, database: database)
            let snapshot = try database.snapshot()
            let estimate = try radio.estimator(database).relaying(in: snapshot.network).estimate(plan)
            if let lines = context.json {
                PlanJSON(plan: plan, estimate: estimate, digest: plan.digest).write(to: lines)
            } else {
                let view = PlanView(plan: plan, estimate: estimate, style: context.style, isFull: full)
                context.output.write(view.render())
                plan.showDigest(in: context)
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
        try Self.show(what, of: snapshot, named: network, in: context)
        return .success
    }

    /// Shows the state of a database, or one node or group of it.
    static func show(_ what: String?, of snapshot: Snapshot, named network: String, in context: Context) throws(Failure)
    {
        let view = ShowView(snapshot.network, serial: snapshot.serial, style: context.style)
        guard let what else { return overview(of: snapshot, named: network, view, context) }
        if let node = snapshot.network.node(what) {
            context.json?.write(ShowJSON.node(node))
            if context.json == nil { context.output.write(view.node(node)) }
        } else if let group = snapshot.network.group(what) {
            context.json?.write(ShowJSON.group(group))
            if context.json == nil { context.output.write(view.group(group)) }
        } else {
            throw Failure(
                .usage,
                "there is no `\(what)` in the network `\(network)`",
                hint: "Say node.NAME, group.NAME or the path of a saved plan; meshplan show lists what there is."
            )
        }
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
            if let lines = context.json { ExplanationJSON(files: prepared.files).write(node, to: lines) }
            if context.json == nil { context.output.write(view.render(node)) }
        } else if let resource = explainer.resource(what) {
            if let lines = context.json { ExplanationJSON(files: prepared.files).write(resource, to: lines) }
            if context.json == nil { context.output.write(view.render(resource)) }
        } else {
            let isRecorded = snapshot.network.node(what) != nil || snapshot.network.group(what) != nil
            let suggestion = Suggestion.nearest(to: what, among: explainer.paths).map { "Did you mean `\($0)`? " } ?? ""
            throw Failure(
                .usage,
                isRecorded
                    ? "the definition says nothing of `\(what)`"
                    : "there is no `\(what)` in the definition of the network `\(prepared.network)`",
                hint: isRecorded
                    ? "It is left as it is; meshplan show \(what) tells what the database knows."
                    : suggestion + "Say node.NAME, subnet.NAME, key.NAME or group.NAME."
            )
        }
        return .success
    }

    private static func overview(of snapshot: Snapshot, named network: String, _ view: ShowView, _ context: Context) {
        guard let lines = context.json else {
            context.output.write(view.overview(nodeName: network))
            if !snapshot.unresolved.isEmpty {
                let number = count(snapshot.unresolved.count, "request")
                context.output.line("\n\(number) of an earlier run may have arrived or not; apply reads back first.")
            }
            return
        }
        lines.write([
            "type": "network", "network": network.json, "name": snapshot.network.name.json,
            "uuid": snapshot.network.uuid.hyphenated.json, "serial": .integer(Int(clamping: snapshot.serial)),
            "iv_index": .integer(Int(snapshot.network.ivIndex.value)), "in_doubt": .integer(snapshot.unresolved.count),
        ])
        for key in snapshot.network.netKeys { lines.write(ShowJSON.subnet(key)) }
        for key in snapshot.network.appKeys { lines.write(ShowJSON.applicationKey(key)) }
        for group in snapshot.network.groups { lines.write(ShowJSON.group(group)) }
        for node in snapshot.network.nodes { lines.write(ShowJSON.node(node)) }
        for pending in snapshot.network.pendingProvisionings { lines.write(ShowJSON.pendingProvisioning(pending)) }
        for pending in snapshot.network.sortedPendingRefreshes { lines.write(ShowJSON.pendingRefresh(pending)) }
        for retired in snapshot.network.retiredNodes {
            lines.write(ShowJSON.retiredNode(retired, in: snapshot.network))
        }
    }
}

extension MeshNetwork {
    /// The node that `node.NAME`, `node.UUID` or `node.ADDRESS` means.
    func node(_ text: String) -> Node? {
        guard text.hasPrefix("node.") else { return nil }
        return node(named: String(text.dropFirst("node.".count)))
    }

    /// The node with a name, UUID or address of an element.
    func node(named name: String) -> Node? {
        if let node = nodes.first(where: { $0.name == name }) { return node }
        if let uuid = DeviceUUID(name), let node = nodes.first(where: { $0.uuid == uuid }) { return node }
        guard name.hasPrefix("0x"), let address = UInt16(name.dropFirst(2), radix: 16) else { return nil }
        return nodes.first { $0.addresses.contains(address) }
    }

    /// The group that `group.NAME` or `group.ADDRESS` means.
    func group(_ text: String) -> Group? {
        guard text.hasPrefix("group.") else { return nil }
        let name = String(text.dropFirst("group.".count))
        return groups.first { $0.name == name }
            ?? groups.first { $0.address.description.lowercased() == name.lowercased() }
    }
}
