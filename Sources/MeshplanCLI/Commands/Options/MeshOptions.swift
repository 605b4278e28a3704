import ArgumentParser

/// How a command that estimates nothing reaches the mesh, and what a simulated one is like.
struct MeshOptions: ParsableArguments {
    @Option(help: ArgumentHelp("\(BearerChoice.help)", valueName: "bearer"))
    var via: [String]

    @OptionGroup var adapter: AdapterOptions

    @OptionGroup var capture: CaptureOptions

    @OptionGroup var models: VendorModelOptions

    @OptionGroup(title: "With --via simulator")
    var devices: SimulatedDeviceOptions

    @OptionGroup(title: "With --via simulator")
    var radio: SimulatedRadioOptions

    @OptionGroup(title: "With --via simulator", visibility: .hidden)
    var simulator: SimulatorOptions

    func validate() throws {
        _ = try BearerChoice.all(adapter.routes(via))
        try adapter.check(for: via)
        try devices.check(for: via)
        try simulator.check(for: via)
        try radio.check(for: via)
    }

    /// The way to the mesh.
    ///
    /// - Throws: what is wrong with the files that it names.
    func route() throws -> MeshRoute {
        try MeshRoute(via: adapter.routes(via), devices, models, simulator, radio, capture)
    }
}
