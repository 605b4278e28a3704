import ArgumentParser
import Execution

/// `meshplan health`
struct HealthCommand: OperatingCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Read the faults that nodes have registered, clear them, or run tests.",
        discussion: """
            Asks the Health Servers of all nodes, or of a target, side by side. A fault stays registered until it is \
            cleared. The faults that a node has at present cannot be asked for: it publishes them, if its Health Server \
            has a publication.

            With --clear, faults are shown before they are cleared; with --test, those that are registered after the \
            test. A pattern or tag, or no target, that acts on more than 30 % of ten or more nodes needs approval. Ends \
            with 4 if some did not answer; they are named.
            """
    )

    @OptionGroup var target: OptionalTargetArgument

    @Flag(help: "Clear registered faults.")
    var clear = false

    @Option(help: ArgumentHelp("Run a test, 0 for the standard one.", valueName: "number"))
    var test: UInt8?

    @Option(
        help: ArgumentHelp("Draw attention (blink, for example) for 1s to 255s; 0 to stop.", valueName: "duration"),
        transform: DurationArgument.parse
    )
    var attention: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "Publish so many times as often while there are faults: 1, 2, 4 … 32768.",
            valueName: "number"
        )
    )
    var periodDivisor: Int?

    @Option(
        help: ArgumentHelp(
            "The company of the faults, such as 0x0059. (default: that of each node's product)",
            valueName: "number"
        )
    )
    var company: String?

    @Flag(help: "Do not ask before a pattern, a tag or no target acts on many nodes.")
    var autoApprove = false

    @OptionGroup var definition: TagOptions

    @OptionGroup var mesh: MeshOptions

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    func validate() throws {
        if let attention {
            guard attention.milliseconds <= 255_000, attention.milliseconds % 1_000 == 0 else {
                throw ValidationError("--attention takes whole seconds, 255s at most.")
            }
        }
        if let periodDivisor, Self.exponent(of: periodDivisor) == nil {
            throw ValidationError("--period-divisor takes a power of 2 from 1 to 32768.")
        }
        guard let company, Self.company(company) == nil else { return }
        throw ValidationError("`\(company)` is no number of a company, such as 0x0059.")
    }

    func run(in context: Context) throws -> ExitStatus {
        let operating = try operatingRun(in: context)
        var wishes = HealthWishes()
        wishes.clears = clear
        wishes.test = test
        wishes.attention = attention.map { UInt8(clamping: $0.milliseconds / 1_000) }
        wishes.periodDivisor = periodDivisor.flatMap { Self.exponent(of: $0) }
        wishes.company = company.flatMap { Self.company($0) }
        return try HealthSession(operating: operating, wishes: wishes, isApproved: autoApprove).check(target.target)
    }

    private static func exponent(of divisor: Int) -> UInt8? {
        (0...15).first { 1 << Int($0) == divisor }
    }

    private static func company(_ text: String) -> UInt16? {
        guard text.hasPrefix("0x") else { return UInt16(text) }
        let digits = text.dropFirst(2)
        return digits.allSatisfy(\.isHexDigit) ? UInt16(digits, radix: 16) : nil
    }
}
