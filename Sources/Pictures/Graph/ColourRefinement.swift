/// Finds out which vertices of a graph are alike: those that have equal colours, and whose neighbours along arrows of
/// equal labels have equal colours, however many such neighbours there are.
///
/// In each round the colours of the neighbours become a part of the colour, until no vertex gets another one.
struct ColourRefinement {
    /// An arrow from one vertex to another one, with the number of its label.
    struct Arrow {
        var from: Int
        var to: Int
        var label: Int
    }

    /// What a vertex sees: its own colour, and labels and colours around it.
    private struct View: Hashable {
        var colour: Int
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
        var current = renumbered(colours)
        var count = Set(current).count
        while true {
            let views = current.indices.map { vertex in
                let around = Set(outgoing[vertex].map { Seen(label: $0.label, colour: current[$0.vertex]) })
                return View(colour: current[vertex], around: around.sorted())
            }
            let next = renumbered(views)
            let nextCount = (next.max() ?? -1) + 1
            guard nextCount > count else { return current }
            current = next
            count = nextCount
        }
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
