import ArgumentParser

/// `meshplan fleet show`
struct FleetShowCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show saved plans of a fleet.",
        discussion: """
            Checks that all files are as they were saved, and shows what the plans do, who saved them, and their digest. \
            No database is opened. One plan is shown in full by: meshplan show PLANS/NETWORK.mplan
            """
    )

    @Argument(help: ArgumentHelp("The folder with the plans.", valueName: "plans"), completion: Completion.folders)
    var plans: String

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func run(in context: Context) throws -> ExitStatus {
        let folder = FleetPlansFolder(plans, in: context)
        let (found, digest) = try folder.read()
        FleetPlansView(context: context, path: folder.path).show(found, digest)
        return .success
    }
}
