import MeshCore

/// A text in UTF-8 with its lines, and the ways between octets and positions.
struct TextDocument: Equatable {
    /// The octets. They are UTF-8 if they come from a client; a file may hold anything.
    private(set) var bytes: [UInt8]
    /// Where the lines begin. There is always one.
    private(set) var lineStarts: [Int]
    /// The place of every 1,024th octet, so that a position in a long line is not counted from its start.
    private var marks: [Mark]

    private struct Mark: Equatable {
        /// The Unicode scalars before it.
        var scalars: Int
        /// The units of UTF-16 before it.
        var units: Int
    }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        lineStarts = [0]
        Self.addStarts(of: bytes, 1..<bytes.count + 1, to: &lineStarts)
        marks = []
        Self.addMarks(in: bytes, to: &marks)
    }

    private static let markDistance = 1024

    /// Adds the marks behind those that are there.
    private static func addMarks(in bytes: [UInt8], to marks: inout [Mark]) {
        let count = (bytes.count + markDistance - 1) / markDistance
        marks.removeLast(max(marks.count - count, 0))
        guard count > 0 else { return }
        marks.reserveCapacity(count)
        var mark = marks.last ?? Mark(scalars: 0, units: 0)
        if marks.isEmpty { marks.append(mark) }
        var start = (marks.count - 1) * markDistance
        bytes.withUnsafeBufferPointer { bytes in
            while start + markDistance < bytes.count {
                var (leads, pairs) = (0, 0)
                for byte in bytes[start..<start + markDistance] {
                    leads += isLead(byte) ? 1 : 0
                    pairs += byte >= 0xF0 ? 1 : 0
                }
                mark.scalars += leads
                mark.units += leads + pairs
                marks.append(mark)
                start += markDistance
            }
        }
    }

    /// Whether an octet begins a character.
    private static func isLead(_ byte: UInt8) -> Bool { byte & 0xC0 != 0x80 }

    /// Adds the lines that begin at some octets, of which 0 is none. Lines end with a line feed, a carriage return, or
    /// both.
    private static func addStarts(of bytes: [UInt8], _ octets: Range<Int>, to starts: inout [Int]) {
        bytes.withUnsafeBufferPointer { bytes in
            for start in octets {
                let byte = bytes[start - 1]
                let isEnd =
                    byte == UInt8(ascii: "\n")
                    || byte == UInt8(ascii: "\r") && (start == bytes.count || bytes[start] != UInt8(ascii: "\n"))
                if isEnd { starts.append(start) }
            }
        }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The octets of a line without its end; empty for a line that does not exist.
    func line(_ number: Int) -> Range<Int> {
        guard lineStarts.indices.contains(number) else { return bytes.count..<bytes.count }
        let start = lineStarts[number]
        var end = number + 1 < lineStarts.count ? lineStarts[number + 1] : bytes.count
        while end > start, bytes[end - 1] == UInt8(ascii: "\n") || bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return start..<end
    }

    /// The octet at a position. A column behind the end of its line means the end, a line behind the last one the end
    /// of the text, and a position in the middle of a character its beginning.
    func offset(of position: TextPosition, _ encoding: PositionEncoding) -> Int {
        guard position.line < lineStarts.count else { return bytes.count }
        let line = line(position.line)
        var units = 0
        var index = line.lowerBound
        while index < line.upperBound {
            var next = index + 1
            var width = encoding.units(ofLead: bytes[index])
            while next < line.upperBound, bytes[next] & 0xC0 == 0x80 {
                width += encoding.units(ofLead: bytes[next])
                next += 1
            }
            guard units + width <= position.character else { break }
            units += width
            index = next
        }
        return index
    }

    func position(of offset: Int, _ encoding: PositionEncoding) -> TextPosition {
        let offset = min(max(offset, 0), bytes.count)
        let line = lineNumber(of: offset)
        let start = units(before: lineStarts[line], encoding)
        return TextPosition(line: line, character: units(before: offset, encoding) - start)
    }

    /// The units of the whole text before an octet.
    private func units(before offset: Int, _ encoding: PositionEncoding) -> Int {
        guard encoding == .utf16, !marks.isEmpty else { return offset }
        let mark = min(offset / Self.markDistance, marks.count - 1)
        return bytes[(mark * Self.markDistance)..<offset].reduce(marks[mark].units) { $0 + encoding.units(ofLead: $1) }
    }

    /// The Unicode scalars of the whole text before an octet.
    private func scalars(before offset: Int) -> Int {
        let mark = offset / Self.markDistance
        return marks[mark].scalars + bytes[(mark * Self.markDistance)..<offset].count { Self.isLead($0) }
    }

    /// The octet of a character that is counted as diagnostics count: line and column from 1, in Unicode scalars.
    func offset(line: Int, column: Int) -> Int {
        let line = self.line(max(line, 1) - 1)
        guard column > 1, !line.isEmpty else { return line.lowerBound }
        guard column <= line.count else { return line.upperBound }
        let sought = scalars(before: line.lowerBound) + column - 1
        let mark = marks.firstPlace { $0.scalars > sought } - 1
        var index = mark * Self.markDistance
        var passed = marks[mark].scalars
        while index < line.upperBound {
            if Self.isLead(bytes[index]) {
                if passed == sought { return index }
                passed += 1
            }
            index += 1
        }
        return line.upperBound
    }

    /// The line of an octet, from 0.
    func lineNumber(of offset: Int) -> Int {
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return low
    }

    /// Replaces octets. What is known of the text before them stays.
    mutating func replace(_ range: Range<Int>, with text: String) {
        let range = range.clamped(to: 0..<bytes.count)
        let added = text.utf8.count
        bytes.replaceSubrange(range, with: text.utf8)
        // Whether a line begins somewhere depends on the octets on both sides.
        let kept = lineStarts.firstPlace { $0 >= max(range.lowerBound, 1) }
        let behind = lineStarts.firstPlace { $0 > range.upperBound }
        let moved = lineStarts[behind...].map { $0 + added - range.count }
        lineStarts.removeSubrange(kept...)
        let first = max(range.lowerBound, 1)
        Self.addStarts(of: bytes, first..<max(range.lowerBound + added + 1, first), to: &lineStarts)
        lineStarts += moved
        marks.removeLast(max(marks.count - 1 - range.lowerBound / Self.markDistance, 0))
        Self.addMarks(in: bytes, to: &marks)
    }
}

/// A part of a text as the protocol tells it.
struct TextRange: Equatable {
    var start: TextPosition
    /// The position behind it.
    var end: TextPosition
}
