import Pictures
import Planning
import SystemLayer

/// A floor in machine-readable form: a line for itself, and one for each node on it.
struct FloorJSON {
    let picture: FloorPicture
    let network: String

    init(_ picture: FloorPicture, network: String) {
        self.picture = picture
        self.network = network
    }

    func write(to lines: JSONLines) {
        lines.write([
            "type": "floor", "network": network.json, "floor": picture.name.json, "title": picture.title.json,
            "width_mm": picture.width.map { .integer($0) },
        ])
        for marker in picture.markers {
            lines.write([
                "type": "position", "node": marker.name.json, "title": marker.title?.json, "floor": picture.name.json,
                "x_mm": .integer(marker.x), "y_mm": .integer(marker.y), "relay": .bool(marker.isRelay),
                "proxy": .bool(marker.isProxy), "mark": marker.mark.rawValue.json, "use": marker.kind?.rawValue.json,
            ])
        }
    }
}
