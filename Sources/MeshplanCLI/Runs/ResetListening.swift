import MeshCore

/// How long to listen for nodes that were reset, before planning.
struct ResetListening {
    /// The longest time; zero to not listen at all.
    var longest: Duration
    /// The time after which listening ends if a proxy of the network was heard; nil to always listen for ``longest``.
    var enough: Duration?

    /// Takes the time of `--listen` exactly. Without it, listens long enough to hear most nodes that advertise about
    /// once a second, or twice as long while no node of the network is heard.
    init(_ option: DurationArgument?) {
        longest = option?.duration ?? .seconds(3)
        enough = option == nil ? .milliseconds(1_500) : nil
    }

    /// For how long it listens, for people: `3s`, `1.5s to 3s`.
    var text: String {
        guard let enough, enough < longest else { return DurationText.text(longest) }
        return "\(DurationText.text(enough)) to \(DurationText.text(longest))"
    }

    /// The help of `--listen`.
    static let help =
        "How long to listen for reset nodes before planning; 0 for not at all. (default: 1.5s; up to 3s while no proxy of "
        + "the network is heard)"
}
