import MeshCore
import Simulator
import SystemLayer

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

    /// The most commands to carry out before the mesh has its turn again.
    private static let mostAtOnce = 16

    /// Carries out commands typed so far. The end of standard input ends only the console.
    func poll() {
        for _ in 0..<Self.mostAtOnce where !hasEnded {
            switch context.lineInput.poll() {
            case .line(let line): execute(line)
            case .nothing: return
            case .end: hasEnded = true
            }
        }
    }

    private static let help = """
        input DEVICE VALUE            put a value into a device that waits for it
        reset NODE                    reset a node or device to its state of delivery
        off NODE                      take its power away
        on NODE                       give it power again
        press NODE ELEMENT on|off     press a switch: its client publishes what it is configured to
        sense NODE [PROPERTY] VALUE   let a sensor measure something: sense presence-1 1
        fault NODE FAULT              let a fault appear or, if it is there, go away: fault exit-1 overheat
        battery NODE PERCENT          so much is left in its battery
        status                        show the state of each device
        help                          show this list
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
        case "press" where words.count > 3: press(words)
        case "sense" where words.count > 2: sense(words)
        case "fault" where words.count > 2:
            operate(on: words[1..<(words.count - 1)]) { (world, uuid, name) throws(OperationError) in
                let fault = words[words.count - 1]
                let isThere = try world.toggleFault(uuid, fault)
                return "\(name) \(isThere ? "has" : "no longer has") \(fault)"
            }
        case "battery" where words.count > 2:
            operate(on: words[1..<(words.count - 1)]) { (world, uuid, name) throws(OperationError) in
                let percent = Int64(words[words.count - 1]) ?? -1
                try world.setBattery(uuid, percent: percent)
                return "\(name) has \(percent) % left"
            }
        case "press", "sense", "fault", "battery", "input", "reset", "off", "on", "status", "help":
            refuse("`\(command)` has wrong arguments; see help")
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

    private func press(_ words: [String]) {
        let (element, state) = (words[words.count - 2], words[words.count - 1])
        guard let index = Int(element), index >= 0, state == "on" || state == "off" else {
            refuse("`press` takes a node, the number of an element, and on or off")
            return
        }
        operate(on: words[1..<(words.count - 2)]) { (world, uuid, name) throws(OperationError) in
            try world.press(uuid, element: index, isOn: state == "on")
            return "\(name) was pressed: \(state)"
        }
    }

    /// The last word is the value, or the last two with its unit; the word before it may be a property. Names may
    /// contain spaces, so the longest name that exists counts.
    private func sense(_ words: [String]) {
        let rest = Array(words.dropFirst())
        for length in stride(from: rest.count - 1, through: 1, by: -1) {
            guard simulation.identifier(of: rest.prefix(length).joined(separator: " ")) != nil else { continue }
            var value = Array(rest.dropFirst(length))
            var property: String?
            if value.count > 1, value[0].contains(where: \.isLetter) { property = value.removeFirst() }
            let text = value.joined(separator: " ")
            operate(on: rest.prefix(length)) { (world, uuid, name) throws(OperationError) in
                try world.sense(uuid, property: property, text)
                return "\(name) measures \(property.map { "\($0) " } ?? "")\(text)"
            }
            return
        }
        refuse("there is no device `\(rest.dropLast().joined(separator: " "))`")
    }

    /// Does something to a node, and tells what was done.
    private func operate(
        on name: ArraySlice<String>,
        _ body: (SimulatedWorld, DeviceUUID, String) throws(OperationError) -> String
    ) {
        let name = name.joined(separator: " ")
        guard let uuid = simulation.identifier(of: name) else {
            refuse("there is no device `\(name)`")
            return
        }
        do throws(OperationError) {
            context.output.line(try body(simulation.world, uuid, name).printable)
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
        let lit = Dictionary(grouping: world.lights.filter { $0.level > 0 }, by: \.uuid)
        var table = Table()
        table.rows = world.nodeIdentifiers.compactMap { uuid in
            guard let node = world.node(uuid) else { return nil }
            let power = world.faults(of: uuid).isOff ? "off" : ""
            let state = node.isProvisioned ? "node at \(node.address)" : "unprovisioned"
            let light = (lit[uuid] ?? []).map(\.text).joined(separator: ", ")
            return [node.name.printable, uuid.description, state, power, light]
        }
        context.output.write(table.render(.plain))
    }
}

extension LightState {
    /// What it does: `on`, or `40 %, 3000 K`; with its element if that is not the primary one.
    var text: String {
        let level = isDimmable ? "\(DeviceObservation.percent(self.level)) %" : "on"
        let colour = temperature.map { ", \($0) K" } ?? ""
        return (element == 0 ? "" : "element \(element): ") + level + colour
    }
}
