import ArgumentParser
import DefinitionModel
import MeshCore
import Store
import SystemLayer

/// `meshplan export`
struct ExportCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the mesh database as a configuration database that other tools read.",
        discussion: """
            Writes the JSON of the Mesh Configuration Database Profile 1.0.1. Unless --without-keys is given, the file \
            contains keys: only you can read it, and meshplan adds it to .gitignore of the folder or repository. \
            Anybody who imports it must use their own addresses, because IV index and sequence numbers are not part of \
            the format.

            The order in the file depends on the network only, and an export of this network stays unchanged if only \
            its time would differ. Files that meshplan did not export from this network are never overwritten.
            """
    )

    @Option(
        help: ArgumentHelp("The JSON file to write.", valueName: "file"),
        completion: Completion.files
    )
    var cdb: String

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @Option(
        help: ArgumentHelp("Export only this subnet, its keys and its nodes. May be repeated.", valueName: "name"),
        completion: Completion.subnets
    )
    var subnet: [String] = []

    @Flag(help: "Leave out device keys: the file then allows using the network, but not configuring its nodes.")
    var partial = false

    @Flag(help: "Leave out all keys: people can read and compare the file, but no tool can work with it.")
    var withoutKeys = false

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func run(in context: Context) throws -> ExitStatus {
        let workspace = Workspace(context: context)
        let name = try workspace.only(networks.network)
        let database = try workspace.open(name)
        let network = try database.snapshot().network
        let contents = CDBContents(
            subnets: subnet.isEmpty ? nil : Set(try subnet.map { try index(of: $0, in: network) }),
            keys: withoutKeys ? .none : partial ? .network : .all
        )
        let extras = try database.extras()
        let bytes = try document(network, extras, contents, context)
        // Git must ignore the file before it exists and somebody can commit it.
        let cover = contents.keys == .none ? nil : try GitIgnore.cover(cdb, in: context)
        if let bytes {
            let mode: UInt16 = contents.keys == .none ? 0o644 : 0o600
            try AtomicFile.write(context.absolute(cdb), as: cdb, bytes, mode: mode)
        }
        let isPartial = CDBExport.isPartial(network, extras: extras, contents: contents)
        report(network, contents, isWritten: bytes != nil, isPartial: isPartial, cover, context)
        return .success
    }

    private func index(of name: String, in network: MeshNetwork) throws(Failure) -> NetKeyIndex {
        if let key = network.netKeys.first(where: { $0.name == name }) { return key.index }
        let names = network.netKeys.map(\.name.printable).joined(separator: ", ")
        throw Failure(.usage, "the database has no subnet `\(name)`", hint: "There are: \(names).")
    }

    /// The contents to write; nil if the file has them already.
    private func document(
        _ network: MeshNetwork,
        _ extras: CDBExtras,
        _ contents: CDBContents,
        _ context: Context
    ) throws -> [UInt8]? {
        let path = context.absolute(cdb)
        let kind = try Files.kind(examining: path, as: cdb)
        if kind == .folder {
            throw Failure(
                .failure,
                "\(cdb.printable) is a folder",
                hint: "Name a file in it, such as "
                    + "\((cdb.hasSuffix("/") ? cdb : cdb + "/").printable)\(network.name.slug).json."
            )
        }
        guard kind != .pipe && kind != .other else {
            throw Failure(.failure, "\(cdb.printable) is not a regular file", hint: "Give another name.")
        }
        guard kind != nil else {
            return CDBExport.write(network, extras: extras, contents: contents, timestamp: context.now())
        }
        let earlier = try context.read(cdb, limit: 256 << 20)
        switch CDBExport.renew(
            earlier,
            with: network,
            extras: extras,
            contents: contents,
            timestamp: context.now()
        ) {
        case .unchanged where contents.keys == .none || !Files.isReadableByOthers(path): return nil
        case .unchanged: return earlier
        case .document(let bytes): return bytes
        case .foreign:
            throw Failure(
                .failure,
                "\(cdb.printable) already exists, and meshplan did not export it from this network",
                hint: "Give another name, or move it away."
            )
        }
    }

    /// Warns that git already has the file, so that ignoring it comes too late.
    private func warn(of cover: GitIgnore.Cover?, _ context: Context) {
        guard cover != nil else { return }
        for (message, hint) in GitIgnore.exposure(cdb, of: "keys", in: context) {
            FailureView(context).warn(message, hint: hint)
        }
    }

    private func report(
        _ network: MeshNetwork,
        _ contents: CDBContents,
        isWritten: Bool,
        isPartial: Bool,
        _ cover: GitIgnore.Cover?,
        _ context: Context
    ) {
        let part = contents.subnets.map { network.limited(to: $0) } ?? network
        let uuids = Set(part.provisioners.map(\.uuid))
        let excluded = part.nodes.count(where: \.isExcluded)
        // Definitions do not mention who configures, nor who was shut out.
        let provisioners = part.nodes.count { node in
            !node.isExcluded
                && (node.uuid == part.ownProvisioner || uuids.contains(node.uuid) && !node.isManaged)
        }
        if let lines = context.json {
            lines.write([
                "type": "export", "file": cdb.json, "written": .bool(isWritten), "partial": .bool(isPartial),
                "nodes": .integer(part.nodes.count), "excluded": .integer(excluded),
                "provisioners": .integer(provisioners), "subnets": .integer(part.netKeys.count),
                "application_keys": .integer(part.appKeys.count), "groups": .integer(part.groups.count),
                "gitignore": cover?.pattern?.json,
            ])
            warn(of: cover, context)
            return
        }
        defer {
            if let cover, let pattern = cover.pattern {
                context.output.line(
                    "Added \(pattern.printable) to \(cover.place.printable): its keys do not belong in git."
                )
            }
            warn(of: cover, context)
        }
        let parts = [
            count(part.nodes.count - excluded - provisioners, "node"),
            excluded > 0 ? count(excluded, "excluded node") : nil,
            provisioners > 0 ? count(provisioners, "provisioner") : nil, count(part.netKeys.count, "subnet"),
            count(part.appKeys.count, "application key"), count(part.groups.count, "group"),
        ].compactMap(\.self).joined(separator: ", ")
        guard isWritten else {
            return context.output.line("Nothing has changed since \(cdb.printable) was written.")
        }
        let keys =
            switch contents.keys {
            case .all: "It holds all keys; keep it as safe as the database."
            case .network: "It holds the network's keys but no device keys."
            case .none: "It holds no keys."
            }
        context.output.line("Exported \(parts) to \(cdb.printable). \(keys)")
        if isPartial, !contents.isPartial, !part.nodes.contains(where: { $0.deviceKey == nil }) {
            context.output.line("It says that it is a part of the network, as the file did that was imported.")
        }
        let waiting = part.pendingProvisionings.count
        if waiting > 0 {
            context.output.line(Self.missing(waiting))
        }
    }

    /// Tells of devices that the file leaves out, because nobody knows whether they became nodes.
    static func missing(_ devices: Int) -> String {
        devices == 1
            ? "1 device that may have become a node is not in it; its addresses are excluded."
            : "\(devices) devices that may have become nodes are not in it; their addresses are excluded."
    }
}
