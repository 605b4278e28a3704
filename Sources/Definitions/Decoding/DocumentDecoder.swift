import Catalogue
import DefinitionModel
import MeshCore

/// Turns document trees into what they declare: fragments of definitions, devices, secrets. One decoder serves all
/// documents of a run, because they share symbols, diagnostics and the memory of the tree.
///
/// Decoding never stops. What is wrong is reported and left out. The names of what was left out are kept, so that
/// references to them are not reported as well.
struct DocumentDecoder {
    /// The texts of all documents. The first ones are the ``Keyword``s, so a key is recognised by its number.
    var symbols: SymbolTable
    /// The problems found so far.
    var diagnostics: DiagnosticCollector
    /// The tree of the current document.
    var tree = DocumentTree()
    /// The index of the current file.
    var file: UInt32 = 0
    /// What the current document declares.
    var fragment: Fragment
    /// The thing that is being decoded, for messages.
    var resource: Resource?

    var modelNames = ModelNames()
    /// The models whose states documents may declare, with vendor models once their files have been read.
    var knownModels = KnownModels.sig
    /// The states that can be declared under each model that was met so far.
    var declarable: [ModelIdentifier: DeclarableStates] = [:]
    var inScenes: [ModelIdentifier: DeclarableStates] = [:]
    /// Names of vendor models whose declarations had to be left out.
    var brokenModels: Set<String> = []
    /// Whether vendor models may exist that could not be read, so that unknown names say nothing.
    var lacksModels = false
    /// The files and folders with vendor models that the documents name.
    var modelFiles: [Located<String>] = []
    var productFiles: [Located<String>] = []
    var vendorModels = VendorModelDeclarations()

    /// The variables that texts may hold at present; nil outside of tests.
    var testVariables: TestVariables?
    /// The trees of files that were read before; nil if none are kept.
    var known: KnownTrees?
    /// Modules, variables and what is being expanded.
    var expansion: ExpansionState

    /// The lines of the current document that hold a secret, once somebody asked for them.
    private var knownSecretLines: Set<UInt32>?

    /// The symbol of `<<`.
    let mergeKey: UInt32
    /// For each symbol, the last mapping that had it as a key, and the place there. It finds duplicate keys without
    /// hashing.
    var keyUses: [(mapping: UInt32, key: UInt32)] = []
    /// How many mappings were begun. It numbers them in ``keyUses``.
    var mappingCount: UInt32 = 0
    /// The symbols of the texts that mean an empty value.
    private let nulls: Range<UInt32>
    private var models: [UInt32: ModelIdentifier] = [:]

    /// A decoder that keeps the given number of diagnostics of each severity.
    ///
    /// - Parameters:
    ///   - symbols: the symbols of an earlier decoder, whose trees are used again.
    ///   - known: these trees; nil if none are kept.
    init(limits: ReadingLimits, symbols: SymbolTable = SymbolTable(), known: KnownTrees? = nil) {
        self.symbols = symbols
        self.known = known
        diagnostics = DiagnosticCollector(limit: limits.diagnostics)
        fragment = Fragment(location: SourceLocation(file: 0, line: 1, column: 1))
        expansion = ExpansionState(limits: limits)
        // In a table that has them already, they have the same numbers.
        for keyword in Keyword.all { _ = self.symbols.intern(keyword.rawValue) }
        let firstNull = self.symbols.intern("")
        for text in ["~", "null", "Null"] { _ = self.symbols.intern(text) }
        nulls = firstNull..<self.symbols.intern("NULL") + 1
        mergeKey = self.symbols.intern("<<")
    }

    /// Prepares for the current ``tree`` of ``file``.
    mutating func beginDocument() {
        resource = nil
        knownSecretLines = nil
        makeRoomForKeys()
    }

    /// Makes room in ``keyUses`` for symbols that have come since.
    mutating func makeRoomForKeys() {
        let missing = symbols.count - keyUses.count
        if missing > 0 { keyUses.append(contentsOf: repeatElement((mapping: 0, key: 0), count: missing)) }
    }

    /// Decodes the current document as one of a definition.
    mutating func decodeFragment() -> Fragment {
        let start = tree.nodes.first.map { SourceLocation(file: file, line: $0.line, column: $0.column) }
        fragment = Fragment(location: start ?? SourceLocation(file: file, line: 1, column: 1))
        if !tree.nodes.isEmpty { decodeDefinition(0) }
        defer { fragment = Fragment(location: SourceLocation(file: 0, line: 1, column: 1)) }
        return fragment
    }

    // MARK: - Nodes

    func location(_ node: Int) -> SourceLocation {
        let origin = tree.origins.isEmpty ? file : tree.origins[node]
        let node = tree.nodes[node]
        return SourceLocation(file: origin, line: node.line, column: node.column)
    }

    /// Whether a value was left out: it is empty, or `~` or `null` without quotes.
    func isNull(_ node: Int) -> Bool { tree.isPlain(node, in: nulls) }

    /// The text of a scalar. Anything else is reported as not being `expected`, such as "a TTL".
    mutating func text(_ node: Int, _ expected: String) -> String? {
        switch tree.nodes[node].kind {
        case .plain, .quoted:
            // `isNull` would make the compiler copy the whole decoder.
            guard !tree.isPlain(node, in: nulls) else {
                report("\(expected) is expected here, not nothing", at: node)
                return nil
            }
            return symbols.text(tree.nodes[node].value)
        case .sequence, .mapping:
            let title = kindTitle(node)
            report("\(expected) is expected here, not \(title)", at: node)
            return nil
        case .alias, .unreadable: return nil
        }
    }

    /// The kind of a node, such as "a list", for messages.
    func kindTitle(_ node: Int) -> String {
        switch tree.nodes[node].kind {
        case .sequence: "a list"
        case .mapping: "a mapping"
        case .plain, .quoted, .alias, .unreadable: isNull(node) ? "nothing" : "a text"
        }
    }

    /// The value of a scalar, as its field parses it. A text that does not parse is reported.
    mutating func scalar<Value>(
        _ node: Int,
        _ expected: String,
        _ parse: (String) throws(ScalarProblem) -> Value
    ) -> Located<Value>? {
        guard let text = text(node, expected) else { return nil }
        do {
            return Located(try parse(text), at: location(node))
        } catch {
            report(error.message, at: node, hint: error.hint)
            return nil
        }
    }

    /// The entries of a list, with aliases resolved. Anything else is reported.
    mutating func list(_ node: Int, _ expected: String) -> ListEntries? {
        guard tree.nodes[node].kind == .sequence else {
            if tree.nodes[node].kind != .unreadable {
                let title = kindTitle(node)
                let isOne = !isNull(node) && tree.nodes[node].kind.isText
                let hint = isOne ? "write it in brackets: [ … ]" : isNull(node) ? "write [] for none" : nil
                report("\(expected) is expected here, not \(title)", at: node, hint: hint)
            }
            return nil
        }
        return ListEntries(of: node, in: tree)
    }

    mutating func model(_ node: Int) -> Located<ModelIdentifier>? {
        let kind = tree.nodes[node].kind
        if kind == .plain || kind == .quoted, let known = models[tree.nodes[node].value] {
            return Located(known, at: location(node))
        }
        if lacksModels || !brokenModels.isEmpty, kind == .plain || kind == .quoted {
            let name = symbols.text(tree.nodes[node].value)
            let isMissing = lacksModels && Name.isValid(name) && !name.hasPrefix("0x") || brokenModels.contains(name)
            if isMissing, modelNames.model(named: name) == nil { return nil }
        }
        // The search for the nearest name takes time, and many wrong names must not cost that.
        let names = modelNames
        let wantsHint = diagnostics.wants(.error)
        let parse = { (text: String) throws(ScalarProblem) in
            try wantsHint ? ModelWords.model(text, names) : ModelWords.modelWithoutHint(text, names)
        }
        guard let model = scalar(node, "the name of a model", parse) else { return nil }
        models[tree.nodes[node].value] = model.value
        return model
    }

    // MARK: - Reports

    mutating func report(
        _ message: String,
        at node: Int,
        hint: Advice? = nil,
        related: [Diagnostic.Related] = [],
        concealsSource: Bool = false,
        severity: Diagnostic.Severity = .error
    ) {
        guard diagnostics.wants(severity) else {
            diagnostics.drop(severity)
            return
        }
        var diagnostic = Diagnostic(
            severity,
            message,
            at: location(node),
            length: Int(tree.nodes[node].length),
            hint: hint,
            related: related,
            concealsSource: concealsSource || mayHoldKey || secretLines().contains(tree.nodes[node].line)
        )
        if let resource { diagnostic.resource = "\(resource.kind).\(symbols.text(resource.name))" }
        diagnostics.report(severity) { diagnostic }
    }

    /// Reports an error about a node with a hint of words alone.
    @_disfavoredOverload
    mutating func report(_ message: String, at node: Int, hint: String?, concealsSource: Bool = false) {
        report(message, at: node, hint: hint.map { Advice($0) }, concealsSource: concealsSource)
    }

    /// The thing that is being decoded.
    struct Resource {
        /// Its kind, such as `node`.
        var kind: String
        /// The symbol of its name.
        var name: UInt32
        /// The node of its value.
        var value: Int
    }

    /// Whether the subnet or application key being decoded holds 32 hexadecimal digits: most likely a key in a place
    /// where it must not be.
    private var mayHoldKey: Bool {
        guard let resource, resource.kind == "subnet" || resource.kind == "application_key" else { return false }
        return tree.nodes[resource.value..<tree.next(after: resource.value)].contains { node in
            guard node.kind == .plain || node.kind == .quoted else { return false }
            return symbols.octets(node.value).count(where: Numbers.isHexadecimalDigit) >= 32
        }
    }

    /// The lines of the current document that hold a secret. They are found once, however many problems there are.
    private mutating func secretLines() -> Set<UInt32> {
        if let knownSecretLines { return knownSecretLines }
        let lines = SecretLines.find(in: tree, symbols: symbols)
        knownSecretLines = lines
        return lines
    }
}
