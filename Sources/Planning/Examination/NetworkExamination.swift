package import MeshCore

/// Looks for contradictions in a mesh database's record of a network; takes almost linear time in its nodes.
///
/// A faulty import, merge or tool can leave dangling references, addresses assigned twice and overlapping ranges. The
/// planner trusts such a record. Each finding says what to do.
package struct NetworkExamination {
    let network: MeshNetwork
    let now: Timestamp
    let nodesByUUID: [DeviceUUID: Int]
    let netKeyIndexes: Set<NetKeyIndex>
    let appKeyBindings: [AppKeyIndex: NetKeyIndex]
    let groupAddresses: Set<SubscriptionAddress>
    private(set) var findings: [ExaminationFinding] = []

    private init(_ network: MeshNetwork, at now: Timestamp) {
        self.network = network
        self.now = now
        nodesByUUID = Dictionary(firstOf: network.nodes.enumerated().map { ($1.uuid, $0) })
        netKeyIndexes = Set(network.netKeys.map(\.index))
        appKeyBindings = Dictionary(firstOf: network.appKeys.map { ($0.index, $0.boundNetKey) })
        groupAddresses = Set(network.groups.map(\.address))
    }

    /// All findings about a network, the most serious first, otherwise in the order of the record.
    ///
    /// - Parameter now: the present time, to measure ages.
    package static func findings(in network: MeshNetwork, at now: Timestamp) -> [ExaminationFinding] {
        var examination = NetworkExamination(network, at: now)
        examination.examineProvisioners()
        examination.examineAddresses()
        examination.examineExclusions()
        examination.examineKeys()
        examination.examineGroups()
        examination.examineNames()
        examination.examineNodes()
        examination.examineRecords()
        return ExaminationFinding.Severity.allCases.reversed().flatMap { severity in
            examination.findings.filter { $0.severity == severity }
        }
    }

    mutating func add(
        _ severity: ExaminationFinding.Severity,
        _ code: String,
        about resource: String? = nil,
        _ message: String,
        advice: Advice
    ) {
        findings.append(ExaminationFinding(severity, code, about: resource, message, advice: advice))
    }

    /// Adds one finding for many nodes; it names the first three.
    mutating func add(
        _ severity: ExaminationFinding.Severity,
        _ code: String,
        nodes names: [String],
        _ message: String,
        advice: Advice
    ) {
        guard let first = names.first else { return }
        let others = names.count > 3 ? " and \(names.count - 3) more" : ""
        add(
            severity,
            code,
            about: names.count == 1 ? "node.\(first)" : nil,
            "\(names.prefix(3).joined(separator: ", "))\(others): \(message)",
            advice: advice
        )
    }
}
