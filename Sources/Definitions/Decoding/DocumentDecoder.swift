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
    var symbols = SymbolTable()
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

    /// The names of models.
    var modelNames = ModelNames()
    /// The models whose states documents may declare, with vendor models once their files have been read.
    var knownModels = KnownModels.sig
    /// The states that can be declared under each model that was met so far.
    var declarable: [ModelIdentifier: DeclarableStates] = [:]
    /// The same for scenes.
    var inScenes: [ModelIdentifier: DeclarableStates] = [:]
    /// Names of vendor models whose declarations had to be left out.
    var brokenModels: Set<String> = []
    /// Whether vendor models may exist that could not be read, so that unknown names say nothing.
    var lacksModels = false
    /// The files and folders with vendor models that the documents name.
    var modelFiles: [Located<String>] = []
    /// The files and folders with products that the documents name.
    var productFiles: [Located<String>] = []
    /// The vendor models that the documents declare.
    var vendorModels = VendorModelDeclarations()

    /// The variables that texts may hold at present; nil outside of tests.
    var testVariables: TestVariables?
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
    init(limits: ReadingLimits) {
        diagnostics = DiagnosticCollector(limit: limits.diagnostics)
        fragment = Fragment(location: SourceLocation(file: 0, line: 1, column: 1))
        expansion = ExpansionState(limits: limits)
        for keyword in Keyword.all { _ = symbols.intern(keyword.rawValue) }
        let firstNull = UInt32(symbols.count)
        for text in ["", "~", "null", "Null", "NULL"] { _ = symbols.intern(text) }
        nulls = firstNull..<UInt32(symbols.count)
        mergeKey = symbols.intern("<<")
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

    /// The place of a node.
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

    /// The model that a scalar names.
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

    /// Reports an error about a node.
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

/// Subnet bridges.
extension DocumentDecoder {
    /// `on`, `off`, or `{ state: on, table: […] }`.
    mutating func decodeSubnetBridge(_ field: MappingEntry, into settings: inout NodeSettings) {
        guard tree.nodes[field.value].kind == .mapping else {
            guard let isOn = scalar(field.value, "on, off or a mapping", Words.boolean) else { return }
            settings.states.append(Located(.subnetBridge(isOn.value), at: isOn.location))
            return
        }
        for part in fields(field.value, .subnetBridge, "`subnet_bridge`", blamed: field.key) ?? [] {
            switch part.keyword {
            case .state:
                guard let isOn = scalar(part.value, "on or off", Words.boolean) else { continue }
                settings.states.append(Located(.subnetBridge(isOn.value), at: isOn.location))
            case .table:
                guard let entries = list(part.value, "a list of entries") else { continue }
                let table = entries.compactMap { decodeBridge($0) }
                // If an entry cannot be read, the others must not pass for the whole table.
                guard table.count == entries.count else { continue }
                settings.bridgingTable = Located(table, at: location(part.key))
            default: break
            }
        }
    }

    private mutating func decodeBridge(_ node: Int) -> BridgeDefinition? {
        guard let fields = fields(node, .bridge, "an entry of the table", blamed: node) else { return nil }
        var subnets: [Located<String>]?
        var addresses: [Located<PublishTarget>]?
        var directions: Located<BridgingDirections>?
        for field in fields {
            switch field.keyword {
            case .subnets:
                subnets = pair(field.value, "two subnets") { $0.scalar($1, "the name of a subnet", Words.name) }
            case .addresses:
                addresses = pair(field.value, "two addresses") {
                    $0.scalar($1, "a node, group or address", Words.publishTarget)
                }
            case .direction: directions = scalar(field.value, "a direction", Self.directions)
            default: break
            }
        }
        guard let subnets, let addresses, let directions else { return nil }
        if subnets[0].value == subnets[1].value {
            report(
                "a bridge joins two different subnets",
                at: node,
                hint: "messages within \(quoted(subnets[0].value)) need no bridge"
            )
            return nil
        }
        return BridgeDefinition(
            subnets: subnets,
            addresses: addresses,
            directions: directions.value,
            location: location(node)
        )
    }

    private mutating func pair<Value>(
        _ node: Int,
        _ expected: String,
        _ decode: (inout DocumentDecoder, Int) -> Value?
    ) -> [Value]? {
        guard let entries = list(node, expected) else { return nil }
        var values: [Value] = []
        for entry in entries {
            guard let value = decode(&self, entry) else { return nil }
            values.append(value)
        }
        guard values.count == 2 else {
            report("\(expected) are expected here, not \(values.count)", at: node)
            return nil
        }
        return values
    }

    private static func directions(_ text: String) throws(ScalarProblem) -> BridgingDirections {
        switch text {
        case "both": return .bothWays
        case "one_way": return .oneWay
        default:
            throw ScalarProblem(
                "\(quoted(text)) is not a direction",
                hint: "write one_way for messages from the first address to the second, or both"
            )
        }
    }
}

extension DocumentDecoder {
    /// `defaults`: settings for all nodes, or a list of settings, each for all nodes or for those that it selects.
    mutating func decodeDefaults(_ section: MappingEntry) {
        if isNull(section.value) { return }
        guard tree.nodes[section.value].kind == .sequence else {
            return decodeDefaults(section.value, blamed: section.key)
        }
        for entry in list(section.value, "a list of settings") ?? ListEntries() { decodeDefaults(entry, blamed: entry) }
    }

    private mutating func decodeDefaults(_ node: Int, blamed: Int) {
        guard let fields = fields(node, .defaults, "a mapping of settings", blamed: blamed) else { return }
        var defaults = DefaultsDefinition(location: location(blamed))
        var mayBeEmpty = false
        for field in fields {
            switch field.keyword {
            case .allowEmpty: mayBeEmpty = allowsEmpty(field)
            case .nodes:
                // Without its selector it would apply to all nodes.
                guard let selector = decodeSelector(field) else { return }
                if !selector.isAll { defaults.nodes = selector }
            case .states: defaults.models = decodeModelStates(field)
            case .provisioning: defaults.provisioning = decodeProvisioning(field, ofProfile: true)
            case .tags, .protect, .onRemove: decodeInherited(field, into: &defaults.inherited)
            default: decodeSetting(field, into: &defaults.settings)
            }
        }
        defaults.nodes?.mayBeEmpty = mayBeEmpty
        if let tag = defaults.inherited.tags.values.min(by: { $0.location < $1.location }),
            defaults.nodes.map({ !$0.tags.isEmpty }) ?? false
        {
            diagnostics.report(
                "an entry that selects nodes by tags cannot give them tags",
                at: tag.location,
                hint: "select the nodes by name, or write the tags in a profile or the nodes"
            )
            defaults.inherited.tags = [:]
        }
        fragment.definition.defaults.append(defaults)
    }
}

extension DocumentDecoder {
    /// An entry of `groups`.
    mutating func decodeGroup(_ entry: NamedEntry) -> Bool {
        guard let fields = fields(entry.value, .group, "a group", blamed: entry.key) else { return false }
        var group = GroupDefinition(name: entry.name)
        var addressKey: Int?
        for field in fields {
            switch field.keyword {
            case .address, .label:
                if let addressKey {
                    let place = Diagnostic.Related(message: "the other", location: location(addressKey))
                    report("a group has an address or a label, not both", at: field.key, related: [place])
                    continue
                }
                addressKey = field.key
                group.address =
                    field.keyword == .address
                    ? scalar(field.value, "a group address", Self.groupAddress)
                    : scalar(field.value, "a label", Self.labelAddress)
            case .parent: group.parent = scalar(field.value, "the name of a group", Words.name)
            case .protect: group.isProtected = scalar(field.value, "on or off", Words.boolean)
            case .title, .description: decodeWording(field, into: &group.wording)
            case .repetition, .each: reportRepetition(field)
            default: break
            }
        }
        fragment.definition.groups.append(group)
        return true
    }

    private static func groupAddress(_ text: String) throws(ScalarProblem) -> SubscriptionAddress {
        .group(try Addresses.assignableGroup(text))
    }

    private static func labelAddress(_ text: String) throws(ScalarProblem) -> SubscriptionAddress {
        .virtual(try Addresses.label(text))
    }
}

extension DocumentDecoder {
    /// An entry of `subnets`.
    mutating func decodeSubnet(_ entry: NamedEntry) -> Bool {
        guard let fields = fields(entry.value, .subnet, "a subnet", blamed: entry.key) else { return false }
        var subnet = SubnetDefinition(name: entry.name)
        for field in fields {
            switch field.keyword {
            case .index: subnet.index = scalar(field.value, "a NetKey index", Self.netKeyIndex)
            case .key: subnet.key = decodeSource(field, .key)?.keySource
            case .protect: subnet.isProtected = scalar(field.value, "on or off", Words.boolean)
            case .title, .description: decodeWording(field, into: &subnet.wording)
            default: break
            }
        }
        fragment.definition.subnets.append(subnet)
        return true
    }

    /// An entry of `application_keys`.
    mutating func decodeApplicationKey(_ entry: NamedEntry) -> Bool {
        guard let fields = fields(entry.value, .applicationKey, "an application key", blamed: entry.key) else {
            return false
        }
        var subnet: Located<String>?
        var index: Located<AppKeyIndex>?
        var key: Located<KeySource>?
        var isProtected: Located<Bool>?
        var wording = Wording()
        for field in fields {
            switch field.keyword {
            case .subnet: subnet = scalar(field.value, "the name of a subnet", Words.name)
            case .index: index = scalar(field.value, "an AppKey index", Self.appKeyIndex)
            case .key: key = decodeSource(field, .key)?.keySource
            case .protect: isProtected = scalar(field.value, "on or off", Words.boolean)
            case .title, .description: decodeWording(field, into: &wording)
            default: break
            }
        }
        guard let subnet else { return false }
        var definition = ApplicationKeyDefinition(name: entry.name, subnet: subnet, index: index, key: key)
        definition.isProtected = isProtected
        definition.wording = wording
        fragment.definition.applicationKeys.append(definition)
        return true
    }

    private static func netKeyIndex(_ text: String) throws(ScalarProblem) -> NetKeyIndex {
        try Numbers.keyIndex(text, "a NetKey index")
    }

    private static func appKeyIndex(_ text: String) throws(ScalarProblem) -> AppKeyIndex {
        try Numbers.keyIndex(text, "an AppKey index")
    }

}

extension Located where Value == SecretSource {
    /// The secret source as the source of a key.
    fileprivate var keySource: Located<KeySource> {
        switch value {
        case .file(let path): Located<KeySource>(.file(path), at: location)
        case .environment(let name): Located<KeySource>(.environment(name), at: location)
        }
    }
}

extension DocumentDecoder {
    /// `limits` at the top level: from how many of the managed nodes one plan may take something away.
    mutating func decodeLimits(_ field: MappingEntry) -> Located<Int>? {
        guard let fields = fields(field.value, .limits, "limits of plans", blamed: field.key) else { return nil }
        var removals: Located<Int>?
        for field in fields where field.keyword == .removals {
            removals = scalar(field.value, "a share of the nodes", Percentages.percentage)
        }
        return removals
    }
}

extension DocumentDecoder {
    /// An entry of `moved`: two resource addresses as plans show them, `{ from: group.kitchen, to: group.galley }`.
    mutating func decodeMoved(_ node: Int) {
        guard let fields = fields(node, .moved, "a moved name", blamed: node) else { return }
        var from: Located<MovedName>?
        var to: Located<MovedName>?
        for field in fields {
            switch field.keyword {
            case .from: from = scalar(field.value, "the address of something renamed", Self.movedName)
            case .to: to = scalar(field.value, "the address of something renamed", Self.movedName)
            default: break
            }
        }
        guard let from, let to else { return }
        guard from.value.kind == to.value.kind else {
            diagnostics.report(
                "a \(from.value.kind.title) cannot become a \(to.value.kind.title)",
                at: to.location,
                length: to.value.text.utf8.count,
                hint: "both addresses name the same kind of thing"
            )
            return
        }
        fragment.definition.moved.append(
            MovedDefinition(
                kind: from.value.kind,
                from: Located(from.value.name, at: from.location),
                to: Located(to.value.name, at: to.location)
            )
        )
    }

    /// A kind and a name.
    private struct MovedName {
        var kind: NamedKind
        var name: String

        var text: String { "\(kind.rawValue).\(name)" }
    }

    private static func movedName(_ text: String) throws(ScalarProblem) -> MovedName {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let word = parts.first, parts.count == 2, Name.isValid(parts[1]) else {
            throw ScalarProblem(
                "\(quoted(text)) is not the address of something renamed",
                hint: "write it as plans do: `group.NAME`, `application_key.NAME` or `subnet.NAME`"
            )
        }
        guard let kind = NamedKind(rawValue: String(word)) else {
            let isFree = word == "node" || word == "profile"
            let kinds = NamedKind.allCases.map(\.rawValue)
            throw ScalarProblem(
                "\(quoted(text)) cannot be moved",
                hint: isFree
                    ? "a renamed \(word) needs no entry"
                        + (word == "node" ? ": its UUID identifies it" : "")
                    : Suggestion.hint(for: String(word), among: kinds, are: "write one of")
            )
        }
        return MovedName(kind: kind, name: String(parts[1]))
    }
}

extension DocumentDecoder {
    /// `provisioning` at the top level.
    mutating func decodeProvisioningRules(_ field: MappingEntry) -> ProvisioningRules? {
        guard let fields = fields(field.value, .provisioningRules, "rules for provisioning", blamed: field.key) else {
            return nil
        }
        var rules = ProvisioningRules(location: location(field.key))
        for field in fields where field.keyword == .require {
            rules.requirement = scalar(field.value, "a requirement", ProvisioningWords.requirement)
        }
        return rules
    }

    /// `provisioning` of a node or profile.
    mutating func decodeProvisioning(_ field: MappingEntry, ofProfile isProfile: Bool) -> ProvisioningSettings? {
        guard let fields = fields(field.value, .provisioning, "a mapping for provisioning", blamed: field.key) else {
            return nil
        }
        var settings = ProvisioningSettings(location: location(field.key))
        for field in fields {
            switch field.keyword {
            case .outOfBand: settings.method = scalar(field.value, "a method", ProvisioningWords.method)
            case .algorithm: settings.algorithm = scalar(field.value, "an algorithm", ProvisioningWords.algorithm)
            case .attention: settings.attention = scalar(field.value, "a duration", Durations.attention)
            case .via: settings.route = decodeRoute(field)
            case .staticValue where !isProfile: settings.staticValue = decodeSource(field, .staticValue)
            case .publicKey where !isProfile: settings.publicKeyFile = decodePublicKeySource(field)
            case .staticValue, .publicKey:
                report(
                    "`\(field.keyword?.rawValue ?? "")` belongs to one device, not to a profile",
                    at: field.key,
                    hint: "write it in the `provisioning` of the node",
                    concealsSource: true
                )
            default: break
            }
        }
        return settings
    }

    /// A word, or `{ node: NAME }`, because a node may have one of the words as its name.
    private mutating func decodeRoute(_ field: MappingEntry) -> Located<ProvisioningRoute<String>>? {
        guard tree.nodes[field.value].kind == .mapping else {
            return scalar(field.value, "a way to a device", ProvisioningWords.route)
        }
        let fields = fields(field.value, .provisioningServer, "the node to go through", blamed: field.key) ?? []
        for field in fields where field.keyword == .node {
            guard let name = scalar(field.value, "the name of a node", Words.name) else { return nil }
            return Located(.node(name.value), at: name.location)
        }
        return nil
    }

    private mutating func decodePublicKeySource(_ field: MappingEntry) -> Located<String>? {
        guard let source = decodeSource(field, .publicKey), case .file(let path) = source.value else { return nil }
        return Located(path, at: source.location)
    }
}

/// The words for a secret that is written where only its source may be.
struct SecretWords {
    /// The kind of secret, such as "a key".
    let title: String
    /// How to give it.
    let hint: Advice
    /// The sources that it may come from.
    let record: Record

    /// The octets of a NetKey or AppKey.
    static let key = SecretWords(
        title: "a key",
        hint: "write `key: { file: PATH }` or `key: { env: NAME }`, or leave it out to have one made",
        record: .keySource
    )
    /// The static value of a device.
    static let staticValue = SecretWords(
        title: "a static value",
        hint:
            "write `static: { file: PATH }` or `static: { env: NAME }`, or keep it in a file for `\(command: .secretsFile)`",
        record: .staticSource
    )
    /// The public key of a device.
    static let publicKey = SecretWords(
        title: "a public key",
        hint: "write `public_key: { file: PATH }`, or keep it in a file for `\(command: .secretsFile)`",
        record: .publicKeySource
    )
}

extension DocumentDecoder {
    /// `{ file: … }` or `{ env: … }`. A text in its place is most likely the secret itself, so no message repeats it.
    mutating func decodeSource(_ field: MappingEntry, _ words: SecretWords) -> Located<SecretSource>? {
        guard tree.nodes[field.value].kind == .mapping else {
            if tree.nodes[field.value].kind == .unreadable { return nil }
            let message =
                isNull(field.value)
                ? "a source of \(words.title) is expected here, not nothing"
                : "a definition must not contain \(words.title)"
            report(message, at: field.value, hint: words.hint, concealsSource: !isNull(field.value))
            return nil
        }
        guard let entries = entries(field.value, "a source of \(words.title)") else { return nil }
        var sources: [Located<SecretSource>] = []
        for entry in entries {
            switch Keyword(symbol: entry.symbol) {
            case .file where words.record.allows(entry.symbol):
                guard let path = text(entry.value, "the path of a file") else { return nil }
                sources.append(Located(.file(path), at: location(entry.value)))
            case .environment where words.record.allows(entry.symbol):
                guard let name = scalar(entry.value, "the name of an environment variable", Self.variable) else {
                    return nil
                }
                sources.append(Located(.environment(name.value), at: name.location))
            default:
                // The value may be a secret, and even the key itself may be one.
                report("unknown source of \(words.title)", at: entry.key, hint: words.hint, concealsSource: true)
                return nil
            }
        }
        guard sources.count == 1 else {
            report("\(words.title) has exactly one source, not \(sources.count)", at: field.key, hint: words.hint)
            return nil
        }
        return sources[0]
    }

    private static func variable(_ text: String) throws(ScalarProblem) -> String {
        let isWord = text.utf8.allSatisfy { byte in
            Numbers.isDigit(byte) || byte == UInt8(ascii: "_") || (0x61...0x7A).contains(byte | 0x20)
        }
        // The user may have written the secret itself.
        let isSecret = text.utf8.count >= 32 && text.utf8.allSatisfy(Numbers.isHexadecimalDigit)
        guard isWord, !isSecret, let first = text.utf8.first, !Numbers.isDigit(first) else {
            throw ScalarProblem(
                "this is not the name of an environment variable",
                hint: "names are letters, digits and `_`, such as MESH_BUILDING_KEY"
            )
        }
        return text
    }
}

extension DocumentDecoder {
    /// `title` or `description` of anything.
    mutating func decodeWording(_ field: MappingEntry, into wording: inout Wording) {
        if field.keyword == .title {
            wording.title = scalar(field.value, "a title", Words.shownTitle)
        } else {
            wording.description = scalar(field.value, "a description", Words.description)
        }
    }
}

extension Words {
    /// What people call something: any text on one line.
    fileprivate static func shownTitle(_ text: String) throws(ScalarProblem) -> String {
        try checkVisible(text, "a title")
        guard WordingText.isTitle(text) else {
            throw ScalarProblem(
                "\(quoted(text)) cannot be a title",
                hint: "a title is one line of 1 to \(WordingText.longestTitle) characters, not only spaces"
            )
        }
        return text
    }

    /// What else there is to know: any text.
    fileprivate static func description(_ text: String) throws(ScalarProblem) -> String {
        try checkVisible(text.split(separator: "\n").joined(), "a description")
        guard text.unicodeScalars.count <= WordingText.longestDescription else {
            throw ScalarProblem(
                "the description is longer than \(WordingText.longestDescription) characters",
                hint: "keep the rest in a comment"
            )
        }
        return text
    }

    private static func checkVisible(_ text: String, _ noun: String) throws(ScalarProblem) {
        guard let scalar = WordingText.problem(in: text) else { return }
        let digits = String(scalar.value, radix: 16, uppercase: true)
        throw ScalarProblem(
            "\(noun) cannot hold the character U+\(String(repeating: "0", count: max(0, 4 - digits.count)) + digits)",
            hint: "take it out: it is invisible, breaks the line, or changes the writing direction"
        )
    }
}
