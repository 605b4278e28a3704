/// The search for proxies: which stations advertise, which are heard, and which one is chosen.
extension Rehearsal {
    /// The state of the search for a proxy.
    enum Search: Hashable {
        case none
        /// The search pauses until then.
        case waiting(until: Double)
        /// The client has listened since then.
        case listening(since: Double)
    }

    /// Looks for proxies for the requests that wait.
    mutating func searchProxies() {
        while true {
            let needy = unlinked.filter { lane in !openLinks.contains { promises($0, lane) } }
            guard !needy.isEmpty else {
                search = .none
                return
            }
            let since: Double
            switch search {
            case .listening(let begin): since = begin
            case .waiting(let end) where end > now: return review(at: end)
            case .none, .waiting:
                guard hasRoom() else { return }
                since = now - listeningCredit
                listeningCredit = 0
                search = .listening(since: since)
                lastCandidateAt = nil
                noteScanning()
            }
            guard let best = best(for: needy) else {
                guard (lastCandidateAt ?? since) + Self.listeningLimit <= now else {
                    return review(at: now + Self.step)
                }
                return miss(needy)
            }
            lastCandidateAt = now
            let begin = best.isIdeal ? now : since + RadioProfile.listening
            guard begin <= now else { return review(at: min(begin, now + Self.step)) }
            guard hasRoom() else { return }
            makeRoom()
            connect(best.station, directLane: nil, isByIdentity: best.isByIdentity)
            if !hasRoom() { search = .none }
        }
    }

    /// Whether a link that is being made will serve a lane.
    private func promises(_ link: Int, _ lane: Int) -> Bool { !links[link].isReady && reaches(link, lane) }

    private struct Choice {
        let station: Int
        let isByIdentity: Bool
        let covered: Int
        /// Whether it is the node itself and also serves the other requests.
        var isIdeal = false
    }

    private func best(for needy: [Int]) -> Choice? {
        let needs = needy.map { air.places.stations[lanes[$0].station].subnets }
        let wanted = needs.reduce(0, |)
        let own = Set(needy.map { lanes[$0].station })
        var best: Choice?
        for station in advertisers where !openLinks.contains(where: { links[$0].station == station }) {
            let told = advertised(by: station)
            let isKnown = forwarders.contains(station)
            let isFit = needy.indices.contains { place in
                let lane = lanes[needy[place]]
                if told.networks & needs[place] != 0 { return true }
                return told.identity != 0 && lane.station == station
                    || told.identity & needs[place] != 0 && (isKnown || lane.misses > 0)
            }
            guard isFit, isHeard(station) else { continue }
            let choice = Choice(
                station: station,
                isByIdentity: told.networks & wanted == 0,
                covered: ((told.networks | told.identity) & wanted).nonzeroBitCount
            )
            if let best, !isBetter(choice, best) { continue }
            best = choice
        }
        guard var best else { return nil }
        let told = advertised(by: best.station)
        let forwarded = told.networks | (forwarders.contains(best.station) ? told.identity : 0)
        best.isIdeal =
            told.identity != 0 && own.contains(best.station)
            && needy.indices.allSatisfy { lanes[needy[$0]].station == best.station || needs[$0] & forwarded != 0 }
        return best
    }

    private func isBetter(_ choice: Choice, _ other: Choice) -> Bool {
        if choice.isByIdentity != other.isByIdentity { return other.isByIdentity }
        if choice.covered != other.covered { return choice.covered > other.covered }
        return signal(of: choice.station) > signal(of: other.station)
    }

    /// The signal strength of a station in dBm. Each hop costs 12, and walls cost up to 12 more.
    private func signal(of station: Int) -> Double {
        -12 * Double(air.places.stations[station].level) - 13 * chance(station, -1)
    }

    /// No suitable proxy was heard for a long time.
    private mutating func miss(_ needy: [Int]) {
        for lane in needy {
            lanes[lane].misses += 1
            guard lanes[lane].misses >= Self.mostMisses else { continue }
            // No known node serves it. The plan reaches it all the same, so some proxy must.
            air.places.join(0, air.places.stations[0].subnets | air.places.stations[lanes[lane].station].subnets)
            becomeProxy(0)
        }
        search = .waiting(until: now + Self.pause)
        review(at: now + Self.pause)
    }

    // MARK: Advertising

    /// The subnets in which a station advertises its Network ID, and the one in which it advertises its Node Identity.
    private func advertised(by station: Int) -> (networks: UInt64, identity: UInt64) {
        let subnets = air.places.stations[station].subnets
        var identity: UInt64 = 0
        if let told = identities[station], now < told.until {
            identity = told.subnet
        }
        return (isProxy.contains(station) ? subnets & ~identity : 0, identity & subnets)
    }

    /// A node advertises its Node Identity for a minute from now on.
    mutating func identify(_ station: Int) {
        let subnets = air.places.stations[station].subnets
        // If it advertises its identity already, the client may have heard it.
        let running = identities[station].flatMap { now < $0.until ? $0 : nil }
        identities[station] = (subnets & (0 &- subnets), running?.since ?? now, now + Self.identityTime)
        if !advertisers.contains(station) { advertisers.append(station) }
    }

    /// A node becomes a proxy, and the client knows it.
    mutating func becomeProxy(_ station: Int) {
        isProxy.insert(station)
        forwarders.insert(station)
        if !advertisers.contains(station) { advertisers.append(station) }
    }

    /// Whether the client heard a station not long ago.
    func isHeard(_ station: Int, since start: Double = 0) -> Bool {
        if let time = heardAt[station], time >= start, now - time < Self.memory { return true }
        let begin = max(start, joinedAt[station] ?? 0, now - Self.memory)
        for scan in scans.reversed() {
            guard scan.upperBound > begin else { break }
            if isTicking(station, in: max(scan.lowerBound, begin)...max(min(scan.upperBound, now), begin)) {
                return true
            }
        }
        return false
    }

    /// Whether a station, which advertises once a second, does so within a time and is heard.
    private func isTicking(_ station: Int, in time: ClosedRange<Double>) -> Bool {
        let phase = chance(station, -2)
        var tick = (time.lowerBound - phase).rounded(.up)
        while tick + phase <= time.upperBound {
            if chance(station, Int(tick)) >= site.profile.copyLoss { return true }
            tick += 1
        }
        return false
    }

    /// A number of 0..<1 that is fixed for a station and one of its advertisements.
    private func chance(_ station: Int, _ turn: Int) -> Double {
        var dice = RehearsalDice(seed: chances &+ UInt64(station) << 32 ^ UInt64(bitPattern: Int64(turn)))
        return dice.unit()
    }

    /// Notes whether the client scans for nodes.
    mutating func noteScanning() {
        var isWanted = directSearchBeganAt != nil
        if case .listening = search { isWanted = true }
        let isScanning = scans.last?.upperBound == .infinity
        guard isWanted != isScanning else { return }
        if isWanted {
            if scans.count > Self.scansKept { scans.removeFirst() }
            scans.append(now...Double.infinity)
        } else {
            scans[scans.count - 1] = scans[scans.count - 1].lowerBound...now
        }
    }

    /// Seconds for which the client listens if no suitable proxy is heard, and for which a station that was heard
    /// counts as present.
    private static let listeningLimit = 10.0
    private static let memory = 10.0
    /// Seconds for which a new node, or one that was asked to, advertises its Node Identity.
    private static let identityTime = 60.0
    /// How often the search may end without a suitable proxy.
    private static let mostMisses = 3
    /// Seconds between two reviews of who was heard.
    static let step = 0.1
    private static let scansKept = 6
}
