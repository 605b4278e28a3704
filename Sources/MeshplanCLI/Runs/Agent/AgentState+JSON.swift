import DefinitionModel
import SystemLayer

/// The file that keeps the state of an agent. Somebody may have damaged or exchanged it, so nothing in it is believed
/// that does not fit.
extension AgentState: Codable {
    private enum CodingKeys: String, CodingKey {
        case version = "agent"
        case networks, nextNumber, testedDay, settings, toldApprovals, toldProblem
    }

    /// The version of the file's form.
    private static let version = 1
    /// The most octets of a file.
    private static let sizeLimit = 64 << 20

    /// The contents of the file.
    var bytes: [UInt8] { TypedJSON.encode(self) + [UInt8(ascii: "\n")] }

    /// Reads the file; a fresh state if there is none.
    ///
    /// - Parameter name: for people.
    /// - Throws: ``Failure`` if it holds anything else than a state; ``FileError`` if it cannot be read, or others than
    ///   its owner may use it.
    static func read(_ path: String, as name: String) throws -> AgentState {
        guard Files.kind(path) != nil else { return AgentState() }
        let bytes = try Files.readRegular(path, limit: sizeLimit, isSecret: true)
        do {
            return try TypedJSON.decode(from: bytes)
        } catch {
            throw Failure(
                .invalidInput,
                "\(name) is not the state of an agent: \(error.message.printable)",
                hint: "Without the file, the agent tells once more what it has told, and takes used approvals for new. "
                    + "Take those out of the file with approvals, then remove this one: rm \(name.shellWord)"
            )
        }
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        guard try members.decode(Int.self, forKey: .version) == Self.version else { throw members.senseless(.version) }
        nextNumber = Int(try members.number(.nextNumber) ?? 1)
        testedDay = try members.number(.testedDay)
        settings = try members.decodeIfPresent(AgentSettings.self, forKey: .settings)
        toldApprovals = try members.texts(.toldApprovals)
        toldProblem = try members.text(.toldProblem)
        networks = try members.value(.networks, or: [:])
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(Self.version, forKey: .version)
        try members.encode(nextNumber, forKey: .nextNumber)
        try members.encodeIfPresent(testedDay, forKey: .testedDay)
        try members.encodeIfPresent(settings, forKey: .settings)
        try members.encode(toldApprovals.sorted(), forKey: .toldApprovals)
        try members.encodeIfPresent(toldProblem, forKey: .toldProblem)
        try members.encode(networks, forKey: .networks)
    }
}

extension AgentSettings: Codable {
    private enum CodingKeys: String, CodingKey {
        case lookEvery, applies, budget, within, testsAt
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        lookEvery = try members.number(.lookEvery, in: 1...86_400) ?? 10
        applies = try members.value(.applies, or: false)
        if let budget = try members.number(.budget, in: 1...1_000_000) {
            let within = try members.number(.within, in: 3_600...(366 * 86_400)) ?? AgentSampling().within
            sampling = AgentSampling(budget: budget, within: within)
        }
        testsAt = try members.number(.testsAt, in: 0...86_399)
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(lookEvery, forKey: .lookEvery)
        try members.encode(applies, forKey: .applies)
        try members.encodeIfPresent(sampling?.budget, forKey: .budget)
        try members.encodeIfPresent(sampling?.within, forKey: .within)
        try members.encodeIfPresent(testsAt, forKey: .testsAt)
    }
}

extension ClosedRange<Int64> {
    /// Beyond these numbers, sums of a few could overflow.
    static let believed = Int64(-1 << 52)...(1 << 52)
}

extension KeyedDecodingContainer {
    /// A number of an agent's state that makes sense; nil if there is none.
    func number(_ key: Key, in range: ClosedRange<Int64> = .believed) throws -> Int64? {
        let number = try decodeIfPresent(Int64.self, forKey: key)
        guard number.map(range.contains) ?? true else { throw senseless(key) }
        return number
    }

    /// A text of a sensible length; nil if there is none.
    func text(_ key: Key) throws -> String? {
        let text = try decodeIfPresent(String.self, forKey: key)
        guard (text?.utf8.count ?? 0) <= 10_000 else { throw senseless(key) }
        return text
    }

    /// Texts of a sensible length.
    func texts(_ key: Key) throws -> Set<String> {
        let texts: Set<String> = try value(key, or: [])
        guard texts.allSatisfy({ $0.utf8.count <= 10_000 }) else { throw senseless(key) }
        return texts
    }
}
