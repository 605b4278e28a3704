import DefinitionModel
import Definitions
import MeshCore
import Planning
import Store
import SystemLayer

/// A definition made from an existing network, to be written into a file; and the network as that definition manages
/// it.
struct WrittenDefinition {
    /// The network with the names of the definition, managed by it.
    let network: MeshNetwork
    private let adoption: Adoption
    private let text: String
    /// The devices of nodes in modules, for the file of assignments; empty if no part of the definition repeats.
    private let devices: [String: DeviceUUID]
    private let moduleCount: Int
    /// The file's path, relative to the working folder; people see it in this form, too.
    private let path: String
    private let folder: String
    private let replaces: Bool
    private let replacesAssignments: Bool
    private let context: Context

    /// The most lines of one list.
    private static let limit = 50
    /// The most nodes named for one reason.
    private static let nodeLimit = 5

    /// Makes the definition, and checks that a plan of it has nothing to send.
    ///
    /// - Parameters:
    ///   - network: the contents for the database.
    ///   - name: the network's name.
    ///   - folder: the folder for the file.
    ///   - overwrites: whether existing files may be replaced.
    ///   - isFlat: whether to write every node by itself, even where nodes repeat with a number in their names.
    ///   - goesOn: whether the files may be there already, written by an attempt that was cut short.
    ///   - source: the origin of the network, in a few words.
    ///   - Throws: ``Failure`` if the file or a definition of the network exists already, or if the definition would
    ///     change the network; ``InvalidDefinition`` if the network cannot be defined.
    init(
        of network: MeshNetwork,
        named name: String,
        in folder: String,
        overwrites: Bool,
        isFlat: Bool,
        goesOn: Bool = false,
        source: String,
        _ context: Context
    ) throws {
        self.context = context
        self.folder = folder
        path =
            folder == "." ? "\(name).yaml" : folder.hasSuffix("/") ? "\(folder)\(name).yaml" : "\(folder)/\(name).yaml"
        adoption = Adoption.make(of: network, named: name)
        let header = [
            "Written by meshplan from \(source).",
            "A mesh database has no tags, so rules name their nodes. Add tags to select nodes by tag.",
        ]
        let footer =
            adoption.leftOut.isEmpty
            ? [] : ["Left out:"] + adoption.leftOut.map { "  \($0.subject): \($0.text)" }
        let plain = DefinitionWriter.text(of: adoption.definition, header: header, footer: footer)
        let recorded = try Self.recorded(network, text: plain, path: path)
        self.network = recorded
        let assignments = Self.assignmentsPath(of: name, in: folder)
        // What is folded has to mean the same to the network as it will be recorded, in which groups have the names of
        // the definition. If it does not, nobody misses it.
        if !isFlat,
            let folded = FoldedDefinition(
                adoption.definition,
                header: header + [
                    "The devices of the nodes in modules stand in \(AssignmentsFile.name(ofNetwork: name))."
                ],
                footer: footer
            ),
            let again = try? Self.recorded(recorded, text: folded.text, path: path, assignments, folded.devices),
            again == recorded
        {
            text = folded.text
            devices = folded.devices
            moduleCount = folded.moduleCount
        } else {
            text = plain
            devices = [:]
            moduleCount = 0
        }
        replaces = try Self.replaces(path, by: text, overwrites: overwrites, goesOn: goesOn, context)
        if !replaces, Self.isDefined(name, in: folder, context) {
            throw Failure(
                .failure,
                "there is a definition of the network `\(name)` in \(folder == "." ? "the current folder" : folder) already",
                hint: "Choose another folder: the files of a folder are one definition."
            )
        }
        replacesAssignments =
            try !devices.isEmpty
            && Self.replaces(
                assignments,
                by: AssignmentsFile.text(of: devices),
                overwrites: overwrites,
                goesOn: goesOn,
                context
            )
    }

    private static func assignmentsPath(of name: String, in folder: String) -> String {
        let file = AssignmentsFile.name(ofNetwork: name)
        return folder == "." ? file : folder.hasSuffix("/") ? folder + file : "\(folder)/\(file)"
    }

    /// Whether a file is to be replaced.
    ///
    /// - Throws: ``Failure`` if it exists and must not be.
    private static func replaces(
        _ path: String,
        by text: String,
        overwrites: Bool,
        goesOn: Bool,
        _ context: Context
    ) throws(Failure) -> Bool {
        let absolute = context.absolute(path)
        let kind = Files.kind(absolute)
        let isWritten =
            goesOn && kind == .file
            && (try? context.readOwn(path, limit: text.utf8.count)) == Array(text.utf8)
        guard kind == nil || isWritten || overwrites && kind == .file else {
            throw Failure(
                .failure,
                "\(path) already exists",
                hint: "Choose another folder, move it away, or replace it with --overwrite."
            )
        }
        return kind != nil
    }

    /// Whether a folder contains a definition of the network, as far as its files can be read.
    private static func isDefined(_ name: String, in folder: String, _ context: Context) -> Bool {
        guard Files.kind(context.absolute(folder)) == .folder,
            let files = try? DefinitionFiles(context: context).read([folder])
        else { return false }
        return DefinitionReader.read(files: files).definitions.contains { $0.network.value == name }
    }

    /// Reads the text like any other definition, plans it, and records what needs no message.
    private static func recorded(
        _ network: MeshNetwork,
        text: String,
        path: String,
        _ assignmentsPath: String = "",
        _ devices: [String: DeviceUUID] = [:]
    ) throws -> MeshNetwork {
        var files = SourceFiles(files: [SourceFiles.File(path: path, bytes: Array(text.utf8))])
        if !devices.isEmpty {
            let assignments = Array(AssignmentsFile.text(of: devices).utf8)
            files.files.append(SourceFiles.File(path: assignmentsPath, bytes: assignments))
        }
        let (definitions, diagnostics) = DefinitionReader.read(files: files)
        guard let definition = definitions.first, !diagnostics.contains(where: { $0.severity == .error }) else {
            throw InvalidDefinition(diagnostics: diagnostics, files: files)
        }
        let result = Planner.plan(
            definition: definition,
            network: network,
            base: (lineage: Octets16(high: 0, low: 0), serial: 0),
            identifier: Octets16(high: 0, low: 0)
        )
        guard let plan = result.plan, plan.refusals.isEmpty else {
            throw InvalidDefinition(diagnostics: result.diagnostics, files: files)
        }
        guard let recorded = network.recording(plan) else {
            throw Failure(
                .failure,
                "the definition made from this network would change it, so nothing was written",
                hint: "Import it without --write-definition, and write the definition by hand."
            )
        }
        return recorded
    }

    /// Writes the files. Creates the folder if its parent exists.
    func write() throws {
        _ = try Files.createFolder(context.absolute(folder), as: folder, mode: 0o755)
        if !devices.isEmpty {
            try write(AssignmentsFile.text(of: devices), to: assignments, replaces: replacesAssignments)
        }
        do {
            try write(text, to: path, replaces: replaces)
        } catch {
            // Half of it would only be in the way of the next attempt.
            if !devices.isEmpty, !replacesAssignments {
                try? Files.remove(context.absolute(assignments), as: assignments)
            }
            throw error
        }
    }

    private var assignments: String { Self.assignmentsPath(of: adoption.definition.network.value, in: folder) }

    private func write(_ text: String, to path: String, replaces: Bool) throws {
        let target = context.absolute(path)
        if replaces {
            try AtomicFile.write(target, as: path, Array(text.utf8), mode: 0o644)
        } else {
            try AtomicFile.create(target, as: path, Array(text.utf8), mode: 0o644)
        }
    }

    /// Removes the files again, if they are new.
    func withdraw() throws {
        if !replaces { try Files.remove(context.absolute(path), as: path) }
        if !devices.isEmpty, !replacesAssignments { try Files.remove(context.absolute(assignments), as: assignments) }
    }

    /// The argument to append to `meshplan plan` for this definition.
    var planArgument: String { folder == "." ? "" : " \(path.printable.shellWord)" }

    // MARK: Report

    /// Reports what was written, which names have changed, and what the definition leaves out.
    func report() {
        let definition = adoption.definition
        let parts = [
            count(definition.nodes.count, "node"), count(definition.profiles.count, "profile"),
            count(definition.groups.count, "group"), count(definition.subnets.count, "subnet"),
            count(definition.applicationKeys.count, "application key"),
        ]
        context.output.line("Wrote \(path.printable): \(parts.joined(separator: ", "))")
        if moduleCount > 0 {
            context.output.line(
                "\(count(devices.count, "node")) \(devices.count == 1 ? "is" : "are") in "
                    + "\(count(moduleCount, "module")), with devices in \(assignments.printable)"
            )
        }
        reportRenamings()
        list("Left out:", adoption.leftOut)
        list("Not in the definition, and unchanged:", adoption.notes)
    }

    private func reportRenamings() {
        guard !adoption.renamings.isEmpty else { return }
        context.output.line(
            "\(count(adoption.renamings.count, "name")) of the database \(adoption.renamings.count == 1 ? "is" : "are") not valid in definitions:"
        )
        for renaming in adoption.renamings.prefix(Self.limit) {
            context.output.line("  \(renaming.noun) \(renaming.from.printable) is \(renaming.to)")
        }
        reportRest(of: adoption.renamings.count)
    }

    /// Lists notes; subjects with the same text share a line.
    private func list(_ title: String, _ notes: [Adoption.Note]) {
        guard !notes.isEmpty else { return }
        context.output.line(title)
        var order: [String] = []
        var subjects: [String: [String]] = [:]
        for note in notes {
            let text = note.text.worded
            if subjects[text] == nil { order.append(text) }
            subjects[text, default: []].append(note.subject)
        }
        for text in order.prefix(Self.limit) {
            let all = subjects[text] ?? []
            let more = all.count > Self.nodeLimit ? " and \(all.count - Self.nodeLimit) more" : ""
            let named = all.prefix(Self.nodeLimit).joined(separator: ", ")
            context.output.line("  \(named.printable)\(more): \(text.printable)")
        }
        reportRest(of: order.count)
    }

    private func reportRest(of total: Int) {
        if total > Self.limit { context.output.line("  and \(total - Self.limit) more") }
    }
}
