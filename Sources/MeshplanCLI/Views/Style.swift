/// The style of text: colours and box characters on terminals that can show them, plain text elsewhere.
struct Style {
    /// Whether escape sequences for colours are written.
    var isColoured: Bool
    /// Whether characters beyond ASCII are drawn as decoration.
    var drawsBoxes: Bool
    /// Whether a line may be rewritten.
    var isTerminal: Bool
    /// The number of columns to wrap at.
    var width: Int

    /// Plain text of 100 columns.
    static let plain = Style(isColoured: false, drawsBoxes: false, isTerminal: false, width: 100)

    init(isColoured: Bool, drawsBoxes: Bool, isTerminal: Bool, width: Int) {
        self.isColoured = isColoured
        self.drawsBoxes = drawsBoxes
        self.isTerminal = isTerminal
        self.width = width
    }

    /// The style for a stream. `NO_COLOR` (no-color.org) and `TERM=dumb` are honoured; boxes need a UTF-8 locale.
    init(_ terminal: Terminal, isTerminal: Bool, environment: [String: String]) {
        let isDumb = environment["TERM"] == "dumb"
        let refusesColour = !(environment["NO_COLOR"] ?? "").isEmpty
        let locale =
            [environment["LC_ALL"], environment["LC_CTYPE"], environment["LANG"]]
            .compactMap { $0 }.first { !$0.isEmpty } ?? ""
        let encoding = locale.uppercased()
        isColoured = isTerminal && !isDumb && !refusesColour
        drawsBoxes = isTerminal && !isDumb && (encoding.contains("UTF-8") || encoding.contains("UTF8"))
        self.isTerminal = isTerminal && !isDumb
        width = isTerminal ? terminal.width : 100
    }

    /// Colours by their meaning (ECMA-48 SGR parameters).
    enum Dress: String {
        case bold = "1"
        case error = "1;31"
        case warning = "1;33"
        case note = "1;36"
        case create = "32"
        case update = "33"
        case delete = "31"
        case faint = "2"
        case good = "1;32"
    }

    func callAsFunction(_ dress: Dress, _ text: String) -> String {
        isColoured ? "\u{1B}[\(dress.rawValue)m\(text)\u{1B}[0m" : text
    }
}
