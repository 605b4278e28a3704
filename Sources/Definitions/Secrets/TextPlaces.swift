import DefinitionModel

/// Lines and columns of offsets. Each offset is only a little higher than the one before, so the search never
/// starts over.
struct TextPlaces {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let file: UInt32
    /// The start of the text, after a byte order mark.
    private let start: Int
    private var offset: Int
    private var lineStart: Int
    private var line: UInt32 = 1

    init(_ bytes: UnsafeBufferPointer<UInt8>, file: UInt32) {
        self.bytes = bytes
        self.file = file
        start = TextScan.byteOrderMarkLength(bytes)
        offset = start
        lineStart = start
    }

    mutating func location(_ target: Int) -> SourceLocation {
        while offset < target {
            if bytes[offset] == UInt8(ascii: "\n") {
                line += 1
                lineStart = offset + 1
            }
            offset += 1
        }
        // A place before the last one is in a line of the same record, so it is near.
        while target < lineStart {
            lineStart -= 1
            line -= 1
            while lineStart > start, bytes[lineStart - 1] != UInt8(ascii: "\n") { lineStart -= 1 }
        }
        if target < offset { offset = max(target, lineStart) }
        let column = bytes[lineStart..<max(target, lineStart)].count { $0 & 0xC0 != 0x80 } + 1
        return SourceLocation(file: file, line: line, column: UInt32(clamping: column))
    }
}
