import ArgumentParser
import MeshCore
import Store
import SystemLayer

/// `meshplan keys export`
struct KeysExportCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the keys with which Wireshark decrypts captures.",
        discussion: """
            Writes the tables btmesh_nw_keys, btmesh_dev_keys and btmesh_label_uuids to a folder, which may be a profile of \
            Wireshark. They hold all keys of the network: only you can read them, and meshplan adds the folder to .gitignore of \
            the folder or repository. After a key refresh, export them again.
            """
    )

    @Option(
        help: ArgumentHelp(
            "The folder for the tables; it is made if it is not there, with those above it.",
            valueName: "folder"
        ),
        completion: Completion.files
    )
    var wireshark: String

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    func run(in context: Context) throws -> ExitStatus {
        let workspace = Workspace(context: context)
        let network = try workspace.open(workspace.only(networks.network)).snapshot().network
        let folder = wireshark.hasSuffix("/") ? String(wireshark.dropLast()) : wireshark
        let path = context.absolute(folder)
        switch try Files.kind(examining: path, as: folder) {
        case .folder, nil: break
        case .file, .pipe, .other, .hidden:
            throw Failure(.failure, "\(folder.printable) is not a folder", hint: "Give another name.")
        }
        // Wireshark itself makes its folder of profiles only with the first one.
        try Files.createParents(of: path, as: folder)
        // Git must ignore the folder before there is anything in it that somebody can commit.
        let tables = WiresharkKeys(network).tables
        // A folder that exists may hold other things, or be the one of the definition.
        let covered = Files.kind(path) == nil ? [folder] : tables.map { "\(folder)/\($0.name)" }
        let covers = try covered.map { try GitIgnore.cover($0, in: context) }
        _ = try Files.createFolder(path, as: folder)
        for table in tables {
            let name = "\(folder)/\(table.name)"
            try AtomicFile.write(context.absolute(name), as: name, Array(table.text.utf8), mode: 0o600)
        }
        context.output.line(
            "Wrote the keys of \(network.name.printable) to \(folder.printable); keep them as safe as the database."
        )
        let patterns = covers.compactMap(\.pattern)
        if let place = covers.first?.place, !patterns.isEmpty {
            let names = patterns.map(\.printable).joined(separator: ", ")
            context.output.line("Added \(names) to \(place.printable): keys do not belong in git.")
        }
        return .success
    }
}
