import MeshCore

/// Who hears whom, by indexes into the world's list of nodes.
struct RadioNeighbours: Hashable, Sendable {
    /// One direction of a link.
    struct Neighbour: Hashable, Sendable {
        /// The index of the node that hears.
        var node: Int
        /// The share of copies lost; nil for the share in the settings.
        var copyLoss: Double?
    }

    /// For each node, those that hear it.
    private(set) var neighbours: [[Neighbour]]
    /// For each neighbour of each node, which node's search made the two neighbours. Neighbours are in that order.
    private var makers: [[Int]]
    /// What the neighbours were found with; nil for a radio whose links are named.
    private var building: Building?

    /// A radio without links.
    init(nodeCount: Int) {
        neighbours = Array(repeating: [], count: nodeCount)
        makers = neighbours.map { _ in [] }
    }

    /// Lets two different nodes hear each other.
    ///
    /// The first looks for neighbours. In a building, the order of a node's neighbours is that of the nodes that looked
    /// for them, so that it does not matter when a link was made.
    mutating func connect(_ first: Int, _ second: Int, copyLoss: Double? = nil) {
        // Searching the shorter list keeps a star of n nodes from costing n² steps.
        let (short, other) = neighbours[first].count < neighbours[second].count ? (first, second) : (second, first)
        guard first != second, !neighbours[short].contains(where: { $0.node == other }) else { return }
        insert(Neighbour(node: second, copyLoss: copyLoss), at: first, maker: first)
        insert(Neighbour(node: first, copyLoss: copyLoss), at: second, maker: first)
    }

    private mutating func insert(_ neighbour: Neighbour, at node: Int, maker: Int) {
        var index = makers[node].count
        // When all links are made, the nodes that look come in order. Only an update has to search.
        if building != nil, let last = makers[node].last, last > maker {
            var low = 0
            while low < index {
                let middle = (low + index) / 2
                if makers[node][middle] <= maker { low = middle + 1 } else { index = middle }
            }
        }
        neighbours[node].insert(neighbour, at: index)
        makers[node].insert(maker, at: index)
    }

    /// Takes all neighbours from a node that nobody found as a relay.
    private mutating func disconnect(_ node: Int) {
        for neighbour in neighbours[node] {
            guard let index = neighbours[neighbour.node].firstIndex(where: { $0.node == node }) else { continue }
            neighbours[neighbour.node].remove(at: index)
            makers[neighbour.node].remove(at: index)
        }
        neighbours[node] = []
        makers[node] = []
    }

    /// Each link once, with the lower index first.
    var links: [(Int, Int, Double?)] {
        neighbours.enumerated().flatMap { first, heard in
            heard.filter { $0.node > first }.map { (first, $0.node, $0.copyLoss) }
        }
    }
}

/// What decides who hears a node.
struct RadioStation: Hashable, Sendable {
    var place: RadioPlace
    /// Its subnets; empty if it takes part in no network at present.
    var subnets: [NetKeyIndex]
    var isRelay: Bool
}

extension RadioNeighbours {
    /// From how many relays of the previous level a node hears, in each of its subnets.
    static let relaysInward = 6
    /// From how many relays of its own level a node hears.
    static let relaysBeside = 3
    /// The share of copies that gets through for each level that a link spans beyond one.
    static let shareKeptPerLevel = 0.6

    /// Who hears whom in a building full of nodes.
    ///
    /// Everybody nearby hears. To keep a thousand nodes fast, each node gets only the neighbours that matter: in each
    /// of its subnets the nearest active relays, some at the previous level and some at its own, and the root if it is
    /// next to it. If no node relays at the previous level, it hears relays farther in, down to the root, with more
    /// losses.
    ///
    /// - Parameters:
    ///   - stations: all nodes.
    ///   - root: the node at level 0, beside the client; it serves all subnets.
    ///   - copyLoss: the share of copies lost from one level to the next.
    init(_ stations: [RadioStation], root: Int, copyLoss: Double) {
        self.init(nodeCount: stations.count)
        building = Building(stations: stations, root: root, copyLoss: copyLoss)
        findAll()
    }

    /// Who hears whom after a node has begun or ceased to relay, has changed its subnets, or has gained or lost power.
    ///
    /// Only relays are found by others. So a node that relays neither before nor after changes nothing but its own
    /// links; everything else is worked out again.
    mutating func update(_ node: Int, _ station: RadioStation) {
        guard let before = building?.stations[node], before != station else { return }
        building?.stations[node] = station
        guard node != building?.root else { return }
        guard !before.isRelay, !station.isRelay else {
            for index in neighbours.indices {
                neighbours[index].removeAll(keepingCapacity: true)
                makers[index].removeAll(keepingCapacity: true)
            }
            findAll()
            return
        }
        disconnect(node)
        find(node)
    }

    private mutating func findAll() {
        guard let building, building.stations.indices.contains(building.root) else { return }
        var rings: [RingKey: RelayRing] = [:]
        for (node, station) in building.stations.enumerated() where station.isRelay && node != building.root {
            for subnet in station.subnets {
                rings[RingKey(subnet: subnet, level: station.place.level), default: RelayRing()]
                    .add(node, station.place.bearing)
            }
        }
        for key in rings.keys { rings[key]?.sort() }
        self.building?.rings = rings
        for node in building.stations.indices where node != building.root { find(node) }
    }

    private mutating func find(_ node: Int) {
        guard let building else { return }
        let place = building.stations[node].place
        for subnet in building.stations[node].subnets {
            let beside = building.rings[RingKey(subnet: subnet, level: place.level)]
            for nearest in beside?.nearest(Self.relaysBeside, to: place.bearing, except: node) ?? [] {
                connect(node, nearest)
            }
            connectInward(node, place, subnet, building.rings, building.root, building.copyLoss)
        }
    }

    private mutating func connectInward(
        _ node: Int,
        _ place: RadioPlace,
        _ subnet: NetKeyIndex,
        _ rings: [RingKey: RelayRing],
        _ root: Int,
        _ copyLoss: Double
    ) {
        var kept = 1 - copyLoss
        var level = place.level
        while level > 1 {
            level -= 1
            let isNext = level + 1 == place.level
            let loss = isNext ? nil : 1 - kept
            if let ring = rings[RingKey(subnet: subnet, level: level)] {
                for nearest in ring.nearest(Self.relaysInward, to: place.bearing, except: node) {
                    connect(node, nearest, copyLoss: loss)
                }
                return
            }
            kept *= Self.shareKeptPerLevel
        }
        connect(node, root, copyLoss: place.level <= 1 ? nil : 1 - kept)
    }
}

/// What neighbours in a building are found with.
private struct Building: Hashable {
    var stations: [RadioStation]
    let root: Int
    let copyLoss: Double
    var rings: [RingKey: RelayRing] = [:]
}

/// Identifies the relays of a subnet at one level.
private struct RingKey: Hashable {
    var subnet: NetKeyIndex
    var level: UInt8
}

/// The relays of one level, in order of their directions.
private struct RelayRing: Hashable {
    private struct Member: Hashable {
        var bearing: UInt16
        var node: Int
    }

    private var members: [Member] = []

    mutating func add(_ node: Int, _ bearing: UInt16) { members.append(Member(bearing: bearing, node: node)) }

    mutating func sort() { members.sort { ($0.bearing, $0.node) < ($1.bearing, $1.node) } }

    /// The relays nearest to a direction, nearest first.
    func nearest(_ count: Int, to bearing: UInt16, except node: Int) -> [Int] {
        var low = 0
        var high = members.count
        while low < high {
            let middle = (low + high) / 2
            if members[middle].bearing < bearing { low = middle + 1 } else { high = middle }
        }
        // Two indexes go round the circle in opposite directions until they meet.
        var nearest: [Int] = []
        var right = 0
        var left = 1
        while nearest.count < count, right + left <= members.count {
            let onRight = members[(low + right) % members.count]
            let onLeft = members[(low - left + members.count) % members.count]
            let isRight = RadioPlace.angle(onRight.bearing, bearing) <= RadioPlace.angle(onLeft.bearing, bearing)
            if isRight { right += 1 } else { left += 1 }
            let chosen = isRight ? onRight.node : onLeft.node
            if chosen != node { nearest.append(chosen) }
        }
        return nearest
    }
}
