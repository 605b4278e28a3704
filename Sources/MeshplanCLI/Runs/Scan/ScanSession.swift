import Bearers
import DefinitionModel
import Definitions
import MeshCore
import Simulator
import Store
import SystemLayer

/// One `scan`: listens, lists, and notes reset nodes in the database.
struct ScanSession {
    var context: Context
    var route: MeshRoute
    /// What is known about nodes and devices in range.
    var knowledge: ScanKnowledge

    /// How long a device may be silent before it counts as gone: devices advertise at least every few seconds.
    private static let silence = Duration.seconds(15)

    /// Listens for a while, then lists what was heard.
    ///
    /// - Parameter adopt: the file to add stubs to; empty for standard output, nil for no stubs.
    func list(for time: Duration, adopt: String?) throws -> ExitStatus {
        let access = try open()
        let before = context.interrupts.count()
        var list = ScanList(network: knowledge.network)
        let bearer = access.bearer
        let end = bearer.now.advanced(by: time)
        try bearer.scan(true)
        while bearer.now < end, context.interrupts.count() == before {
            if case .heard(let advertisement)? = try bearer.next(until: end) {
                _ = list.hear(advertisement, at: bearer.now)
            }
        }
        try bearer.scan(false)
        if let lines = context.json {
            ScanJSON(lines: lines, names: knowledge.names).write(list)
        } else if adopt != "" {
            context.output.write(ScanView(names: knowledge.names, style: context.style).render(list))
        }
        try note(list.devices.map(\.uuid))
        if let adopt { try self.adopt(list, into: adopt) }
        return context.interrupts.count() == before ? .success : .interrupted
    }

    /// Listens until interrupted, and reports every change.
    func watch() throws -> ExitStatus {
        let access = try open()
        let before = context.interrupts.count()
        var list = ScanList(network: knowledge.network)
        let bearer = access.bearer
        let view = ScanView(names: knowledge.names, style: context.style)
        let json = context.json.map { ScanJSON(lines: $0, names: knowledge.names) }
        var noted: Set<DeviceUUID> = []
        func tell(_ change: ScanList.Change) {
            if let json { json.write(change) } else { context.output.line(view.line(change)) }
        }
        try bearer.scan(true)
        while context.interrupts.count() == before, context.output.error == nil {
            let now = bearer.now
            if now > Instant.zero.advanced(by: Self.silence) {
                for change in list.dropSilent(since: now.advanced(by: .zero - Self.silence)) { tell(change) }
            }
            guard case .heard(let advertisement)? = try bearer.next(until: now.advanced(by: .seconds(1))),
                let change = list.hear(advertisement, at: bearer.now)
            else { continue }
            tell(change)
            if case .appeared(.device(let device)) = change, noted.insert(device.uuid).inserted {
                try note([device.uuid])
            }
        }
        json?.finish(list)
        return .success
    }

    func open() throws -> BearerAccess {
        try route.open(
            in: context,
            network: knowledge.network ?? .empty,
            heard: knowledge.database?.snapshot.replay ?? [],
            named: knowledge.database?.name
        )
    }

    /// Records in the database that some of its nodes were seen without a network.
    ///
    /// - Parameter held: the lease for writing to the database, if already held.
    func note(_ uuids: [DeviceUUID], under held: WriteLease? = nil) throws {
        guard let (database, snapshot, _) = knowledge.database else { return }
        let seen = Set(uuids)
        func unnoted(_ network: MeshNetwork) -> [Node] {
            network.nodes.filter { seen.contains($0.uuid) && $0.unprovisionedSeenAt == nil }
        }
        guard !unnoted(snapshot.network).isEmpty else { return }
        do throws(StoreError) {
            let lease: WriteLease
            if let held { lease = held } else { lease = try Workspace(context: context).lock(database, for: "scan") }
            var changes = StoreChanges()
            changes.nodes = unnoted(try database.snapshot().network).map { node in
                var node = node
                node.unprovisionedSeenAt = context.now()
                return node
            }
            guard !changes.isEmpty else { return }
            _ = try database.commit(changes, with: lease)
            let names = changes.nodes.map(\.name.printable).joined(separator: ", ")
            context.errorOutput.line(
                "Recorded in the database that \(names) \(changes.nodes.count == 1 ? "has" : "have") left the network."
            )
        } catch {
            guard error.code == .locked else { throw error }
            context.errorOutput.line(
                "The database is locked, so it cannot record which nodes have left the network."
            )
        }
    }

    /// The nodes declared in the file that stubs are added to, whether or not it belongs to the definition.
    private func nodes(in path: String) throws -> [NodeDefinition] {
        guard !path.isEmpty, Files.kind(context.absolute(path)) != nil else { return [] }
        let files = try DefinitionFiles(context: context).read([path])
        return DefinitionReader.read(files: files).definitions.flatMap(\.nodes)
    }

    /// Writes an entry of the definition for each unknown device.
    ///
    /// - Parameter isRemote: whether devices that only nodes hear get an entry, too, with a node to reach them through.
    func adopt(_ list: ScanList, into path: String, isRemote: Bool = false) throws {
        let names = knowledge.names
        let adopted = try nodes(in: path)
        let adoptedDevices = Set(adopted.map(\.uuid.value))
        let unknown = list.devices.filter {
            [.new, .unasked].contains(names.standing(of: $0.uuid)) && !adoptedDevices.contains($0.uuid)
        }
        guard !unknown.isEmpty else {
            context.errorOutput.line("All devices are known already.")
            return
        }
        var taken = Set(knowledge.definition?.nodes.map(\.name.value) ?? [])
        taken.formUnion(adopted.map(\.name.value))
        taken.formUnion(knowledge.definition?.groups.map(\.name.value) ?? [])
        taken.formUnion(knowledge.network?.nodes.map(\.name) ?? [])
        let ordered = unknown.sorted { $0.uuid < $1.uuid }
        var stubs = UnprovisionedStub.stubs(
            for: ordered.map { ($0.uuid, $0.information) },
            prefix: "new",
            avoiding: taken
        )
        for (index, device) in ordered.enumerated() where isRemote && device.direct == nil {
            stubs[index].isRemote = true
            stubs[index].hearers = device.nodesByStrength.map { names.name(of: $0.node) ?? $0.node.description }
        }
        let network = knowledge.definition?.network.value ?? knowledge.database?.name
        let document = UnprovisionedStub.document(stubs, network: network)
        guard !path.isEmpty else { return context.output.write(document: document) }
        let absolute = context.absolute(path)
        let isThere = Files.kind(absolute) != nil
        // Whole or not at all: a scan that is cut short is repeated, and adds behind what is there.
        let present = isThere ? try context.read(path) : []
        let isOpen = present.last.map { $0 != UInt8(ascii: "\n") } ?? false
        let separator = present.isEmpty ? "" : isOpen ? "\n---\n" : "---\n"
        let target = Files.resolved(absolute) ?? absolute
        let mode = Files.permissions(target).flatMap { UInt16(exactly: $0 & 0o777) } ?? 0o644
        try AtomicFile.write(target, as: path, present + Array((separator + document).utf8), mode: mode)
        context.errorOutput.line(
            "\(isThere ? "Added" : "Wrote") \(count(stubs.count, "node")) \(isThere ? "to the end of" : "to") \(path.printable)."
        )
    }
}
