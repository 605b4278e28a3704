import DefinitionModel
import SystemLayer

/// The file that keeps the state of an agent. Somebody may have damaged or exchanged it, so nothing in it is believed
/// that does not fit.
extension AgentState {
    /// The version of the file's form.
    private static let version = 1
    /// The most octets of a file.
    private static let sizeLimit = 64 << 20

    // MARK: Writing

    /// The contents of the file.
    var bytes: [UInt8] { Array((json.line + "\n").utf8) }

    private var json: JSONValue {
        .object([
            "agent": .integer(Self.version), "next_number": .integer(nextNumber),
            "tested_day": testedDay.map { .integer($0) },
            "settings": settings.map(Self.json),
            "told_approvals": .array(toldApprovals.sorted().map(\.json)), "told_problem": toldProblem?.json,
            "networks": .object(networks.sorted { $0.key < $1.key }.map { JSONMember($0.key, Self.json($0.value)) }),
        ])
    }

    private static func json(_ settings: AgentSettings) -> JSONValue {
        .object([
            "look_every": .integer(settings.lookEvery), "applies": .bool(settings.applies),
            "budget": settings.sampling.map { .integer($0.budget) },
            "within": settings.sampling.map { .integer($0.within) },
            "tests_at": settings.testsAt.map { .integer($0) },
        ])
    }

    private static func json(_ network: Network) -> JSONValue {
        func numbers(_ values: [String: some BinaryInteger]) -> JSONValue {
            .object(values.sorted { $0.key < $1.key }.map { JSONMember($0.key, .integer($0.value)) })
        }
        return .object([
            "planned": network.planned?.json, "status": .integer(network.status), "digest": network.digest?.json,
            "changes": .integer(network.changes), "planned_at": network.plannedAt.map { .integer($0) },
            "told_plan": network.toldPlan?.json, "told_waiting": network.toldWaiting?.json,
            "told_problem": network.toldProblem?.json, "used": .array(network.used.sorted().map(\.json)),
            "begun": network.begun?.json, "plan_failures": .integer(network.planFailures),
            "plan_at": network.planAt.map { .integer($0) }, "apply_failures": .integer(network.applyFailures),
            "apply_at": network.applyAt.map { .integer($0) }, "told_reading": network.toldReading?.json,
            "allowance": network.allowance.map { .integer($0) }, "accrued_at": .integer(network.accruedAt),
            "spent": .integer(network.spent), "sampled_at": network.sampledAt.map { .integer($0) },
            "asked": numbers(network.asked), "drift": numbers(network.drift), "told_budget": .bool(network.toldBudget),
            "told_tests": network.toldTests?.json, "tests_fail": .bool(network.testsFail),
        ])
    }

    // MARK: Reading

    /// Reads the file; a fresh state if there is none.
    ///
    /// - Parameter name: for people.
    /// - Throws: ``Failure`` if it holds anything else than a state; ``FileError`` if it cannot be read, or others than
    ///   its owner may use it.
    static func read(_ path: String, as name: String) throws -> AgentState {
        guard Files.kind(path) != nil else { return AgentState() }
        let bytes = try Files.readRegular(path, limit: sizeLimit, isSecret: true)
        do {
            return try AgentState(AgentStateReader(try JSONParser.parse(bytes), "the file"))
        } catch {
            let reason = (error as? JSONError)?.message ?? "\(error)"
            throw Failure(
                .invalidInput,
                "\(name) is not the state of an agent: \(reason)",
                hint: "Without the file, the agent tells once more what it has told, and takes used approvals for new. "
                    + "Take those out of the file with approvals, then remove this one: rm \(name.shellWord)"
            )
        }
    }

    private init(_ reader: AgentStateReader) throws(AgentStateReader.Mismatch) {
        guard try reader.whole("agent") == Int64(Self.version) else { throw .init("it has another version") }
        nextNumber = Int(try reader.whole("next_number") ?? 1)
        testedDay = try reader.whole("tested_day")
        if let reader = try reader.reader("settings") { settings = try AgentSettings(reader) }
        toldApprovals = Set(try reader.texts("told_approvals"))
        toldProblem = try reader.text("told_problem")
        for (name, network) in try reader.named("networks") { networks[name] = try Network(network) }
    }
}

extension AgentSettings {
    fileprivate init(_ reader: AgentStateReader) throws(AgentStateReader.Mismatch) {
        lookEvery = try reader.whole("look_every", in: 1...86_400) ?? 10
        applies = try reader.flag("applies")
        if let budget = try reader.whole("budget", in: 1...1_000_000) {
            let within = try reader.whole("within", in: 3_600...(366 * 86_400)) ?? AgentSampling().within
            sampling = AgentSampling(budget: budget, within: within)
        }
        testsAt = try reader.whole("tests_at", in: 0...86_399)
    }
}

extension AgentState.Network {
    fileprivate init(_ reader: AgentStateReader) throws(AgentStateReader.Mismatch) {
        planned = try reader.text("planned")
        status = Int32(clamping: try reader.whole("status") ?? 0)
        digest = try reader.text("digest")
        changes = Int(try reader.whole("changes") ?? 0)
        plannedAt = try reader.whole("planned_at")
        toldPlan = try reader.text("told_plan")
        toldWaiting = try reader.text("told_waiting")
        toldProblem = try reader.text("told_problem")
        used = Set(try reader.texts("used"))
        begun = try reader.text("begun")
        planFailures = Int(try reader.whole("plan_failures") ?? 0)
        planAt = try reader.whole("plan_at")
        applyFailures = Int(try reader.whole("apply_failures") ?? 0)
        applyAt = try reader.whole("apply_at")
        toldReading = try reader.text("told_reading")
        allowance = try reader.whole("allowance")
        accruedAt = try reader.whole("accrued_at") ?? 0
        spent = try reader.whole("spent") ?? 0
        sampledAt = try reader.whole("sampled_at")
        asked = try reader.numbers("asked")
        drift = try reader.numbers("drift").mapValues { Int($0) }
        toldBudget = try reader.flag("told_budget")
        toldTests = try reader.text("told_tests")
        testsFail = try reader.flag("tests_fail")
    }
}

/// Reads the members of an object, of which each may be missing but none may be something else.
private struct AgentStateReader {
    /// What does not fit.
    struct Mismatch: Error, CustomStringConvertible {
        var description: String

        init(_ description: String) { self.description = description }
    }

    private let members: [JSONMember]

    /// Beyond this, sums of a few numbers could overflow.
    private static let largest: Int64 = 1 << 52
    private static let longestText = 10_000

    init(_ value: JSONValue, _ name: String) throws(Mismatch) {
        guard case .object(let members) = value else { throw Mismatch("\(name) is not an object") }
        self.members = members
    }

    private func value(_ name: String) -> JSONValue? { members.first { $0.name == name }?.value }

    func whole(_ name: String) throws(Mismatch) -> Int64? {
        guard let value = value(name) else { return nil }
        return try Self.whole(value, name)
    }

    func whole(_ name: String, in range: ClosedRange<Int64>) throws(Mismatch) -> Int64? {
        guard let number = try whole(name) else { return nil }
        guard range.contains(number) else { throw Mismatch("\(name.printable) is not a number that makes sense") }
        return number
    }

    private static func whole(_ value: JSONValue, _ name: String) throws(Mismatch) -> Int64 {
        guard case .number(let text) = value, let number = Int64(text), number.magnitude <= largest else {
            throw Mismatch("\(name.printable) is not a whole number that makes sense")
        }
        return number
    }

    private static func text(_ value: JSONValue, _ name: String) throws(Mismatch) -> String {
        guard case .string(let text) = value, text.utf8.count <= longestText else {
            throw Mismatch("\(name.printable) is not a text")
        }
        return text
    }

    func text(_ name: String) throws(Mismatch) -> String? {
        guard let value = value(name) else { return nil }
        return try Self.text(value, name)
    }

    func flag(_ name: String) throws(Mismatch) -> Bool {
        switch value(name) {
        case nil: return false
        case .bool(let flag): return flag
        default: throw Mismatch("\(name) is neither true nor false")
        }
    }

    private func array(_ name: String) throws(Mismatch) -> [JSONValue] {
        switch value(name) {
        case nil: return []
        case .array(let values): return values
        default: throw Mismatch("\(name) is not a list")
        }
    }

    func texts(_ name: String) throws(Mismatch) -> [String] {
        var texts: [String] = []
        for value in try array(name) { texts.append(try Self.text(value, name)) }
        return texts
    }

    func reader(_ name: String) throws(Mismatch) -> AgentStateReader? {
        guard let value = value(name) else { return nil }
        return try AgentStateReader(value, name)
    }

    private func object(_ name: String) throws(Mismatch) -> [JSONMember] {
        guard let value = value(name) else { return [] }
        return try AgentStateReader(value, name).members
    }

    func named(_ name: String) throws(Mismatch) -> [(String, AgentStateReader)] {
        var named: [(String, AgentStateReader)] = []
        for member in try object(name) { named.append((member.name, try AgentStateReader(member.value, member.name))) }
        return named
    }

    func numbers(_ name: String) throws(Mismatch) -> [String: Int64] {
        var numbers: [String: Int64] = [:]
        for member in try object(name) { numbers[member.name] = try Self.whole(member.value, member.name) }
        return numbers
    }
}
