extension Array where Element: Comparable {
    /// The elements in ascending order, each once. An array that is already so is returned unchanged.
    func sortedUnique() -> [Element] {
        if isStrictlyAscending { return self }
        var result: [Element] = []
        result.reserveCapacity(count)
        for element in sorted() where result.last != element { result.append(element) }
        return result
    }

    private var isStrictlyAscending: Bool {
        for position in indices.dropFirst() where self[position - 1] >= self[position] { return false }
        return true
    }

    /// The elements of this sorted array that the other sorted array does not have.
    func subtracting(_ other: [Element]) -> [Element] {
        var result: [Element] = []
        var index = 0
        for element in self {
            while index < other.count, other[index] < element { index += 1 }
            if index == other.count || other[index] != element { result.append(element) }
        }
        return result
    }

    /// Adds an element to a sorted array, unless it is there.
    mutating func insertSorted(_ element: Element) {
        guard let last, last >= element else { return append(element) }
        guard !contains(element) else { return }
        insert(element, at: firstIndex { $0 > element } ?? endIndex)
    }
}
