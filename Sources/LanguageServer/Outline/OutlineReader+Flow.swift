extension OutlineReader {
    /// Takes what stands in braces or brackets, over several lines. Where the end is missing, it ends before a line
    /// that does not stand deeper than the entry.
    ///
    /// - Parameter outer: the column of the entry.
    /// - Returns: the octet behind it, or the end of its last line.
    mutating func takeFlow(of entry: Int, _ start: Int, outer: Int) -> Int {
        var containers: [Int] = []
        // The entry that waits for its value.
        var waiting: Int? = entry
        var index = start
        while index < bytes.count {
            guard nodes.count < Self.nodeLimit else { return bytes.count }
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\n"):
                guard let next = nextLine(index + 1, outer: outer) else { return index }
                index = next
            case UInt8(ascii: "#") where index > start && (isSpace(bytes[index - 1]) || isBreak(bytes[index - 1])):
                index = endOfLine(index)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard containers.count < Self.depthLimit else { return endOfLine(index) }
                let node =
                    waiting ?? containers.last.map { add(to: $0, key: nil, start: index, end: index + 1) } ?? entry
                nodes[node].kind = byte == UInt8(ascii: "{") ? .mapping : .sequence
                nodes[node].isFlow = true
                nodes[node].end = Int32(index + 1)
                containers.append(node)
                waiting = nil
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if let last = containers.popLast() { nodes[last].end = Int32(index + 1) }
                waiting = nil
                index += 1
                if containers.isEmpty { return behindFlow(index) }
            case UInt8(ascii: ","):
                waiting = nil
                index += 1
            case UInt8(ascii: ":"):
                index += 1
            case _ where isSpace(byte):
                index += 1
            default:
                guard let container = containers.last else { return endOfLine(index) }
                index = takeFlowScalar(index, in: container, &waiting)
            }
        }
        return index
    }

    private func isBreak(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") }

    /// The rest of a line behind closed braces or brackets says nothing.
    private mutating func behindFlow(_ index: Int) -> Int { endOfLine(index) }

    /// The first octet of the next line that goes on; nil if the next line with content does not belong to it.
    private mutating func nextLine(_ start: Int, outer: Int) -> Int? {
        var line = start
        while line < bytes.count {
            let end = endOfLine(line)
            let first = skippingSpaces(line, end)
            guard first < end, bytes[first] != UInt8(ascii: "#") else {
                line = end + 1
                continue
            }
            let closes = bytes[first] == UInt8(ascii: "}") || bytes[first] == UInt8(ascii: "]")
            return first - line > outer || closes ? first : nil
        }
        return nil
    }

    private mutating func takeFlowScalar(_ first: Int, in container: Int, _ waiting: inout Int?) -> Int {
        let end = endOfLine(first)
        let isQuoted = bytes[first] == UInt8(ascii: "\"") || bytes[first] == UInt8(ascii: "'")
        let (scalar, behind) = quotedScalar(first, end) ?? flowPlain(first, end)
        if let entry = waiting {
            // Two texts in a row, as while a comma is missing: the second one is left out.
            if nodes[entry].value.range == nil {
                nodes[entry].kind = .scalar
                nodes[entry].value = Octets(scalar)
                nodes[entry].end = Int32(behind)
            }
            return max(behind, first + 1)
        }
        guard nodes[container].kind == .mapping else {
            let item = add(to: container, key: nil, start: first, end: behind)
            nodes[item].kind = .scalar
            nodes[item].value = Octets(scalar)
            return max(behind, first + 1)
        }
        let entry = add(to: container, key: scalar, start: first, end: behind)
        let colon = skippingSpaces(behind, end)
        let isKey =
            colon < end && bytes[colon] == UInt8(ascii: ":")
            && (isQuoted || colon + 1 >= end || isSpace(bytes[colon + 1]) || ",{}[]".utf8.contains(bytes[colon + 1]))
        guard isKey else {
            nodes[entry].isWord = true
            return max(behind, first + 1)
        }
        nodes[entry].hasColon = true
        nodes[entry].end = Int32(colon + 1)
        waiting = entry
        return colon + 1
    }

    /// The text without quotes from a place to what ends it in braces or brackets.
    private func flowPlain(_ first: Int, _ end: Int) -> (scalar: Range<Int>, behind: Int) {
        var index = first
        var last = first
        while index < end {
            let byte = bytes[index]
            if ",[]{}".utf8.contains(byte) { break }
            if byte == UInt8(ascii: "#"), index > first, isSpace(bytes[index - 1]) { break }
            if byte == UInt8(ascii: ":"),
                index + 1 >= end || isSpace(bytes[index + 1]) || ",[]{}".utf8.contains(bytes[index + 1])
            {
                break
            }
            if !isSpace(byte) { last = index + 1 }
            index += 1
        }
        return (first..<last, max(index, last))
    }
}
