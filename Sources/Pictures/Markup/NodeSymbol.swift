import Planning

/// The symbols of nodes: what a node is for has a shape, so that it is seen without colours, too.
enum NodeSymbol {
    /// The outline of a symbol as the data of an SVG path.
    static func path(_ kind: NodeKind, x: Double, y: Double, radius: Double) -> String {
        func line(_ points: [(Double, Double)]) -> String {
            "M" + points.map { "\(number(x + $0.0 * radius)) \(number(y + $0.1 * radius))" }.joined(separator: "L")
                + "z"
        }
        return switch kind {
        case .light:
            "M\(number(x - radius)) \(number(y))a\(number(radius)) \(number(radius)) 0 1 0 \(number(2 * radius)) 0"
                + "a\(number(radius)) \(number(radius)) 0 1 0 \(number(-2 * radius)) 0z"
        case .control: line([(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)])
        case .sensor: line([(0, -1.1), (1.05, 0.85), (-1.05, 0.85)])
        case .drive: line([(0, -1.2), (1.2, 0), (0, 1.2), (-1.2, 0)])
        case .other: line([(-0.5, -0.95), (0.5, -0.95), (1.05, 0), (0.5, 0.95), (-0.5, 0.95), (-1.05, 0)])
        }
    }

    /// A coordinate with one decimal.
    static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }
}
