/// What a node is for, as far as its models tell. Pictures have a symbol for each.
package enum NodeKind: String, CaseIterable, Comparable, Sendable {
    /// It has light, or switches a load.
    case light
    /// Somebody operates others with it.
    case control
    /// It measures or counts.
    case sensor
    /// It has a level that is not light: blinds, valves, fans.
    case drive
    /// Nothing of that is known.
    case other

    /// The kind of a node with these models.
    ///
    /// - Parameters:
    ///   - models: the names of its models in the catalogue.
    ///   - publishing: the names of those that publish. A node that may send and be switched is a control if it sends.
    package init(models: Set<String>, publishing: Set<String>) {
        func isControl(_ name: String) -> Bool {
            name.hasSuffix("-client")
                && (name.hasPrefix("generic-") || name.hasPrefix("light-") || name == "scene-client")
        }
        if models.contains(where: { $0.hasPrefix("light-") && $0.hasSuffix("-server") }) {
            self = .light
        } else if models.contains("generic-level-server") {
            self = .drive
        } else if models.contains("sensor-server") {
            self = .sensor
        } else if publishing.contains(where: isControl) {
            self = .control
        } else if models.contains("generic-onoff-server") {
            self = .light
        } else {
            self = models.contains(where: isControl) ? .control : .other
        }
    }

    package static func < (left: NodeKind, right: NodeKind) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// What it is called in legends.
    package var title: String {
        switch self {
        case .light: "lamp or load"
        case .control: "switch or remote control"
        case .sensor: "sensor"
        case .drive: "blind or drive"
        case .other: "other"
        }
    }
}
