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

/// Sets a state at many places: side by side with acknowledged messages, or with a few messages to a group, after which
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

    // MARK: One by one

    /// Sets the state with acknowledged messages, and once more where the answer says something else: a node ignores a
    /// command whose transaction it has heard from us within 6 s, and answers with what it has (Mesh Model 3.3.1.2.2).
    ///
    /// - Returns: the outcomes in the order of the places.
    /// - Throws: ``StateError`` if the message cannot be made; nothing was sent then.
    package func setEach(in session: OperatingSession) throws(StateError) -> [StateSettingOutcome] {
        let all = Array(places.places.indices)
        var outcomes = try set(all, transaction, .asAsked, in: session)
        let others = all.filter { if case .differs = outcomes[$0] { true } else { false } }
        guard !others.isEmpty, change.state.hasTransaction else { return outcomes }
        for (position, outcome) in zip(others, try set(others, transaction &+ 1, .repaired, in: session)) {
            outcomes[position] = outcome
        }
        return outcomes
    }

    /// Sends the state to each once, without waiting for an answer.
    ///
    /// - Returns: the outcomes in the order of the places.
    /// - Throws: ``StateError`` if the message cannot be made; nothing was sent then.
    package func sendEach(in session: OperatingSession) throws(StateError) -> [StateSettingOutcome] {
        let payload = try change.payload(transaction: transaction, isAcknowledged: false)
        let all = Array(places.places.indices)
        let requests = try places.requests(change, at: all, transaction: transaction, in: network)
        if let key = places.keys.first { session.connect(toReach: nodes, under: key) }
        return zip(requests, places.keys).map { request, key in
            session.post(payload, to: .unicast(request.destination), under: key) ? .sent : .unknown(.abandoned)
        }
    }

    /// The nodes of the places.
    var nodes: [Node] { places.places.map { network.nodes[$0.node] } }

    /// Sends acknowledged messages to some of the places.
    func set(
        _ positions: [Int],
        _ transaction: UInt8,
        _ success: StateSettingOutcome,
        in session: OperatingSession
    ) throws(StateError) -> [StateSettingOutcome] {
        let requests = try places.requests(change, at: positions, transaction: transaction, in: network)
        return session.ask(requests).map { outcome in
            guard case .answered(let parameters) = outcome else { return .unknown(outcome) }
            let reading = StateReading(parameters, of: change.state)
            return reading.agrees(with: change.wanted) ? success : .differs(reading)
        }
    }
}
