internal import ArgumentParser

/// `meshplan gateway`
struct GatewayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Have a machine with a radio carry messages for others.",
        subcommands: [GatewayPairCommand.self]
    )
}
