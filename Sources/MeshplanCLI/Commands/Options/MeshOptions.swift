import ArgumentParser

/// How a command that estimates nothing reaches the mesh, and what a simulated one is like.
struct MeshOptions: ParsableArguments {
    @OptionGroup var bearer: BearerOptions

    @OptionGroup var models: VendorModelOptions

    @OptionGroup(title: "With --via simulator")
    var devices: SimulatedDeviceOptions

    @OptionGroup(title: "With --via simulator")
    var radio: SimulatedRadioOptions

    @OptionGroup(title: "With --via simulator")
    var simulator: SimulatorOptions

    func validate() throws {
        try devices.check(for: bearer.via)
        try simulator.check(for: bearer.via)
        try radio.check(for: bearer.via)
    }

    /// The way to the mesh.
    ///
    /// - Throws: what is wrong with the files that it names.
    func route() throws -> MeshRoute {
        try MeshRoute(via: bearer.routes, devices, models, simulator, radio, bearer.capture)
    }
}
