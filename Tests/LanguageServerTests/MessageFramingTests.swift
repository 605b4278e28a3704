import Testing

@testable import LanguageServer

@Suite("Framing of messages")
struct MessageFramingTests {
    private func items(_ text: String, limit: Int = 100) -> [MessageFraming.Item] {
        var framing = MessageFraming(limit: limit)
        return framing.take(Array(text.utf8))
    }

    private func content(_ text: String) -> MessageFraming.Item { .content(Array(text.utf8)) }

    @Test("Two messages in a row")
    func twoMessages() {
        #expect(
            items(
                "Content-Length: 2\r\n\r\n{}Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n"
                    + "content-length:4 \r\n\r\n[12]"
            ) == [content("{}"), content("[12]")]
        )
    }

    @Test("Octet by octet, and with line feeds alone")
    func pieces() {
        let text = "Content-Length: 5\r\n\r\n12345Content-Length: 1\n\n6Content-Length: 0\r\n\r\n"
        var framing = MessageFraming()
        var found: [MessageFraming.Item] = []
        for byte in text.utf8 { found += framing.take([byte]) }
        // The content of length 0 is complete at once, or with the next octets.
        found += framing.take([])
        #expect(found == [content("12345"), content("6"), content("")])
    }

    @Test(
        "Wrong headers are told, and the next message is read",
        arguments: [
            ("\r\n\r\n", "a message without the header Content-Length"),
            ("Content-Type: text/plain\r\n\r\n", "a message without the header Content-Length"),
            ("Content-Length: -1\r\n\r\n", "a header Content-Length that is no number of octets"),
            ("Content-Length: 99999999999999999999\r\n\r\n", "a header Content-Length that is no number of octets"),
            ("Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "a header Content-Length that is no number of octets"),
            ("nonsense\r\n\r\n", "a header line without a colon"),
            ("Content-Type: a; charset=utf-16\r\nContent-Length: 3\r\n\r\nabc", "a content that is not UTF-8"),
            (
                "Content-Length: 101\r\n\r\n" + String(repeating: "x", count: 101),
                "a message of 101 octets, when 100 are allowed"
            ),
        ]
    )
    func wrongHeaders(text: String, problem: String) {
        let found = items(text + "Content-Length: 2\r\n\r\n{}")
        #expect(found.contains(.problem(problem)))
        #expect(found.last == content("{}"))
    }

    @Test("A size that nobody sends costs no memory, and what is skipped is skipped in pieces")
    func hostileSize() {
        var framing = MessageFraming()
        let size = Int.max
        #expect(framing.take(Array("Content-Length: \(size)\r\n\r\n".utf8)).count == 1)
        #expect(framing.take([UInt8](repeating: 0, count: 10_000)).isEmpty)
        #expect(framing.isInMessage)
    }

    @Test("Endless headers end the conversation")
    func endlessHeaders() {
        var framing = MessageFraming()
        let found = framing.take([UInt8](repeating: UInt8(ascii: "a"), count: 10_000))
        #expect(found == [.lost("the headers of a message have more than 4096 octets")])
        #expect(framing.take(Array("Content-Length: 2\r\n\r\n{}".utf8)).isEmpty)
    }
}
