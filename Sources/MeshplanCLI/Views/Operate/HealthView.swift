import Basics
import Execution
import MeshCore
import SystemLayer

/// Shows what Health Servers tell: a table for people at the end, a JSON line for each as soon as it is known.
struct HealthView {
    private let operating: OperatingContext
    private let check: HealthCheck
    private let wishes: HealthWishes

    init(_ operating: OperatingContext, _ check: HealthCheck, _ wishes: HealthWishes) {
        self.operating = operating
        self.check = check
        self.wishes = wishes
    }

    private var context: Context { operating.conversation.context }

    // MARK: For programs

    /// Nothing more is asked at a place.
    func tell(_ position: Int, _ finding: HealthFinding) {
        guard let lines = context.json else { return }
        let place = check.places[position]
        var members = head(place.node, place.element)
        members.append(JSONMember("company", "0x\(place.company.hexadecimal)".json))
        if let faults = finding.faults {
            members.append(JSONMember("registered_faults", Self.json(of: faults)))
            members.append(JSONMember("test", .integer(Int(faults.test))))
        }
        if let cleared = finding.cleared { members.append(JSONMember("cleared_faults", Self.json(of: cleared))) }
        if let divisor = finding.periodDivisor {
            members.append(JSONMember("period_divisor", .integer(1 << Int(divisor))))
        }
        if let attention = finding.attention { members.append(JSONMember("attention", .integer(Int(attention)))) }
        if let missing = finding.missing {
            members.append(JSONMember("reason", reason(missing, of: finding, place).json))
        }
        lines.event(members)
    }

    /// Names the elements that were not asked; only for programs.
    func tellProblems() {
        guard let lines = context.json else { return }
        for problem in check.problems {
            let reason = JSONMember("reason", problem.problem.clause.printable.json)
            lines.event(head(problem.element.node, problem.element.element) + [reason])
        }
    }

    /// Each fault with its number; without a name if it is reserved or a vendor's.
    private static func json(of faults: HealthFaults) -> JSONValue {
        .array(
            faults.faults.map { fault in
                .object([
                    "number": .integer(Int(fault.number)), "name": fault.name?.json,
                    "company": fault.isVendor ? "0x\(fault.company.hexadecimal)".json : nil,
                ])
            }
        )
    }

    private func head(_ node: Int, _ element: Int) -> [JSONMember] {
        [JSONMember("type", "health")] + operating.members(ofNode: node) + [JSONMember("element", .integer(element))]
    }

    // MARK: For people

    /// Everything is known. Shows the table, and who did not answer on standard error.
    func finish(_ findings: [HealthFinding]) {
        let nodes = OperatedNodes(operating)
        let problems = check.problems.map { (node: $0.element.node, element: $0.element.element, problem: $0.problem) }
        guard context.json == nil else { return tellProblems() }
        context.output.write(table(findings))
        var silent: [(node: Int, outcome: OperatingOutcome)] = []
        for (place, finding) in zip(check.places, findings) {
            guard let missing = finding.missing else { continue }
            if finding.ignoresCompany {
                FailureView(context).warn(
                    "\(nodes.title(ofNode: place.node, element: place.element)) says nothing of faults of company "
                        + "0x\(place.company.hexadecimal)",
                    hint: "Its faults may be those of another company: try --company with the number of its maker."
                )
            } else {
                silent.append((place.node, missing))
            }
        }
        nodes.tellSilent(silent)
        nodes.tellProblems(problems)
    }

    private func table(_ findings: [HealthFinding]) -> String {
        var header = ["NODE", "ELEMENT", "TEST", "REGISTERED FAULTS"]
        if wishes.clears { header.append("CLEARED") }
        if wishes.attention != nil { header.append("ATTENTION") }
        header.append("PERIOD WITH FAULTS")
        var table = Table(header, rightAligned: [1, 2])
        let rows = zip(check.places, findings).map { place, finding in
            (order: NaturalOrder(operating.name(ofNode: place.node)), place: place, finding: finding)
        }
        let sorted = rows.sorted { ($0.order, $0.place.element) < ($1.order, $1.place.element) }
        for (_, place, finding) in sorted {
            var row = [
                operating.name(ofNode: place.node), "\(place.element)", finding.faults.map { "\($0.test)" } ?? "",
                faults(finding, place),
            ]
            if wishes.clears { row.append(finding.cleared.map(Self.text) ?? "") }
            if wishes.attention != nil { row.append(finding.attention.map { "\($0) s" } ?? "") }
            row.append(finding.periodDivisor.map(Self.period) ?? "")
            table.rows.append(row)
        }
        table.add(titles: sorted.map { operating.title(ofNode: $0.place.node) })
        return table.render(context.style)
    }

    private func faults(_ finding: HealthFinding, _ place: HealthPlace) -> String {
        let told = finding.faults.map(Self.text)
        guard let missing = finding.missing else { return told ?? "" }
        return (told.map { $0 + " " } ?? "") + "(\(reason(missing, of: finding, place)))"
    }

    private func reason(_ missing: OperatingOutcome, of finding: HealthFinding, _ place: HealthPlace) -> String {
        finding.ignoresCompany ? "knows no company 0x\(place.company.hexadecimal)" : OperatedNodes.reason(missing)
    }

    private static func text(_ faults: HealthFaults) -> String {
        faults.faults.isEmpty ? "none" : faults.faults.map(\.text).joined(separator: ", ")
    }

    private static func period(_ divisor: UInt8) -> String {
        divisor == 0 ? "unchanged" : "divided by \(1 << Int(divisor))"
    }
}
