/// Cuts what a client sends into messages: headers, an empty line, and as many octets as `Content-Length` says.
///
/// It takes octets in any pieces. What is wrong is told, and the stream goes on behind it wherever that place is known.
struct MessageFraming {
    /// What was found.
    enum Item: Equatable {
        case content([UInt8])
        /// A message that is left out, and why; the next one can be read.
        case problem(String)
        /// Where the next message begins is not known any more.
        case lost(String)
    }

    /// The most octets of all headers of a message.
    static let headerLimit = 4 << 10
    /// The most octets of a content. The largest file that a definition may have, escaped, is smaller.
    static let contentLimit = 64 << 20

    private enum State {
        case headers
        case content(remaining: Int)
        case skipping(remaining: Int)
        case lost
    }

    private var state = State.headers
    private var held: [UInt8] = []
    private let limit: Int

    /// The beginning of a stream.
    ///
    /// - Parameter limit: the most octets of a content.
    init(limit: Int = contentLimit) {
        self.limit = limit
    }

    /// Takes the next octets and gives what they complete.
    mutating func take(_ bytes: some Collection<UInt8>) -> [Item] {
        var items: [Item] = []
        var rest = Array(bytes)[...]
        while true {
            switch state {
            case .lost: return items
            case .headers:
                guard let byte = rest.popFirst() else { return items }
                held.append(byte)
                if held.count > Self.headerLimit {
                    held = []
                    state = .lost
                    items.append(.lost("the headers of a message have more than \(Self.headerLimit) octets"))
                } else if let end = Self.endOfHeaders(held) {
                    if let problem = begin(held[..<end]) { items.append(problem) }
                }
            case .content(let remaining):
                held += rest.prefix(remaining)
                let taken = min(remaining, rest.count)
                rest = rest.dropFirst(taken)
                guard taken == remaining else {
                    state = .content(remaining: remaining - taken)
                    return items
                }
                items.append(.content(held))
                held = []
                state = .headers
            case .skipping(let remaining):
                let taken = min(remaining, rest.count)
                rest = rest.dropFirst(taken)
                guard taken == remaining else {
                    state = .skipping(remaining: remaining - taken)
                    return items
                }
                state = .headers
            }
        }
    }

    /// Whether a message has begun that is not complete.
    var isInMessage: Bool {
        switch state {
        case .headers: !held.isEmpty
        case .content, .skipping: true
        case .lost: false
        }
    }

    /// Where the headers end if the empty line behind them is complete. A line may also end with a line feed alone.
    private static func endOfHeaders(_ held: [UInt8]) -> Int? {
        guard held.last == UInt8(ascii: "\n") else { return nil }
        if held.count >= 4, held.suffix(4).elementsEqual([13, 10, 13, 10]) { return held.count - 4 }
        if held.count >= 2, held[held.count - 2] == UInt8(ascii: "\n") { return held.count - 2 }
        return held.count == 2 && held[0] == UInt8(ascii: "\r") || held.count == 1 ? 0 : nil
    }

    private mutating func begin(_ headers: ArraySlice<UInt8>) -> Item? {
        held = []
        state = .headers
        var length: Int?
        var isForeign = false
        for line in headers.split(separator: UInt8(ascii: "\n")) {
            let text = String(decoding: line.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
            guard let colon = text.firstIndex(of: ":") else { return .problem("a header line without a colon") }
            let value = text[text.index(after: colon)...].drop { $0 == " " }
            switch text[..<colon].lowercased() {
            case "content-length":
                guard let number = Self.length(value), length == nil || length == number else {
                    return .problem("a header Content-Length that is no number of octets")
                }
                length = number
            case "content-type":
                let type = value.lowercased()
                isForeign = type.contains("charset=") && !type.contains("utf-8") && !type.contains("utf8")
            default: break
            }
        }
        guard let length else { return .problem("a message without the header Content-Length") }
        guard !isForeign else {
            state = .skipping(remaining: length)
            return .problem("a content that is not UTF-8")
        }
        guard length <= limit else {
            state = .skipping(remaining: length)
            return .problem("a message of \(length) octets, when \(limit) are allowed")
        }
        state = .content(remaining: length)
        // Room for all of it is made when it comes, not because somebody says so.
        held.reserveCapacity(min(length, 64 << 10))
        return nil
    }

    private static func length(_ text: Substring) -> Int? {
        let digits = text.reversed().drop { $0 == " " }.reversed()
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        return Int(String(digits))
    }

    static func message(_ content: String) -> [UInt8] {
        Array("Content-Length: \(content.utf8.count)\r\n\r\n".utf8) + Array(content.utf8)
    }
}
