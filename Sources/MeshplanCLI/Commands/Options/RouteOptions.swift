import ArgumentParser

/// The options for the radio, and for what `--via simulator` simulates, of commands that carry out plans.
struct RouteOptions: ParsableArguments {
    @OptionGroup var radio: RadioOptions

    @OptionGroup(title: "With --via simulator")
    var devices: SimulatedDeviceOptions

    @OptionGroup(title: "With --via simulator")
    var models: VendorModelOptions

    @OptionGroup(title: "With --via simulator")
    var simulator: SimulatorOptions

    /// Refuses options of a simulation for nodes that this process does not simulate.
    ///
    /// - Parameter via: the values of `--via`.
    /// - Throws: `ValidationError` in that case.
    func check(for via: [String]) throws(ValidationError) {
        try devices.check(for: via)
        try simulator.check(for: via)
    }

    /// The way to the mesh.
    ///
    /// - Parameter via: the values of `--via`, with the adapter filled in.
    /// - Throws: what reading the files of the options throws.
    func route(via: [String], _ capture: CaptureOptions) throws -> MeshRoute {
        try MeshRoute(via: via, devices, models, simulator, radio, capture)
    }
}
