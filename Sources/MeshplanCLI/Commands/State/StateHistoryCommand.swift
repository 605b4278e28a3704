import ArgumentParser
import Store

/// `meshplan state history`
struct StateHistoryCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "List the changes of the mesh database, newest first.",
        discussion: """
            Each line is a command that changed the database or carried out a plan: the serials before and after it, \
            when and by whom, the result, and the digest of the definition that was applied. meshplan state show \
            SERIAL shows the database at one of these serials; meshplan state restore SERIAL goes back to it.
            """
    )

    @Option(name: [.short, .customLong("number")], help: ArgumentHelp("The most lines to list.", valueName: "count"))
    var number = 20

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func validate() throws {
        guard number > 0 else { throw ValidationError("-n takes a number from 1 on.") }
    }

    func run(in context: Context) throws -> ExitStatus {
        let workspace = Workspace(context: context)
        let history = try workspace.open(try workspace.only(networks.network)).history()
        let view = HistoryView(history: history, limit: number)
        if let lines = context.json {
            view.write(to: lines)
        } else {
            context.output.write(view.render(context.style))
        }
        return .success
    }
}
