import ArgumentParser
import Execution
import Planning

/// The options for how a run sends messages.
struct RunOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The most links at once, if the bearer has as many.",
            valueName: "count",
            visibility: .hidden
        )
    )
    var connections: Int?

    @Option(help: ArgumentHelp("The most nodes to talk to at once.", valueName: "count", visibility: .hidden))
    var window: Int?

    @Option(help: ArgumentHelp("The TTL of requests, 0 or 2 to 127.", valueName: "hops", visibility: .hidden))
    var ttl: UInt8?

    @Option(
        help: ArgumentHelp(
            "Use only this proxy: a node's name, unicast address or Device UUID, or a Bluetooth address.",
            valueName: "node|address",
            visibility: .hidden
        ),
        completion: Completion.nodes
    )
    var proxy: String?

    /// The help of `--again`, of commands that provision devices.
    static let againHelp =
        "Offer static values once more that another device may have learnt in an earlier session."

    /// The numbers that `--connections` takes.
    static let connectionsRange = 1...64
    /// The numbers that `--window` takes.
    static let windowRange = 1...1_000

    func validate() throws {
        if let window, !Self.windowRange.contains(window) { throw ValidationError("--window takes 1 to 1000.") }
        if let ttl, ttl == 1 || ttl > 127 { throw ValidationError("--ttl takes 0 or 2 to 127.") }
        if let connections, !Self.connectionsRange.contains(connections) {
            throw ValidationError("--connections takes 1 to 64.")
        }
    }

    /// The links at once to expect; nil for the usual number. Through one named proxy there is one link.
    var expectedConnections: Int? { proxy == nil ? connections : 1 }

    /// The options in the executor's form.
    var options: ExecutionOptions {
        var options = ExecutionOptions()
        if let window {
            options.maximumWindow = window
            options.initialWindow = min(options.initialWindow, window)
        }
        if let ttl { options.retry.ttl = ttl }
        options.expectedConnections = expectedConnections
        options.proxy = proxy.map { ProxyName($0) }
        if let connections { options.maximumConnections = connections }
        return options
    }

    /// The same for a run that provisions devices.
    ///
    /// - Parameter isAgain: whether to offer used static values once more.
    func options(offeringUsedValues isAgain: Bool) -> ExecutionOptions {
        var options = options
        options.provisioning.offersUsedValues = isAgain
        return options
    }
}
