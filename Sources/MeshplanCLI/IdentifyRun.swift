internal import Bearers
internal import Execution
internal import MeshCore
internal import Simulator
internal import Store

/// One `identify`: finds out whether a device or a node is meant, and has it draw attention.
struct IdentifyRun {
    /// The effects.
    var context: Context
    /// What reaches it.
    var choice: BearerChoice
    /// The paths of files with simulated devices.
    var devices: [String]
    /// How simulated radio and nodes behave.
    var simulator: SimulatorOptions
    /// What is known of whom is meant.
    var knowledge: ScanKnowledge

    /// A device in no network ends a session in which nothing goes on after so many seconds.
    private static let longestInvitation: UInt8 = 60

    /// Has whoever is meant draw attention for some seconds.
    func identify(_ name: String, seconds: UInt8) throws -> ExitStatus {
        let defined = knowledge.definition?.nodes.first { $0.name.value == name }?.uuid.value
        let known = knowledge.network?.nodes.first { $0.uuid == defined } ?? knowledge.network?.node(named: name)
        if let node = known, node.unprovisionedSeenAt == nil { return try identify(node, seconds: seconds) }
        let pending = knowledge.network?.pendingProvisionings.first { $0.name == name }?.uuid
        guard let uuid = known?.uuid ?? defined ?? pending ?? DeviceUUID(name) else {
            throw Failure(
                .usage,
                "nobody is called `\(name)`",
                hint: "Say a name of the definition or the database, or a UUID; meshplan scan lists who is heard."
            )
        }
        guard seconds <= Self.longestInvitation else {
            throw Failure(.usage, "a device in no network draws attention for 60 s at most", hint: "Use --time 60s.")
        }
        return try identify(device: uuid, named: knowledge.names.name(of: uuid) ?? name, seconds: seconds)
    }

    private func identify(device uuid: DeviceUUID, named name: String, seconds: UInt8) throws -> ExitStatus {
        let access = try open()
        let before = context.interrupts.count()
        var generator = context.randomNumbers
        let identification = DeviceIdentification(
            bearer: access.bearer,
            uuid: uuid,
            name: name.printable,
            seconds: seconds,
            isInterrupted: { context.interrupts.count() != before }
        )
        try identification.run(using: &generator) { capabilities in
            tell(
                "\(name.printable) draws attention to itself for \(count(Int(seconds), "second")). "
                    + "It has \(capabilities.text).",
                uuid,
                seconds,
                capabilities
            )
        }
        return context.interrupts.count() == before ? .success : .interrupted
    }

    private func identify(_ node: Node, seconds: UInt8) throws -> ExitStatus {
        guard let (database, snapshot, _) = knowledge.database else { return .failure }
        let name = knowledge.names.name(of: node.uuid) ?? node.name
        guard node.isCompositionKnown else {
            throw Failure(
                .failure,
                "the composition of \(name.printable) is not known",
                hint: "Name it in the definition; meshplan apply reads it."
            )
        }
        let servers = node.elements.first?.models.filter { $0.identifier == .healthServer } ?? []
        let bindings = servers.flatMap(\.bindings).sorted()
        let keys = bindings.compactMap { binding in snapshot.network.appKeys.first { $0.index == binding } }
        guard let key = keys.first(where: { key in node.netKeys.contains { $0.index == key.boundNetKey } }) else {
            throw Failure(
                .failure,
                servers.isEmpty
                    ? "\(name.printable) has no Health Server on its primary element"
                    : "the Health Server of \(name.printable) has no application key, and is asked with one only",
                hint: servers.isEmpty
                    ? nil
                    : "Declare it: elements: { 0: { health-server: { keys: [NAME] } } }, then meshplan apply."
            )
        }
        let lease = try Workspace(context: context).lock(database, for: "identify")
        let access = try open()
        let keyReader = KeyReader(context: context)
        let executor = Executor(
            database: database,
            lease: lease,
            bearer: access.bearer,
            context: ExecutionContext(
                user: context.process.user,
                host: context.process.host,
                now: context.now,
                interrupts: context.interrupts.count,
                key: { source throws(ExecutionContext.KeyError) in try keyReader.key(from: source) }
            )
        )
        switch executor.drawAttention(to: node, seconds: seconds, under: key) {
        case .drawn(let seconds):
            let text = "\(name.printable) draws attention to itself for \(count(Int(seconds), "second"))."
            tell(text, node.uuid, seconds, nil)
            return .success
        case .unanswered:
            throw Failure(
                .partial,
                "\(name.printable) does not answer",
                hint: "See that it has power and that other nodes relay messages to it."
            )
        case .unreachable(let reason, let hint):
            throw Failure(.failure, "\(name.printable) cannot be asked: \(reason)", hint: hint)
        case .stopped(.interrupted): throw Failure(.interrupted, "interrupted; nothing is waited for")
        case .stopped(let ending):
            throw Failure(ending: ending) ?? Failure(.failure, "\(name.printable) was not asked")
        }
    }

    private func tell(
        _ text: String,
        _ uuid: DeviceUUID,
        _ seconds: UInt8,
        _ capabilities: ProvisioningCapabilities?
    ) {
        guard let lines = context.json else { return context.output.line(text) }
        lines.write([
            "type": "attention", "node_uuid": uuid.description.json, "seconds": .integer(Int(seconds)),
            "elements": capabilities.map { .integer(Int($0.elementCount)) },
        ])
    }

    private func open() throws -> BearerAccess {
        let access = try BearerAccess(choice, in: context) {
            let name = knowledge.database?.name
            return try Simulation(
                context,
                network: knowledge.network ?? .empty,
                devices: devices,
                statePath: try name.map { try Simulation.statePath(nil, network: $0) },
                options: simulator
            )
        }
        context.interrupts.arm()
        return access
    }
}
