import DefinitionModel

/// A part of a text that names something: `switch-1` in `press: switch-1/0 on`.
struct NamedPart: Equatable {
    /// What it may name, the likeliest first.
    var things: [NamedThing]
    /// The name, or a pattern with `*`.
    var name: String
    /// The octets of the name.
    var range: Range<Int>
    /// Whether it declares the thing.
    var isDeclaration = false
    /// Whether it says which name the thing had or got, as `moved` does; such a name stays as it is.
    var isHistory = false
}

/// A text of several words, some of which are names.
enum NamedSentence: Equatable {
    /// `switch-1/0 on`: a node, and what it does.
    case node
    /// `group.kitchen onoff on`: what is operated, and how.
    case operated
    /// `evening in group.kitchen`: a scene, and where.
    case recalled
    /// `every workday at 19:30 recall evening over 5s on lamp-1 and lamp-2`: a schedule, or what it does.
    case schedule
    /// `group.kitchen`: a thing as plans call it.
    case address
}

extension DefinitionOutline {
    /// The names in the text at a place, in reading order; none if it names nothing that is declared.
    func namedParts(of place: Place, in schema: DefinitionSchema) -> [NamedPart] {
        let path = path(to: place.node)
        let meaning =
            place.isKey ? PlaceMeaning(ofKey: path, in: schema) : PlaceMeaning(ofValue: path, in: schema)
        return namedParts(of: place, meaning)
    }

    /// The names in the text at a place with a known meaning.
    func namedParts(of place: Place, _ meaning: PlaceMeaning?) -> [NamedPart] {
        let text = place.scalar.text
        func whole(_ things: [NamedThing], isDeclaration: Bool = false) -> [NamedPart] {
            [NamedPart(things: things, name: text, range: place.scalar.range, isDeclaration: isDeclaration)]
        }
        switch meaning {
        case .declaration(let thing)?: return whole([thing], isDeclaration: usedModule(around: place.node) == nil)
        case .reference(let thing)?: return whole([thing])
        case .selector?: return whole([.node])
        case .target?: return [Word(text, place.scalar.range.lowerBound).part([.group, .node])]
        case .sentence(let sentence)?:
            return Self.parts(of: sentence, Word.all(in: text, at: place.scalar.range.lowerBound))
        case .tag?, .model?, .state?, .parameter?, .file?, nil: return []
        }
    }

    /// A word of a text.
    private struct Word {
        var text: String
        var start: Int

        init(_ text: some StringProtocol, _ start: Int) {
            self.text = String(text)
            self.start = start
        }

        /// The words of a text whose first octet is at a place. A comma behind a word is none of it.
        static func all(in text: String, at start: Int) -> [Word] {
            text.split { $0 == " " || $0 == "\t" || $0 == "," }
                .map { Word($0, start + text.utf8.distance(from: text.startIndex, to: $0.startIndex)) }
        }

        /// The word without its element.
        func part(_ things: [NamedThing]) -> NamedPart {
            let name = String(text.prefix { $0 != "/" })
            return NamedPart(things: things, name: name, range: start..<start + name.utf8.count)
        }

        /// The word as what is operated: a group, or nodes. Tags are no names.
        var operated: NamedPart? {
            let prefix = "group."
            guard !text.hasPrefix(prefix) else {
                return Word(text.dropFirst(prefix.count), start + prefix.utf8.count).part([.group])
            }
            return text.contains("=") ? nil : part([.node])
        }

        /// The word as a thing's address in plans.
        var address: NamedPart? {
            for thing in NamedThing.allCases {
                guard let prefix = thing.addressPrefix, text.hasPrefix(prefix) else { continue }
                var part = Word(text.dropFirst(prefix.count), start + prefix.utf8.count).part([thing])
                part.isHistory = true
                return part
            }
            return nil
        }
    }

    private static func parts(of sentence: NamedSentence, _ words: [Word]) -> [NamedPart] {
        guard let first = words.first, let last = words.last else { return [] }
        switch sentence {
        case .node: return [first.part([.node])]
        case .operated: return [first.operated].compactMap { $0 }
        case .recalled:
            let target = words.count > 2 ? last.operated : nil
            return [first.part([.scene])] + [target].compactMap { $0 }
        case .address: return [first.address].compactMap { $0 }
        case .schedule:
            guard let deed = words.firstIndex(where: { ["recall", "switch"].contains($0.text.lowercased()) }),
                words.indices.contains(deed + 1)
            else { return [] }
            let scene = words[deed].text.lowercased() == "recall" ? [words[deed + 1].part([.scene])] : []
            var rest = words[(deed + 2)...]
            if rest.first?.text.lowercased() == "over" { rest = rest.dropFirst(2) }
            guard rest.first?.text.lowercased() == "on" else { return scene }
            return scene + rest.dropFirst().filter { $0.text.lowercased() != "and" }.map { $0.part([.node]) }
        }
    }
}

extension NamedThing {
    /// What stands before its name where plans name it: `group.`; nil for what has no address.
    var addressPrefix: String? {
        switch self {
        case .subnet: "subnet."
        case .applicationKey: "application_key."
        case .group: "group."
        case .profile, .node, .scene, .floor, .module, .variable, .product: nil
        }
    }
}
