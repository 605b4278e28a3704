import Bearers
import MeshCore
import TestSupport
import Testing

@Suite("Frames on a byte stream")
struct FrameCodecTests {
    private static let link = LinkIdentifier(rawValue: 0x0102_0304)
    private static let advertiser = AdvertiserIdentifier(rawValue: [0xC0, 1, 2, 3, 4, 5])
    private static let longest = AdvertiserIdentifier(rawValue: [UInt8](repeating: 7, count: 32))
    private static let uuid = DeviceUUID(rawValue: Octets16(high: 1, low: 2))

    private static let times = GATTTimes(
        wait: .zero,
        connection: .milliseconds(300),
        mtuExchange: .milliseconds(60),
        discovery: .milliseconds(65_535),
        subscription: .milliseconds(1)
    )

    private static let clientFrames: [ClientFrame] = [
        .hello(silence: 1), .hello(silence: .max), .otherVersion(1), .otherVersion(.max), .connect(link, .anyProxy),
        .connect(link, .proxy(advertiser)),
        .connect(link, .provisioning(longest)), .packet(link, [0xFF]), .packet(link, [UInt8](repeating: 3, count: 512)),
        .close(link), .scan(true), .scan(false), .alive,
    ]

    private static let serverFrames: [ServerFrame] = [
        .hello(silence: 1, maximumLinks: 1, canScan: true), .hello(silence: .max, maximumLinks: 255, canScan: false),
        .otherVersion(1), .otherVersion(.max), .alive,
        .opened(link, maximumPacketSize: 1), .opened(link, maximumPacketSize: 512),
        .opened(link, maximumPacketSize: 66, times), .packet(link, [0]),
        .packet(link, [UInt8](repeating: 3, count: 512)), .closed(link, BearerError("out of range")),
        .closed(link, BearerError("é \u{1F4A1}", hint: "Go nearer.")), .refused(version: 2),
        .end(BearerError("too slow", hint: "Read.")),
        .heard(Advertisement(advertiser: advertiser, content: .proxy(.networkID(5)), signal: -128)),
        .heard(Advertisement(advertiser: longest, content: .proxy(.privateNodeIdentity(hash: 1, random: .max)))),
        .heard(
            Advertisement(
                advertiser: advertiser,
                content: .unprovisioned(ProvisioningAdvertisement(uuid: uuid, oobInformation: 0x8001), uriHash: 0),
                signal: 127
            )
        ),
        .heard(
            Advertisement(
                advertiser: advertiser,
                content: .unprovisioned(ProvisioningAdvertisement(uuid: uuid, oobInformation: 0), uriHash: nil)
            )
        ),
    ]

    @Test(
        "every frame of a client comes out as it went in, and no part of it nor more than it does",
        arguments: clientFrames
    )
    func clientRoundTrip(frame: ClientFrame) throws {
        let content = frame.encoded
        #expect(content.count <= Frame.maximumContentSize)
        #expect(try ClientFrame(decoding: content) == frame)
        for count in 0..<content.count {
            // A shorter packet or advertiser is another one; all else is too short.
            guard let other = try? ClientFrame(decoding: Array(content.prefix(count))) else { continue }
            switch (frame, other) {
            case (.packet, .packet), (.connect, .connect): #expect(other != frame)
            default: Issue.record("\(count) octets were taken for a frame")
            }
        }
        switch frame {
        case .hello, .otherVersion:
            #expect(try ClientFrame(decoding: content + [1, 2]) == frame, "later versions may say more")
        case .packet(_, let packet) where packet.count < 512: break
        case .connect(_, .proxy): break
        default: #expect(throws: FrameError.malformed(content[0])) { try ClientFrame(decoding: content + [0]) }
        }
    }

    @Test(
        "every frame of a server comes out as it went in, and no part of it nor more than it does",
        arguments: serverFrames
    )
    func serverRoundTrip(frame: ServerFrame) throws {
        let content = frame.encoded
        #expect(content.count <= Frame.maximumContentSize)
        #expect(try ServerFrame(decoding: content) == frame)
        for count in 0..<content.count {
            guard let other = try? ServerFrame(decoding: Array(content.prefix(count))) else { continue }
            switch (frame, other) {
            case (.packet, .packet): #expect(other != frame)
            case (.opened(_, _, .some), .opened(_, _, nil)): #expect(count == 7, "the times can be left out as a whole")
            default: Issue.record("\(count) octets were taken for a frame")
            }
        }
        switch frame {
        case .hello, .otherVersion:
            #expect(try ServerFrame(decoding: content + [1, 2]) == frame, "later versions may say more")
        case .packet(_, let packet) where packet.count < 512: break
        default: #expect(throws: FrameError.malformed(content[0])) { try ServerFrame(decoding: content + [0]) }
        }
    }

    @Test("a frame has its length in front, then its type, all most significant octet first")
    func layout() throws {
        #expect(try Frame.encode([0xAA, 0xBB]) == [0x00, 0x02, 0xAA, 0xBB])
        #expect(try Frame.encode([UInt8](repeating: 1, count: 0x101)).prefix(2) == [0x01, 0x01])
        #expect(ClientFrame.hello(silence: 5_000).encoded == [0x01, 0x6D, 0x65, 0x73, 0x68, 0x00, 0x02, 0x13, 0x88])
        #expect(ClientFrame.otherVersion(1).encoded == [0x01, 0x6D, 0x65, 0x73, 0x68, 0x00, 0x01])
        #expect(ClientFrame.packet(Self.link, [9]).encoded == [0x03, 1, 2, 3, 4, 9])
        #expect(
            ServerFrame.hello(silence: 5_000, maximumLinks: 4, canScan: true).encoded
                == [0x81, 0x6D, 0x65, 0x73, 0x68, 0x00, 0x02, 0x13, 0x88, 0x04, 0x01]
        )
        #expect(ServerFrame.opened(Self.link, maximumPacketSize: 66).encoded == [0x82, 1, 2, 3, 4, 0, 66])
        var times = Self.times
        #expect(
            ServerFrame.opened(Self.link, maximumPacketSize: 66, times).encoded
                == [0x82, 1, 2, 3, 4, 0, 66, 0, 0, 0x01, 0x2C, 0, 60, 0xFF, 0xFF, 0, 1]
        )
        times.discovery = .seconds(70)
        times.wait = .microseconds(999)
        let cut = ServerFrame.opened(Self.link, maximumPacketSize: 66, times).encoded
        #expect(try ServerFrame(decoding: cut) == .opened(Self.link, maximumPacketSize: 66, Self.times))
    }

    @Test("types that do not exist, or not in this direction, are named; another protocol is told apart")
    func unknown() {
        for type in UInt8.min...UInt8.max {
            let content = [type] + [UInt8](repeating: 0, count: 30)
            if !(1...6).contains(type) {
                #expect(throws: FrameError.unknownType(type)) { try ClientFrame(decoding: content) }
            }
            if !(0x81...0x88).contains(type) {
                #expect(throws: FrameError.unknownType(type)) { try ServerFrame(decoding: content) }
            }
        }
        #expect(throws: FrameError.foreign) { try ClientFrame(decoding: [0x01] + Array("HTTP/1".utf8)) }
        #expect(throws: FrameError.foreign) { try ServerFrame(decoding: [0x81] + Array("HTTP/1.1".utf8)) }
        #expect(throws: FrameError.empty) { try ClientFrame(decoding: []) }
        #expect(throws: FrameError.empty) { try ServerFrame(decoding: []) }
    }

    @Test("values out of their range are refused")
    func outOfRange() {
        let packet = [UInt8](repeating: 0, count: 513)
        #expect(throws: FrameError.malformed(3)) { try ClientFrame(decoding: [3, 0, 0, 0, 0]) }
        #expect(throws: FrameError.malformed(3)) { try ClientFrame(decoding: [3, 0, 0, 0, 0] + packet) }
        #expect(throws: FrameError.malformed(2)) { try ClientFrame(decoding: [2, 0, 0, 0, 0, 3, 1]) }
        #expect(throws: FrameError.malformed(2)) { try ClientFrame(decoding: [2, 0, 0, 0, 0, 0, 1]) }
        #expect(throws: FrameError.malformed(2)) { try ClientFrame(decoding: [2, 0, 0, 0, 0, 1]) }
        #expect(throws: FrameError.malformed(2)) { try ClientFrame(decoding: [2, 0, 0, 0, 0, 1] + packet.prefix(33)) }
        #expect(throws: FrameError.malformed(5)) { try ClientFrame(decoding: [5, 2]) }
        #expect(throws: FrameError.malformed(0x82)) { try ServerFrame(decoding: [0x82, 0, 0, 0, 0, 0, 0]) }
        #expect(throws: FrameError.malformed(0x82)) { try ServerFrame(decoding: [0x82, 0, 0, 0, 0, 2, 1]) }
        let quiet = ClientFrame.hello(silence: 1).encoded
        #expect(throws: FrameError.malformed(1)) { try ClientFrame(decoding: quiet.dropLast(2) + [0, 0]) }
        #expect(throws: FrameError.malformed(1)) { try ClientFrame(decoding: quiet.dropLast()) }
        #expect(throws: FrameError.malformed(6)) { try ClientFrame(decoding: [6, 0]) }
        let hello = ServerFrame.hello(silence: 1, maximumLinks: 4, canScan: true).encoded
        #expect(throws: FrameError.malformed(0x81)) { try ServerFrame(decoding: hello.prefix(7) + [0, 0, 4, 1]) }
        #expect(throws: FrameError.malformed(0x81)) { try ServerFrame(decoding: hello.dropLast(2) + [0, 1]) }
        #expect(throws: FrameError.malformed(0x81)) { try ServerFrame(decoding: hello.dropLast() + [2]) }
        #expect(throws: FrameError.malformed(0x87)) { try ServerFrame(decoding: [0x87, 0x01, 0x91] + packet) }
    }

    @Test("texts are cut between characters, and what moves the cursor of a terminal does not come through")
    func texts() throws {
        let long = ServerFrame.end(BearerError(String(repeating: "\u{1F4A1}", count: 300), hint: "h"))
        #expect(long.encoded.count <= Frame.maximumContentSize)
        #expect(
            try ServerFrame(decoding: long.encoded)
                == .end(BearerError(String(repeating: "\u{1F4A1}", count: 100), hint: "h"))
        )
        let hostile = ServerFrame.end(BearerError("a\u{1B}[2J\nb\u{9B}"))
        #expect(try ServerFrame(decoding: hostile.encoded) == .end(BearerError("a\u{FFFD}[2J\u{FFFD}b\u{FFFD}")))
        #expect(
            try ServerFrame(decoding: [0x87, 0, 2, 0xFF, 0x41, 0, 0]) == .end(BearerError("\u{FFFD}A")),
            "what is no UTF-8 is repaired"
        )
    }

    @Test("contents come out as they went in, whatever the pieces", arguments: [1, 2, 3, 7, 64, 4096])
    func pieces(size: Int) throws {
        let contents = [1, 2, 20, 66, 255, 256, 512, 1_024].map { count in
            (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
        }
        let stream = try contents.flatMap { try Frame.encode($0) }
        var decoder = FrameDecoder()
        var decoded: [[UInt8]] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            decoder.append(stream[start..<min(start + size, stream.count)])
            while let content = try decoder.next() { decoded.append(content) }
        }
        #expect(decoded == contents)
        #expect(decoder.pending == 0)
    }

    @Test("empty and oversize frames are refused on both sides")
    func refused() {
        #expect(throws: FrameError.empty) { try Frame.encode([]) }
        #expect(throws: FrameError.tooLong(1_025)) { try Frame.encode([UInt8](repeating: 0, count: 1_025)) }
        var decoder = FrameDecoder()
        decoder.append([0, 0, 1])
        #expect(throws: FrameError.empty) { try decoder.next() }
        #expect(throws: FrameError.empty) { try decoder.next() }
        var other = FrameDecoder()
        other.append([0xFF, 0xFF])
        #expect(throws: FrameError.tooLong(65_535)) { try other.next() }
    }

    @Test("random octets never hold more than one frame back, and what they decode to encodes to them again")
    func random() throws {
        var generator = SplitMix64(seed: 5)
        for _ in 0..<200 {
            var decoder = FrameDecoder()
            stream: for _ in 0..<20 {
                decoder.append(
                    (0..<Int.random(in: 0...300, using: &generator)).map { _ in
                        // Mostly small octets, so that lengths are often plausible.
                        UInt8.random(in: 0...(Bool.random(using: &generator) ? 3 : 255), using: &generator)
                    }
                )
                while true {
                    do {
                        guard let content = try decoder.next() else { break }
                        #expect((1...Frame.maximumContentSize).contains(content.count))
                    } catch {
                        break stream
                    }
                }
                #expect(decoder.pending < Frame.maximumContentSize + 2)
            }
        }
        var decoded = 0
        for _ in 0..<20_000 {
            let isServer = Bool.random(using: &generator)
            var content = (0..<Int.random(in: 0...45, using: &generator)).map { _ in
                UInt8.random(in: 0...(Bool.random(using: &generator) ? 2 : 255), using: &generator)
            }
            content.insert((isServer ? 0x81 : 1) + UInt8.random(in: 0...7, using: &generator), at: 0)
            if isServer, let frame = try? ServerFrame(decoding: content) {
                decoded += 1
                #expect(try ServerFrame(decoding: frame.encoded) == frame)
            } else if !isServer, let frame = try? ClientFrame(decoding: content) {
                decoded += 1
                #expect(frame.encoded == content)
            }
        }
        #expect(decoded > 1_000)
    }

    @Test(
        "addresses are read and written back",
        arguments: [
            "unix:/run/mesh.sock", "unix:mesh.sock", "tcp:localhost:7000", "tcp:[::1]:7000", "tcp:10.0.0.1:0",
        ]
    )
    func addresses(text: String) throws {
        #expect(try SocketAddress(text).description == text)
    }

    @Test(
        "what is no address says why",
        arguments: [
            ("", "must begin with"), ("unix:", "path is missing"), ("tcp:host", "port is missing"),
            ("tcp::1", "host is missing"),
            ("tcp:host:65536", "not a number"), ("tcp:host:", "not a number"), ("tcp:::1:80", "brackets"),
            ("udp:x:1", "must begin with"),
        ]
    )
    func wrongAddresses(text: String, problem: String) {
        do {
            _ = try SocketAddress(text)
            Issue.record("\(text) was taken for an address")
        } catch {
            #expect(error.description.contains(problem))
        }
    }
}
