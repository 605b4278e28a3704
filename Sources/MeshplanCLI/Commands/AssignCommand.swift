import ArgumentParser
import DefinitionModel
import Definitions
import MeshCore
import SystemLayer

/// `meshplan assign`
struct AssignCommand: AssigningCommand {
    static let configuration = CommandConfiguration(
        commandName: "assign",
        abstract: "Say which device is at which place of the definition.",
        discussion: """
            A node without `uuid` is a place. With --via at a terminal, one unassigned device after the other blinks, \
            the strongest first, and takes the place that you type: a number, some letters of its name, or only Return \
            for the first one. Whatever ends the command, what was assigned is kept.

            Without --via, meshplan assign PLACE UUID assigns one device, and --from a table with the columns place \
            and uuid. A UUID may be the whole text of a label or QR code. Assignments stand in NETWORK.assignments \
            beside the definition; commit that file.
            """
    )

    @Argument(help: ArgumentHelp("The place.", valueName: "place"), completion: Completion.places)
    var place: String?

    @Argument(help: ArgumentHelp("Its device: a UUID, or the text of a label that contains one.", valueName: "uuid"))
    var device: String?

    @Option(
        help: ArgumentHelp("Assign what a table says, in CSV with the columns place and uuid.", valueName: "file"),
        completion: Completion.files
    )
    var from: String?

    @Option(
        help: ArgumentHelp("Take the device away from this place. May be repeated.", valueName: "place"),
        completion: Completion.nodes
    )
    var free: [String] = []

    @Flag(help: "Take the lines of places away that the definition no longer has.")
    var freeRemoved = false

    @OptionGroup var assigning: AssigningOptions

    @OptionGroup var adapter: AdapterOptions

    @OptionGroup var capture: CaptureOptions

    @OptionGroup(title: "With --apply")
    var execution: RunOptions

    @OptionGroup var radio: RadioOptions

    @OptionGroup(title: "With --via simulator")
    var devices: SimulatedDeviceOptions

    @OptionGroup(title: "With --via simulator")
    var models: VendorModelOptions

    @OptionGroup(title: "With --via simulator", visibility: .hidden)
    var simulator: SimulatorOptions

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func validate() throws {
        try checkAssigning()
        guard (place == nil) == (device == nil) else {
            throw ValidationError("meshplan assign PLACE takes a UUID, too.")
        }
        let ways = [place != nil, from != nil, !free.isEmpty || freeRemoved, !via.isEmpty].count { $0 }
        guard ways == 1 else {
            throw ValidationError(
                "Name a place and a UUID, a table with --from, places with --free, or the way to the devices with "
                    + "--via."
            )
        }
        if format.json, !via.isEmpty { throw ValidationError("--json cannot be combined with --via.") }
    }

    func run(in context: Context) throws -> ExitStatus {
        let context = try assigning.variables.applied(to: context)
        var free = free
        if !free.isEmpty || freeRemoved {
            // Read without the file, which is refused as long as it has these lines.
            let removed = try Assignments(
                context,
                paths: assigning.definitions,
                network: networks.network,
                isAlone: true
            ).dropRemoved(freeRemoved ? nil : free)
            for place in removed { tellFreed(place, isNew: true, context) }
            if freeRemoved, removed.isEmpty, context.json == nil {
                context.output.line("The definition has every place that has a device.")
            }
            free.removeAll(where: removed.contains)
            guard !free.isEmpty else { return .success }
        }
        var assignments = try Assignments(context, paths: assigning.definitions, network: networks.network)
        if !via.isEmpty {
            var run = try assigningRun(assignments, context)
            return try run.run()
        }
        if let place, let device {
            guard let uuid = LabelText.uuid(in: device) else { throw AssigningOptions.noUUID(in: device) }
            _ = try assignments.node(place)
            try tell(assignments.assign(uuid, to: place), place, uuid, assignments, context)
        } else if let from {
            try assignAll(from, &assignments, context)
        }
        let freed = try assignments.free(free)
        for place in free { tellFreed(place, isNew: freed.contains(place), context) }
        return .success
    }

    private func tellFreed(_ place: String, isNew: Bool, _ context: Context) {
        if let lines = context.json {
            lines.write(["type": "freed", "place": place.json, "new": .bool(isNew)])
        } else {
            context.output.line("\(place.printable) has no device\(isNew ? " again" : ", as before").")
        }
    }

    private func tell(
        _ isNew: Bool,
        _ place: String,
        _ device: DeviceUUID,
        _ assignments: Assignments,
        _ context: Context
    ) {
        if let lines = context.json {
            lines.write([
                "type": "assigned", "place": place.json, "node_uuid": device.description.json, "new": .bool(isNew),
            ])
        } else {
            context.output.line("\(place) \(isNew ? "has \(device) now" : "has this device already").")
        }
    }

    /// Assigns the rows of a table, all or none of them.
    private func assignAll(_ path: String, _ assignments: inout Assignments, _ context: Context) throws {
        let bytes = try context.read(path)
        let files = SourceFiles(files: [SourceFiles.File(path: path, bytes: bytes)])
        var (table, diagnostics) = AssignmentTable.read(files: files)
        diagnostics += assignments.problems(of: table.rows)
        guard !diagnostics.contains(where: { $0.severity == .error }) else {
            throw InvalidDefinition(diagnostics: diagnostics.arranged(), files: files)
        }
        let new = try assignments.assign(table.rows)
        if let lines = context.json {
            for row in table.rows {
                lines.write([
                    "type": "assigned", "place": row.place.value.json,
                    "node_uuid": row.device.value.description.json, "new": .bool(new.contains(row.place.value)),
                ])
            }
            return
        }
        let known = table.rows.count - new.count
        let left = assignments.open.count
        context.output.line(
            "\(count(new.count, "device")) assigned from \(path.printable)"
                + (known > 0 ? ", \(known) were there already" : "")
                + (table.open > 0 ? ", \(count(table.open, "row")) without a UUID" : "") + "; "
                + (left == 0 ? "every place has a device." : "\(count(left, "place")) left.")
        )
        if table.hasSecrets {
            context.output.line("Its static values are used by: meshplan apply --secrets \(path.shellWord)")
        }
    }
}
