import ArgumentParser
import Simulator
import SystemLayer

/// `meshplan test`
struct TestCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Play the tests of a definition in the simulator.",
        discussion: """
            Makes the devices of the definition, provisions and configures them in the simulator as the definition says, \
            and plays each test under `tests:` in that building: switches are pressed, sensors measure, nodes lose their \
            power – and lamps must do what the test expects, in time. No database and no hardware are needed, and nothing \
            is kept.

            What a device is made of comes from files with devices, or else from the database if there is one; of other \
            devices it is assumed that they have what the definition uses. Exits with 1 if a test fails.
            """
    )

    @OptionGroup var definition: DefinitionOptions

    @Option(help: ArgumentHelp("The network, if there are several.", valueName: "name"))
    var network: String?

    @Option(
        help: ArgumentHelp("Only tests with this name; * stands for anything. May be repeated.", valueName: "pattern")
    )
    var only: [String] = []

    @OptionGroup var devices: SimulatedDeviceOptions

    @OptionGroup var radio: SimulatedRadioOptions

    @Option(
        help: ArgumentHelp("The number of hops that the network spans, instead of the radio's.", valueName: "count")
    )
    var hops: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The share of copies lost on each hop, 0 to 1, instead of the radio's.", valueName: "share")
    )
    var loss: Double?

    @Option(
        help: ArgumentHelp(
            "The seed of the first run: it decides where nodes are, and what is lost.",
            valueName: "number"
        )
    )
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("Play each test so often, under other chances each time.", valueName: "count"))
    var seeds = 1

    @Option(help: ArgumentHelp("Also write the results to a file in the format of JUnit.", valueName: "file"))
    var junit: String?

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func validate() throws {
        if let hops, !(1...126).contains(hops) { throw ValidationError("--hops takes 1 to 126.") }
        if let loss, !(0...1).contains(loss) {
            throw ValidationError("--loss takes a share from 0 to 1, such as 0.2.")
        }
        guard (1...10_000).contains(seeds) else { throw ValidationError("--seeds takes 1 to 10000.") }
    }

    func run(in context: Context) throws -> ExitStatus {
        context.interrupts.arm()
        let run = TestingRun(
            context: context,
            settings: settings,
            devices: devices.devices,
            only: only,
            seed: seed,
            seeds: seeds,
            junit: junit
        )
        return try run.test(definition.paths, network: network)
    }

    private var settings: WorldSettings {
        var settings = radio.simulated.flatMap(WorldSettings.profile(named:)) ?? .ideal
        if let hops { settings.topology = .hops(hops) }
        if let loss { settings.copyLoss = loss }
        return settings
    }
}
