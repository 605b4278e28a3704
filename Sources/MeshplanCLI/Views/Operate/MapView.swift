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

    private let operating: OperatingContext
    private let result: HopSurveyResult
    private let map: HopMap
    /// The hops that were to be expected, by station; nil if nobody asked, or they cannot be told.
    private let predicted: [Int?]

    private var context: Context { operating.conversation.context }

    /// A view of one survey.
    ///
    /// - Parameters:
    ///   - placement: where nodes are.
    ///   - range: how far radio should reach, in millimetres; nil to predict nothing.
    init(operating: OperatingContext, result: HopSurveyResult, placement: Placement, range: Int?) {
        self.operating = operating
        self.result = result
        let asked = Set(result.nodes)
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
                    station.messages = sighting.answers + sighting.heartbeats
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

    /// Whether every node was heard, and asked as often as it takes.
    var isComplete: Bool { map.silent.isEmpty && !result.isCutShort }

    func show(_ format: MapCommand.Format) {
        if let lines = context.json { return write(to: lines) }
        let name = operating.conversation.knowledge.database?.name ?? operating.network.name
        var picture: HopPicture {
            HopPicture(map, network: operating.titles.network ?? name) { operating.titles.node($0) }
        }
        switch format {
        case .svg: context.output.write(document: picture.svg())
        case .html: context.output.write(document: picture.html())
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
        for (index, station) in map.stations.enumerated() {
            guard let position = source.placement.positions[station.name], position.floor.value == floor.name else {
                continue
            }
            var marker = FloorPicture.Marker(name: station.name, x: position.x, y: position.y, isRelay: station.isRelay)
            marker.title = operating.titles.node(station.uuid)
            marker.inscription = station.hops.map { "\($0)" } ?? "?"
            marker.colour = station.hops.map { $0 - 1 } ?? 6
            marker.details = [station.hops.map { count($0, "hop") } ?? "not heard"]
            markers[index] = picture.markers.count
            picture.markers.append(marker)
        }
        for (index, carriers) in map.carriers.enumerated() where carriers.count == 1 {
            guard let from = markers[carriers[0]], let to = markers[index] else { continue }
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
        for index in order {
            let station = map.stations[index]
            let roles = station.hops == 1 ? "proxy" : station.isRelay ? "relay" : ""
            var row = [hops(of: station), station.name, roles, over(index), "\(station.messages)"]
            if hasPrediction { row.append(predicted[index].map { "\($0)" } ?? "") }
            nodes.rows.append(row)
        }
        nodes.add(titles: order.map { title(of: map.stations[$0]) })
        var text = nodes.render(context.style)
        if !map.loads.isEmpty {
            var relays = Table(["RELAY", "HOPS", "CARRIES ALONE", "OR ANOTHER"], rightAligned: [1, 2, 3])
            for load in map.loads {
                let station = map.stations[load.relay]
                relays.rows.append([station.name, hops(of: station), "\(load.alone)", "\(load.shared)"])
            }
            relays.add(titles: map.loads.map { title(of: map.stations[$0.relay]) })
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

    /// What people call a station; nil if it has no title.
    private func title(of station: HopMap.Station) -> String? { operating.titles.node(station.uuid)?.printable }

    private func hops(of station: HopMap.Station) -> String {
        guard let fewest = station.hops else { return "-" }
        guard let most = station.mostHops, most > fewest else { return "\(fewest)" }
        return "\(fewest)-\(most)"
    }

    /// The relays that can have carried a node's messages: `hub-1, hub-2 or 3 more`.
    private func over(_ index: Int) -> String {
        guard map.stations[index].hops != nil else {
            return result.unreachable.contains(map.stations[index].uuid) ? "(no proxy)" : "(no answer)"
        }
        let carriers = map.carriers[index]
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
        let elapsed = PlanEstimate.text(whole: Int(clamping: result.elapsed.components.seconds))
        let heartbeats = result.heartbeats > 0 ? ", \(count(result.heartbeats, "heartbeat"))" : ""
        return "Heard \(all) \(count(map.stations.count, "node"))\(depth).\n"
            + "\(count(result.questions, "question")), \(count(result.answers, "answer"))\(heartbeats) in \(elapsed): "
            + "at most \(Self.percent(result.share)) of the air."
    }

    /// A share in tenths of a percent, rounded up.
    static func percent(_ share: Double) -> String {
        let tenths = Int((min(max(share, 0), 1) * 1_000 - 1e-9).rounded(.up))
        return "\(tenths / 10).\(tenths % 10) %"
    }

    /// Says what is left to do, on standard error.
    func warn() {
        if result.isCutShort {
            FailureView(context).warn(
                "the time was over before every node was asked",
                hint: "A longer --for, or --airtime, which takes as long as it needs, asks all of them."
            )
        }
        let unreachable = names { result.unreachable.contains($0.uuid) }
        if !unreachable.isEmpty {
            FailureView(context).warn(
                "no proxy leads to \(OperatedNodes.list(unreachable))",
                hint: "A node of the same subnet whose GATT proxy is on leads to them."
            )
        }
        let silent = names { station in
            station.hops == nil && !result.unreachable.contains(station.uuid) && !result.isCutShort
        }
        guard !silent.isEmpty else { return }
        FailureView(context).warn(
            "no answer of \(OperatedNodes.list(silent))",
            hint: "Check that they have power and that other nodes relay messages to them."
        )
    }

    private func names(_ matches: (HopMap.Station) -> Bool) -> [String] { map.stations.filter(matches).map(\.name) }

    // MARK: For programs

    private func write(to lines: JSONLines) {
        for index in order {
            let station = map.stations[index]
            func names(_ places: [Int]) -> JSONValue { .array(places.map { map.stations[$0].name.json }) }
            lines.write([
                "type": "hops", "node": station.name.json, "title": title(of: station)?.json,
                "node_uuid": station.uuid.description.json,
                "hops": station.hops.map { .integer($0) }, "most_hops": station.mostHops.map { .integer($0) },
                "answers": .integer(result.sightings[station.uuid]?.answers ?? 0),
                "heartbeats": .integer(result.sightings[station.uuid]?.heartbeats ?? 0),
                "relay": .bool(station.isRelay),
                "carriers": names(Array(map.carriers[index].prefix(Self.mostCarriers))),
                "carriers_count": .integer(map.carriers[index].count), "single_relays": names(map.single[index]),
                "predicted_hops": predicted[index].map { .integer($0) },
                "no_proxy": result.unreachable.contains(station.uuid) ? .bool(true) : nil,
            ])
        }
        for load in map.loads {
            lines.write([
                "type": "relay", "node": map.stations[load.relay].name.json,
                "title": title(of: map.stations[load.relay])?.json,
                "carries_alone": .integer(load.alone), "carries_with_others": .integer(load.shared),
            ])
        }
        lines.write([
            "type": "summary", "nodes": .integer(map.stations.count),
            "heard": .integer(map.stations.count - map.silent.count), "most_hops": .integer(map.depth),
            "questions": .integer(result.questions), "answers": .integer(result.answers),
            "heartbeats": .integer(result.heartbeats),
            "airtime_permille": .integer(Int((min(max(result.share, 0), 1) * 1_000 - 1e-9).rounded(.up))),
            "duration_ms": .integer(Int(clamping: result.elapsed.microseconds / 1_000)),
            "complete": .bool(isComplete),
        ])
    }
}
