import SystemLayer

extension TextRange {
    /// The range in parameters; nil if it is none. Ends in the wrong order are exchanged.
    init?(_ value: JSONValue?) {
        guard let start = TextPosition(value?["start"]), let end = TextPosition(value?["end"]) else { return nil }
        self.init(start: min(start, end), end: max(start, end))
    }

    var json: JSONValue { .object(["start": start.json, "end": end.json]) }
}

extension TextDocument {
    /// A part of the text as the protocol tells it.
    func range(_ octets: Range<Int>, _ encoding: PositionEncoding) -> TextRange {
        TextRange(start: position(of: octets.lowerBound, encoding), end: position(of: octets.upperBound, encoding))
    }
}
