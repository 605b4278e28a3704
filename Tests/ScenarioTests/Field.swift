import Foundation
import Testing

/// The simulated nodes of a house, and a way to them.
final class Field {
    /// Whose nodes they are.
    let house: House
    private let simulator: LiveProcess?
    /// The adapter beside the nodes, for the ways over the kernel's Bluetooth.
    let adapter: VirtualAdapter?
    private let gateway: LiveProcess?
    private let devices: [String]
    /// The options that lead a command to the nodes.
    let via: [String]

    /// How much faster than real time the nodes are where nobody has to act in time.
    private static let hurry = 10

    /// Starts what the way needs.
    ///
    /// - Parameters:
    ///   - devices: a file with devices that are in no network yet, in the house's folder.
    ///   - isDisturbed: whether the test does something in the middle, which takes the nodes' real time.
    ///   - simulation: more options of the simulator.
    ///   - radio: more options of `gatt_server.py`, which count for ``Route/kernel`` alone.
    init(
        _ route: Route,
        to house: House,
        devices: String? = nil,
        isDisturbed: Bool = false,
        simulation: [String] = [],
        radio: [String] = []
    ) throws {
        self.house = house
        self.devices = devices.map { ["--devices", $0] } ?? []
        guard route != .simulator else {
            (simulator, adapter, gateway) = (nil, nil, nil)
            via = ["--via", "simulator"] + self.devices + simulation
            return
        }
        // An emulated processor has no time to spare.
        let speed = isDisturbed || KernelRadio.isHere ? 1 : Self.hurry
        let simulator = try LiveProcess(
            House.meshplan,
            ["sim", "run", "--listen", "unix:s", "--speed", "\(speed)"] + self.devices + simulation,
            in: house.folder,
            through: .pipes
        )
        self.simulator = simulator
        try simulator.wait(for: "listening on unix:s\n")
        var way = ["--via", "unix:s"]
        if KernelRadio.isHere {
            let adapter = try VirtualAdapter(simulator: house.folder.appending(path: "s"), options: radio)
            self.adapter = adapter
            way = ["--via", "gatt", "--adapter", adapter.name]
        } else {
            adapter = nil
        }
        guard route == .gateway || route == .kernelGateway else {
            via = way
            gateway = nil
            return
        }
        let gateway = try LiveProcess(
            House.meshplan,
            ["gateway", "--listen", "unix:g"] + way,
            in: house.folder,
            through: .pipes
        )
        self.gateway = gateway
        via = ["--via", "unix:g"]
        try gateway.wait(for: "listening on unix:g, ")
    }

    /// Runs a command that reaches the nodes.
    func meshplan(_ command: String, _ options: [String] = []) async throws -> (status: Int32, output: String) {
        try await house.meshplan([command] + via + options)
    }

    /// Starts such a command, to be read and disturbed while it runs.
    func start(_ command: String, _ options: [String] = []) throws -> LiveProcess {
        try LiveProcess(House.meshplan, [command] + via + options, in: house.folder, through: .pipes)
    }

    /// Takes the power of a node away and gives it back, with which its links are gone.
    func restart(_ node: String) throws {
        guard let simulator else { throw ScenarioError("nobody can type to nodes inside a command") }
        for change in ["off", "on"] {
            simulator.type("\(change) \(node)")
            try simulator.wait(for: "\(node) is \(change)\n")
        }
    }

    /// Applies the definition until nothing is left, which takes one run where nothing disturbs.
    func apply(_ options: [String] = []) async throws -> String {
        let apply = try await meshplan("apply", ["--auto-approve", "--listen", "0"] + options)
        guard apply.status == 0 else { throw ScenarioError(apply.output) }
        return apply.output
    }

    /// Ends the nodes and looks at what has become of them: they are as the database says, the database as the definition
    /// says, and no rule was broken, such as a sequence number used twice.
    func expectFinished(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let plan = try await house.meshplan(["plan", "--detailed-exitcode"])
        #expect(plan.status == 0, "\(plan.output)", sourceLocation: sourceLocation)
        if let gateway {
            gateway.interrupt()
            #expect(try gateway.finish() == 0, "\(gateway.transcript)", sourceLocation: sourceLocation)
        }
        adapter?.remove()
        if let simulator {
            simulator.interrupt()
            #expect(try simulator.finish() == 0, "\(simulator.transcript)", sourceLocation: sourceLocation)
        }
        let status = try await house.meshplan(["sim", "status"] + devices)
        #expect(
            status.output.hasSuffix("All are as the mesh database says.\n"),
            "\(status.output)",
            sourceLocation: sourceLocation
        )
    }
}
