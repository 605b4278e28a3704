import ArgumentParser
import Bearers
import MeshCore

/// `meshplan hub status`
struct HubStatusCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "List the gateways that are connected to a hub.",
        discussion: """
            Asks the hub on this machine. Shows the name of each gateway, since when it is connected, the version of its \
            program, its clients and links, and from where it comes. Nothing is sent to the gateways.
            """
    )

    @Option(
        help: ArgumentHelp(
            "Where the hub serves clients: unix:PATH or HOST[:PORT]. (default: MESHPLAN_HUB, `hub` in .meshplan.yaml, or 127.0.0.1:7449)",
            valueName: "address"
        )
    )
    var hub: String?

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func validate() throws {
        do { _ = try hub.map { text throws(SocketAddressError) in try BearerChoice.hubAddress(text) } } catch {
            throw ValidationError("\(error).")
        }
    }

    func run(in context: Context) throws -> ExitStatus {
        let address = try hub.map { try BearerChoice.hubAddress($0) } ?? Settings.hub(context)
        HubStatusView(try HubInquiry.listing(at: address, in: context)).show(in: context)
        return .success
    }
}
