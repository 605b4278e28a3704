import ArgumentParser
import DefinitionModel
import MeshCore
import Planning
import Store
import SystemLayer

/// `meshplan import`
struct ImportCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Create a mesh database from another tool's configuration database.",
        discussion: """
            Reads the JSON of the Mesh Configuration Database Profile, which other provisioners export, and adds a \
            separate provisioner for meshplan, so that no sequence number is used twice. Deviations from the format \
            are repaired and listed if their meaning is clear. An existing database is never overwritten; the same import \
            again goes on where it was cut short.

            Other programs write some values in their own ways: steps for milliseconds, repetitions counted from 0, \
            numbers for hexadecimal digits. meshplan recognises these by several marks. If a value is ambiguous, it \
            refuses the file and lists both meanings. --lint lists who wrote the file, every repair, what the import \
            adds, warnings and everything that is refused, by JSON pointer, and changes nothing; it exits with 0 for a \
            file without repairs, 9 for one with repairs, and 65 for one that cannot be imported. --strict refuses a \
            file that needs a repair.

            --write-definition also writes a definition of the network, DIR/NAME.yaml, which then manages it: nodes \
            with equal settings share a profile, rooms or the like become a module as with meshplan adopt, and the \
            next plan is empty. Values that a definition cannot express are listed and left alone. No key is written.
            """
    )

    @Option(
        help: ArgumentHelp("The JSON file.", valueName: "file"),
        completion: Completion.files
    )
    var cdb: String

    @Option(
        help: ArgumentHelp(
            "The network's name. (default: that in the definition in the current folder, or else the name in the file)",
            valueName: "name"
        )
    )
    var network: String?

    @Option(
        help: ArgumentHelp("Also write a definition of the network into this folder.", valueName: "dir"),
        completion: Completion.folders
    )
    var writeDefinition: String?

    @Flag(help: "Replace an existing definition file.")
    var overwrite = false

    @Flag(help: "With --write-definition: write every node by itself, without modules.")
    var flat = false

    @Flag(help: "Only list the necessary repairs and the reasons for refusal; works without init.")
    var lint = false

    @Flag(help: "Refuse a file that needs a repair.")
    var strict = false

    @Option(
        help: ArgumentHelp(
            "Whether intervals that may be steps of 10 ms or milliseconds are steps, in old exports of nRF Mesh for Android: "
                + "yes or no. (default: as the file shows; one that leaves it open is refused)",
            valueName: "yes/no"
        )
    )
    var intervalSteps: IntervalSteps?

    /// An answer to what some files leave open.
    enum IntervalSteps: String, ExpressibleByArgument, CaseIterable {
        case yes, no
    }

    @OptionGroup var format: FormatOptions

    @OptionGroup var store: StoreOptions

    var writesJSON: Bool { format.json }

    var storeAccess: StoreAccess { store.access }

    /// The most repairs to list.
    private static let limit = 50

    func run(in context: Context) throws -> ExitStatus {
        if let network { try Workspace.check(network) }
        guard !overwrite || writeDefinition != nil else {
            throw Failure(.usage, "--overwrite needs --write-definition", hint: "Give both, or none.")
        }
        guard !flat || writeDefinition != nil else {
            throw Failure(.usage, "--flat needs --write-definition", hint: "Give both, or none.")
        }
        guard !lint || (writeDefinition == nil && network == nil) else {
            throw Failure(.usage, "--lint changes nothing", hint: "Omit --network and --write-definition.")
        }
        guard lint || !format.json else {
            throw Failure(.usage, "--json needs --lint", hint: "Give both, or none.")
        }
        let bytes = try context.read(cdb, limit: 256 << 20)
        let inspection: CDBInspection
        do {
            inspection = try CDBImport.inspect(bytes, intervalsAreSteps: intervalSteps.map { $0 == .yes })
        } catch {
            throw StoreError(error.code, error.message, hint: error.hint, path: cdb)
        }
        let taken = try inspection.document.map { try withOurs($0, context) }
        let view = CDBInspectionView(
            inspection: inspection,
            joining: taken.map { .init($0.document, $0.network) },
            file: cdb,
            isStrict: strict
        )
        if taken != nil, !format.json {
            for (message, hint) in GitIgnore.exposure(cdb, of: "keys", in: context) {
                FailureView(context).warn(message, hint: hint)
            }
        }
        if lint { return view.show(in: context) }
        if strict, inspection.document != nil, !view.repairs.isEmpty {
            view.listRepairs(in: context)
            throw Failure(
                .invalidInput,
                "\(cdb.printable): the file needs \(count(view.repairCount, "repair")), which --strict refuses",
                hint: "Omit --strict, or correct the file."
            )
        }
        guard let taken else {
            do {
                _ = try inspection.accepted()
            } catch {
                let answer = inspection.refusals.first?.question.map { Advice(CDBInspectionView.answer($0)) }
                let hint = answer ?? error.hint
                throw StoreError(error.code, error.message, hint: hint, path: cdb)
            }
            throw Failure(.invalidInput, "\(cdb.printable): nothing was read", hint: "Export it again.")
        }
        var joined = taken.network
        let document = taken.document
        let name = network ?? defaultName(document, context)
        let workspace = Workspace(context: context)
        let path = try workspace.databaseName(name)
        try workspace.checkKey()
        let isThere = try workspace.isThere(name)
        let existing = Failure(
            .failure,
            "there is a database of the network `\(name)` already",
            hint: "Give the import another name with --network NAME"
                + (try workspace.sharedStore() == nil ? ", or move \(path) away." : ".")
        )
        let fresh = isThere ? try untouched(name, workspace) : nil
        guard !isThere || fresh?.uuid == joined.uuid else { throw existing }
        let written = try writeDefinition.map { folder in
            try WrittenDefinition(
                of: joined,
                named: name,
                in: folder,
                overwrites: overwrite,
                isFlat: flat,
                goesOn: true,
                source: "the configuration database of \(document.network.name)",
                context
            )
        }
        if let written { joined = written.network }
        // The same import, which could not tell that it had succeeded.
        if let fresh {
            guard fresh.isWithoutOwn(asIn: joined) else { throw existing }
            joined = fresh
        }
        FailureView(context).show(GitIgnore.keepOut(cdb, context).filter { $0.severity == .note })
        try written?.write()
        if isThere {
            context.output.line("The database holds this import already.")
        } else {
            do {
                _ = try workspace.create(name, network: joined, extras: document.extras)
            } catch {
                try written?.withdraw()
                throw error
            }
        }
        report(document, joined, name: name, path: path, context)
        written?.report()
        context.output.line("Next: meshplan plan" + (written.map(\.planArgument) ?? "") + workspace.stateOption)
        return .success
    }

    /// The network of a database to which nothing was done since it was made; nil if something was.
    private func untouched(_ name: String, _ workspace: Workspace) throws -> MeshNetwork? {
        let database = try workspace.open(name)
        guard try database.history().entries.isEmpty else { return nil }
        workspace.context.session.follow(database)
        return try database.snapshot().network
    }

    /// The definition in the current folder that an import will belong to.
    private func definition(_ context: Context) -> Definition? {
        guard let definitions = try? DefinitionFiles(context: context).load([]).definitions else { return nil }
        let chosen = network ?? (definitions.count == 1 ? definitions[0].network.value : nil)
        return definitions.first { $0.network.value == chosen }
    }

    /// A network of ours as the definition beside it manages it, if that changes nothing on any node.
    private func managed(_ network: MeshNetwork, by definition: Definition) -> MeshNetwork {
        let result = Planner.plan(
            definition: definition,
            network: network,
            base: (lineage: Octets16(high: 0, low: 0), serial: 0),
            identifier: Octets16(high: 0, low: 0)
        )
        guard let plan = result.plan, plan.refusals.isEmpty else { return network }
        return network.recording(plan) ?? network
    }

    /// The network of a document, with our provisioner added.
    private func withOurs(
        _ document: CDBDocument,
        _ context: Context
    ) throws(StoreError) -> (document: CDBDocument, network: MeshNetwork) {
        var generator = context.randomNumbers
        var document = document
        // Lint tells of the file alone.
        let definition = lint ? nil : definition(context)
        if let definition { document.network = document.network.named(as: definition) }
        do {
            let joined = try document.joined(using: &generator)
            guard let definition, document.dialect == .meshplan else { return (document, joined) }
            return (document, managed(joined, by: definition))
        } catch {
            throw StoreError(error.code, error.message, hint: error.hint, path: cdb)
        }
    }

    private func defaultName(_ document: CDBDocument, _ context: Context) -> String {
        if let definitions = try? DefinitionFiles(context: context).load([]).definitions, definitions.count == 1,
            let name = definitions.first?.network.value, (try? Workspace.check(name)) != nil
        {
            return name
        }
        return document.network.name.slug
    }

    private func report(
        _ document: CDBDocument,
        _ network: MeshNetwork,
        name: String,
        path: String,
        _ context: Context
    ) {
        let concessions = document.concessions(in: network)
        // What another database of ours gives up is no fault of its export.
        let isOurs = document.dialect == .meshplan
        let repairs = document.repairs + (isOurs ? [] : concessions)
        if !repairs.isEmpty {
            let writer = document.dialect.isPlain ? "" : " (\(document.dialect.title))"
            let all = repairs.count + document.furtherRepairs
            context.errorOutput.line("Repaired \(count(all, "deviation")) from the format\(writer):")
            // Repairs that other people must know about are always listed.
            let shown = repairs.enumerated().filter { $0.offset < Self.limit || $0.element.isImportant }.map(\.element)
            for repair in shown {
                context.errorOutput.line("  \(CDBInspectionView.line(repair.pointer, repair.reason))")
            }
            if all > shown.count {
                let rest = document.furtherRepairs == 0 ? "all of them" : "the first \(repairs.count)"
                context.errorOutput.line("  and \(all - shown.count) more; \(rest): meshplan import --lint")
            }
        }
        var remarks = document.remarks.map { remark in
            Diagnostic(.warning, CDBInspectionView.line(remark.pointer, remark.text))
        }
        for concession in isOurs ? concessions : [] {
            remarks.append(Diagnostic(.warning, CDBInspectionView.line(concession.pointer, concession.reason)))
        }
        if document.hasOurProvisioner,
            let own = network.provisioners.first(where: { $0.uuid == network.ownProvisioner })
        {
            remarks.append(
                Diagnostic(
                    .warning,
                    "another database of meshplan has this network, too; the provisioner of this one is called "
                        + own.name.printable,
                    hint: "neither knows what the other one changes; to work together, share one database with --state"
                )
            )
        }
        context.errorOutput.write(DiagnosticView(style: context.errorStyle).render(remarks))
        let parts = [
            count(document.network.nodes.count, "node"), count(network.netKeys.count, "subnet"),
            count(network.appKeys.count, "application key"), count(network.groups.count, "group"),
            count(network.scenes.count, "scene"), count(document.network.provisioners.count, "provisioner"),
        ]
        context.output.line("Imported \(parts.joined(separator: ", ")) into \(path)")
        let withoutKey = network.nodes.count { $0.deviceKey == nil }
        if withoutKey > 0 {
            context.output.line(
                "\(count(withoutKey, "node")) cannot be configured, because the file lacks their device keys"
            )
        }
        if let own = network.nodes.first(where: { $0.uuid == network.ownProvisioner }) {
            let ranges = network.provisioners.first { $0.uuid == own.uuid }?.unicastRanges ?? []
            let shown = ranges.map { "0x\($0.lowerBound.hexadecimal) to 0x\($0.upperBound.hexadecimal)" }
            context.output.line(
                "meshplan has its own provisioner, with the addresses \(shown.joined(separator: ", ")); it sends from "
                    + "\(own.unicastAddress)"
            )
        }
    }
}

extension MeshNetwork {
    /// Whether two networks differ in nothing but the UUID and the DeviceKey of our own node, which each import draws.
    fileprivate func isWithoutOwn(asIn other: MeshNetwork) -> Bool {
        func others(_ network: MeshNetwork) -> MeshNetwork {
            var others = network
            others.nodes.removeAll { $0.uuid == network.ownProvisioner }
            others.provisioners.removeAll { $0.uuid == network.ownProvisioner }
            others.ownProvisioner = ownProvisioner
            return others
        }
        return others(self) == others(other)
    }
}

extension String {
    /// A network name made from the text: lower-case ASCII letters and digits, with hyphens between them.
    var slug: String {
        let words = lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let slug = words.joined(separator: "-").prefix(64)
        return slug.isEmpty ? "mesh" : String(slug)
    }
}
