/// Where the nodes of a rehearsal stand, and which ones hear each other.
///
/// Neither the plan nor the database knows this, so a rehearsal assumes a building as the radio profile describes it.
/// The nodes spread evenly over its hops: those that can relay from the inside, the others from the outside, each in
/// some direction. In each of its subnets a node hears the nearest relays: some that are one hop nearer to the client,
/// and some of its own hop.
struct RehearsedPlaces {
    /// One node, or a device that becomes one.
    struct Station {
        /// Radio hops from the node beside the client, which is at 0.
        var level: Int
        /// The direction in which it stands, 0..<1 of a circle.
        var bearing: Double
        /// The subnets it is in, a bit each; 0 while it is a device.
        var subnets: UInt64
        /// Whether it relays at present.
        var isRelay: Bool
        /// How it sends its own PDUs, and those that it relays.
        var transmit: Repetition
        var retransmit: Repetition
        /// Its place among the stations that may relay; nil if it never relays.
        var slot: Int?
    }

    /// A station that another one hears.
    struct Neighbour {
        let station: Int
        /// The share of copies that gets so far, before losses.
        let reach: Double
    }

    private(set) var stations: [Station]
    /// The stations that may relay, the node beside the client first.
    private(set) var slots: [Int] = []
    /// Stations with a link to the client, except the first. The stations beside the client hear them.
    private var guests: [Int] = []
    /// The neighbours of each station that may relay, by slot.
    private var heard: [[Neighbour]] = []
    /// The neighbours of the other stations, as far as they were asked for since the last change.
    private var others: [[Neighbour]?]
    private var isStale = true

    /// The most stations that may relay in a rehearsal. Of many relays, a node hears only those that are near.
    static let mostSlots = 64
    /// The number of relays that a node hears in each of its subnets: of the next inner hop, and of its own hop.
    private static let inward = 6
    private static let beside = 3
    /// For each hop that a sender is too far away, this share of copies is heard.
    private static let shareBeyond = 0.6

    /// - Parameter stations: all of them, the one beside the client first.
    init(_ stations: [Station]) {
        self.stations = stations
        others = Array(repeating: nil, count: stations.count)
        for place in stations.indices where stations[place].slot != nil {
            self.stations[place].slot = slots.count < Self.mostSlots ? slots.count : nil
            if slots.count < Self.mostSlots { slots.append(place) } else { self.stations[place].isRelay = false }
        }
    }

    // MARK: Changes

    /// A device becomes a node, or a node gets into other subnets.
    mutating func join(_ station: Int, _ subnets: UInt64) {
        guard stations[station].subnets != subnets else { return }
        stations[station].subnets = subnets
        change(of: station)
    }

    /// A node begins to relay or ceases to.
    mutating func setRelay(_ station: Int, _ isRelay: Bool) {
        guard stations[station].slot != nil, stations[station].isRelay != isRelay else { return }
        stations[station].isRelay = isRelay
        change(of: station)
    }

    /// A link leads to a station, or does not any more.
    mutating func setGuest(_ station: Int, _ isGuest: Bool) {
        guard station != 0, guests.contains(station) != isGuest, stations[station].slot != nil else { return }
        if isGuest { guests.append(station) } else { guests.removeAll { $0 == station } }
        isStale = true
    }

    private mutating func change(of station: Int) {
        // A node that does not relay has no effect on what others hear.
        if stations[station].slot == nil { others[station] = nil } else { isStale = true }
    }

    // MARK: Who hears whom

    /// The stations that may relay and hear a station. It hears them, too.
    mutating func neighbours(of station: Int) -> [Neighbour] {
        if isStale { update() }
        if let slot = stations[station].slot { return heard[slot] }
        if let known = others[station] { return known }
        let found = chosen(by: station)
        others[station] = found
        return found
    }

    private mutating func update() {
        isStale = false
        heard = Array(repeating: [], count: slots.count)
        others = Array(repeating: nil, count: stations.count)
        for slot in slots.indices where slot > 0 && stations[slots[slot]].subnets != 0 {
            for neighbour in chosen(by: slots[slot]) { connect(slots[slot], neighbour) }
        }
        for guest in guests { connect(guest, Neighbour(station: 0, reach: 1)) }
    }

    private mutating func connect(_ station: Int, _ neighbour: Neighbour) {
        guard let first = stations[station].slot, let second = stations[neighbour.station].slot, first != second,
            !heard[first].contains(where: { $0.station == neighbour.station })
        else { return }
        heard[first].append(neighbour)
        heard[second].append(Neighbour(station: station, reach: neighbour.reach))
    }

    /// The stations that a station is near to.
    private func chosen(by station: Int) -> [Neighbour] {
        let own = stations[station]
        var found: [Neighbour] = []
        func add(_ other: Int, _ reach: Double) {
            if other != station, !found.contains(where: { $0.station == other }) {
                found.append(Neighbour(station: other, reach: reach))
            }
        }
        var rest = own.subnets
        while rest != 0 {
            let subnet = rest & (0 &- rest)
            rest &= rest - 1
            for other in nearest(Self.beside, to: station, at: own.level, subnet) { add(other, 1) }
            var (level, reach) = (own.level, 1.0)
            var isFound = false
            while level > 1, !isFound {
                level -= 1
                let inner = nearest(Self.inward, to: station, at: level, subnet)
                for other in inner { add(other, reach) }
                isFound = !inner.isEmpty
                if !isFound { reach *= Self.shareBeyond }
            }
            guard !isFound, station != 0 else { continue }
            add(0, reach)
            for guest in guests { add(guest, reach) }
        }
        return found
    }

    /// The relays of a level and a subnet that are nearest to a station.
    private func nearest(_ count: Int, to station: Int, at level: Int, _ subnet: UInt64) -> [Int] {
        var found: [(station: Int, angle: Double)] = []
        for other in slots.dropFirst() where other != station && stations[other].level == level {
            guard stations[other].isRelay, stations[other].subnets & subnet != 0 else { continue }
            let apart = abs(stations[other].bearing - stations[station].bearing)
            let angle = min(apart, 1 - apart)
            if found.count == count, let last = found.last, last.angle <= angle { continue }
            let place = found.firstIndex { $0.angle > angle } ?? found.count
            found.insert((other, angle), at: place)
            if found.count > count { found.removeLast() }
        }
        return found.map(\.station)
    }
}
