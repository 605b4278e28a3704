import Basics
import MeshCore

/// Messages through the mesh: requests, answers, time-outs.
extension Rehearsal {
    mutating func begin(_ lane: Int) {
        inFlight += 1
        lanes[lane].attempts = 0
        lanes[lane].isBegun = true
        lanes[lane].isBusy = true
        unlinked.append(lane)
    }

    func firstTimeout(_ lane: Int) -> Double {
        let segments = lanes[lane].message.segments
        let allowance = policy.timeoutPerSegment.seconds * Double(segments.request + segments.status - 2)
        let measured =
            lanes[lane].backedOff ?? (lanes[lane].roundTrip ?? everybody).map { $0.smoothed + 4 * $0.variation }
        guard let measured else {
            return policy.initialTimeout.seconds + policy.timeoutPerHop.seconds * Double(policy.ttl) + allowance
        }
        return min(max(policy.minimumTimeout.seconds, measured), policy.maximumTimeout.seconds) + allowance
    }

    mutating func send(_ lane: Int) {
        guard let link = lanes[lane].carrier else { return }
        lanes[lane].attempts += 1
        lanes[lane].sentAt = now
        if links[link].station == lanes[lane].station {
            // A request to the proxy itself has TTL 0 and never goes on the air.
            if lanes[lane].silence == nil { return awaitDirectAnswer(lane) }
            return events.add(.late(message: lanes[lane].next, attempt: lanes[lane].attempts), lane, at: deadline(lane))
        }
        let (message, attempt) = (lanes[lane].next, lanes[lane].attempts)
        let segments = lanes[lane].message.segments.request
        guard segments > 1 else {
            events.add(.request(message: message, attempt: attempt, segment: 0), lane, at: now)
            return awaitAnswer(lane)
        }
        let parts = Segments(message: message, attempt: attempt, count: segments)
        sendSegments(lane, parts, ofStatus: false, at: now)
    }

    /// Starts to wait for the answer.
    mutating func awaitAnswer(_ lane: Int) {
        let end = min(now + lanes[lane].timeout, deadline(lane))
        events.add(.late(message: lanes[lane].next, attempt: lanes[lane].attempts), lane, at: max(end, now))
    }

    private func deadline(_ lane: Int) -> Double {
        if lanes[lane].way != .asking, let silence = lanes[lane].silence { return lanes[lane].begunAt + silence }
        // The executor reads back a request that may have taken effect before it gives its node up.
        let isReading = lanes[lane].onlyReads || lanes[lane].way == .asking
        let limit = isReading ? policy.readBackDeadline : policy.deadline + policy.readBackDeadline
        return lanes[lane].begunAt + limit.seconds
    }

    /// A node has received a whole request and answers.
    mutating func answer(_ lane: Int, _ message: Int, _ attempt: Int) {
        guard lanes[lane].next == message, lanes[lane].silence == nil else { return }
        if lanes[lane].leaves, message == lanes[lane].messages.count - 1 { becomeDevice(lane) }
        let count = lanes[lane].message.segments.status
        let begin = now + dice.around(site.profile.answering)
        guard count > 1 else {
            return events.add(.status(message: message, attempt: attempt, segment: 0), lane, at: begin)
        }
        let parts = Segments(message: message, attempt: attempt, count: count)
        sendSegments(lane, parts, ofStatus: true, at: begin)
    }

    mutating func answered(_ lane: Int, _ message: Int) {
        guard lanes[lane].next == message else { return }
        switch lanes[lane].way {
        case .direct: return advanceDirectly(lane)
        case .asking, .mesh: break
        case .device, .held: return
        }
        guard lanes[lane].carrier != nil else { return }
        measure(lane)
        unload(lane)
        inFlight -= 1
        outcome.talking += now - lanes[lane].begunAt
        if lanes[lane].attempts > 1 { outcome.waiting += lanes[lane].sentAt - lanes[lane].begunAt }
        lanes[lane].attempts = 0
        if lanes[lane].way == .asking {
            identify(lanes[lane].station)
            return hold(lane)
        }
        openPDUs -= lanes[lane].message.pdus
        advance(lane)
        if !lanes[lane].isDone { ready.insert(lane) }
    }

    /// A message is done.
    mutating func advance(_ lane: Int) {
        lanes[lane].next += 1
        let station = lanes[lane].station
        while let gain = lanes[lane].gains.first, gain.messages <= lanes[lane].next {
            lanes[lane].gains.removeFirst()
            air.places.join(station, air.places.stations[station].subnets | gain.subnets)
        }
        if let count = lanes[lane].becomesProxyAfter, lanes[lane].next == count { becomeProxy(station) }
        if let count = lanes[lane].losesProxyAfter, lanes[lane].next == count { lose(station) }
        guard lanes[lane].isDone else { return }
        if lanes[lane].relaysNoMore { air.places.setRelay(station, false) }
        // After a Node Reset, the client looks for the device.
        guard lanes[lane].leaves, lanes[lane].sighting != .seen else { return }
        resetting += 1
        becomeDevice(lane)
    }

    /// A reset node advertises as a device, and the client hears one of its advertisements.
    private mutating func becomeDevice(_ lane: Int) {
        guard lanes[lane].sighting == .none else { return }
        lanes[lane].sighting = .expected
        var turns = dice.unit()
        while dice.happens(site.profile.copyLoss) { turns += 1 }
        events.add(.seen, lane, at: now + 2 * RadioProfile.hearing * turns)
    }

    /// The client hears a former node as a device, and no longer waits for its status.
    mutating func see(_ lane: Int) {
        lanes[lane].sighting = .seen
        guard !lanes[lane].isDone else {
            resetting -= 1
            return
        }
        guard lanes[lane].carrier != nil else { return }
        unload(lane)
        if lanes[lane].way != .direct { inFlight -= 1 }
        openPDUs -= lanes[lane].message.pdus
        advance(lane)
    }

    /// Updates time-outs and window with a round trip.
    private mutating func measure(_ lane: Int) {
        if answersSinceDecrease < Int.max { answersSinceDecrease += 1 }
        if lanes[lane].attempts <= 1 {
            window = min(Double(max(site.window, 1)), window + 1 / window)
            // A request of several segments takes longer, because its acknowledgments go to and fro first.
            guard lanes[lane].message.segments.request == 1 else { return }
            let trip = now - lanes[lane].sentAt
            lanes[lane].backedOff = nil
            lanes[lane].roundTrip = Self.smoothed(lanes[lane].roundTrip, trip)
            everybody = Self.smoothed(everybody, trip)
        } else {
            lanes[lane].backedOff = lanes[lane].timeout
            if answersSinceDecrease >= Int(window) {
                window = max(1, window * WindowPolicy.decrease)
                answersSinceDecrease = 0
            }
        }
    }

    private static func smoothed(
        _ before: (smoothed: Double, variation: Double)?,
        _ trip: Double
    ) -> (smoothed: Double, variation: Double) {
        guard let before else { return (trip, trip / 2) }
        let distance = before.smoothed > trip ? before.smoothed - trip : trip - before.smoothed
        return ((7 * before.smoothed + trip) / 8, (3 * before.variation + distance) / 4)
    }

    /// No answer came in time: sends the request again, or gives the node up at its deadline.
    mutating func late(_ lane: Int) {
        guard now < deadline(lane) - 1e-9 else { return giveUp(lane) }
        lanes[lane].timeout = min(2 * lanes[lane].timeout, max(policy.maximumTimeout.seconds, lanes[lane].timeout))
        send(lane)
    }

    private mutating func giveUp(_ lane: Int) {
        unload(lane)
        inFlight -= 1
        outcome.waiting += now - lanes[lane].begunAt
        outcome.talking += now - lanes[lane].begunAt
        lanes[lane].attempts = 0
        if lanes[lane].way == .asking {
            // The node gets no link of its own. Its messages go through the mesh.
            return release(lane, hasFailed: true)
        }
        openPDUs -= lanes[lane].openPDUs
        lanes[lane].next = lanes[lane].messages.count
    }
}
