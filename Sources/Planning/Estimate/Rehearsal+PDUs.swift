/// PDUs on their way between the client and nodes.
extension Rehearsal {
    /// The client writes a segment of a request to the proxy.
    mutating func sendRequest(_ lane: Int, _ message: Int, _ attempt: Int, _ segment: Int) {
        guard isWanted(lane, message, attempt, segment, ofStatus: false) else { return }
        write(.request(message: message, attempt: attempt, segment: segment), lane)
    }

    mutating func write(_ content: RehearsedAir.Content, _ lane: Int) {
        guard let link = lanes[lane].carrier ?? openLinks.last(where: { links[$0].isReady }) else { return }
        let each = site.profile.connectionInterval / site.profile.pdusPerConnectionEvent
        links[link].toProxyFreeAt = max(links[link].toProxyFreeAt, now) + each
        linkBusy += each
        let written = max(now + dice.unit() * site.profile.connectionInterval, links[link].toProxyFreeAt)
        let station = links[link].station
        let pdu = make(content, lane, isToClient: false)
        _ = air.note(pdu, at: station)
        let turnaround = dice.around(site.profile.relayTurnaround)
        events.add(.advertises(pdu, isRelayed: false), station, at: written + turnaround)
    }

    private mutating func make(_ content: RehearsedAir.Content, _ lane: Int, isToClient: Bool) -> Int {
        let own = air.places.stations[lanes[lane].station].subnets
        let subnets = lanes[lane].carrier.map { air.places.stations[links[$0].station].subnets & own } ?? own
        let subnet = subnets & (0 &- subnets)
        return air.make(content, lane: lane, station: lanes[lane].station, isToClient: isToClient, subnet: subnet)
    }

    /// A node sends a segment of a status.
    mutating func sendStatus(_ lane: Int, _ message: Int, _ attempt: Int, _ segment: Int) {
        guard isWanted(lane, message, attempt, segment, ofStatus: true) else { return }
        reply(.status(message: message, attempt: attempt, segment: segment), lane)
    }

    mutating func reply(_ content: RehearsedAir.Content, _ lane: Int) {
        let pdu = make(content, lane, isToClient: true)
        _ = air.note(pdu, at: lanes[lane].station)
        advertise(pdu, from: lanes[lane].station, isRelayed: false)
    }

    /// A station advertises a PDU.
    mutating func advertise(_ pdu: Int, from station: Int, isRelayed: Bool) {
        let place = air.places.stations[station]
        air.advertise(pdu, from: station, isRelayed ? place.retransmit : place.transmit, at: now, &dice)
        for (arrival, time) in air.arrivals {
            switch arrival {
            case .heard(let other): events.add(.hears(pdu), other, at: time)
            case .delivered: events.add(.delivered(pdu), 0, at: time)
            }
        }
    }

    /// A station that may relay hears a PDU.
    mutating func hear(_ pdu: Int, at station: Int) {
        guard air.note(pdu, at: station) else { return }
        let (place, sent) = (air.places.stations[station], air.pdus[pdu])
        guard place.subnets & sent.subnet != 0 else { return }
        if sent.isToClient {
            for link in openLinks where links[link].isReady && links[link].station == station {
                guard isProxy.contains(station) || lanes[sent.lane].station == station else { continue }
                let each = site.profile.connectionInterval / site.profile.pdusPerConnectionEvent
                links[link].toClientFreeAt = max(links[link].toClientFreeAt, now) + each
                let time = max(now + dice.unit() * site.profile.connectionInterval, links[link].toClientFreeAt)
                events.add(.delivered(pdu), 0, at: time)
            }
        } else if sent.station == station {
            return deliver(pdu)
        }
        guard place.isRelay else { return }
        let turnaround = dice.around(site.profile.relayTurnaround)
        events.add(.advertises(pdu, isRelayed: true), station, at: now + turnaround)
    }

    /// A PDU has reached its node, or the client.
    mutating func deliver(_ pdu: Int) {
        guard air.arrive(pdu) else { return }
        isStirred = true
        let (content, lane) = (air.pdus[pdu].content, air.pdus[pdu].lane)
        switch content {
        case .request(let message, let attempt, let segment): receive(lane, message, attempt, segment)
        case .status(let message, let attempt, let segment): receiveStatus(lane, message, attempt, segment)
        case .acknowledgment(let message, let attempt, let isStatus, let heard):
            acknowledged(lane, message, attempt, heard, ofStatus: isStatus)
        }
    }

    /// A node hears a segment of a request.
    private mutating func receive(_ lane: Int, _ message: Int, _ attempt: Int, _ segment: Int) {
        guard lanes[lane].silence == nil, message < lanes[lane].messages.count || lanes[lane].way == .asking else {
            return
        }
        let isNext = lanes[lane].next == message
        // A node answers whatever arrives, however late. Only segments of one transmission make up a request.
        if isNext, lanes[lane].message.segments.request == 1 { return answer(lane, message, attempt) }
        if hear(lane, message, attempt, segment, ofStatus: false), isNext { answer(lane, message, attempt) }
    }

    /// The client hears a segment of a status.
    private mutating func receiveStatus(_ lane: Int, _ message: Int, _ attempt: Int, _ segment: Int) {
        guard message < lanes[lane].messages.count || lanes[lane].way == .asking else { return }
        if lanes[lane].next == message, lanes[lane].message.segments.status == 1 { return answered(lane, message) }
        if hear(lane, message, attempt, segment, ofStatus: true) { answered(lane, message) }
    }
}
