import Pictures
import Planning
import SystemLayer

/// A graph in machine-readable form: a line for each box and each arrow. Arrows name boxes by their numbers.
struct GraphJSON {
    let graph: ControlGraph

    init(_ graph: ControlGraph) {
        self.graph = graph
    }

    func write(to lines: JSONLines) {
        lines.write([
            "type": "graph", "network": graph.network.json, "title": graph.title?.json, "folding": folding,
            "subnets": .array(graph.subnets.map(\.json)), "application_keys": .array(graph.keys.map(\.json)),
        ])
        for (number, box) in graph.boxes.enumerated() {
            lines.write([
                "type": "box", "box": .integer(number), "kind": box.kind.rawValue.json,
                "names": .array(box.names.map(\.json)),
                "titles": box.titles == box.names ? nil : .array(box.titles.map(\.json)),
                "use": box.use?.rawValue.json,
                "tags": .object(box.tags.sorted { $0.key < $1.key }.map { JSONMember($0.key, $0.value.json) }),
                "subnets": .array(box.subnets.map(\.json)), "relay": .bool(box.isRelay), "proxy": .bool(box.isProxy),
                "mark": box.mark.rawValue.json,
            ])
        }
        for arrow in graph.arrows {
            lines.write([
                "type": "arrow", "from": .integer(arrow.from), "to": .integer(arrow.to),
                "models": .array(arrow.models.map(\.json)), "application_keys": .array(arrow.keys.map(\.json)),
            ])
        }
    }

    private var folding: JSONValue {
        switch graph.folding {
        case .none: "none"
        case .likeNodes: "nodes"
        case .likePlaces: "places"
        }
    }
}
