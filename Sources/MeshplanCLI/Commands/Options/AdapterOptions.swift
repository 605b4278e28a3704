internal import ArgumentParser

/// Which Bluetooth adapter is used.
struct AdapterOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "With --via gatt: the Bluetooth adapter, by name or address. (default: the first that is ready)",
            valueName: "adapter"
        )
    )
    var adapter: String?

    /// What `--via` says, with the adapter in its place.
    func routes(_ via: [String]) -> [String] {
        guard let adapter else { return via }
        return via.map { $0 == BearerChoice.gattName ? "\(BearerChoice.gattName):\(adapter)" : $0 }
    }

    /// Refuses an adapter for which there is no use.
    func check(for via: [String]) throws(ValidationError) {
        guard adapter != nil, !via.contains(BearerChoice.gattName) else { return }
        throw ValidationError("--adapter is for --via gatt.")
    }
}
