import MeshCore
import Testing

@testable import Bearers

@Suite("Frames of a hub, names and pauses")
struct HubCodecTests {
    private static func name(_ text: String) -> HubName { HubName(text) ?? HubName("x").unsafelyUnwrapped }

    private static let requests: [HubRequest] = [
        .announce(name("basement"), program: "0.1.0", silence: 1),
        .announce(name(String(repeating: "a", count: 48)), program: String(repeating: "9", count: 32), silence: .max),
        .announce(name("a"), program: "", silence: 5_000), .reach(name("roof-2.b_c")), .list,
        .carry(HubCall(rawValue: 0)), .carry(HubCall(rawValue: .max)),
        .load(HubLoad(clients: 1, links: 2, maximumLinks: 3)), .load(HubLoad()), .otherVersion(7),
    ]

    private static let replies: [HubReply] = [
        .welcome(silence: 1), .welcome(silence: .max), .otherVersion(9), .alive, .refused(version: 4),
        .call(HubCall(rawValue: 5), peer: "127.0.0.1:5"), .call(HubCall(rawValue: .max), peer: ""),
        .gateway(
            HubEntry(
                name: name("basement"),
                peer: "[::1]:7",
                since: Timestamp(rawValue: -1),
                program: "0.1.0",
                throughHub: 1,
                load: HubLoad(clients: 2, links: 3, maximumLinks: .max)
            )
        ),
        .listed(since: Timestamp(rawValue: 1_795_000_000), program: "0.1.0"),
        .end(BearerError("é", hint: "Go.")),
    ]

    @Test("every request comes out as it went in, and no part of it nor more than it does", arguments: requests)
    func requestRoundTrip(request: HubRequest) throws {
        let content = request.encoded
        #expect(try HubRequest(decoding: content) == request)
        for count in 0..<content.count where count < content.count {
            #expect(throws: FrameError.self) { try HubRequest(decoding: Array(content.prefix(count))) }
        }
        if case .otherVersion = request { return }
        #expect(throws: FrameError.self) { try HubRequest(decoding: content + [0]) }
    }

    @Test("so does every reply", arguments: replies)
    func replyRoundTrip(reply: HubReply) throws {
        let content = reply.encoded
        #expect(try HubReply(decoding: content) == reply)
        for count in 0..<content.count {
            #expect(throws: FrameError.self) { try HubReply(decoding: Array(content.prefix(count))) }
        }
        if case .otherVersion = reply { return }
        #expect(throws: FrameError.self) { try HubReply(decoding: content + [0]) }
    }

    @Test("long texts are cut, and characters that move a cursor do not arrive")
    func texts() throws {
        let long = HubReply.call(HubCall(rawValue: 1), peer: "\u{1B}[2J" + String(repeating: "ü", count: 80))
        guard case .call(_, let peer) = try HubReply(decoding: long.encoded) else { throw BearerError("no call") }
        #expect(peer.hasPrefix("\u{FFFD}[2J") && peer.utf8.count <= 82)
        let foreign = [UInt8](arrayLiteral: 0x21, 0x6D, 0x65, 0x73, 0x68, 0, 1)
        #expect(throws: FrameError.foreign) { try HubRequest(decoding: foreign) }
    }

    @Test(
        "a name has letters and digits, and single marks between them",
        arguments: [
            ("a", true), ("Basement-2.north_wing", true), (String(repeating: "a", count: 48), true), ("", false),
            (String(repeating: "a", count: 49), false), ("-a", false), ("a.", false), ("a..b", false), ("a b", false),
            ("a@b", false), ("a/b", false), ("ä", false), ("..", false),
        ]
    )
    func names(text: String, isValid: Bool) { #expect((HubName(text) != nil) == isValid) }

    @Test("pauses double up to the longest, chance spreads them, and they begin anew after a good connection")
    func pauses() {
        var redialling = Redialling(shortest: .seconds(1), longest: .seconds(20))
        var now = Instant.zero
        #expect(redialling.next == .zero)
        let longest = [1, 2, 4, 8, 16, 20, 20].map { seconds in
            let pause = redialling.failed(at: now, chance: 1)
            #expect(redialling.next == now.advanced(by: pause))
            now = redialling.next
            return pause == .seconds(seconds)
        }
        #expect(!longest.contains(false))
        #expect(redialling.failed(at: now, chance: 0) == .seconds(10))
        #expect(redialling.failed(at: now, chance: 0.5) == .seconds(15))
        redialling.welcomed(at: now)
        #expect(redialling.failed(at: now.advanced(by: .seconds(29)), chance: 0) == .seconds(10))
        redialling.welcomed(at: now)
        #expect(redialling.failed(at: now.advanced(by: .seconds(30)), chance: 0) == .milliseconds(500))
        for _ in 0..<100 { redialling.failed(at: now, chance: 2) }
        #expect(redialling.failed(at: now, chance: 2) == .seconds(20))
    }
}
