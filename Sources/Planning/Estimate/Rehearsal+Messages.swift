internal import Basics
internal import MeshCore

/// Messages through the mesh: requests, answers, time-outs.
extension Rehearsal {
    mutating func begin(_ lane: Int) {
        inFlight += 1
        lanes[lane].attempts = 0
        lanes[lane].begunAt = now
        lanes[lane].timeout = firstTimeout(lane)
        send(lane)
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
        lanes[lane].attempts += 1
        lanes[lane].sentAt = now
        let (request, _) = lanes[lane].message.segments
        let (message, attempts, distance) = (lanes[lane].next, lanes[lane].attempts, lanes[lane].distance)
        var waited = lanes[lane].timeout
        if request == 1 {
            let arrival = air.send(toDistance: distance, at: now, &dice)
            if let arrival, lanes[lane].silence == nil { events.add(.answers(message), lane, at: arrival) }
        } else if let arrival = sendSegments(request, to: distance) {
            // The answer is waited for once the segments are acknowledged.
            waited += max(arrival - now, 0)
            lanes[lane].acknowledgedAt.request = air.send(fromDistance: distance, at: arrival, &dice) ?? .infinity
            let due = now + Double(request - 1) * Self.segmentInterval + Self.acknowledgment
            if lanes[lane].acknowledgedAt.request > due {
                events.add(.unacknowledged(message, ofStatus: false, rounds: 1), lane, at: max(due, now))
            }
            if lanes[lane].silence == nil { events.add(.answers(message), lane, at: arrival) }
        } else {
            waited += Self.acknowledgment * Self.clientRounds
        }
        events.add(.late(message, attempts: attempts), lane, at: now + waited)
    }

    /// Sends the segments of a request until all have arrived.
    mutating func sendSegments(_ count: Int, to distance: Int) -> Double? {
        var (missing, begin, last) = (count, now, now)
        for _ in 0..<Int(Self.clientRounds) {
            var lost = 0
            for place in 0..<missing {
                let time = begin + Double(place) * Self.segmentInterval
                if let arrival = air.send(toDistance: distance, at: time, &dice) {
                    last = max(last, arrival)
                } else {
                    lost += 1
                }
            }
            guard lost > 0 else { return last }
            begin += Double(missing - 1) * Self.segmentInterval + Self.acknowledgment
            missing = lost
        }
        return nil
    }

    /// Segments are sent again although they have arrived, because their acknowledgment waits in queues, or is lost.
    mutating func sendAgain(_ lane: Int, _ message: Int, ofStatus isStatus: Bool, _ rounds: Int) {
        let acknowledgedAt = isStatus ? lanes[lane].acknowledgedAt.status : lanes[lane].acknowledgedAt.request
        let place = isStatus ? message - 1 : message
        guard acknowledgedAt > now, place < lanes[lane].messages.count else { return }
        let (segments, distance) = (lanes[lane].messages[place].segments, lanes[lane].distance)
        for _ in 0..<(isStatus ? segments.status : segments.request) {
            _ =
                isStatus
                ? air.send(fromDistance: distance, at: now, &dice) : air.send(toDistance: distance, at: now, &dice)
        }
        // Who has them all acknowledges them once more.
        let again =
            isStatus ? air.send(toDistance: distance, at: now, &dice) : air.send(fromDistance: distance, at: now, &dice)
        let first = min(acknowledgedAt, again ?? .infinity)
        if isStatus { lanes[lane].acknowledgedAt.status = first } else { lanes[lane].acknowledgedAt.request = first }
        guard rounds < Int(isStatus ? Self.nodeRounds : Self.clientRounds) else { return }
        events.add(
            .unacknowledged(message, ofStatus: isStatus, rounds: rounds + 1),
            lane,
            at: now + Self.acknowledgment
        )
    }

    /// A node acts on a request and answers.
    mutating func answer(_ lane: Int, _ message: Int) {
        guard lanes[lane].next == message else { return }
        let (_, status) = lanes[lane].message.segments
        let distance = lanes[lane].distance
        let begin = now + dice.around(site.profile.answering)
        guard status > 1 else {
            if let arrival = air.send(fromDistance: distance, at: begin, &dice) {
                events.add(.answered(message), lane, at: arrival)
            }
            return
        }
        var (missing, time) = (status, begin)
        for _ in 0..<Int(Self.nodeRounds) {
            var (lost, last) = (0, time)
            for place in 0..<missing {
                let sent = time + Double(place) * Self.segmentInterval
                if let arrival = air.send(fromDistance: distance, at: sent, &dice) {
                    last = max(last, arrival)
                } else {
                    lost += 1
                }
            }
            if lost == 0 {
                lanes[lane].acknowledgedAt.status = air.send(toDistance: distance, at: last, &dice) ?? .infinity
                let due = time + Double(missing - 1) * Self.segmentInterval + Self.acknowledgment
                if lanes[lane].acknowledgedAt.status > due {
                    events.add(.unacknowledged(message + 1, ofStatus: true, rounds: 1), lane, at: max(due, last))
                }
                events.add(.answered(message), lane, at: last)
                return
            }
            time += Double(missing - 1) * Self.segmentInterval + Self.acknowledgment
            missing = lost
        }
    }

    mutating func answered(_ lane: Int, _ message: Int) {
        guard lanes[lane].next == message else { return }
        switch lanes[lane].way {
        case .direct: return advanceDirectly(lane)
        case .asking, .mesh: break
        case .device, .held: return
        }
        measure(lane)
        inFlight -= 1
        outcome.talking += now - lanes[lane].begunAt
        if lanes[lane].attempts > 1 { outcome.waiting += lanes[lane].sentAt - lanes[lane].begunAt }
        lanes[lane].attempts = 0
        if lanes[lane].way == .asking {
            staged -= 1
            openPDUs += lanes[lane].openPDUs
            return hold(lane)
        }
        advance(lane)
        if !lanes[lane].isDone { ready.insert(lane) }
    }

    mutating func advance(_ lane: Int) {
        openPDUs -= lanes[lane].messages[lanes[lane].next].pdus
        lanes[lane].next += 1
        if lanes[lane].isDone { air.addRelay(-lanes[lane].relaysNoMore, at: lanes[lane].distance) }
    }

    /// Takes a round trip into time-outs and window.
    mutating func measure(_ lane: Int) {
        if answersSinceDecrease < Int.max { answersSinceDecrease += 1 }
        if lanes[lane].attempts <= 1 {
            let trip = now - lanes[lane].sentAt
            lanes[lane].backedOff = nil
            lanes[lane].roundTrip = Self.smoothed(lanes[lane].roundTrip, trip)
            everybody = Self.smoothed(everybody, trip)
            window = min(Double(max(site.window, 1)), window + 1 / window)
        } else {
            lanes[lane].backedOff = lanes[lane].timeout
            if answersSinceDecrease >= Int(window) {
                window = max(1, window * WindowPolicy.decrease)
                answersSinceDecrease = 0
            }
        }
    }

    static func smoothed(
        _ before: (smoothed: Double, variation: Double)?,
        _ trip: Double
    ) -> (smoothed: Double, variation: Double) {
        guard let before else { return (trip, trip / 2) }
        let distance = before.smoothed > trip ? before.smoothed - trip : trip - before.smoothed
        return ((7 * before.smoothed + trip) / 8, (3 * before.variation + distance) / 4)
    }

    /// No answer came in time: the request is sent again, or the node given up at its deadline.
    mutating func late(_ lane: Int) {
        var limit = lanes[lane].silence ?? (policy.deadline + policy.readBackDeadline).seconds
        if lanes[lane].way == .asking { limit = policy.readBackDeadline.seconds }
        let end = lanes[lane].begunAt + limit
        guard now < end else { return giveUp(lane) }
        lanes[lane].timeout = min(2 * lanes[lane].timeout, max(policy.maximumTimeout.seconds, lanes[lane].timeout))
        // The next time-out is cut short by the deadline.
        if now + lanes[lane].timeout > end { lanes[lane].timeout = end - now }
        send(lane)
    }

    mutating func giveUp(_ lane: Int) {
        inFlight -= 1
        outcome.waiting += now - lanes[lane].begunAt
        outcome.talking += now - lanes[lane].begunAt
        if lanes[lane].way == .asking {
            // It gets no link of its own; its messages go through the mesh.
            staged -= 1
            failures += 1
            openPDUs += lanes[lane].openPDUs
            lanes[lane].way = .mesh
            lanes[lane].mayBeDirect = false
            lanes[lane].attempts = 0
            return ready.insert(lane)
        }
        openPDUs -= lanes[lane].openPDUs
        lanes[lane].next = lanes[lane].messages.count
    }

    /// Seconds for which a link has to be idle before another takes its place.
    static let idle = 0.5
    /// Seconds between two segments.
    static let segmentInterval = 0.060
    /// Seconds after which segments are sent again that nobody has acknowledged, at the usual TTL.
    static let acknowledgment = 0.4
    /// How often that is tried by us and by nodes.
    static let clientRounds = 6.0
    static let nodeRounds = 3.0
}
