import ArgumentParser

/// `meshplan fleet serve`, which only other commands for fleets start.
struct FleetServeCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Carry out commands for networks one after another, as a part of another command.",
        shouldDisplay: false
    )

    static let words = ["fleet", "serve"]
    /// The option that ends the process after one command.
    static let once = "--once"

    @Flag(help: .hidden)
    var once = false

    func run(in context: Context) throws -> ExitStatus {
        FleetServing(context: context, isOnce: once)()
        return .success
    }
}
