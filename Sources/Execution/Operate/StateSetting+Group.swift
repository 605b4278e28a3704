import Catalogue
import MeshCore

extension StateSetting {
    /// Sets the state so that it changes at all places in the same moment: with a few messages to each group, whose
    /// delays end together, and with acknowledged messages to those whom no group reaches. Then it asks every member of
    /// a group, and sets stragglers one by one; they end with the others, as far as there is time.
    ///
    /// A change without a transition time cannot say when it begins; then a place changes when a message arrives.
    ///
    /// - Parameters:
    ///   - cover: the groups and single messages, made for the places of this setting.
    ///   - copies: how a message to a group is repeated.
    ///   - isCollected: whether to ask and to repair; otherwise all messages are unacknowledged.
    /// - Returns: the outcomes in the order of the places; without collecting, ``StateSettingOutcome/sent`` where a
    ///   message has left.
    /// - Throws: ``StateError`` if the messages cannot be made; nothing was sent then.
    package func setTogether(
        _ cover: GroupCover,
        copies: GroupCopies = GroupCopies(),
        isCollected: Bool = true,
        in session: OperatingSession
    ) throws(StateError) -> [StateSettingOutcome] {
        let unacknowledged = try payloadOfCopies(needed: !cover.groups.isEmpty || !isCollected)
        let inquiry = try StateInquiry(places.places.map { $0.read(of: change.state) }, in: network)
        // Delays count from the first message, so nothing may have to wait for a link.
        guard let key = cover.groups.first?.key ?? places.keys.first else { return [] }
        session.connect(toReach: nodes, under: key)
        let lead = copies.lead(groups: cover.groups.count, singles: cover.rest.count)
        let asked = Duration.milliseconds(Int(change.delay) * StateChange.delayStep)
        let start = session.now.advanced(by: max(lead, asked))
        let reached = send(unacknowledged, to: cover.groups, copies, startingAt: start, in: session)
        for position in reached {
            places.request(unacknowledged, of: change, at: position, in: network).map { session.leave($0) }
        }
        guard isCollected else {
            var outcomes = places.places.indices.map { position in
                reached.contains(position) ? StateSettingOutcome.sent : .unknown(.abandoned)
            }
            for position in cover.rest {
                session.pause(for: copies.spacing)
                outcomes[position] = post(payload(unacknowledged, at: session.now, start), at: position, in: session)
            }
            return outcomes
        }
        var dialogue = StateSettingDialogue(self, startingAt: start)
        let requests = Dictionary(firstOf: zip(inquiry.places.map { [$0.node, $0.element] }, inquiry.requests))
        // Those whom no group reaches come first, because they have not been told when to begin.
        for position in cover.rest { try dialogue.set(position) }
        for position in Set(places.places.indices).subtracting(cover.rest).sorted() {
            let place = places.places[position]
            if let request = requests[[place.node, place.element]] {
                dialogue.read(position, with: request)
            } else {
                // Who cannot be read is set, and told from that.
                try dialogue.set(position)
            }
        }
        return dialogue.carryOut(in: session)
    }

    private func payloadOfCopies(needed isNeeded: Bool) throws(StateError) -> [UInt8] {
        isNeeded ? try change.payload(transaction: transaction, isAcknowledged: false) : []
    }

    /// A payload that says how much of the delay is left.
    private func payload(_ payload: [UInt8], at now: Instant, _ start: Instant) -> [UInt8] {
        guard change.isTimed, !payload.isEmpty else { return payload }
        return payload.dropLast() + [UInt8(clamping: StateChange.delay(from: now, to: start))]
    }

    /// Sends a copy to each group in turn, then the next one. A copy that no link takes is lost like one on the air:
    /// who missed all of them is a straggler.
    ///
    /// - Returns: the positions of the places for which at least one copy left.
    private func send(
        _ payload: [UInt8],
        to groups: [GroupCover.Candidate],
        _ copies: GroupCopies,
        startingAt start: Instant,
        in session: OperatingSession
    ) -> Set<Int> {
        var reached: Set<Int> = []
        let begin = session.now
        for round in 0..<copies.count {
            for (index, candidate) in groups.enumerated() {
                guard let destination = candidate.group.destination else { continue }
                let due = begin.advanced(by: copies.round(of: groups.count) * round + copies.spacing * index)
                session.pause(for: session.now.duration(to: due))
                let octets = self.payload(payload, at: session.now, start)
                guard session.post(octets, to: destination, under: candidate.key) else { continue }
                reached.formUnion(candidate.positions)
            }
        }
        return reached
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
