/// Finds out which vertices of a graph are alike: those that have equal colours, and whose neighbours along arrows of
/// equal labels have equal colours, however many such neighbours there are.
///
/// In each round vertices of one colour that see other colours around them are told apart, until no vertex gets another
/// colour. Only vertices whose neighbours have changed are looked at again.
struct ColourRefinement {
    /// An arrow from one vertex to another one, with the number of its label.
    struct Arrow {
        var from: Int
        var to: Int
        var label: Int
    }

    /// What a vertex sees: labels and colours around it.
    private struct View: Hashable {
        var around: [Seen]
    }

    /// One label with one colour; those against the direction of an arrow have negative labels.
    private struct Seen: Hashable, Comparable {
        var label: Int
        var colour: Int

        static func < (left: Seen, right: Seen) -> Bool {
            (left.label, left.colour) < (right.label, right.colour)
        }
    }

    /// The final colours: 0, 1, … in the order in which vertices show them first.
    ///
    /// - Parameters:
    ///   - colours: the colour of each vertex to begin with.
    ///   - arrows: the arrows between vertices; the labels are not negative.
    static func refine(_ colours: [Int], _ arrows: [Arrow]) -> [Int] {
        var outgoing: [[(label: Int, vertex: Int)]] = Array(repeating: [], count: colours.count)
        for arrow in arrows {
            outgoing[arrow.from].append((arrow.label, arrow.to))
            outgoing[arrow.to].append((-arrow.label - 1, arrow.from))
        }
        var refinement = ColourRefinement(colours: renumbered(colours), outgoing: outgoing)
        while refinement.split() {}
        return renumbered(refinement.colours)
    }

    private var colours: [Int]
    private let outgoing: [[(label: Int, vertex: Int)]]
    /// How many vertices have each colour.
    private var sizes: [Int]
    /// What the vertices of each colour see that need not be looked at again.
    private var views: [View?]
    /// The vertices that may see something else than before.
    private var doubtful: [Int]

    private init(colours: [Int], outgoing: [[(label: Int, vertex: Int)]]) {
        self.colours = colours
        self.outgoing = outgoing
        sizes = Array(repeating: 0, count: (colours.max() ?? -1) + 1)
        for colour in colours { sizes[colour] += 1 }
        views = Array(repeating: nil, count: sizes.count)
        doubtful = Array(colours.indices)
    }

    /// Gives vertices that see something else than others of their colour a new colour. The largest part of a colour
    /// keeps it, so that only neighbours of the others have to be looked at again, and a vertex rarely changes.
    ///
    /// - Returns: whether any vertex got another colour.
    private mutating func split() -> Bool {
        var parts: [Int: [View: [Int]]] = [:]
        for vertex in doubtful { parts[colours[vertex], default: [:]][view(of: vertex), default: []].append(vertex) }
        var changed: [Int] = []
        for colour in parts.keys.sorted() {
            var members = parts[colour] ?? [:]
            let looked = members.values.reduce(0) { $0 + $1.count }
            // Those that were not looked at see what they saw before.
            let rest = sizes[colour] - looked
            if rest > 0, let view = views[colour] {
                members[view] = nil
                let kept = sizes[colour] - members.values.reduce(0) { $0 + $1.count }
                sizes[colour] = kept
            } else {
                // Of equal parts the one with the first vertex keeps the colour.
                let largest = members.max { ($0.value.count, -$0.value[0]) < ($1.value.count, -$1.value[0]) }
                guard let largest else { continue }
                views[colour] = largest.key
                sizes[colour] = largest.value.count
                members[largest.key] = nil
            }
            for (view, vertices) in members.sorted(by: { $0.value[0] < $1.value[0] }) {
                for vertex in vertices { colours[vertex] = sizes.count }
                changed += vertices
                sizes.append(vertices.count)
                views.append(view)
            }
        }
        var next: Set<Int> = []
        for vertex in changed {
            next.insert(vertex)
            for neighbour in outgoing[vertex] { next.insert(neighbour.vertex) }
        }
        doubtful = next.sorted()
        return !changed.isEmpty
    }

    private func view(of vertex: Int) -> View {
        let around = Set(outgoing[vertex].map { Seen(label: $0.label, colour: colours[$0.vertex]) })
        return View(around: around.sorted())
    }

    /// Numbers for values, in the order of their first appearance.
    private static func renumbered<Value: Hashable>(_ values: [Value]) -> [Int] {
        var numbers: [Value: Int] = [:]
        return values.map { value in
            if let number = numbers[value] { return number }
            let number = numbers.count
            numbers[value] = number
            return number
        }
    }
}
