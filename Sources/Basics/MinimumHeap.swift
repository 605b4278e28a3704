/// A binary heap that gives its smallest element first. Taking in and giving out cost O(log n).
///
/// It is `public` and not `package` because the compiler (Swift 6.3) specialises generic code of another module only if
/// that is public. Without it, each comparison goes through the element's witness table, which takes ten times as long.
public struct MinimumHeap<Element: Comparable> {
    @usableFromInline
    var items: [Element] = []

    /// A heap without elements.
    @inlinable
    public init() {}

    /// How many it holds.
    @inlinable
    public var count: Int { items.count }

    /// Whether there is none.
    @inlinable
    public var isEmpty: Bool { items.isEmpty }

    /// The smallest, which stays; nil if there is none.
    @inlinable
    public var minimum: Element? { items.first }

    /// Takes one in.
    @inlinable
    public mutating func insert(_ item: Element) {
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
    @inlinable
    public mutating func popMinimum() -> Element? {
        guard let minimum = items.first, let last = items.popLast() else { return nil }
        guard !items.isEmpty else { return minimum }
        // What is smaller moves up, and the last one takes the place that is left: fewer moves than exchanging.
        var index = 0
        while true {
            var child = 2 * index + 1
            guard child < items.count else { break }
            if child + 1 < items.count, items[child + 1] < items[child] { child += 1 }
            guard items[child] < last else { break }
            items[index] = items[child]
            index = child
        }
        items[index] = last
        return minimum
    }
}

extension MinimumHeap: Equatable {}
extension MinimumHeap: Hashable where Element: Hashable {}
extension MinimumHeap: Sendable where Element: Sendable {}
