import ArgumentParser
import DefinitionModel
import MeshCore
import SystemLayer
import TLS

/// `meshplan gateway pair`
struct GatewayPairCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair",
        abstract: "Create the files with which a gateway and its clients authenticate each other.",
        discussion: """
            Run it in the office, in the folder with .meshplan. Creates an authority that signs for this one gateway, \
            a file for the gateway and one for us. Each side accepts only certificates of that authority, and a \
            client's file cannot serve as a gateway's. The host name of the gateway does not matter and may change. \
            --client creates a file for a colleague. Certificates are valid for ten years unless --days says \
            otherwise; doctor warns before they expire. To deny one client, use --denied or --deny at the gateway; to \
            deny all, use --renew here, and start the gateway with its new file. --client with --renew creates another \
            file for a client; the previous one stays valid until it is denied.
            """
    )

    @Argument(help: ArgumentHelp("The gateway's name here.", valueName: "name"))
    var name: String

    @Option(help: ArgumentHelp("Create a file for another client of the pairing, with this name.", valueName: "label"))
    var client: String?

    @OptionGroup var options: PairingOptions

    @Flag(help: "Replace existing files; without --client, all of them, so that everybody needs a new file.")
    var renew = false

    func run(in context: Context) throws -> ExitStatus {
        let pairing = try options.pairing(name, in: context)
        let wishes = options.wishes(renews: renew)
        let patterns = try GitIgnore.complete(context)
        if let client {
            show(pairing, client: client, try pairing.make(client: client, wishes), context)
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
        let (path, file) = (made.path, "\(pairing.name).gateway.pem")
        if let continuation = made.continuation { context.output.line(continuation + "\n") }
        context.output.write(
            """
            Made the pairing with gateway \(pairing.name), valid until \(made.validUntil.text):
              \(pairing.authorityPath.printable) signs its files, and stays here
              \(pairing.clientPath.printable) is ours: meshplan finds it there
              \(path.printable) is for the gateway alone

            Carry the gateway's file to it:
              scp \(path.printable.shellWord) HOST:\(file)

            There:
              meshplan gateway --listen tcp:0.0.0.0:7447 --certificate \(file)

            Here, once it runs:
              meshplan apply --via gateway://\(pairing.name)@HOST:7447

            """
        )
        if renew {
            context.output.line("\nThe gateway accepts the old files until it is restarted with the new one.")
            for label in labels {
                let command = "meshplan gateway pair \(pairing.name) --client \(label.printable.shellWord) --renew"
                context.output.line("A new file for \(label.printable): \(command)")
            }
        }
    }

    private func show(
        _ pairing: GatewayPairing,
        client: String,
        _ made: GatewayPairing.MadeClient,
        _ context: Context
    ) {
        let (path, certificate) = (made.path, made.certificate)
        guard Files.identity(context.absolute(path)) != Files.identity(context.absolute(pairing.clientPath)) else {
            let until = certificate.validUntil.text
            context.output.line(
                "Made \(pairing.clientPath), our file for gateway \(pairing.name), valid until \(until)."
            )
            return showFormer(made, context)
        }
        let file = "\(client).client.pem"
        context.output.write(
            """
            Made \(path.printable), the file of \(client) for gateway \(pairing.name), valid until \
            \(certificate.validUntil.text).

            Hand it over in a way that nobody else can read, such as:
              scp \(path.printable.shellWord) HOST:\(file)

            There, in the folder with .meshplan:
              mkdir -p \(pairing.folder)
              install -m 600 \(file) \(pairing.clientPath)
              meshplan apply --via gateway://\(pairing.name)@HOST:7447

            To deny it later, at the gateway, where FILE is that of its --denied:
              echo \(certificate.fingerprintText) \(client) >> FILE

            """
        )
        showFormer(made, context)
    }

    /// Shows how to deny the replaced file.
    private func showFormer(_ made: GatewayPairing.MadeClient, _ context: Context) {
        guard renew else { return }
        guard made.former != nil else {
            return context.output.line(
                "\nAn older file, if there is one, stays valid until it is denied; the gateway's log shows its fingerprint."
            )
        }
        made.showFormer(at: "gateway", context)
    }
}
