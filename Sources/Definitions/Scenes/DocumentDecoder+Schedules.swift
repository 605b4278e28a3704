import DefinitionModel
import MeshCore

/// What nodes do by themselves at certain times.
extension DocumentDecoder {
    /// An entry of `schedules`: a sentence, or a mapping whose parts are sentences.
    mutating func decodeSchedule(_ entry: NamedEntry) -> Bool {
        switch tree.nodes[entry.value].kind {
        case .mapping: return decodeScheduleParts(entry)
        default:
            guard let text = text(entry.value, "a schedule") else { return false }
            var sentence = ScheduleSentence(text)
            do throws(ScheduleSentence.Problem) {
                let time = try sentence.time()
                let deed = try sentence.deed()
                let place = try sentence.place()
                try sentence.expectEnd()
                let nodes = selector(place, entry.value)
                let deedPlace = location(entry.value, after: deed.offset)
                fragment.definition.schedules.append(
                    ScheduleDefinition(
                        name: entry.name,
                        time: Located(time, at: location(entry.value)),
                        action: Located(deed.action, at: deedPlace),
                        transition: deed.transition,
                        nodes: nodes
                    )
                )
                return true
            } catch {
                report(error, in: entry.value)
                return false
            }
        }
    }

    /// `{ when: every workday at 19:30, do: recall evening, nodes: { room: office } }`
    private mutating func decodeScheduleParts(_ entry: NamedEntry) -> Bool {
        guard let fields = fields(entry.value, .schedule, "a schedule", blamed: entry.key) else { return false }
        var time: Located<ScheduleTime>?
        var deed: ScheduleSentence.Deed?
        var place: SourceLocation?
        var nodes: NodeSelector?
        var mayBeEmpty = false
        for field in fields {
            switch field.keyword {
            case .when:
                time = part(field, "a time") { sentence throws(ScheduleSentence.Problem) in try sentence.time() }
                    .map { Located($0, at: location(field.value)) }
            case .deed:
                deed = part(field, "what is done") { sentence throws(ScheduleSentence.Problem) in
                    try sentence.deed()
                }
                if let deed { place = location(field.value, after: deed.offset) }
            case .nodes: nodes = decodeSelector(field)
            case .allowEmpty: mayBeEmpty = allowsEmpty(field)
            default: break
            }
        }
        guard let time, let deed, let place, var nodes else { return false }
        nodes.mayBeEmpty = mayBeEmpty
        fragment.definition.schedules.append(
            ScheduleDefinition(
                name: entry.name,
                time: time,
                action: Located(deed.action, at: place),
                transition: deed.transition,
                nodes: nodes
            )
        )
        return true
    }

    private mutating func part<Value>(
        _ field: MappingEntry,
        _ expected: String,
        _ read: (inout ScheduleSentence) throws(ScheduleSentence.Problem) -> Value
    ) -> Value? {
        guard let text = text(field.value, expected) else { return nil }
        var sentence = ScheduleSentence(text)
        do throws(ScheduleSentence.Problem) {
            let value = try read(&sentence)
            try sentence.expectEnd()
            return value
        } catch {
            report(error, in: field.value)
            return nil
        }
    }

    private mutating func selector(_ place: ScheduleSentence.Place, _ node: Int) -> NodeSelector {
        var selector = NodeSelector(location: location(node))
        switch place {
        case .everywhere: break
        case .tags(let tags):
            for (tag, value) in tags {
                selector.tags[tag.text] = Located(value.text, at: location(node, after: value.offset))
            }
        case .nodes(let words):
            var names: [Located<String>] = []
            for word in words { names.append(Located(word.text, at: location(node, after: word.offset))) }
            selector.names = names
        }
        return selector
    }

    /// Where a character of a text stands, as far as the text stands on one line as it is; else where the text begins.
    private mutating func location(_ node: Int, after offset: Int) -> SourceLocation {
        var place = location(node)
        guard let start = start(ofTextIn: node) else { return place }
        place.column += UInt32(truncatingIfNeeded: start + offset)
        return place
    }

    /// How far behind the beginning of a node its text begins; nil if the node does not show it as it is.
    private mutating func start(ofTextIn node: Int) -> Int? {
        let count = symbols.text(tree.nodes[node].value).utf8.count
        switch tree.nodes[node].kind {
        case .plain: return Int(tree.nodes[node].length) == count ? 0 : nil
        case .quoted: return Int(tree.nodes[node].length) == count + 2 ? 1 : nil
        default: return nil
        }
    }

    private mutating func report(_ problem: ScheduleSentence.Problem, in node: Int) {
        guard start(ofTextIn: node) != nil else { return report(problem.message, at: node, hint: problem.hint) }
        let place = location(node, after: problem.offset)
        diagnostics.report(
            problem.message,
            at: place,
            length: problem.length,
            hint: problem.hint
        )
    }
}
