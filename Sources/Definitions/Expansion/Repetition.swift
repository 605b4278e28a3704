import DefinitionModel
import MeshCore

/// What an entry is repeated over: the combinations of the values of its variables, the first of which changes slowest.
struct Repetition {
    /// A variable with its values.
    struct Variable {
        /// The symbol of its name.
        var name: UInt32
        var values: Values
    }

    /// The values of a variable.
    enum Values {
        /// Whole numbers, written with at least so many digits.
        case range(ClosedRange<Int>, digits: Int)
        /// Texts, lists or mappings.
        case list([ParameterScope.Value])

        var count: Int {
            switch self {
            case .range(let range, _): range.count
            case .list(let values): values.count
            }
        }
    }

    /// The most variables of a repetition: each combination has a value for all of them.
    static let mostVariables = 16

    /// The variables in reading order.
    var variables: [Variable] = []

    var count: Int {
        variables.reduce(1) { product, variable in
            let (count, overflow) = product.multipliedReportingOverflow(by: variable.values.count)
            return overflow ? .max : count
        }
    }
}

extension DocumentDecoder {
    /// `for: { n: 1..4 }`: variables with ranges or lists, in which references are replaced.
    mutating func repetition(_ node: Int, of source: DocumentTree, at place: EmissionPlace) -> Repetition? {
        var scratch = DocumentTree()
        emit(node, of: source, at: place, into: &scratch)
        return reading(scratch, of: place.origin) { $0.decodeRepetition(0) }
    }

    /// The same in the current tree.
    mutating func decodeRepetition(_ node: Int) -> Repetition? {
        guard let entries = entries(node, "a mapping of variables") else { return nil }
        guard entries.count <= Repetition.mostVariables else {
            report(
                "the repetition has more than \(Repetition.mostVariables) variables",
                at: node,
                hint: "use rows of a table, which may have many columns"
            )
            return nil
        }
        var repetition = Repetition()
        for entry in entries {
            guard parameterName(entry.key) != nil, let values = decodeValues(entry.value) else { return nil }
            repetition.variables.append(Repetition.Variable(name: entry.symbol, values: values))
        }
        guard !repetition.variables.isEmpty else {
            report("the repetition names no variable", at: node, hint: "write for example `for: { n: 1..4 }`")
            return nil
        }
        guard spendInstance(of: repetition.count, at: tree.nodes[node], origin: location(node).file) else { return nil }
        return repetition
    }

    /// The name of a parameter or variable.
    mutating func parameterName(_ node: Int) -> Located<String>? {
        scalar(node, "the name of a parameter") { text throws(ScalarProblem) in
            if TextTemplate.isName(Array(text.utf8)[...]) { return text }
            throw ScalarProblem(
                "\(quoted(text)) cannot be the name of a parameter",
                hint: "names are a letter, then letters, digits, `_` and `-`"
            )
        }
    }

    private mutating func decodeValues(_ node: Int) -> Repetition.Values? {
        if tree.nodes[node].kind == .sequence {
            let place = EmissionPlace(scope: ParameterScope(), origin: location(node).file)
            let tree = tree
            let values = (list(node, "a list") ?? ListEntries()).map { value($0, of: tree, at: place) }
            guard !values.isEmpty else {
                report("the list is empty, so nothing is repeated", at: node, hint: "name at least one value")
                return nil
            }
            return .list(values)
        }
        return scalar(node, "a range or a list") { text throws(ScalarProblem) in try Self.range(text) }?.value
    }

    /// `1..4`, or `001..120` with as many digits for each.
    private static func range(_ text: String) throws(ScalarProblem) -> Repetition.Values {
        let ends = text.split(separator: "..", omittingEmptySubsequences: false)
        let areDigits = ends.allSatisfy { (1...9).contains($0.utf8.count) && $0.utf8.allSatisfy(Numbers.isDigit) }
        guard ends.count == 2, areDigits, let first = Int(ends[0]), let last = Int(ends[1]) else {
            throw ScalarProblem(
                "\(quoted(text)) is neither a range nor a list",
                hint: "write a range like 101..130, or a list like [kitchen, hall]"
            )
        }
        guard first <= last else {
            throw ScalarProblem("the range \(quoted(text)) is empty", hint: "the smaller number comes first")
        }
        return .range(first...last, digits: ends[0].hasPrefix("0") ? ends[0].utf8.count : 1)
    }

    /// Calls `body` for every combination of values.
    mutating func forEach(
        _ repetition: Repetition,
        _ body: (inout DocumentDecoder, [(name: UInt32, value: ParameterScope.Value)]) -> Void
    ) {
        for number in 0..<repetition.count {
            if expansion.isExhausted { return }
            var rest = number
            var bound: [(name: UInt32, value: ParameterScope.Value)] = []
            for variable in repetition.variables.reversed() {
                let (quotient, place) = rest.quotientAndRemainder(dividingBy: variable.values.count)
                rest = quotient
                switch variable.values {
                case .range(let range, let digits):
                    let text = String(range.lowerBound + place)
                    let zeros = String(repeating: "0", count: max(0, digits - text.utf8.count))
                    bound.append((variable.name, .text(symbols.intern(zeros + text), .plain)))
                case .list(let values): bound.append((variable.name, values[place]))
                }
            }
            body(&self, bound.reversed())
        }
    }

    /// `room = 117, n = 3`.
    mutating func title(of bound: some Collection<(name: UInt32, value: ParameterScope.Value)>) -> String {
        bound.map { name, value in
            guard case .text(let symbol, _) = value else { return "\(symbols.text(name)) = …" }
            let text = symbols.text(symbol)
            let shown = Name.isValid(text) && text.utf8.count < 32 ? text : quoted(text)
            return "\(symbols.text(name)) = \(shown)"
        }
        .joined(separator: ", ")
    }
}
