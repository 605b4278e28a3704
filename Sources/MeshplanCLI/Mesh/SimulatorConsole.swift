internal import MeshCore
internal import Simulator
internal import SystemLayer

/// What a person next to the simulated devices sees and does: observations on standard output, commands on standard
/// input.
final class SimulatorConsole {
    private let context: Context
    private let simulation: Simulation
    private var hasEnded = false

    /// The console of a world. From now on, it reports what happens at the devices.
    init(_ context: Context, _ simulation: Simulation) {
        self.context = context
        self.simulation = simulation
        simulation.world.onObservation = { context.output.line($0.description.printable) }
    }

    /// The descriptor that becomes readable when somebody types; nil once input has ended.
    var descriptor: Int32? { hasEnded ? nil : context.lineInput.descriptor }

    /// Carries out the commands typed so far. The end of standard input ends only the console.
    func poll() {
        while !hasEnded {
            switch context.lineInput.poll() {
            case .line(let line): execute(line)
            case .nothing: return
            case .end: hasEnded = true
            }
        }
    }

    private static let help = """
        input DEVICE VALUE   put a value into a device that waits for it
        reset NODE           reset a node or device to its state of delivery
        off NODE             take its power away
        on NODE              give it power again
        status               show the state of each device
        help                 show this list
        """

    private func execute(_ line: String) {
        let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "\r" }).map(String.init)
        guard let command = words.first else { return }
        // Names may contain spaces, values do not.
        let name = words.dropFirst().joined(separator: " ")
        switch command {
        case "help" where name.isEmpty: context.output.line(Self.help)
        case "status" where name.isEmpty: status()
        case "input" where words.count > 2:
            input(words[words.count - 1], into: words[1..<(words.count - 1)].joined(separator: " "))
        case "reset" where !name.isEmpty:
            // The world itself reports that the device has left its network.
            change(name) { $0.factoryReset($1) }
        case "off" where !name.isEmpty, "on" where !name.isEmpty:
            if change(name, { $0.setPower($1, isOn: command == "on") }) {
                context.output.line("\(name.printable) is \(command)")
            }
        case "input", "reset", "off", "on", "status", "help": refuse("`\(command)` has wrong arguments; see help")
        default: refuse("there is no command `\(command)`; see help")
        }
    }

    private func input(_ value: String, into name: String) {
        do {
            try simulation.input(name, value.uppercased())
            context.output.line("\(name.printable) has taken \(value.printable)")
        } catch {
            refuse("\(name): \(error)")
        }
    }

    /// Changes a device.
    ///
    /// - Returns: whether the device exists and was changed.
    @discardableResult
    private func change(_ name: String, _ change: (SimulatedWorld, DeviceUUID) -> Bool) -> Bool {
        guard let uuid = simulation.identifier(of: name) else {
            refuse("there is no device `\(name)`")
            return false
        }
        guard change(simulation.world, uuid) else {
            refuse("\(name) is not simulated")
            return false
        }
        return true
    }

    private func refuse(_ problem: String) { context.errorOutput.line(problem.printable) }

    private func status() {
        let world = simulation.world
        var table = Table()
        table.rows = world.nodeIdentifiers.compactMap { uuid in
            guard let node = world.node(uuid) else { return nil }
            let power = world.faults(of: uuid).isOff ? "off" : ""
            let state = node.isProvisioned ? "node at \(node.address)" : "unprovisioned"
            return [node.name.printable, uuid.description, state, power]
        }
        context.output.write(table.render(.plain))
    }
}
