import Basics
import DefinitionModel
import Execution
import MeshCore
import Pictures
import Planning
import SystemLayer

/// Shows how many hops nodes are away.
struct MapView {
    /// So many names are told in a cell; the others are counted.
    private static let mostNames = 3
    /// So many names are in a line of JSON, which also has their number.
    private static let mostCarriers = 50

    private let operating: OperatingRun
    private let result: HopSurveyResult
    /// The share of the air that heartbeats and configuration messages took at most.
    private let airtime: Double
    private let map: HopMap
    /// The hops that were to be expected, by station; nil if nobody asked, or they cannot be told.
    private let predicted: [Int?]

    private var context: Context { operating.conversation.context }

    /// A view of one survey.
    ///
    /// - Parameters:
    ///   - placement: where nodes are.
    ///   - range: how far radio should reach, in millimetres; nil to predict nothing.
    init(operating: OperatingRun, result: HopSurveyResult, airtime: Double, placement: Placement, range: Int?) {
        self.operating = operating
        self.result = result
        self.airtime = airtime
        let asked = Set(result.subnets.keys).union(result.silent).union(result.refusals.keys)
        let stations = operating.network.nodes.enumerated().filter { asked.contains($0.element.uuid) }
            .map { place, node in
                var station = HopMap.Station(
                    uuid: node.uuid,
                    name: operating.name(ofNode: place),
                    isRelay: node.features.relay == .enabled,
                    subnet: result.subnets[node.uuid] ?? .primary,
                    subnets: Set(node.netKeys.map(\.index))
                )
                if let sighting = result.sightings[node.uuid] {
                    station.hops = sighting.fewest
                    station.mostHops = sighting.most
                    station.heartbeats = sighting.count
                    station.isRelay = sighting.features.contains(.relay)
                }
                return station
            }
        map = HopMap(stations)
        if let range, let proxy = stations.firstIndex(where: { $0.hops == 1 }) {
            let places = stations.map { station in
                HopPrediction.Station(position: placement.positions[station.name], isRelay: station.isRelay)
            }
            predicted = HopPrediction.hops(places, from: proxy, range: range)
        } else {
            predicted = Array(repeating: nil, count: stations.count)
        }
    }

    /// Whether every node was heard and has its own heartbeats.
    var isComplete: Bool {
        result.unrestored.isEmpty && result.refusals.isEmpty && map.silent.isEmpty
    }

    /// Writes the map.
    func show(_ format: MapCommand.Format) {
        if let lines = context.json { return write(to: lines) }
        let name = operating.conversation.knowledge.database?.name ?? operating.network.name
        switch format {
        case .svg: context.output.write(document: HopPicture(map, network: name).svg())
        case .html: context.output.write(document: HopPicture(map, network: name).html())
        case .table, .json: context.output.write(table())
        }
    }

    /// The map on the plan of a floor: colours and numbers are hops, lines lead to the only relay that can have carried
    /// a node's messages.
    func picture(of floor: Placement.Floor, in source: PictureSource) -> FloorPicture {
        var picture = FloorPicture(name: floor.name, title: "\(floor.title): hops", markers: [])
        picture.drawing = floor.drawing
        (picture.width, picture.height) = (floor.width, floor.height)
        var markers: [Int: Int] = [:]
        for (place, station) in map.stations.enumerated() {
            guard let position = source.placement.positions[station.name], position.floor.value == floor.name else {
                continue
            }
            var marker = FloorPicture.Marker(name: station.name, x: position.x, y: position.y, isRelay: station.isRelay)
            marker.inscription = station.hops.map { "\($0)" } ?? "?"
            marker.colour = station.hops.map { $0 - 1 } ?? 6
            marker.details = [station.hops.map { count($0, "hop") } ?? "not heard"]
            markers[place] = picture.markers.count
            picture.markers.append(marker)
        }
        for (place, carriers) in map.carriers.enumerated() where carriers.count == 1 {
            guard let from = markers[carriers[0]], let to = markers[place] else { continue }
            picture.lines.append(FloorPicture.Line(from: from, to: to))
        }
        let hops = Set(map.stations.compactMap(\.hops)).sorted()
        picture.legend = hops.map { .init(colour: $0 - 1, text: $0 == 1 ? "1: the proxy" : count($0, "hop")) }
        if !map.silent.isEmpty { picture.legend.append(.init(colour: 6, text: "?: not heard")) }
        return picture
    }

    // MARK: For people

    /// The places of stations, the nearest first.
    private var order: [Int] {
        map.stations.indices.map { ($0, map.stations[$0].hops ?? .max, NaturalOrder(map.stations[$0].name)) }
            .sorted { ($0.1, $0.2) < ($1.1, $1.2) }.map(\.0)
    }

    private func table() -> String {
        let hasPrediction = predicted.contains { $0 != nil }
        var nodes = Table(["HOPS", "NODE", "ROLE", "OVER", "HEARD"], rightAligned: [0, 4])
        if hasPrediction {
            nodes.header?.append("PREDICTED")
            nodes.rightAligned.insert(5)
        }
        for place in order {
            let station = map.stations[place]
            let roles = station.hops == 1 ? "proxy" : station.isRelay ? "relay" : ""
            var row = [hops(of: station), station.name, roles, over(place), "\(station.heartbeats)"]
            if hasPrediction { row.append(predicted[place].map { "\($0)" } ?? "") }
            nodes.rows.append(row)
        }
        var text = nodes.render(context.style)
        if !map.loads.isEmpty {
            var relays = Table(["RELAY", "HOPS", "CARRIES ALONE", "OR ANOTHER"], rightAligned: [1, 2, 3])
            for load in map.loads {
                let station = map.stations[load.relay]
                relays.rows.append([station.name, hops(of: station), "\(load.alone)", "\(load.shared)"])
            }
            text += "\n" + relays.render(context.style)
        }
        text += "\n"
        for load in map.loads where load.alone > 0 {
            let nodes = count(load.alone, "node")
            let verb = load.alone == 1 ? "hangs" : "hang"
            text += "\(nodes) \(verb) on \(map.stations[load.relay].name) alone.\n"
        }
        return text + summary() + "\n"
    }

    private func hops(of station: HopMap.Station) -> String {
        guard let fewest = station.hops else { return "-" }
        guard let most = station.mostHops, most > fewest else { return "\(fewest)" }
        return "\(fewest)-\(most)"
    }

    /// The relays that can have carried a node's messages: `hub-1, hub-2 or 3 more`.
    private func over(_ place: Int) -> String {
        guard map.stations[place].hops != nil else {
            let uuid = map.stations[place].uuid
            if let status = result.refusals[uuid] { return "(refuses: \(status))" }
            return result.silent.contains(uuid) ? "(no answer)" : "(not heard)"
        }
        let carriers = map.carriers[place]
        let names = carriers.prefix(Self.mostNames).map { map.stations[$0].name }
        let rest = carriers.count - Self.mostNames
        if rest > 0 { return names.joined(separator: ", ") + " or \(rest) more" }
        guard let last = names.last, names.count > 1 else { return names.first ?? "" }
        return names.dropLast().joined(separator: ", ") + " or \(last)"
    }

    private func summary() -> String {
        let heard = map.stations.count - map.silent.count
        let all = heard == map.stations.count ? "all" : "\(heard) of"
        let depth = map.depth > 0 ? ", \(count(map.depth, "hop")) at most" : ""
        let listened = DurationText.text(.seconds(result.listened.components.seconds))
        let elapsed = DurationText.text(.seconds(result.elapsed.components.seconds))
        return "Heard \(all) \(count(map.stations.count, "node"))\(depth).\n"
            + "\(count(result.heartbeats, "heartbeat")) in \(listened), "
            + "\(count(result.messages, "configuration message")) at most.\n"
            + "Together at most \(Self.percent(airtime)) of the air for \(elapsed)."
    }

    private static func percent(_ share: Double) -> String {
        let tenths = Int((min(max(share, 0), 1) * 1_000).rounded(.up))
        return "\(tenths / 10).\(tenths % 10) %"
    }

    /// Says what is left to do, on standard error.
    func warn() {
        let unrestored = names(result.unrestored)
        if !unrestored.isEmpty {
            FailureView(context).warn(
                "these nodes have not got their own heartbeats back: \(OperatedNodes.list(unrestored))",
                hint: "They stop by themselves. The next meshplan map or apply gives them back."
            )
        }
        let silent = names(result.silent)
        guard !silent.isEmpty else { return }
        FailureView(context).warn(
            "no answer of \(OperatedNodes.list(silent))",
            hint: "Check that they have power and that other nodes relay messages to them."
        )
    }

    private func names(_ uuids: [DeviceUUID]) -> [String] {
        let wanted = Set(uuids)
        return operating.network.nodes.indices.filter { wanted.contains(operating.network.nodes[$0].uuid) }
            .map { operating.name(ofNode: $0) }
    }

    // MARK: For programs

    private func write(to lines: JSONLines) {
        for place in order {
            let station = map.stations[place]
            func names(_ places: [Int]) -> JSONValue { .array(places.map { map.stations[$0].name.json }) }
            lines.write([
                "type": "hops", "node": station.name.json, "node_uuid": station.uuid.description.json,
                "hops": station.hops.map { .integer($0) }, "most_hops": station.mostHops.map { .integer($0) },
                "heartbeats": .integer(station.heartbeats), "relay": .bool(station.isRelay),
                "carriers": names(Array(map.carriers[place].prefix(Self.mostCarriers))),
                "carriers_count": .integer(map.carriers[place].count), "single_relays": names(map.single[place]),
                "predicted_hops": predicted[place].map { .integer($0) },
                "refusal": result.refusals[station.uuid].map { "\($0)".json },
            ])
        }
        for load in map.loads {
            lines.write([
                "type": "relay", "node": map.stations[load.relay].name.json,
                "carries_alone": .integer(load.alone), "carries_with_others": .integer(load.shared),
            ])
        }
        lines.write([
            "type": "summary", "nodes": .integer(map.stations.count),
            "heard": .integer(map.stations.count - map.silent.count), "most_hops": .integer(map.depth),
            "heartbeats": .integer(result.heartbeats), "messages": .integer(result.messages),
            "airtime_permille": .integer(Int((min(max(airtime, 0), 1) * 1_000).rounded(.up))),
            "listened_ms": .integer(Int(clamping: result.listened.microseconds / 1_000)),
            "duration_ms": .integer(Int(clamping: result.elapsed.microseconds / 1_000)),
            "unrestored": .array(names(result.unrestored).map(\.json)),
        ])
    }
}
