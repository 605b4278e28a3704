import Catalogue
package import MeshCore

/// What to do besides reading the registered faults.
package struct HealthWishes: Hashable, Sendable {
    /// Whether registered faults are cleared, after they were read.
    package var clears = false
    /// The test to run, after faults were cleared.
    package var test: UInt8?
    /// For how many seconds elements draw attention to themselves; 0 ends it.
    package var attention: UInt8?
    /// The exponent of the power of 2 by which the publish period is divided while there are faults, 0 to 15.
    package var periodDivisor: UInt8?
    /// The company whose faults are meant; nil for that of each node's product.
    package var company: UInt16?

    /// Nothing but reading.
    package init() {}

    /// Whether nothing changes at the nodes.
    package var isReading: Bool { !clears && test == nil && attention == nil && periodDivisor == nil }
}

/// A Health Server, with the requests to it.
package struct HealthPlace: Hashable, Sendable {
    /// The position of the node in the network.
    package let node: Int
    package let element: Int
    /// The company whose faults are asked for.
    package let company: UInt16

    let period: OperatingRequest
    let faults: OperatingRequest
    let clear: OperatingRequest?
    let test: OperatingRequest?
    let attention: OperatingRequest?
}

/// What a Health Server tells.
package struct HealthFinding: Hashable, Sendable {
    /// The registered faults, after everything was done; nil if the node did not tell.
    package fileprivate(set) var faults: HealthFaults?
    /// The faults that were registered before they were cleared; nil if none were, as far as is known.
    package fileprivate(set) var cleared: HealthFaults?
    /// The exponent of the power of 2 by which the publish period is divided while there are faults; nil if not told.
    package fileprivate(set) var periodDivisor: UInt8?
    /// For how many seconds the element draws attention to itself; nil if that was not asked for.
    package fileprivate(set) var attention: UInt8?
    /// What came instead of the first answer that is missing, maybe octets that are no answer; nil if none is.
    package fileprivate(set) var missing: OperatingOutcome?

    /// Whether the node answers, but not about faults: so does one that knows no faults of the company.
    package var ignoresCompany: Bool { periodDivisor != nil && faults == nil && missing == .unanswered }
}

/// Reads the registered faults of Health Servers, clears them, and runs tests (Mesh Protocol 4.3.3).
///
/// Which faults a node has at present it only says by itself, in what it publishes.
package struct HealthCheck: Hashable, Sendable {
    /// The Health Servers, in the order of their addresses.
    package private(set) var places: [HealthPlace] = []
    package private(set) var problems: [OperatingMessage.Problem] = []
    package private(set) var needs: Set<OwnModel> = []
    private let wishes: HealthWishes

    /// Plans to ask the Health Servers of a target.
    ///
    /// - Throws: ``MessageRefusal`` if a wish goes into no message.
    package init(
        _ target: ResolvedTarget,
        _ wishes: HealthWishes,
        in network: MeshNetwork
    ) throws(MessageRefusal) {
        self.wishes = wishes
        for part in target.elements where part.models.contains(where: { $0.identifier == .healthServer }) {
            let node = network.nodes[part.node]
            guard let address = node.unicastAddress.element(UInt8(clamping: part.element)) else { continue }
            let key: AppKey
            let company: UInt16
            do throws(OperatingProblem) {
                key = try network.operatingKey(of: .healthServer, element: part.element, on: node)
                guard let known = wishes.company ?? node.product?.company else { throw .compositionUnknown }
                company = known
            } catch {
                problems.append(OperatingMessage.Problem(element: part, problem: error))
                continue
            }
            func request(_ name: String, _ fields: [String]) throws(MessageRefusal) -> OperatingRequest {
                let message = try OperatingMessage(to: .healthServer, named: name, fields: fields, transaction: 0)
                if let client = message.client { needs.insert(OwnModel(client, key: key.index)) }
                let isAboutFaults = message.answer == HealthFault.status
                return OperatingRequest(
                    node: node.uuid,
                    destination: address,
                    payload: message.payload,
                    key: key.index,
                    subnets: [key.boundNetKey],
                    answer: message.answer ?? HealthFault.status,
                    // Its publications about another company are no answer.
                    instance: isAboutFaults ? ["company": .integer(Int64(company))] : FieldValues()
                )
            }
            let about = "company=0x\(company.hexadecimal)"
            let period =
                if let divisor = wishes.periodDivisor {
                    try request("health-period-set", ["divisor=\(divisor)"])
                } else {
                    try request("health-period-get", [])
                }
            places.append(
                HealthPlace(
                    node: part.node,
                    element: part.element,
                    company: company,
                    period: period,
                    faults: try request("health-fault-get", [about]),
                    clear: try wishes.clears ? request("health-fault-clear", [about]) : nil,
                    test: try wishes.test.map { test throws(MessageRefusal) in
                        try request("health-fault-test", ["test=\(test)", about])
                    },
                    attention: try wishes.attention.map { seconds throws(MessageRefusal) in
                        try request("health-attention-set", ["attention=\(seconds)"])
                    }
                )
            )
        }
    }

    /// Asks the Health Servers, side by side.
    ///
    /// - Parameter tell: receives the position of a place and what it told, as soon as nothing more is asked there.
    /// - Returns: what they told, in the order of the places.
    package func run(
        in session: OperatingSession,
        telling tell: @escaping (Int, HealthFinding) -> Void = { _, _ in }
    ) -> [HealthFinding] {
        var findings = places.map { _ in HealthFinding() }
        var told: Set<Int> = []
        func take(_ position: Int, _ outcome: OperatingOutcome) {
            told.insert(position)
            if position.isMultiple(of: 2) {
                findings[position / 2].takePeriod(outcome)
            } else {
                findings[position / 2].takeFaults(outcome)
            }
        }
        let isReading = wishes.isReading
        // A node that does not answer the first question is not asked the second one.
        let outcomes = session.ask(places.flatMap { [$0.period, $0.faults] }) { position, outcome in
            take(position, outcome)
            if isReading, !position.isMultiple(of: 2) { tell(position / 2, findings[position / 2]) }
        }
        for (position, outcome) in outcomes.enumerated() where !told.contains(position) {
            take(position, outcome)
            if isReading, !position.isMultiple(of: 2) { tell(position / 2, findings[position / 2]) }
        }
        if isReading { return findings }
        if wishes.clears { clear(&findings, in: session) }
        let isKnown = findings.map { $0.faults != nil }
        ask(\.test, at: places.indices.filter { isKnown[$0] }, in: session) { findings[$0].takeFaults($1) }
        let isThere = findings.map { $0.periodDivisor != nil }
        ask(\.attention, at: places.indices.filter { isThere[$0] }, in: session) { findings[$0].takeAttention($1) }
        for (position, finding) in findings.enumerated() { tell(position, finding) }
        return findings
    }

    private func clear(_ findings: inout [HealthFinding], in session: OperatingSession) {
        let known = places.indices.filter { findings[$0].faults != nil }
        ask(\.clear, at: known, in: session) { position, outcome in
            let before = findings[position].faults
            findings[position].takeFaults(outcome)
            if case .answered = outcome { findings[position].cleared = before }
        }
        // A late answer to the question before looks the same as an answer to this one: ask once more.
        let doubtful = known.filter { findings[$0].cleared != nil && findings[$0].faults?.faults.isEmpty == false }
        let outcomes = session.ask(doubtful.map { places[$0].faults })
        for (position, outcome) in zip(doubtful, outcomes) { findings[position].takeFaults(outcome) }
    }

    /// Asks some of the places one question, those that have it, and takes what they answer.
    private func ask(
        _ question: KeyPath<HealthPlace, OperatingRequest?>,
        at positions: [Int],
        in session: OperatingSession,
        _ take: (Int, OperatingOutcome) -> Void
    ) {
        let asked = positions.filter { places[$0][keyPath: question] != nil }
        let outcomes = session.ask(asked.compactMap { places[$0][keyPath: question] })
        for (position, outcome) in zip(asked, outcomes) { take(position, outcome) }
    }
}

extension HealthFinding {
    fileprivate mutating func takePeriod(_ outcome: OperatingOutcome) {
        periodDivisor = octet("divisor", in: outcome, of: 0x8037)
    }

    fileprivate mutating func takeAttention(_ outcome: OperatingOutcome) {
        attention = octet("attention", in: outcome, of: 0x8007)
    }

    fileprivate mutating func takeFaults(_ outcome: OperatingOutcome) {
        guard case .answered(let parameters) = outcome, let told = HealthFaults(parameters) else {
            return miss(outcome)
        }
        faults = told
    }

    private mutating func octet(_ field: String, in outcome: OperatingOutcome, of status: Opcode) -> UInt8? {
        guard case .answered(let parameters) = outcome else {
            miss(outcome)
            return nil
        }
        let values = try? MessageCatalogue.sig.message(status)?.decode(parameters[...])
        return values?.integer(field).flatMap(UInt8.init(exactly:))
    }

    private mutating func miss(_ outcome: OperatingOutcome) { missing = missing ?? outcome }
}
