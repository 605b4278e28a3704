import Catalogue
package import MeshCore

/// How a message to a group is repeated.
package struct GroupCopies: Hashable, Sendable {
    /// How often it is sent, at least 1.
    package var count = 3
    /// The time from one copy to the next.
    package var interval = Duration.milliseconds(75)

    /// Three copies, 75 ms apart.
    package init() {}

    /// The delay of a copy in steps of a message, so that a change starts at the same time whichever copy arrives: that
    /// of the last copy, and the time until then (Mesh Model 3.1.3).
    ///
    /// - Parameters:
    ///   - last: the delay of the last copy, in steps.
    ///   - elapsed: since the first copy was due.
    func delay(last: Int64, elapsed: Duration) -> Int64 {
        let left = max(interval * (count - 1) - elapsed, .zero)
        let (seconds, attoseconds) = left.components
        let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
        return min(last + milliseconds / Int64(StateChange.delayStep), StateChange.longestDelay)
    }
}

extension StateSetting {
    /// Sets the state with a few messages to a group, then asks every member, and sets stragglers one by one.
    ///
    /// - Parameters:
    ///   - group: the group to which the models of all places listen.
    ///   - copies: how the message is repeated.
    ///   - key: the key of the message; members with another key are set one by one.
    /// - Returns: the outcomes in the order of the places; without collecting, ``StateSettingOutcome/sent``.
    /// - Throws: ``StateError`` if the messages cannot be made; nothing was sent then.
    package func set(
        group: SubscriptionAddress,
        under key: AppKey,
        copies: GroupCopies = GroupCopies(),
        isCollected: Bool = true,
        in session: OperatingSession
    ) throws(StateError) -> [StateSettingOutcome] {
        var payloads: [[UInt8]] = []
        for copy in 0..<copies.count {
            let delay = copies.delay(last: change.delay, elapsed: copies.interval * copy)
            payloads.append(try change.payload(transaction: transaction, isAcknowledged: false, delay: delay))
        }
        let inquiry = try StateInquiry(places.places.map { $0.read(of: change.state) }, in: network)
        guard let destination = group.destination else {
            throw .value(change.state.name, "the label of the group's virtual address is not known")
        }
        // The copies are not to wait for a link, since their delays count from the first.
        session.connect(toReach: nodes, under: key)
        for (copy, payload) in payloads.enumerated() {
            if copy > 0 { session.pause(for: copies.interval) }
            guard session.post(payload, to: destination, under: key) else {
                return Array(repeating: .unknown(.abandoned), count: places.places.count)
            }
        }
        guard isCollected else { return Array(repeating: .sent, count: places.places.count) }
        session.pause(for: .milliseconds(Int(change.delay) * StateChange.delayStep))
        return try repair(session.ask(inquiry.requests), inquiry, in: session)
    }

    /// Sets those one by one of which the collected states do not say that they are as asked.
    private func repair(
        _ collected: [OperatingOutcome],
        _ inquiry: StateInquiry,
        in session: OperatingSession
    ) throws(StateError) -> [StateSettingOutcome] {
        // Who cannot be read is set, and told from that.
        var outcomes = [StateSettingOutcome](repeating: .unknown(.abandoned), count: places.places.count)
        var stragglers: [Int] = []
        let positions = Dictionary(
            zip(inquiry.places.map { [$0.node, $0.element] }, collected),
            uniquingKeysWith: { first, _ in first }
        )
        for (position, place) in places.places.enumerated() {
            let outcome = positions[[place.node, place.element]] ?? .abandoned
            switch outcome {
            case .answered(let parameters):
                if StateReading(parameters, of: change.state).agrees(with: change.wanted) {
                    outcomes[position] = .asAsked
                } else {
                    stragglers.append(position)
                }
            case .unanswered, .silent, .unreachable: outcomes[position] = .unknown(outcome)
            case .abandoned: if session.ending == nil { stragglers.append(position) }
            }
        }
        guard !stragglers.isEmpty, session.ending == nil else { return outcomes }
        for (position, outcome) in zip(
            stragglers,
            try set(stragglers, transaction &+ 1, .repaired, in: session)
        ) {
            outcomes[position] = outcome
        }
        return outcomes
    }
}

extension StatePlace {
    /// The same state at the model that reads it.
    fileprivate func read(of state: StateDescription) -> StatePlace {
        StatePlace(node: node, element: element, model: state.server ?? model, selector: selector)
    }
}

extension SubscriptionAddress {
    /// The same as a destination; nil for a virtual address without a known label.
    fileprivate var destination: Destination? {
        switch self {
        case .group(let group): .group(group)
        case .virtual(let label): .virtual(label)
        case .unknownLabel: nil
        }
    }
}
