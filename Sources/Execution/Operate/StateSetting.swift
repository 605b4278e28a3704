import Catalogue
package import MeshCore

/// What became of setting a state at one place.
package enum StateSettingOutcome: Hashable, Sendable {
    /// The node says that the state is, or becomes, what was asked for.
    case asAsked
    /// So it says after it was asked a second time.
    case repaired
    /// The node says something else.
    case differs(StateReading)
    /// It was sent without waiting for an answer.
    case sent
    /// The node did not answer, or could not be asked.
    case unknown(OperatingOutcome)
}

/// Sets a state at many places: side by side with acknowledged messages, or with a few messages to groups, after which
/// the states are collected and stragglers are set one by one.
package struct StateSetting {
    let change: StateChange
    let places: StateChangePlaces
    let network: MeshNetwork
    /// Distinguishes the commands of our address; repeats of one have the same.
    let transaction: UInt8

    /// A setting.
    ///
    /// - Parameter transaction: another one than that of the command before.
    package init(_ change: StateChange, at places: StateChangePlaces, in network: MeshNetwork, transaction: UInt8) {
        self.change = change
        self.places = places
        self.network = network
        self.transaction = transaction
    }

    /// Sets the state with acknowledged messages, and once more where the answer says something else: a node ignores a
    /// command whose transaction it has heard from us within 6 s, and answers with what it has (Mesh Model 3.3.1.2.2).
    ///
    /// - Returns: the outcomes in the order of the places.
    /// - Throws: ``StateError`` if the message cannot be made; nothing was sent then.
    package func setEach(in session: OperatingSession) throws(StateError) -> [StateSettingOutcome] {
        var dialogue = StateSettingDialogue(self)
        for position in places.places.indices { try dialogue.set(position) }
        return dialogue.carryOut(in: session)
    }

    /// Sends the state to each once, without waiting for an answer.
    ///
    /// - Returns: the outcomes in the order of the places.
    /// - Throws: ``StateError`` if the message cannot be made; nothing was sent then.
    package func sendEach(
        spacing: Duration = GroupCopies().spacing,
        in session: OperatingSession
    ) throws(StateError) -> [StateSettingOutcome] {
        let payload = try change.payload(transaction: transaction, isAcknowledged: false)
        if let key = places.keys.first { session.connect(toReach: nodes, under: key) }
        return places.places.indices.map { position in
            if position > 0 { session.pause(for: spacing) }
            return post(payload, at: position, in: session)
        }
    }

    var nodes: [Node] { places.places.map { network.nodes[$0.node] } }

    /// Sends an unacknowledged message to one of the places.
    func post(_ payload: [UInt8], at position: Int, in session: OperatingSession) -> StateSettingOutcome {
        guard let request = places.request(payload, of: change, at: position, in: network) else {
            return .unknown(.abandoned)
        }
        let isSent = session.post(payload, to: .unicast(request.destination), under: places.keys[position])
        if isSent { session.leave(request) }
        return isSent ? .sent : .unknown(.abandoned)
    }
}

/// Requests to the places of a setting, and what follows from their answers. A node that says something else than was
/// asked for is set at once, while others have not been asked yet: nobody who is silent keeps it waiting.
struct StateSettingDialogue {
    private enum Purpose {
        case reading
        case setting
    }

    private let setting: StateSetting
    /// When the change begins at all places, for messages that can say so.
    private let start: Instant?
    private var requests: [OperatingRequest] = []
    private var purposes: [(position: Int, purpose: Purpose)] = []
    /// How often each place was set by a message of its own.
    private var attempts: [Int]
    /// Whether somebody else's message, or an earlier one, was to set the place.
    private var isRepair: [Bool]

    /// A dialogue without requests.
    ///
    /// - Parameter start: when the change begins at all places; nil if that does not matter.
    init(_ setting: StateSetting, startingAt start: Instant? = nil) {
        self.setting = setting
        self.start = setting.change.isTimed ? start : nil
        attempts = Array(repeating: 0, count: setting.places.places.count)
        isRepair = Array(repeating: false, count: setting.places.places.count)
    }

    /// Sets a place.
    mutating func set(_ position: Int) throws(StateError) {
        let payload = try setting.change.payload(transaction: setting.transaction)
        guard var request = setting.places.request(payload, of: setting.change, at: position, in: setting.network)
        else { return }
        request.delayEnd = start
        attempts[position] = 1
        add(request, position, .setting)
    }

    /// Asks whether a message to a group has set a place.
    mutating func read(_ position: Int, with request: OperatingRequest) {
        isRepair[position] = true
        add(request, position, .reading)
    }

    private mutating func add(_ request: OperatingRequest, _ position: Int, _ purpose: Purpose) {
        requests.append(request)
        purposes.append((position, purpose))
    }

    /// Sends the requests and what follows from them.
    ///
    /// - Returns: the outcomes in the order of the places.
    func carryOut(in session: OperatingSession) -> [StateSettingOutcome] {
        var dialogue = self
        let outcomes = session.ask(
            requests,
            following: { position, parameters in dialogue.further(after: position, parameters, at: session.now) }
        )
        return dialogue.results(of: outcomes)
    }

    /// The request that sets a place whose answer says something else, at most twice.
    private mutating func further(after request: Int, _ parameters: [UInt8], at now: Instant) -> OperatingRequest? {
        let (position, _) = purposes[request]
        let change = setting.change
        guard !change.isReached(in: StateReading(parameters, of: change.state)), attempts[position] < Self.mostAttempts
        else { return nil }
        // Without a transaction, the same message would get the same answer.
        guard attempts[position] == 0 || change.state.hasTransaction else { return nil }
        let transaction = setting.transaction &+ UInt8(attempts[position]) &+ (isRepair[position] ? 1 : 0)
        let payload = try? change.payload(
            transaction: transaction,
            transition: start.flatMap { change.transition(at: now, since: $0) }
        )
        guard let payload,
            var further = setting.places.request(payload, of: change, at: position, in: setting.network)
        else { return nil }
        further.delayEnd = start
        if attempts[position] > 0 { isRepair[position] = true }
        attempts[position] += 1
        add(further, position, .setting)
        return further
    }

    private static let mostAttempts = 2

    private func results(of outcomes: [OperatingOutcome]) -> [StateSettingOutcome] {
        var results = [StateSettingOutcome](repeating: .unknown(.abandoned), count: attempts.count)
        for ((position, purpose), outcome) in zip(purposes, outcomes) {
            guard case .answered(let parameters) = outcome else {
                results[position] = .unknown(outcome)
                continue
            }
            let reading = StateReading(parameters, of: setting.change.state)
            guard setting.change.isReached(in: reading) else {
                results[position] = .differs(reading)
                continue
            }
            results[position] = purpose == .setting && isRepair[position] ? .repaired : .asAsked
        }
        return results
    }
}
