import ArgumentParser
import MeshCore
import Planning
import Store
import SystemLayer

/// `meshplan provisioner`
struct ProvisionerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provisioner",
        abstract: "List the provisioners of a network, and act as another one of them.",
        subcommands: [ProvisionerListCommand.self, ProvisionerAdoptCommand.self]
    )
}

/// `meshplan provisioner list`
struct ProvisionerListCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the provisioners with the addresses that each gives out."
    )

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func run(in context: Context) throws -> ExitStatus {
        let workspace = Workspace(context: context)
        let network = try workspace.open(try workspace.only(networks.network)).snapshot().network
        var table = Table(["ADDRESS", "NAME", "UUID", "GIVES OUT", "ACTS HERE"])
        for provisioner in network.provisioners {
            let node = network.nodes.first { $0.uuid == provisioner.uuid }
            let isOwn = provisioner.uuid == network.ownProvisioner
            let ranges = provisioner.unicastRanges.map {
                "\(Address(rawValue: $0.lowerBound)) to \(Address(rawValue: $0.upperBound))"
            }
            context.json?.write([
                "type": "provisioner", "name": provisioner.name.json, "uuid": provisioner.uuid.description.json,
                "address": node?.unicastAddress.description.json, "own": .bool(isOwn),
                "unicast_ranges": .array(ranges.map(\.json)),
            ])
            table.rows.append([
                node?.unicastAddress.description ?? "-", provisioner.name.printable, provisioner.uuid.description,
                ranges.isEmpty ? "nothing" : ranges.joined(separator: ", "), isOwn ? "yes" : "",
            ])
        }
        if context.json == nil { context.output.write(table.render(context.style)) }
        return .success
    }
}

/// `meshplan provisioner adopt`
struct ProvisionerAdoptCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract: "Act as another provisioner of the network from now on.",
        discussion: """
            Only for a provisioner that is gone for good, such as a lost phone, when nodes answer to nobody else. It \
            must never use its address again. Exports contain no sequence numbers, so nobody knows which ones it has \
            used: --sequence-jump sets the first number for meshplan. If that is too low, nodes take our messages for \
            replays and ignore them until the IV index rises; a high number leaves fewer numbers until then. Without \
            this command meshplan acts as its own provisioner, which is always safe.
            """
    )

    @Argument(help: ArgumentHelp("The provisioner, by name, UUID or address.", valueName: "provisioner"))
    var provisioner: String

    @Option(
        help: ArgumentHelp(
            "The first sequence number to use, 1 to 16000000: higher than any that the provisioner has used.",
            valueName: "number"
        )
    )
    var sequenceJump: UInt32

    @Flag(help: "Do not ask for approval.")
    var autoApprove = false

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    func validate() throws {
        guard (1...16_000_000).contains(sequenceJump) else {
            throw ValidationError("--sequence-jump takes 1 to 16000000; there are 16777216 sequence numbers.")
        }
    }

    func run(in context: Context) throws -> ExitStatus {
        let (name, database, lease) = try Workspace(context: context).openToChange(
            networks.network,
            for: "provisioner adopt"
        )
        let snapshot = try database.snapshot()
        var network = snapshot.network
        let chosen = try choose(in: network, named: name)
        guard chosen.uuid != network.ownProvisioner else {
            context.output.line("meshplan acts as \(chosen.name.printable) already.")
            return .success
        }
        guard let node = network.nodes.first(where: { $0.uuid == chosen.uuid }), node.deviceKey != nil else {
            throw Failure(
                .failure,
                "the provisioner \(chosen.name.printable) has no address or no device key in the database",
                hint: "It cannot send, so meshplan cannot act as it; meshplan's own provisioner works."
            )
        }
        guard snapshot.unresolved.isEmpty, network.pendingProvisionings.isEmpty, network.pendingReprovisions.isEmpty
        else {
            throw Failure(
                .failure,
                "an earlier run, which sent from meshplan's present address, is unfinished",
                hint: "Let meshplan apply find out first."
            )
        }
        context.output.line(
            "meshplan will send as \(chosen.name.printable) from \(node.unicastAddress), beginning at sequence number "
                + "\(sequenceJump)."
        )
        if !autoApprove {
            try Prompt(context: context).confirm(
                "Is it certain that \(chosen.name.printable) will never send again, and has only used lower numbers?",
                explanation:
                    "If not, nodes ignore meshplan, the other one, or both, and messages can be forged from repeated nonces.",
                answer: chosen.name
            )
        }
        network.ownProvisioner = chosen.uuid
        // The reservation must be durable before anything can be sent from that address.
        try database.reserve(
            upTo: sequenceJump,
            for: node.unicastAddress,
            ivIndex: network.ivIndex.transmitValue,
            with: lease
        )
        let serial = try database.commit(StoreChanges(from: snapshot.network, to: network), with: lease)
        context.output.line("meshplan is \(chosen.name.printable) now; the serial is \(serial).")
        return .success
    }

    private func choose(in network: MeshNetwork, named name: String) throws(Failure) -> Provisioner {
        let uuid = network.node(named: provisioner)?.uuid ?? DeviceUUID(provisioner)
        let found = network.provisioners.filter { $0.name == provisioner || $0.uuid == uuid }
        guard let only = found.first, found.count == 1 else {
            throw Failure(
                .usage,
                found.isEmpty
                    ? "the network `\(name)` has no provisioner `\(provisioner)`"
                    : "several provisioners are called `\(provisioner)`",
                hint: "meshplan provisioner list shows them; a UUID or address is unambiguous."
            )
        }
        return only
    }
}
