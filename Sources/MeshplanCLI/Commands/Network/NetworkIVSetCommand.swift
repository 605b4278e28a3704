import ArgumentParser
import Execution
import MeshCore
import Store

/// `meshplan network iv set`
struct NetworkIVSetCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set the IV index of a network whose proxies do not report it.",
        discussion: """
            Files that other tools export do not contain the IV index. meshplan takes it from the first beacon of a \
            proxy. If no node is a proxy yet, or none sends beacons, you can set it here if you know it from the other \
            tool. Nothing is sent. Messages use it from then on, and devices are provisioned with it. If it is wrong, \
            nodes do not understand what is sent, and devices provisioned with it have to be reset. A beacon still \
            corrects it as long as nothing was sent; after that our address can never go back to a lower one, because \
            sequence numbers would be used twice.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The IV index, such as 7; 8:updating while the update to 8 is in progress.",
            valueName: "index"
        )
    )
    var ivIndex: IVIndexArgument

    @OptionGroup var change: ChangeOptions

    func run(in context: Context) throws -> ExitStatus {
        let (name, database, lease) = try Workspace(context: context).openToChange(
            networks.network,
            for: "network iv set"
        )
        let statement = try IVIndexStatement(ivIndex.ivIndex, on: try database.snapshot(), of: database)
        let view = IVStatementView(context: context, statement, named: name)
        guard !statement.isKnownAlready else {
            view.unchanged()
            return .success
        }
        if let failure = view.refusal { throw failure }
        if !change.autoApprove {
            try Prompt(context: context).confirm(
                "Is the network at IV index \(statement.ivIndex.text)?",
                explanation: view.warning
            )
        }
        var changes = StoreChanges()
        changes.network = statement.network(at: context.now())
        try database.commit(changes, with: lease)
        view.stated()
        return .success
    }
}
