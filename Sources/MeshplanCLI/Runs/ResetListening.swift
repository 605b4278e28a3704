/// How long it is listened for nodes that were reset, before there is a plan.
struct ResetListening {
    /// After which time it ends in any case; zero for not at all.
    var longest: Duration
    /// After which time it ends once a proxy of the network was heard; nil for not before ``longest``.
    var enough: Duration?

    /// What `--listen` says: exactly so long; without it as long as it takes to hear most of what advertises about once a
    /// second, or twice that while nobody of the network is heard.
    init(_ option: DurationArgument?) {
        longest = option?.duration ?? .seconds(3)
        enough = option == nil ? .milliseconds(1_500) : nil
    }

    /// What the help says of `--listen`.
    static let help =
        "How long to listen for nodes that were reset before planning; 0 for not at all. (default: 1.5s, or until a proxy of "
        + "the network is heard, 3s at most)"
}
