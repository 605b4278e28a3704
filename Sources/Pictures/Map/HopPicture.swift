import Basics
package import MeshCore
package import Planning

/// A map of hops: the proxy on the left, and what is farther away farther to the right. Nodes that do not relay and
/// come over the same relays share a box.
package struct HopPicture: Hashable, Sendable {
    /// A number of nodes that are alike on the map.
    package struct Box: Hashable, Sendable {
        /// The names of its nodes in the order of people, at least one.
        package var names: [String]
        /// What people call its nodes: titles, or else names, in the order of people.
        package var titles: [String]
        /// The hops, 1 for the proxy; nil for nodes that were not heard.
        package var hops: Int?
        package var isRelay: Bool
        /// How many nodes reach the proxy over this relay alone.
        package var alone: Int
    }

    /// A way from a relay to what it carries.
    package struct Way: Hashable, Sendable {
        /// The index of the relay's box.
        package var from: Int
        /// The index of the box of what it carries.
        package var to: Int
        /// Whether no other relay can carry it.
        package var isOnly: Bool
    }

    package var network: String
    /// The boxes, by hops and then by names.
    package var boxes: [Box]
    package var ways: [Way]

    /// So many relays have a box of their own at most; of more, those that are alike share one.
    package static let legibleRelays = 60

    /// The picture of a map.
    ///
    /// - Parameters:
    ///   - network: what people call the network.
    ///   - title: what people call a node; nil for its name.
    package init(_ map: HopMap, network: String, title: (DeviceUUID) -> String? = { _ in nil }) {
        self.network = network
        struct Sameness: Hashable {
            var hops: Int?
            var carriers: [Int]
            var isRelay: Bool
            var own: Int?
        }
        let alone = Dictionary(map.loads.map { ($0.relay, $0.alone) }) { first, _ in first }
        let relays = map.stations.indices.filter { map.stations[$0].isRelay }
        let isOwn = relays.count <= Self.legibleRelays
        var members: [Sameness: [Int]] = [:]
        for (index, station) in map.stations.enumerated() {
            let keepsOwn = station.hops == 1 || station.isRelay && (isOwn || alone[index] ?? 0 > 0)
            let same = Sameness(
                hops: station.hops,
                carriers: map.carriers[index],
                isRelay: station.isRelay,
                own: keepsOwn ? index : nil
            )
            members[same, default: []].append(index)
        }
        let sorted = members.values.map { places in
            (places, places.map { NaturalOrder(map.stations[$0].name) }.min() ?? NaturalOrder(""))
        }
        .sorted { one, other in
            let (left, right) = (map.stations[one.0[0]].hops ?? .max, map.stations[other.0[0]].hops ?? .max)
            return left != right ? left < right : one.1 < other.1
        }
        var boxOf: [Int: Int] = [:]
        boxes = []
        for (places, _) in sorted {
            for index in places { boxOf[index] = boxes.count }
            let names = places.map { map.stations[$0].name }.sorted { NaturalOrder($0) < NaturalOrder($1) }
            boxes.append(
                Box(
                    names: names,
                    titles: places.map { title(map.stations[$0].uuid) ?? map.stations[$0].name }
                        .sorted { NaturalOrder($0) < NaturalOrder($1) },
                    hops: map.stations[places[0]].hops,
                    isRelay: map.stations[places[0]].isRelay,
                    alone: alone[places[0]] ?? 0
                )
            )
        }
        let proxies = map.stations.indices.filter { map.stations[$0].hops == 1 }
        var found: Set<Way> = []
        for (index, station) in map.stations.enumerated() {
            guard let hops = station.hops, hops > 1, let to = boxOf[index] else { continue }
            let carriers = hops == 2 ? proxies : map.carriers[index]
            for carrier in carriers {
                guard let from = boxOf[carrier] else { continue }
                found.insert(Way(from: from, to: to, isOnly: carriers.count == 1))
            }
        }
        ways = found.sorted { ($0.from, $0.to, $0.isOnly ? 0 : 1) < ($1.from, $1.to, $1.isOnly ? 0 : 1) }
    }
}
