import Basics
import Execution
import MeshCore

/// Tells of the nodes of a command that operates many: how they are called, what it could not ask, and who did not
/// answer.
struct OperatedNodes {
    private let operating: OperatingContext

    /// How many names a warning lists.
    private static let mostNames = 20

    init(_ operating: OperatingContext) {
        self.operating = operating
    }

    private var context: Context { operating.conversation.context }

    /// The name of an element for people: that of its node if it is the primary one, else `kitchen/1`.
    func title(ofNode node: Int, element: Int) -> String {
        let name = operating.name(ofNode: node)
        return element == 0 ? name : "\(name)/\(element)"
    }

    /// Names the elements that were not asked, on standard error, those with the same reason together.
    ///
    /// - Parameter what: what was not done with them: `asked`, `set`, `asked for lightness`.
    func tellProblems(_ problems: [(node: Int, element: Int, problem: OperatingProblem)], not what: String = "asked") {
        var order: [OperatingProblem] = []
        var titles: [OperatingProblem: [String]] = [:]
        for (node, element, problem) in problems {
            if titles[problem] == nil { order.append(problem) }
            titles[problem, default: []].append(title(ofNode: node, element: element))
        }
        for problem in order {
            let names = titles[problem] ?? []
            let list = Self.list(names) + (names.count > Self.mostNames ? " (\(names.count) in all)" : "")
            let clause = problem.clause.printable
            let hints = [problem.advice?.worded, names.count > Self.mostNames ? "--json names all of them." : nil]
                .compactMap(\.self)
            FailureView(context).warn(
                names.count == 1
                    ? "not \(what): \(list), which \(clause)"
                    : "not \(what), because each \(clause): \(list)",
                hint: hints.isEmpty ? nil : hints.joined(separator: "\n")
            )
        }
    }

    /// Names the nodes that did not answer, on standard error.
    func tellSilent(_ outcomes: [(node: Int, outcome: OperatingOutcome)]) {
        var told: Set<Int> = []
        var silent: [String] = []
        var unreachable: (String, Advice?)?
        for (node, outcome) in outcomes.sorted(by: { $0.node < $1.node }) where told.insert(node).inserted {
            switch outcome {
            case .unanswered, .silent: silent.append(operating.name(ofNode: node))
            case .unreachable(let reason, let hint):
                silent.append(operating.name(ofNode: node))
                unreachable = (reason, hint)
            case .answered, .abandoned, .notAsked: break
            }
        }
        guard !silent.isEmpty else { return }
        let hint =
            silent.count == 1
            ? "Check that it has power and that other nodes relay messages to it."
            : "Check that they have power and that other nodes relay messages to them."
        let names = Self.sorted(silent).joined(separator: ", ")
        FailureView(context).warn(
            "no answer of \(names)" + (unreachable.map { ": \($0.0)" } ?? ""),
            hint: unreachable.map { $0.1?.worded ?? hint } ?? hint
        )
    }

    /// Names in the order in which people count, no more than a screen takes: `lamp-2, lamp-10 and 3 more`.
    static func list(_ names: [String]) -> String {
        let rest = names.count - mostNames
        return sorted(names).prefix(mostNames).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }

    static func sorted(_ names: [String]) -> [String] {
        let ordered = names.map { (order: NaturalOrder($0), name: $0) }
        return ordered.sorted { $0.order < $1.order }.map { $0.name }
    }

    /// The failure of a command that can ask nobody.
    func failure(of problem: OperatingProblem, node: Int, element: Int) -> Failure {
        Failure(
            .failure,
            "\(title(ofNode: node, element: element)) \(problem.clause.printable)",
            hint: problem.advice?.worded
        )
    }

    /// The target of a command that may go without one: all nodes.
    static func target(_ text: String?) -> String { text ?? "*" }

    /// What came instead of an answer, in a few words.
    static func reason(_ outcome: OperatingOutcome) -> String {
        switch outcome {
        case .answered(let octets): "not understood: 0x" + Hexadecimal.encode(octets)
        case .unanswered, .silent: "no answer"
        case .unreachable: "not reached"
        case .abandoned, .notAsked: "not asked to the end"
        }
    }
}
