import DefinitionModel
import MeshCore

/// Collects the findings of guards while a plan is made, with the locations in the definition that cause them. A cause
/// that thousands of nodes share through a profile is one finding.
struct GuardReports {
    private struct Report {
        var finding: GuardFinding
        var location: SourceLocation?
        /// How to mend it, as a sentence without a full stop.
        var hint: Advice
    }

    private struct Cause: Hashable {
        var planGuard: PlanGuard
        var location: SourceLocation
        var name: String
    }

    private var reports: [Report] = []
    private var places: [Cause: Int] = [:]

    var isEmpty: Bool { reports.isEmpty }

    /// Adds a finding that no line of the definition causes.
    mutating func report(_ finding: GuardFinding, hint: Advice) {
        reports.append(Report(finding: finding, location: nil, hint: hint))
    }

    /// Adds a finding made while the definition was resolved.
    mutating func report(_ found: DesiredState.Finding) {
        reports.append(Report(finding: found.finding, location: found.location, hint: Advice(found.hint)))
    }

    /// Adds a finding about one node. Further nodes with the same cause at the same location are added to it.
    ///
    /// - Parameter cause: distinguishes findings at the same location.
    mutating func report(
        _ finding: GuardFinding,
        cause: String,
        at location: SourceLocation,
        hint: Advice
    ) {
        let key = Cause(planGuard: finding.planGuard, location: location, name: cause)
        if let index = places[key] {
            for node in finding.nodes where reports[index].finding.nodes.last != node {
                reports[index].finding.nodes.append(node)
            }
            reports[index].finding.resources += finding.resources
        } else {
            places[key] = reports.count
            reports.append(Report(finding: finding, location: location, hint: hint))
        }
    }

    /// The findings by guard, then in the order in which they were made.
    func findings(allowed: Set<PlanGuard>) -> [GuardFinding] {
        sorted.map { finding(of: $0, allowed: allowed) }
    }

    /// An error for each finding that is not allowed.
    func diagnostics(allowed: Set<PlanGuard>) -> [Diagnostic] {
        sorted.compactMap { report in
            let finding = finding(of: report, allowed: allowed)
            guard !finding.isAllowed else { return nil }
            let hint: Advice =
                finding.planGuard.isAllowable
                ? "\(report.hint); if it is meant: \(command: .allow(guard: finding.planGuard.rawValue))" : report.hint
            return Diagnostic(
                .error,
                finding.message,
                at: report.location,
                resource: finding.resources.first ?? (finding.nodes.count == 1 ? "node." + finding.nodes[0] : nil),
                hint: hint
            )
        }
    }

    private var sorted: [Report] {
        reports.enumerated().sorted {
            ($0.element.finding.planGuard, $0.offset) < ($1.element.finding.planGuard, $1.offset)
        }.map(\.element)
    }

    private func finding(of report: Report, allowed: Set<PlanGuard>) -> GuardFinding {
        var finding = report.finding
        finding.isAllowed = finding.planGuard.isAllowable && allowed.contains(finding.planGuard)
        let others = finding.nodes.count - 1
        if report.location != nil, others > 0 {
            finding.message += others == 1 ? " (and one more node)" : " (and \(others) more nodes)"
        }
        return finding
    }
}
