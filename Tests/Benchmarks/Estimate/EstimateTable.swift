import Execution
import Foundation
import Planning

/// Estimates and run times as a Markdown table, with the errors below.
struct EstimateTable {
    /// The errors of the cases: of the estimate against the median of the runs.
    private var errors: [Double] = []
    private var under = 0
    private var runs = 0

    /// A table without rows; prints the head at once.
    init(_ title: String) {
        print("\(title)\n")
        print("| radio | case | estimated | 19 of 20 under | actual | error | bottleneck |")
        print("| --- | --- | ---: | ---: | ---: | ---: | --- |")
    }

    /// Adds the runs of one case, and prints a row.
    mutating func add(_ item: EstimateCase, _ outcomes: [EstimateSite.Outcome]) {
        guard let first = outcomes.first else { return }
        let taken = outcomes.map(\.taken).sorted()
        let median = taken[taken.count / 2]
        for outcome in outcomes {
            runs += 1
            if outcome.taken <= outcome.limit { under += 1 }
        }
        errors.append(abs(first.expected / median - 1))
        let pending = outcomes.map(\.recap.pending.count).max() ?? 0
        let cells = [
            item.radio.name, item.name + (pending > 0 ? " (\(pending) pending)" : ""), text(first.expected),
            text(first.limit), taken.map(text).joined(separator: ", "),
            String(format: "%+.0f %%", 100 * (first.expected / median - 1)), first.said.bound?.rawValue ?? "",
        ]
        print("| " + cells.joined(separator: " | ") + " |")
    }

    /// Prints the summary of all rows.
    func finish() {
        let sorted = errors.sorted()
        guard !sorted.isEmpty else { return print("\nNo case has that name.") }
        func percent(_ error: Double) -> String { String(format: "%.1f", 100 * error) }
        let (middle, worst) = (percent(sorted[sorted.count / 2]), percent(sorted[sorted.count - 1]))
        let share = String(format: "%.1f", 100 * Double(under) / Double(runs))
        print(
            "\n\(sorted.count) cases: median error \(middle) %, worst \(worst) %; of \(runs) runs, \(share) % took less than "
                + "the figure for 19 of 20.\n"
        )
    }

    private func text(_ seconds: Double) -> String { String(format: "%.1f", seconds) }
}

extension EstimateSite.Outcome {
    /// The estimated seconds, with those for nodes that were expected to be silent. Here they are silent.
    var expected: Double { said.total.median + (said.silence?.more ?? 0) }

    /// The estimated seconds that 19 of 20 runs should not exceed.
    var limit: Double { said.total.percentile95 + (said.silence?.more ?? 0) }
}
