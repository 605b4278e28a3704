extension Array {
    /// Finds by bisection the first place whose element satisfies the condition; the end if none does. All elements
    /// after that place must satisfy it, too.
    package func firstPlace(where condition: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
