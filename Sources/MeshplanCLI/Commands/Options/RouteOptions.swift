import ArgumentParser

/// How a command that carries out plans reaches the mesh, and what `--via simulator` simulates: several groups of
/// options together.
struct RouteOptions {
    /// The values of `--via`.
    var via: [String]
    var adapter: AdapterOptions
    var capture: CaptureOptions
    var radio: RadioOptions
    var devices: SimulatedDeviceOptions
    var models: VendorModelOptions
    var simulator: SimulatorOptions

    /// Checks the options against each other.
    ///
    /// - Throws: `ValidationError` for a way that there is not, and for options of a simulation for nodes that this
    ///   process does not simulate.
    func check() throws(ValidationError) {
        _ = try BearerChoice.all(adapter.routes(via))
        try adapter.check(for: via)
        try devices.check(for: via)
        try simulator.check(for: via)
    }

    /// The way to the mesh.
    ///
    /// - Throws: what reading the files of the options throws.
    func route() throws -> MeshRoute {
        try MeshRoute(via: adapter.routes(via), devices, models, simulator, radio, capture)
    }
}

/// A command with the options of a way to the mesh.
///
/// The groups of options are the command's own. A group of groups would save lines, but a debug build of ArgumentParser
/// checks each level of groups four times over, so that parsing took seconds.
protocol RoutedCommand: NetworkCommand {
    var via: [String] { get }
    var adapter: AdapterOptions { get }
    var capture: CaptureOptions { get }
    var radio: RadioOptions { get }
    var devices: SimulatedDeviceOptions { get }
    var models: VendorModelOptions { get }
    var simulator: SimulatorOptions { get }
}

extension RoutedCommand {
    var way: RouteOptions {
        RouteOptions(
            via: via,
            adapter: adapter,
            capture: capture,
            radio: radio,
            devices: devices,
            models: models,
            simulator: simulator
        )
    }
}
