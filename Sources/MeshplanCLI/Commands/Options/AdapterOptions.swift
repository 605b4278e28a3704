import ArgumentParser

/// The option that selects a Bluetooth adapter.
struct AdapterOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "With --via gatt: the Bluetooth adapter, by name or address. (default: the first that is ready)",
            valueName: "adapter",
            visibility: .hidden
        )
    )
    var adapter: String?

    /// The values of `--via`, with the adapter filled in.
    func routes(_ via: [String]) -> [String] {
        guard let adapter else { return via }
        return via.map { $0 == BearerChoice.gattName ? "\(BearerChoice.gattName):\(adapter)" : $0 }
    }

    /// Refuses an adapter if no route uses it.
    func check(for via: [String]) throws(ValidationError) {
        guard adapter != nil, !via.contains(BearerChoice.gattName) else { return }
        throw ValidationError("--adapter needs --via gatt.")
    }
}
