/// A binary heap of positions that gives the smallest one first.
struct MinimumHeap: Hashable, Sendable {
    private var items: [Int] = []

    /// Whether there is none.
    var isEmpty: Bool { items.isEmpty }

    /// Takes one in.
    mutating func insert(_ item: Int) {
        items.append(item)
        var child = items.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard items[child] < items[parent] else { return }
            items.swapAt(child, parent)
            child = parent
        }
    }

    /// Gives out the smallest, nil if there is none.
    mutating func popMinimum() -> Int? {
        guard let minimum = items.first, let last = items.popLast() else { return nil }
        guard !items.isEmpty else { return minimum }
        items[0] = last
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < items.count && items[child] < items[smallest] {
                smallest = child
            }
            guard smallest != parent else { return minimum }
            items.swapAt(parent, smallest)
            parent = smallest
        }
    }
}
