import Basics
package import MeshCore

/// How many hops each node is away from a proxy, and which relays can have carried its messages.
///
/// A message that came over so many hops went through one relay at each lower number of hops. Where only one relay is
/// at a number of hops, everything that is farther away hangs on it. Where there are several, the map names all: from
/// one place nobody can tell which of them it was.
package struct HopMap: Hashable, Sendable {
    /// A node as it was heard.
    package struct Station: Hashable, Sendable {
        package var uuid: DeviceUUID
        package var name: String
        /// The fewest hops between it and us, the link of the proxy included: 1 for the proxy itself. Nil if it was not
        /// heard.
        package var hops: Int?
        /// The most hops over which it was heard; nil if it was not.
        package var mostHops: Int?
        /// How many messages of it were heard.
        package var messages = 0
        /// Whether it relays, as is recorded.
        package var isRelay: Bool
        /// The subnet in which it was asked.
        package var subnet: NetKeyIndex
        package var subnets: Set<NetKeyIndex>

        package init(
            uuid: DeviceUUID,
            name: String,
            isRelay: Bool,
            subnet: NetKeyIndex = .primary,
            subnets: Set<NetKeyIndex> = [.primary]
        ) {
            self.uuid = uuid
            self.name = name
            self.isRelay = isRelay
            self.subnet = subnet
            self.subnets = subnets
        }
    }

    /// What a relay carries.
    package struct Load: Hashable, Sendable {
        /// The index of the relay.
        package var relay: Int
        /// How many nodes only it can carry.
        package var alone = 0
        /// How many nodes it or another relay carries.
        package var shared = 0
    }

    /// The nodes in their order.
    package let stations: [Station]
    /// For each node, the relays that can have been the last before it on the way to it, in the order of their names;
    /// empty for the proxy, nodes that the proxy hears itself, and nodes that were not heard.
    package let carriers: [[Int]]
    /// For each node, the relays without which nothing reaches it, nearest to the proxy first.
    package let single: [[Int]]
    /// What each relay carries that carries something, the most loaded first.
    package let loads: [Load]

    package init(_ stations: [Station]) {
        self.stations = stations
        /// The relays at each number of hops, by subnet.
        var layers: [NetKeyIndex: [Int: [Int]]] = [:]
        for (index, station) in stations.enumerated() where station.isRelay {
            guard let hops = station.hops, hops > 1 else { continue }
            for subnet in station.subnets { layers[subnet, default: [:]][hops, default: []].append(index) }
        }
        let order = stations.map { NaturalOrder($0.name) }
        for (subnet, relays) in layers {
            layers[subnet] = relays.mapValues { $0.sorted { order[$0] < order[$1] } }
        }
        // How many nodes the relays of a layer share. There may be thousands of both, so they are counted by layer.
        var sharing: [NetKeyIndex: [Int: Int]] = [:]
        var carriers: [[Int]] = []
        var single: [[Int]] = []
        for (index, station) in stations.enumerated() {
            guard let hops = station.hops, hops > 2 else {
                carriers.append([])
                single.append([])
                continue
            }
            let relays = layers[station.subnet] ?? [:]
            let nearest = relays[hops - 1] ?? []
            carriers.append(nearest)
            if nearest.count > 1 { sharing[station.subnet, default: [:]][hops - 1, default: 0] += 1 }
            single.append(
                (2..<hops).compactMap { layer in
                    let there = relays[layer] ?? []
                    return there.count == 1 && there[0] != index ? there[0] : nil
                }
            )
        }
        self.carriers = carriers
        self.single = single
        var loads: [Int: Load] = [:]
        for index in stations.indices {
            for relay in single[index] { loads[relay, default: Load(relay: relay)].alone += 1 }
        }
        for (subnet, counts) in sharing {
            for (layer, count) in counts {
                for relay in layers[subnet]?[layer] ?? [] { loads[relay, default: Load(relay: relay)].shared += count }
            }
        }
        self.loads = loads.values.sorted {
            ($1.alone, $1.shared, $0.relay) < ($0.alone, $0.shared, $1.relay)
        }
    }

    /// The largest number of hops; 0 if nothing was heard.
    package var depth: Int { stations.compactMap(\.hops).max() ?? 0 }

    /// The nodes that were not heard, by their indexes.
    package var silent: [Int] { stations.indices.filter { stations[$0].hops == nil } }
}
