/// Colours that people with any colour vision tell apart (Okabe and Ito's set, without yellow, which light backgrounds
/// swallow, and black).
enum Palette {
    /// A colour for each place of a list; they repeat after seven.
    static func colour(_ index: Int) -> String { colours[index % colours.count] }

    private static let colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f"]

    /// The colour of a mark; nil for nodes that need none.
    static func colour(_ mark: NodeMark) -> String? {
        switch mark {
        case .settled: nil
        case .unread: "#56b4e9"
        case .unmanaged, .missing: "#7f7f7f"
        case .added: "#009e73"
        case .changed: "#e69f00"
        case .replaced: "#0072b2"
        case .removed: "#d55e00"
        case .drifted: "#cc79a7"
        case .pending: "#d55e00"
        }
    }
}
