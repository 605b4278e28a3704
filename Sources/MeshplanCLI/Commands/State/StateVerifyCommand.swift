import ArgumentParser
import MeshCore
import Store
import SystemLayer

/// `meshplan state verify`
struct StateVerifyCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read, authenticate and decode every row of the mesh database.",
        discussion: """
            Checks that the file is intact and unchanged since meshplan wrote it; meshplan doctor checks that its \
            contents make sense. Exits with 1 if something is damaged.
            """
    )

    @Argument(
        help: ArgumentHelp("A copy or backup to check instead of the database.", valueName: "file"),
        completion: Completion.files
    )
    var file: String?

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func run(in context: Context) throws -> ExitStatus {
        let workspace = Workspace(context: context)
        let database: MeshDatabase
        let place: String
        if let file {
            database = try workspace.open(copy: file)
            place = file
        } else {
            let name = try workspace.only(networks.network)
            database = try workspace.open(unchecked: name)
            place = try workspace.databaseName(name)
        }
        let found = try database.verify()
        if let lines = context.json {
            for (kind, count) in found.rows {
                lines.write(["type": "rows", "kind": kind.json, "count": .integer(count)])
            }
            for problem in found.problems {
                lines.write(["type": "damage", "message": problem.message.json, "hint": problem.hint?.worded.json])
            }
            lines.write([
                "type": "verification", "serial": found.serial.map { .integer(Int(clamping: $0)) },
                "revision": .integer(Int(clamping: found.revision)), "written_by": found.writer?.json,
                "damaged": .integer(found.problems.count),
            ])
        } else {
            let serial = found.serial.map { "serial \($0)" } ?? "serial unknown"
            let writer = found.writer.map { ", the last one by meshplan \($0.printable)" } ?? ""
            context.output.line(
                "\(place.printable): \(serial), \(count(Int(clamping: found.revision), "transaction")) so far\(writer)"
            )
            var table = Table(["ROWS", "KIND"], rightAligned: [0])
            for (kind, count) in found.rows { table.rows.append([String(count), kind]) }
            context.output.write(table.render(context.style, indent: "  "))
            for problem in found.problems {
                context.output.line("\(context.style(.error, "damaged")): \(problem.message)")
            }
        }
        guard found.problems.isEmpty else {
            throw Failure(
                .failure,
                "\(count(found.problems.count, "part")) of the database \(found.problems.count == 1 ? "is" : "are") damaged",
                hint: file != nil
                    ? "Take another copy; meshplan state verify FILE shows whether that is intact."
                    : RestoringAdvice(context).hint(for: try workspace.only(networks.network))
                        ?? "Restore a copy; meshplan state verify FILE shows whether that is intact."
            )
        }
        if context.json == nil { context.output.line("The database is intact.") }
        return .success
    }
}
