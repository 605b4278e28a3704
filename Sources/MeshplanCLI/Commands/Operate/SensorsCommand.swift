import ArgumentParser
import Execution

/// `meshplan sensors`
struct SensorsCommand: OperatingCommand {
    static let configuration = CommandConfiguration(
        commandName: "sensors",
        abstract: "Read what sensors measure: every property of every sensor, with its unit.",
        discussion: """
            Asks the sensors of all nodes, or of a target, side by side. A value of a property that nobody knows is \
            shown in hexadecimal. Ends with 4 if some did not answer; they are named.
            """
    )

    @OptionGroup var target: OptionalTargetArgument

    @Flag(help: "Show the tolerances, the sampling, and how often a value is measured.")
    var descriptor = false

    @Flag(help: "Show when a value is published; this asks the Sensor Setup Servers.")
    var cadence = false

    @OptionGroup var definition: TagOptions

    @OptionGroup var mesh: MeshOptions

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    func run(in context: Context) throws -> ExitStatus {
        let operating = try operatingRun(in: context)
        var details: SensorInspection.Details = []
        if descriptor { details.insert(.descriptor) }
        if cadence { details.insert(.cadence) }
        return try SensorSession(operating: operating, details: details).inspect(target.target)
    }
}
