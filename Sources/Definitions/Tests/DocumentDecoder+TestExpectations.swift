import Catalogue
import DefinitionModel
import MeshCore

/// What is expected in a step.
extension DocumentDecoder {
    /// `expect`: a mapping, or a list of them.
    mutating func decodeExpectations(_ node: Int, after action: TestAction?) -> [TestExpectation] {
        let nodes =
            tree.nodes[node].kind == .sequence
            ? (list(node, "a list of expectations") ?? ListEntries()).map(\.self) : [node]
        return nodes.compactMap { decodeExpectation($0, after: action) }
    }

    private mutating func decodeExpectation(_ node: Int, after action: TestAction?) -> TestExpectation? {
        guard let entries = entries(node, "a mapping with nodes and states") else { return nil }
        var selector: NodeSelector?
        var hasSelector = false
        // Filled as the entries are read; the selector comes last.
        var expectation = TestExpectation(nodes: NodeSelector(location: location(node)))
        var count = 0
        for entry in entries {
            switch entry.keyword {
            case .nodes:
                hasSelector = true
                selector = decodeSelector(entry)
                if selector?.names?.map(\.value) == [PublishTarget.provisionerName] {
                    expectation.isAtProvisioner = true
                    selector?.names = []
                    selector?.mayBeEmpty = true
                }
            case .element: expectation.element = scalar(entry.value, Scalars.elementIndex)
            case .within: expectation.within = scalar(entry.value, "a duration", Durations.milliseconds)
            case .faults:
                count += 1
                expectation.faults = decodeFaults(entry.value)
            case .heartbeat:
                count += 1
                expectation.heartbeat = decodeHeartbeatSender(entry.value)
            case .hops: expectation.hops = scalar(entry.value, "a number of hops", Self.hops)
            case .arrives:
                count += 1
                expectation.arrives = scalar(entry.value, "a duration", Durations.milliseconds)
                if action?.isByHand != true {
                    report(
                        "`arrives` is about the message of a switch or sensor, but this step has none",
                        at: entry.key,
                        hint: "write it beside `press:`, `sense:` or `fault:`"
                    )
                }
            default:
                count += 1
                if let state = decodeExpectedState(entry) { expectation.states.append(state) }
            }
        }
        if let hops = entries.first(where: { $0.keyword == .hops }),
            !entries.contains(where: { $0.keyword == .heartbeat })
        {
            let hint: Advice = "write for example `heartbeat: lamp-1` beside it"
            report("`hops` is about a heartbeat, but none is expected", at: hops.key, hint: hint)
        }
        if !hasSelector {
            report("`nodes` is missing", at: node, hint: "say of which nodes: { nodes: { room: kitchen }, onoff: on }")
        }
        if count == 0 {
            report(
                "nothing is expected of the nodes",
                at: node,
                hint: "write for example `onoff: on`, `lightness: 40%` or `faults: none` beside `nodes`"
            )
        }
        guard let selector else { return nil }
        if expectation.isAtProvisioner,
            let other = entries.first(where: { ![.nodes, .heartbeat, .hops, .within].contains($0.keyword) })
        {
            report(
                "only heartbeats can be expected at the provisioner",
                at: other.key,
                hint: "write for example `{ nodes: provisioner, heartbeat: lamp-1, within: 30s }`"
            )
            return nil
        }
        expectation.nodes = selector
        let isEmpty =
            expectation.states.isEmpty && expectation.faults == nil && expectation.arrives == nil
            && expectation.heartbeat == nil
        return isEmpty ? nil : expectation
    }

    private mutating func decodeHeartbeatSender(_ node: Int) -> Located<String>? {
        let known = testVariables
        return scalar(node, "the node that sends heartbeats") { text throws(ScalarProblem) in
            _ = try Words.name(try known?.filled(text) ?? text)
            return text
        }
    }

    /// How far a heartbeat comes: the TTL allows 127 hops (Mesh Protocol 3.6.7).
    private static func hops(_ text: String) throws(ScalarProblem) -> UInt8 {
        UInt8(try Numbers.decimal(text, in: 1...127, "a number of hops"))
    }

    /// `none`, a fault or a list of faults.
    private mutating func decodeFaults(_ node: Int) -> Located<[String]>? {
        guard tree.nodes[node].kind == .sequence else {
            guard let name = scalar(node, "`none` or the names of faults", Self.fault) else { return nil }
            return Located(name.value == Self.noFault ? [] : [name.value], at: name.location)
        }
        let entries = (list(node, "a list of faults") ?? ListEntries()).map(\.self)
        let names = entries.compactMap { scalar($0, "the name of a fault", Self.fault)?.value }
        return names.count == entries.count ? Located(names, at: location(node)) : nil
    }

    private static let noFault = "none"

    /// A name of a fault, or `none`.
    private static func fault(_ text: String) throws(ScalarProblem) -> String {
        guard text != noFault, FaultNames.number(named: text) == nil else { return text }
        throw ScalarProblem(
            "there is no fault \(quoted(text))",
            hint: Suggestion.hint(for: text, among: FaultNames.all, are: "faults are")
        )
    }

    private mutating func decodeExpectedState(_ entry: MappingEntry) -> Located<ExpectedState>? {
        guard let word = text(entry.key, "the name of a state") else { return nil }
        let name = word.replacing("_", with: "-")
        guard let value = text(entry.value, "the value of a state") else { return nil }
        guard let state = knownModels.state(named: name) else {
            if !lacksModels {
                let hint = Suggestion.hint(for: name, among: knownModels.stateNames, are: "states are")
                report("there is no state \(quoted(word))", at: entry.key, hint: hint.map { Advice($0) })
            }
            return nil
        }
        let words = value.split(separator: " ").map(String.init)
        let expected = ExpectedState(name: name, words: words)
        if expected.drawsAttention != nil { return Located(expected, at: location(entry.value)) }
        do throws(MessageEncodeError) {
            _ = try state.expectation(reading: words)
        } catch {
            report("\(name) cannot be \(quoted(value)): \(error)", at: entry.value)
            return nil
        }
        return Located(expected, at: location(entry.value))
    }
}
