/// What a definition was read from the last time, so that of a text that was edited since only the entries that the
/// edit touches are parsed again. What they mean is worked out anew each time: it depends on everything else.
///
/// It is for one definition that is read again and again, as in an editor.
package final class ParsedFiles {
    /// The texts that the trees refer to.
    private(set) var symbols = SymbolTable()
    /// The trees, by the paths of the files.
    private(set) var files: [String: ParsedFile] = [:]
    /// How many symbols there were when nothing was known before.
    private var firstCount = 0

    /// The most symbols that edits may add before everything is parsed anew, beside as many as there were at first.
    private static let mostNewSymbols = 100_000

    /// Nothing that was read.
    package init() {}

    /// Keeps what a reading has parsed or used again. Each edit leaves texts behind that nobody uses any more; when
    /// they have become many, everything is forgotten.
    func keep(_ known: KnownTrees, _ symbols: SymbolTable) {
        if files.isEmpty { firstCount = symbols.count }
        let isOverfull = symbols.count > 2 * firstCount + Self.mostNewSymbols
        self.symbols = isOverfull ? SymbolTable() : symbols
        files = isOverfull ? [:] : known.kept
    }
}

/// The trees of files that a reading can use again.
struct KnownTrees {
    private let before: [String: ParsedFile]
    /// The trees for the next reading: of all files of this one.
    private(set) var kept: [String: ParsedFile] = [:]

    /// The trees of an earlier reading.
    init(_ before: [String: ParsedFile]) {
        self.before = before
    }

    /// What is known of a file.
    func file(_ path: String) -> ParsedFile? { kept[path] ?? before[path] }

    /// Keeps the trees of a file. Of a file that could not be read, the last ones are kept: it may soon be mended.
    mutating func keep(_ file: ParsedFile?, of path: String) { kept[path] = file ?? self.file(path) }
}
