/// A set of sequence numbers, kept as sorted ranges, because numbers are mostly used without gaps.
package struct SequenceRanges: Hashable, Sendable {
    /// The ranges, sorted. Between two of them at least one number is missing.
    package private(set) var ranges: [ClosedRange<UInt32>] = []

    package init() {}

    /// The highest number; nil if the set is empty.
    package var highest: UInt32? { ranges.last?.upperBound }

    /// Whether a number is in the set; O(log n) in the number of gaps.
    package func contains(_ number: UInt32) -> Bool {
        let index = firstIndex(endingAtOrAfter: number)
        return index < ranges.count && ranges[index].lowerBound <= number
    }

    /// Adds all numbers of a range.
    package mutating func insert(_ range: ClosedRange<UInt32>) {
        let lowerNeighbour = range.lowerBound == 0 ? 0 : range.lowerBound - 1
        let upperNeighbour = range.upperBound == .max ? .max : range.upperBound + 1
        let first = firstIndex(endingAtOrAfter: lowerNeighbour)
        var end = first
        var merged = range
        while end < ranges.count, ranges[end].lowerBound <= upperNeighbour {
            merged = min(merged.lowerBound, ranges[end].lowerBound)...max(merged.upperBound, ranges[end].upperBound)
            end += 1
        }
        ranges.replaceSubrange(first..<end, with: [merged])
    }

    package mutating func insert(_ number: UInt32) {
        insert(number...number)
    }

    private func firstIndex(endingAtOrAfter number: UInt32) -> Int {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
