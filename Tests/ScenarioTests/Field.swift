import Foundation
import Testing

/// The simulated nodes of a house, and a way to reach them.
final class Field {
    /// The house of the nodes.
    let house: House
    private let simulator: LiveProcess?
    /// The adapter in range of the nodes, for ways over the kernel's Bluetooth.
    let adapter: VirtualAdapter?
    private let gateway: LiveProcess?
    private let devices: [String]
    /// The options for commands to reach the nodes.
    let via: [String]

    /// The speed of the nodes relative to real time, in tests that need not act in time.
    private static let hurry = 10

    /// Starts the processes that the way needs.
    ///
    /// - Parameters:
    ///   - devices: a file in the house's folder with unprovisioned devices.
    ///   - isDisturbed: whether the test acts during runs, which needs nodes in real time.
    ///   - simulation: more options of the simulator.
    ///   - radio: more options of `gatt_server.py`, used only by ``Route/kernel``.
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
        // An emulated processor is too slow for more.
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

    /// Runs a command over the way to the nodes.
    func meshplan(_ command: String, _ options: [String] = []) async throws -> (status: Int32, output: String) {
        try await house.meshplan([command] + via + options)
    }

    /// Starts such a command, for a test that reads its output and disturbs it.
    func start(_ command: String, _ options: [String] = []) throws -> LiveProcess {
        try LiveProcess(House.meshplan, [command] + via + options, in: house.folder, through: .pipes)
    }

    /// Switches the power of a node off and on, which ends its links.
    func restart(_ node: String) throws {
        guard let simulator else { throw ScenarioError("nobody can type to nodes inside a command") }
        for change in ["off", "on"] {
            simulator.type("\(change) \(node)")
            try simulator.wait(for: "\(node) is \(change)\n")
        }
    }

    /// Applies the definition until nothing is left. One run is enough unless something disturbs it.
    func apply(_ options: [String] = []) async throws -> String {
        let apply = try await meshplan("apply", ["--auto-approve", "--listen", "0"] + options)
        guard apply.status == 0 else { throw ScenarioError(apply.output) }
        return apply.output
    }

    /// Ends the nodes, and expects that they agree with the database, that the database agrees with the definition, and
    /// that no rule was broken, such as by using a sequence number twice.
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
            status.output.hasSuffix("All agree with the mesh database.\n"),
            "\(status.output)",
            sourceLocation: sourceLocation
        )
    }
}
