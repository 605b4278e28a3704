import DefinitionModel
import MeshCore
import Testing

@testable import Planning

@Suite("Maps of hops")
struct HopMapTests {
    /// Nodes with names, hops and whether they relay, in one subnet.
    private func map(_ stations: [(String, Int?, Bool)]) -> HopMap {
        HopMap(
            stations.enumerated().map { number, station in
                let uuid = DeviceUUID(rawValue: Octets16(high: 1, low: UInt64(number)))
                var result = HopMap.Station(uuid: uuid, name: station.0, isRelay: station.2)
                result.hops = station.1
                return result
            }
        )
    }

    private func names(_ map: HopMap, _ places: [Int]) -> [String] { places.map { map.stations[$0].name } }

    @Test("In a chain every relay carries alone what is behind it")
    func chain() {
        let map = self.map([
            ("proxy", 1, true), ("r1", 2, true), ("r2", 3, true), ("lamp", 4, false), ("end", 4, false),
        ])
        #expect(names(map, map.carriers[3]) == ["r2"])
        #expect(names(map, map.single[3]) == ["r1", "r2"])
        #expect(names(map, map.single[2]) == ["r1"])
        #expect(map.single[1] == [] && map.carriers[0] == [])
        #expect(map.loads.map { "\(map.stations[$0.relay].name) \($0.alone) \($0.shared)" } == ["r1 3 0", "r2 2 0"])
        #expect(map.depth == 4)
    }

    @Test("Of two relays at the same distance either may carry; neither is a single one, but what is before them is")
    func either() {
        let map = self.map([
            ("proxy", 1, true), ("door", 2, true), ("a", 3, true), ("b", 3, true), ("lamp", 4, false),
            ("near", 2, false),
            ("gone", nil, true),
        ])
        #expect(names(map, map.carriers[4]) == ["a", "b"])
        #expect(names(map, map.single[4]) == ["door"])
        #expect(
            map.loads.map { "\(map.stations[$0.relay].name) \($0.alone) \($0.shared)" } == [
                "door 3 0", "a 0 1", "b 0 1",
            ]
        )
        #expect(map.silent == [6])
    }

    @Test("A relay of another subnet carries nothing of this one")
    func subnets() throws {
        let other = try #require(NetKeyIndex(rawValue: 1))
        var stations = self.map([("proxy", 1, true), ("a", 2, true), ("b", 2, true), ("lamp", 3, false)]).stations
        stations[2].subnets = [other]
        stations[2].subnet = other
        let map = HopMap(stations)
        #expect(names(map, map.single[3]) == ["a"])
    }

    @Test("Hops are predicted from positions: over relays within range, on the same floor")
    func prediction() {
        func station(_ x: Int, _ floor: String = "1", relay: Bool = false) -> HopPrediction.Station {
            let name = Located(floor, at: SourceLocation(file: 0, line: 1, column: 1))
            return HopPrediction.Station(position: NodePosition(floor: name, x: x, y: 0), isRelay: relay)
        }
        let stations = [
            station(0), station(9_000, relay: true), station(19_000, relay: true), station(29_001), station(20_000),
            station(1_000, "2"), HopPrediction.Station(position: nil, isRelay: true), station(10_000),
        ]
        #expect(HopPrediction.hops(stations, from: 0, range: 10_000) == [1, 2, 3, nil, 4, nil, nil, 2])
        #expect(HopPrediction.hops(stations, from: 6, range: 10_000) == Array(repeating: nil, count: 8))
    }

    @Test("Predictions for many nodes do not compare each with each")
    func growth() {
        let name = Located("1", at: SourceLocation(file: 0, line: 1, column: 1))
        let stations = (0..<20_000).map { number in
            let position = NodePosition(floor: name, x: number % 200 * 5_000, y: number / 200 * 5_000)
            return HopPrediction.Station(position: position, isRelay: true)
        }
        let hops = HopPrediction.hops(stations, from: 0, range: 5_000)
        #expect(hops.last == 200 + 100 - 1)
    }

    @Test("What messages take of the air follows from who relays, and how often")
    func airtime() throws {
        var network = MeshNetwork(
            uuid: Octets16(high: 1, low: 1),
            name: "n",
            ivIndex: IVIndex(value: 0),
            netKeys: [],
            provisioners: [],
            ownProvisioner: DeviceUUID(rawValue: Octets16(high: 0, low: 0)),
            nodes: []
        )
        for number in 1...100 {
            var node = Node(
                uuid: DeviceUUID(rawValue: Octets16(high: 2, low: UInt64(number))),
                name: "n\(number)",
                unicastAddress: try #require(UnicastAddress(rawValue: UInt16(number))),
                deviceKey: nil
            )
            node.features.relay = number <= 5 ? .enabled : .disabled
            node.relayRetransmit = TransmitParameters(octet: 2)
            node.networkTransmit = TransmitParameters(octet: 2)
            network.nodes.append(node)
        }
        let airtime = HopAirtime(network)
        // Five relays and the node itself, three times each, 0.376 ms a time.
        #expect(abs(airtime.share(ofMessages: 100, within: .seconds(180)) - 100 * 18 * 0.000376 / 180) < 1e-9)
        // A short message of 0.312 ms: the same copies where everybody repeats it, three from the proxy alone.
        #expect(airtime.answer(of: network.nodes[50].uuid) == .microseconds(18 * 312))
        #expect(airtime.request(over: network.nodes[0].uuid, repetitions: 0) == .microseconds(3 * 312))
        #expect(airtime.request(over: nil, repetitions: 6) == .microseconds(9 * 312))
        #expect(airtime.request(over: nil, repetitions: nil) == .microseconds(18 * 312))
        #expect(airtime.repetitions(by: network.nodes[4].uuid) == 3)
        #expect(airtime.repetitions(by: network.nodes[5].uuid) == 0)
    }
}
