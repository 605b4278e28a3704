/// Where the boxes of a graph stand: senders on the left, what they send to in the middle, who listens on the right.
///
/// A node that sends and listens stands on both sides. Each side is ordered so that arrows cross seldom: by the middle
/// of what a box is connected with.
struct GraphLayout {
    /// A column.
    enum Column: Int, CaseIterable {
        case sender
        case target
        /// Who listens, or does neither.
        case listener
    }

    /// A box in a column.
    struct Place: Hashable {
        /// The index of the box.
        var box: Int
        var column: Column
    }

    /// A line between two places.
    struct Line {
        var from: Place
        var to: Place
        /// The index of the arrow.
        var arrow: Int
    }

    static let width = 248
    static let height = 44
    /// The room between two boxes of a column.
    static let gap = 12
    /// The room between two columns.
    static let aisle = 150
    /// The room around everything.
    static let margin = 24

    private(set) var tops: [Place: Int] = [:]
    /// The places from top to bottom, column by column.
    private(set) var places: [Place] = []
    /// The lines, in the order of the arrows.
    private(set) var lines: [Line] = []
    /// The lower edge of the lowest box.
    private(set) var bottom = GraphLayout.margin

    static func left(_ column: Column) -> Int { margin + column.rawValue * (width + aisle) }

    /// Lays out a graph below a line.
    init(_ graph: ControlGraph, top: Int) {
        lines = Self.lines(of: graph)
        var columns: [Column: [Place]] = [:]
        var seen: Set<Place> = []
        func add(_ place: Place) {
            if seen.insert(place).inserted { columns[place.column, default: []].append(place) }
        }
        for line in lines.sorted(by: { ($0.from.box, $0.to.box) < ($1.from.box, $1.to.box) }) {
            add(line.from)
            add(line.to)
        }
        columns[.target]?.sort { $0.box < $1.box }
        let connected = Set(seen.map(\.box))
        for box in graph.boxes.indices where !connected.contains(box) {
            add(Place(box: box, column: graph.boxes[box].kind == .group ? .target : .listener))
        }
        stack(columns[.target] ?? [], from: top) { _ in nil }
        for column in [Column.sender, .listener] {
            let middles = middles(of: column)
            let ordered = (columns[column] ?? []).enumerated().sorted { one, other in
                let left = middles[one.element] ?? .max
                let right = middles[other.element] ?? .max
                return left != right ? left < right : one.offset < other.offset
            }
            stack(ordered.map(\.element), from: top) { middles[$0] }
        }
        places = Column.allCases.flatMap { column in
            tops.keys.filter { $0.column == column }.sorted { (tops[$0] ?? 0) < (tops[$1] ?? 0) }
        }
    }

    /// What each arrow connects: nodes that are sent to stand in the middle, too.
    private static func lines(of graph: ControlGraph) -> [Line] {
        graph.arrows.enumerated().map { number, arrow in
            let isHeard = graph.boxes[arrow.from].kind == .group
            return Line(
                from: Place(box: arrow.from, column: isHeard ? .target : .sender),
                to: Place(box: arrow.to, column: isHeard ? .listener : .target),
                arrow: number
            )
        }
    }

    /// For each place of a column, the middle of what it is connected with in the column of targets.
    private func middles(of column: Column) -> [Place: Int] {
        var sums: [Place: (sum: Int, count: Int)] = [:]
        for line in lines {
            let (place, target) = column == .sender ? (line.from, line.to) : (line.to, line.from)
            guard place.column == column, let top = tops[target] else { continue }
            let present = sums[place] ?? (0, 0)
            sums[place] = (present.sum + top, present.count + 1)
        }
        return sums.mapValues { $0.sum / $0.count }
    }

    /// Stacks boxes; each stands as near as possible to where it is wanted.
    private mutating func stack(_ column: [Place], from top: Int, wanted: (Place) -> Int?) {
        var next = top
        for index in column {
            let y = max(next, wanted(index) ?? next)
            tops[index] = y
            next = y + Self.height + Self.gap
            bottom = max(bottom, y + Self.height)
        }
    }
}
