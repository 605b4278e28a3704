import ArgumentParser
import Bearers
import MeshCore
import Planning
import Store
import SystemLayer

/// `meshplan capture`
struct CaptureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture",
        abstract: "Read what --capture has written.",
        subcommands: [CaptureShowCommand.self]
    )
}

/// `meshplan capture show`
struct CaptureShowCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Decode a capture with the keys and names of the database.",
        discussion: """
            Shows each packet of a pcapng file with its time, who sent it to whom, and the message with its fields; keys \
            within messages are not shown. What no key of the database opens is counted. A file that ends too early is \
            shown up to there.
            """
    )

    /// The greatest file, in octets.
    private static let limit = 1 << 28

    @Argument(help: ArgumentHelp("A file that --capture has written.", valueName: "file"), completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp("Only what this node sends or receives. May be repeated.", valueName: "node"),
        completion: Completion.nodes
    )
    var node: [String] = []

    @Flag(help: "Show segments, acknowledgments and beacons, too.")
    var all = false

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func run(in context: Context) throws -> ExitStatus {
        let workspace = Workspace(context: context)
        let network = try workspace.open(workspace.only(networks.network)).snapshot().network
        let finder = NodeFinder(context: context, network: network, use: .looking)
        let nodes = try node.map { text in
            guard let found = try finder.node(text) else {
                throw NodeFinder.missing(text, among: Set(network.nodes.map(\.name)))
            }
            return found.addresses
        }
        let octets = try context.read(file, limit: Self.limit)
        var reader = CaptureReader(octets)
        var view = CaptureView(context, network, only: nodes, showsAll: all)
        do throws(CaptureReader.Problem) {
            while let packet = try reader.next() { view.show(packet) }
        } catch {
            view.finish()
            let place = "\(file.printable), byte \(error.offset): \(error.message)"
            guard error.isCutOff else {
                let hint = "What stands before it is shown above."
                throw Failure(.invalidInput, place, hint: error.offset > 0 ? hint : nil)
            }
            FailureView(context).warn(place, hint: "The rest was probably never written.")
            return .success
        }
        view.finish()
        return .success
    }
}
