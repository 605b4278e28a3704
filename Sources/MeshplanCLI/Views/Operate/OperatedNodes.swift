import Execution
import MeshCore

/// Tells of the nodes of a command that asks many what it could not ask, and who did not answer.
struct OperatedNodes {
    private let operating: OperatingRun

    /// How many names a warning lists.
    private static let mostNames = 20

    /// The nodes of one command.
    init(_ operating: OperatingRun) {
        self.operating = operating
    }

    private var context: Context { operating.conversation.context }

    /// The name of an element for people: that of its node if it is the primary one, else `kitchen/1`.
    func title(ofNode node: Int, element: Int) -> String {
        let name = operating.name(ofNode: node)
        return element == 0 ? name : "\(name)/\(element)"
    }

    /// Names the elements that were not asked, on standard error, those with the same reason together.
    func tellProblems(_ problems: [(node: Int, element: Int, problem: OperatingProblem)]) {
        var order: [OperatingProblem] = []
        var titles: [OperatingProblem: [String]] = [:]
        for (node, element, problem) in problems {
            if titles[problem] == nil { order.append(problem) }
            titles[problem, default: []].append(title(ofNode: node, element: element))
        }
        for problem in order {
            let names = titles[problem] ?? []
            let list = names.prefix(Self.mostNames).joined(separator: ", ")
            let rest = names.count > Self.mostNames ? " and \(names.count - Self.mostNames) more" : ""
            let clause = problem.clause.printable
            FailureView(context).warn(
                names.count == 1
                    ? "not asked: \(list), which \(clause)" : "not asked, because each \(clause): \(list)\(rest)",
                hint: problem.advice?.worded
            )
        }
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
        case .abandoned: "not asked to the end"
        }
    }
}
