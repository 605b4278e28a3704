import ArgumentParser
import DefinitionModel
import MeshCore
import SystemLayer
import TLS

/// What the commands take that make the files of a pairing.
struct PairingOptions: ParsableArguments {
    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "Where to write the file that leaves this machine: a file or a folder. (default: the folder of the pairing)",
            valueName: "path"
        ),
        completion: Completion.files
    )
    var out: String?

    @Option(help: ArgumentHelp("How many days the certificates are valid, at most 10950.", valueName: "days"))
    var days = CertificateDays.usual

    func validate() throws {
        guard (1...CertificateDays.most).contains(days) else {
            throw ValidationError("--days takes 1 to \(CertificateDays.most).")
        }
    }

    /// The pairing with a name, in a folder that was prepared.
    ///
    /// - Throws: ``Failure`` if the name cannot be used, or the folder was not prepared.
    func pairing(_ name: String, in context: Context) throws -> GatewayPairing {
        let pairing = try GatewayPairing(name, in: context)
        guard Files.kind(context.absolute(Workspace.folderName)) == .folder else {
            throw Failure(.failure, "there is no \(Workspace.folderName)", hint: "Start with: meshplan init")
        }
        return pairing
    }

    /// What is asked of the files.
    ///
    /// - Parameter renews: whether existing ones are replaced.
    func wishes(renews: Bool) -> GatewayPairing.Wishes {
        GatewayPairing.Wishes(days: days, renews: renews, out: out)
    }
}

extension GatewayPairing.MadeClient {
    /// Shows how to deny the file that this one replaces, if there was one: whoever has it is still admitted.
    func showFormer(at service: String, _ context: Context) {
        guard let former else { return }
        context.output.write(
            """

            The old file stays valid until \(former.validUntil.text). To deny it once it is no longer needed, at the \(service):
              echo \(former.fingerprintText) \(former.name.printable.shellWord) >> FILE

            """
        )
    }
}
