import ArgumentParser
import MeshCore
import Simulator

/// The options for how the simulated radio and nodes behave, apart from the choice of radio; for `sim` and for `--via
/// simulator`.
struct SimulatorOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The number of hops that the network spans, instead of the radio's.",
            valueName: "count"
        )
    )
    var hops: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The share of copies lost on each hop, 0 to 1, instead of the radio's.",
            valueName: "share"
        )
    )
    var loss: Double?

    @Option(
        help: ArgumentHelp(
            "The seed of random events; the same seed gives the same run. (default: 1)",
            valueName: "number"
        )
    )
    var seed: UInt64?

    @Option(
        help: ArgumentHelp("A node without power. May be repeated.", valueName: "node"),
        completion: Completion.nodes
    )
    var off: [String] = []

    @Option(
        help: ArgumentHelp("A node that hears nothing. May be repeated.", valueName: "node"),
        completion: Completion.nodes
    )
    var deaf: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            The IV index of the nodes from now on, to simulate years without this database: 60, or 61:updating while \
            an update is in progress.
            """,
            valueName: "index"
        )
    )
    var ivIndex: IVIndexArgument?

    @Option(
        help: ArgumentHelp(
            "A node that answers an opcode with a status, as in kitchen-1=0x801B:0x05. May be repeated.",
            valueName: "node=opcode:status"
        )
    )
    var fail: [String] = []

    func validate() throws {
        if let hops, !(1...126).contains(hops) { throw ValidationError("--hops takes 1 to 126.") }
        if let loss, !(0...1).contains(loss) {
            throw ValidationError("--loss takes a share from 0 to 1, such as 0.2.")
        }
        for text in fail { _ = try Self.parseFault(text) }
    }

    /// Refuses these options for nodes that this process does not simulate.
    ///
    /// - Parameter via: the values of `--via`.
    func check(for via: [String]) throws(ValidationError) {
        guard via != ["simulator"] else { return }
        let given = [
            (hops != nil, "--hops"), (loss != nil, "--loss"), (seed != nil, "--seed"), (!off.isEmpty, "--off"),
            (!deaf.isEmpty, "--deaf"), (ivIndex != nil, "--iv-index"), (!fail.isEmpty, "--fail"),
        ]
        guard let (_, name) = given.first(where: \.0) else { return }
        throw ValidationError("\(name) needs --via simulator; a separate simulator process takes it itself.")
    }

    /// Sets the faults in the simulation that the options ask for.
    ///
    /// - Throws: ``Failure`` for an unknown node or device, or one that is not simulated.
    func applyFaults(to simulation: Simulation) throws {
        let world = simulation.world
        if let ivIndex { world.setIVIndex(ivIndex.ivIndex) }
        func change(_ name: String, _ change: (inout NodeFaults) -> Void) throws {
            guard let uuid = simulation.identifier(of: name) else {
                throw Failure(
                    .usage,
                    "there is no node `\(name)` in the network",
                    hint: "Use its name, UUID or address; meshplan show lists the nodes."
                )
            }
            var faults = world.faults(of: uuid)
            change(&faults)
            guard world.setFaults(faults, of: uuid) else {
                throw Failure(
                    .usage,
                    "the node `\(name)` is not simulated, because it is a provisioner or excluded"
                )
            }
        }
        for name in off { try change(name) { $0.isOff = true } }
        for name in deaf { try change(name) { $0.isDeaf = true } }
        for text in fail {
            let (name, answer) = try Self.parseFault(text)
            try change(name) { $0.answers.append(answer) }
        }
    }

    private static func parseFault(
        _ text: String
    ) throws(ValidationError) -> (
        String, NodeFaults.Answer
    ) {
        let problem = ValidationError(
            "--fail takes NODE=OPCODE:STATUS in hexadecimal, as in kitchen-1=0x801B:0x05."
        )
        guard let equals = text.lastIndex(of: "="), equals > text.startIndex else { throw problem }
        let parts = text[text.index(after: equals)...].split(
            separator: ":",
            omittingEmptySubsequences: false
        )
        guard parts.count == 2, parts.allSatisfy({ $0.hasPrefix("0x") }),
            let opcode = UInt32(parts[0].dropFirst(2), radix: 16).flatMap(Opcode.init(rawValue:)),
            let status = UInt8(parts[1].dropFirst(2), radix: 16)
        else { throw problem }
        return (
            String(text[..<equals]),
            NodeFaults.Answer(opcode: opcode, status: ConfigStatusCode(rawValue: status))
        )
    }
}

/// The option for devices in addition to the nodes of the database.
struct SimulatedDeviceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A YAML file with unprovisioned devices. May be repeated.",
            valueName: "file"
        ),
        completion: Completion.files
    )
    var devices: [String] = []

    /// Refuses devices for another simulator process, which has its own.
    ///
    /// - Parameter via: the values of `--via`.
    func check(for via: [String]) throws(ValidationError) {
        guard !devices.isEmpty, via != ["simulator"] else { return }
        throw ValidationError("--devices needs --via simulator; a separate simulator process takes it itself.")
    }
}

/// The option for the file in which simulated nodes keep their configuration.
struct SimulatorStateOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The file in which the simulated nodes keep their configuration. (default: .meshplan/NETWORK.simulator)",
            valueName: "file"
        ),
        completion: Completion.files
    )
    var stateFile: String?
}
