import ArgumentParser
import DefinitionModel
import MeshCore
import SystemLayer
import TLS

/// `meshplan hub pair`
struct HubPairCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair",
        abstract: "Create the files with which a hub and its gateways authenticate each other.",
        discussion: """
            Run it in the office, in the folder with .meshplan. Without --gateway it creates an authority that signs for \
            this one hub, and a file for the hub. --gateway creates the file of a gateway; the hub knows the gateway by \
            that name. It is a pairing like those of meshplan gateway pair, which renews it, and doctor warns before its \
            certificates expire. To deny one gateway, use --denied or --deny at the hub.
            """
    )

    @Argument(help: ArgumentHelp("The hub's name here.", valueName: "name"))
    var name: String

    @Option(help: ArgumentHelp("Create the file of the gateway with this name.", valueName: "name"))
    var gateway: String?

    @OptionGroup var options: PairingOptions

    @Flag(help: "Replace existing files; without --gateway, all of them, so that all gateways need new files.")
    var renew = false

    func run(in context: Context) throws -> ExitStatus {
        let pairing = try options.pairing(name, in: context)
        let wishes = options.wishes(renews: renew)
        let patterns = try GitIgnore.complete(context)
        if let gateway {
            let made = try pairing.make(client: gateway, wishes)
            show(made, of: gateway, context)
        } else {
            let labels = pairing.labels()
            show(pairing, try pairing.make(wishes), labels, context)
        }
        if !patterns.isEmpty { context.output.line("\n" + GitIgnore.note(patterns)) }
        return .success
    }

    private func show(
        _ pairing: GatewayPairing,
        _ made: GatewayPairing.MadePairing,
        _ labels: [String],
        _ context: Context
    ) {
        let path = made.path
        if let continuation = made.continuation { context.output.line(continuation + "\n") }
        context.output.write(
            """
            Made the pairing with hub \(name), valid until \(made.validUntil.text):
              \(pairing.authorityPath.printable) signs its files, and stays here
              \(path.printable) is for the hub alone

            Where the hub runs:
              meshplan hub --listen tcp:0.0.0.0:7448 --certificate \(path.printable.shellWord)

            A file for each gateway:
              meshplan hub pair \(name) --gateway NAME

            """
        )
        guard renew else { return }
        context.output.line("\nThe hub accepts the old files until it is restarted with the new one.")
        for label in labels {
            let command = "meshplan hub pair \(name) --gateway \(label.printable.shellWord) --renew"
            context.output.line("A new file for \(label.printable): \(command)")
        }
    }

    private func show(_ made: GatewayPairing.MadeClient, of gateway: String, _ context: Context) {
        let file = "\(gateway).client.pem"
        context.output.write(
            """
            Made \(made.path.printable), the file of gateway \(gateway) for hub \(name), valid until \
            \(made.certificate.validUntil.text).

            Carry it to the gateway:
              scp \(made.path.printable.shellWord) HOST:\(file)

            There, where HUB is the hub's host:
              meshplan gateway --dial HUB:7448 --name \(gateway) --certificate \(file)

            On the hub's machine, once it runs:
              meshplan apply --via hub://\(gateway)

            To deny it later, at the hub, where FILE is that of its --denied:
              echo \(made.certificate.fingerprintText) \(gateway) >> FILE

            """
        )
        if renew { made.showFormer(at: "hub", context) }
    }
}
