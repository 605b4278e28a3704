import Bearers
import Foundation
import MeshCore
import TestSupport
import Testing

/// A Unix socket path of its own for each test, short enough for every system.
private func socketAddress() -> SocketAddress {
    .unix(path: "/tmp/meshplan-\(UInt32.random(in: 0...UInt32.max)).sock")
}

/// A server in a thread of its own that does what a test says, since a bearer waits for its hello.
private final class ServerThread {
    /// What both threads use, under its lock.
    private final class Shared: @unchecked Sendable {
        let lock = NSLock()
        var isStopped = false
        var seen: [FrameServer.Event] = []
        var orders: [(FrameServer) -> Void] = []
        let finished = DispatchSemaphore(value: 0)
        let server: FrameServer

        init(_ server: FrameServer) {
            self.server = server
        }

        func run(opens: Bool) {
            while !lock.withLock({ isStopped }) {
                let present = lock.withLock {
                    defer { orders = [] }
                    return orders
                }
                for order in present { order(server) }
                let events = (try? server.wait(atMost: .milliseconds(2))) ?? []
                for event in events {
                    if opens, case .connect(let link, _) = event { server.opened(link, maximumPacketSize: 66) }
                }
                // Who has come is for people; a test knows.
                lock.withLock {
                    seen += events.filter { event in
                        if case .came = event { return false }
                        return true
                    }
                }
            }
            server.close()
            finished.signal()
        }
    }

    private let shared: Shared
    let address: SocketAddress

    /// Opens every link at once unless told otherwise.
    init(_ server: FrameServer, opens: Bool) {
        let shared = Shared(server)
        self.shared = shared
        address = server.address ?? .unix(path: "/nowhere")
        Thread { shared.run(opens: opens) }.start()
    }

    deinit {
        stop()
    }

    /// Runs something in the server's thread.
    func order(_ body: @escaping (FrameServer) -> Void) {
        shared.lock.withLock { shared.orders.append(body) }
    }

    /// Ends the server and waits for its end.
    func stop() {
        let wasStopped = shared.lock.withLock {
            defer { shared.isStopped = true }
            return shared.isStopped
        }
        if !wasStopped { shared.finished.wait() }
    }

    /// All events, once there are so many, after ten seconds at most.
    func events(_ count: Int) -> [FrameServer.Event] {
        let deadline = ContinuousClock.now.advanced(by: .seconds(10))
        while true {
            let events = shared.lock.withLock { shared.seen }
            if events.count >= count || ContinuousClock.now > deadline { return events }
            usleep(500)
        }
    }
}

extension SocketBearer {
    /// The next event within ten seconds.
    fileprivate func event() throws -> BearerEvent? {
        let deadline = now.advanced(by: .seconds(10))
        while now < deadline {
            if let event = try next(until: deadline) { return event }
        }
        return nil
    }

    /// A link that is open.
    fileprivate func opened() throws -> LinkIdentifier {
        let link = try connect(to: .anyProxy)
        guard case .opened(link, 66, nil)? = try event() else { throw BearerError("the link did not open") }
        return link
    }
}

private let client = FrameServer.Client(rawValue: 0)
private let link = LinkIdentifier(rawValue: 0)
private let clientLink = FrameServer.ClientLink(client: client, link: link)
private let advertiser = AdvertiserIdentifier(rawValue: [1, 2, 3])
private let advertisement = Advertisement(advertiser: advertiser, content: .proxy(.networkID(7)), signal: -60)

@Suite("Socket bearer and frame server")
struct SocketBearerTests {
    private func serve(
        _ address: SocketAddress? = nil,
        maximumClients: Int = 16,
        maximumLinks: Int = 4,
        canScan: Bool = true,
        greetingTimeout: Duration = .seconds(10),
        silence: Duration = .seconds(5),
        opens: Bool = true
    ) throws -> ServerThread {
        var settings = FrameServer.Settings()
        settings.maximumClients = maximumClients
        settings.maximumLinks = maximumLinks
        settings.canScan = canScan
        settings.greetingTimeout = greetingTimeout
        settings.silence = silence
        return ServerThread(
            try FrameServer(listeningAt: address ?? socketAddress(), settings: settings),
            opens: opens
        )
    }

    @Test(
        "packets go both ways over a Unix socket and over TCP",
        arguments: [nil, SocketAddress.tcp(host: "127.0.0.1", port: 0)]
    )
    func bothWays(address: SocketAddress?) throws {
        let thread = try serve(address)
        let bearer = SocketBearer(address: thread.address)
        #expect(try bearer.opened() == link)
        try bearer.send([1, 2, 3], on: link)
        try bearer.send([4], on: link)
        #expect(
            thread.events(3) == [
                .connect(clientLink, .anyProxy), .received(clientLink, [1, 2, 3]), .received(clientLink, [4]),
            ]
        )
        func packet(_ count: Int) -> [UInt8] { [UInt8](repeating: UInt8(count % 256), count: count) }
        thread.order { server in for count in 1...512 { server.send(packet(count), on: clientLink) } }
        for count in 1...512 { #expect(try bearer.event() == .received(link, packet(count))) }
    }

    @Test("several links share one connection, and closing one leaves the others")
    func severalLinks() throws {
        let thread = try serve(maximumLinks: 2)
        let bearer = SocketBearer(address: thread.address)
        #expect(bearer.maximumLinks == 2, "the gateway is asked")
        #expect(SocketBearer(address: .unix(path: "/tmp/meshplan-nobody.sock")).maximumLinks == 1)
        let first = try bearer.opened()
        let second = try bearer.opened()
        let full = #expect(throws: BearerError.self) { try bearer.connect(to: .anyProxy) }
        #expect(full?.message.hasPrefix("all 2 links of unix:") == true)
        bearer.close(first)
        bearer.close(first)
        try bearer.send([1], on: first)
        try bearer.send([2], on: second)
        let other = FrameServer.ClientLink(client: client, link: second)
        #expect(
            thread.events(4) == [
                .connect(clientLink, .anyProxy), .connect(other, .anyProxy), .closed(clientLink),
                .received(other, [2]),
            ]
        )
        thread.order { server in
            server.send([8], on: clientLink)
            server.send([9], on: other)
            server.close(other, BearerError("out of range", hint: "Go nearer."))
            server.send([10], on: other)
        }
        #expect(try bearer.event() == .received(second, [9]))
        #expect(try bearer.event() == .closed(second, BearerError("out of range", hint: "Go nearer.")))
        let third = try bearer.opened()
        #expect(third > second, "a number is not used again")
    }

    @Test("a target comes as it was given, and no packet leaves before the link is open")
    func targets() throws {
        let thread = try serve(opens: false)
        let bearer = SocketBearer(address: thread.address)
        let first = try bearer.connect(to: .proxy(advertiser))
        try bearer.send([1], on: first)
        let second = try bearer.connect(to: .provisioning(advertiser))
        let other = FrameServer.ClientLink(client: client, link: second)
        let times = GATTTimes(
            wait: .zero,
            connection: .milliseconds(1),
            mtuExchange: .milliseconds(2),
            discovery: .milliseconds(3),
            subscription: .milliseconds(4)
        )
        #expect(
            thread.events(2) == [
                .connect(clientLink, .proxy(advertiser)), .connect(other, .provisioning(advertiser)),
            ]
        )
        thread.order { server in
            server.close(clientLink, BearerError("not in range"))
            server.opened(other, maximumPacketSize: 20, times)
        }
        #expect(try bearer.event() == .closed(first, BearerError("not in range")))
        #expect(try bearer.event() == .opened(second, maximumPacketSize: 20, times))
        let long = AdvertiserIdentifier(rawValue: [UInt8](repeating: 0, count: 33))
        #expect(throws: BearerError.self) { try bearer.connect(to: .proxy(long)) }
    }

    @Test("what advertises is heard while scanning only")
    func scanning() throws {
        let thread = try serve()
        let bearer = SocketBearer(address: thread.address)
        try bearer.scan(true)
        try bearer.scan(true)
        #expect(thread.events(1) == [.scan(client, true)])
        thread.order { $0.heard(advertisement, by: client) }
        #expect(try bearer.event() == .heard(advertisement))
        try bearer.scan(false)
        #expect(thread.events(2).last == .scan(client, false))
        thread.order { $0.heard(advertisement, by: client) }
        _ = try bearer.opened()
        #expect(thread.events(3).count == 3)
    }

    @Test("advertisements that a slow client would wait for are left out, packets are not")
    func slowScanner() throws {
        let thread = try serve()
        let bearer = SocketBearer(address: thread.address)
        let link = try bearer.opened()
        try bearer.scan(true)
        _ = thread.events(2)
        thread.order { server in
            for number in 0..<100_000 {
                server.heard(advertisement, by: client)
                if number % 2_000 == 0 { server.send([UInt8(number / 2_000)], on: clientLink) }
            }
            server.send([0xFF], on: clientLink)
        }
        var packets: [UInt8] = []
        var heard = 0
        while packets.last != 0xFF, let event = try bearer.event() {
            switch event {
            case .received(link, let packet): packets += packet
            case .heard: heard += 1
            default: Issue.record("\(event)")
            }
        }
        #expect(packets == Array(0..<50) + [0xFF])
        #expect(heard > 0 && heard < 100_000)
    }

    @Test("a gateway that cannot scan says so")
    func cannotScan() throws {
        let thread = try serve(canScan: false)
        let bearer = SocketBearer(address: thread.address)
        let error = #expect(throws: BearerError.self) { try bearer.scan(true) }
        #expect(error?.message.hasSuffix("cannot scan") == true)
        _ = try bearer.opened()
    }

    @Test("the end of the server closes all links with a reason, once, and a new one is connected to again")
    func serverEnds() throws {
        let address = socketAddress()
        let thread = try serve(address)
        let bearer = SocketBearer(address: address)
        let first = try bearer.opened()
        let second = try bearer.opened()
        thread.order { $0.send([7], on: clientLink) }
        #expect(try bearer.event() == .received(first, [7]))
        thread.stop()
        let lost = BearerError(
            "the connection to \(address) is lost: the other side closed the connection",
            hint: "Check that it runs and that the network lets you reach it."
        )
        #expect(try bearer.event() == .closed(first, lost))
        #expect(try bearer.event() == .closed(second, lost))
        #expect(try bearer.next(until: bearer.now.advanced(by: .milliseconds(5))) == nil)
        // A gateway that was there may be starting again, so a link waits for it for a while.
        let third = try bearer.connect(to: .anyProxy)
        #expect(try bearer.next(until: bearer.now.advanced(by: .milliseconds(20))) == nil)
        let again = try serve(address)
        #expect(try bearer.event() == .opened(third, maximumPacketSize: 66))
        #expect(third > second)
        #expect(again.events(1).count == 1)
    }

    @Test("scanning goes on after the gateway was started again")
    func scanningAgain() throws {
        let address = socketAddress()
        let thread = try serve(address)
        let bearer = SocketBearer(address: address)
        try bearer.scan(true)
        _ = thread.events(1)
        thread.stop()
        #expect(try bearer.next(until: bearer.now.advanced(by: .milliseconds(20))) == nil)
        let again = try serve(address)
        again.order { _ in }
        let deadline = bearer.now.advanced(by: .seconds(10))
        while again.events(0).isEmpty, bearer.now < deadline {
            _ = try bearer.next(until: bearer.now.advanced(by: .milliseconds(20)))
        }
        #expect(again.events(1) == [.scan(client, true)])
        again.order { $0.heard(advertisement, by: client) }
        #expect(try bearer.event() == .heard(advertisement))
    }

    @Test("a refused connection names the address and how to start a simulator")
    func refused() {
        let bearer = SocketBearer(address: .unix(path: "/tmp/meshplan-nobody.sock"))
        let error = #expect(throws: BearerError.self) { try bearer.connect(to: .anyProxy) }
        #expect(error?.message == "cannot connect to unix:/tmp/meshplan-nobody.sock: No such file or directory")
        #expect(error?.hint?.remedies == [.simulate(at: "unix:/tmp/meshplan-nobody.sock")])
    }

    @Test("a path that is too long for a socket is refused by its length")
    func longPath() {
        let bearer = SocketBearer(address: .unix(path: "/tmp/" + String(repeating: "x", count: 200)))
        let error = #expect(throws: BearerError.self) { try bearer.open() }
        #expect(error?.message.contains("205 octets") == true)
    }

    @Test("a second server does not take the address, a stale socket file does not hinder")
    func inUse() throws {
        let address = socketAddress()
        guard case .unix(let path) = address else { return }
        do {
            let server = try FrameServer(listeningAt: address)
            let error = #expect(throws: BearerError.self) { try FrameServer(listeningAt: address) }
            #expect(error?.message.contains("another process already listens there") == true)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            server.close()
            #expect(!FileManager.default.fileExists(atPath: path))
        }
        try Data().write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: BearerError.self) { try FrameServer(listeningAt: address) }
        #expect(error?.message.contains("not a socket") == true)
        try FileManager.default.removeItem(atPath: path)
    }

    @Test("waiting ends at the deadline, early when the pipe wakes it, and while a watched descriptor has something")
    func wakeUp() throws {
        let thread = try serve()
        var ends: [Int32] = [0, 0]
        var input: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0 && pipe(&input) == 0)
        defer { for end in ends + input { close(end) } }
        let bearer = SocketBearer(
            address: thread.address,
            interruption: WaitInterruption(wakeUp: ends[0], watched: [input[0]])
        )
        let link = try bearer.opened()
        let deadline = bearer.now.advanced(by: .milliseconds(3))
        while bearer.now < deadline { #expect(try bearer.next(until: deadline) == nil) }
        _ = write(ends[1], "x", 1)
        #expect(try bearer.next(until: bearer.now.advanced(by: .seconds(60))) == nil)
        // The octet is used up.
        let short = bearer.now.advanced(by: .milliseconds(3))
        while bearer.now < short { #expect(try bearer.next(until: short) == nil) }
        #expect(bearer.now >= short)

        _ = write(input[1], "yes\n", 4)
        for _ in 0..<3 { #expect(try bearer.next(until: bearer.now.advanced(by: .seconds(60))) == nil) }
        thread.order { $0.send([5], on: clientLink) }
        var event: BearerEvent?
        while event == nil { event = try bearer.next(until: bearer.now.advanced(by: .seconds(60))) }
        #expect(event == .received(link, [5]), "what is watched does not hold packets back")
        var text = [UInt8](repeating: 0, count: 8)
        #expect(read(input[0], &text, 8) == 4)
    }

    @Test(
        "a client that breaks a rule is told which and dropped with its links, and the other one is served on",
        arguments: [
            ([[0x7F]], "the other side sent a frame of the unknown type 0x7f"),
            ([[0x03, 0, 0, 0, 0]], "the other side sent a malformed frame of type 0x3"),
            ([ClientFrame.hello(silence: 5_000).encoded], "the other side said hello twice"),
            (
                [[0x02, 0, 0, 0, 5, 0], [0x04, 0, 0, 0, 5], [0x02, 0, 0, 0, 5, 0]],
                "the other side used the link number 5 twice"
            ),
        ]
    )
    func hostileClient(contents: [[UInt8]], reason: String) throws {
        let thread = try serve()
        let good = SocketBearer(address: thread.address)
        let goodLink = try good.opened()
        let raw = try RawConnection(thread.address)
        for content in [ClientFrame.hello(silence: 5_000).encoded] + contents { raw.send(try Frame.encode(content)) }
        var frames = try raw.frames()
        #expect(frames.removeFirst() == .hello(silence: 5_000, maximumLinks: 4, canScan: true))
        #expect(frames.last == .end(BearerError(reason)))
        let deadline = ContinuousClock.now.advanced(by: .seconds(10))
        let left = FrameServer.Event.left(FrameServer.Client(rawValue: 1), reason: reason)
        while !thread.events(0).contains(left), ContinuousClock.now < deadline { usleep(500) }
        #expect(thread.events(0).contains(left))
        try good.send([1], on: goodLink)
        while thread.events(0).last != .received(clientLink, [1]), ContinuousClock.now < deadline { usleep(500) }
        #expect(thread.events(0).last == .received(clientLink, [1]))
    }

    @Test("a client that does not begin with a hello, or with one of another version or protocol, learns why")
    func otherVersions() throws {
        let thread = try serve()
        let early = try RawConnection(thread.address)
        early.send(try Frame.encode(ClientFrame.scan(true).encoded))
        #expect(try early.frames() == [.end(BearerError("the other side did not say hello first"))])
        let newer = try RawConnection(thread.address)
        newer.send(try Frame.encode(ClientFrame.otherVersion(3).encoded + [1, 2, 3]))
        #expect(try newer.frames() == [.refused(version: 2)])
        let foreign = try RawConnection(thread.address)
        foreign.send(Array("GET / HTTP/1.1\r\n\r\n".utf8))
        #expect(
            try foreign.frames() == [
                .end(BearerError("the other side sent a frame of 18245 octets (at most 1024 are allowed)"))
            ]
        )
    }

    @Test("a client that says nothing is dropped in time, one too many at once")
    func silentClients() throws {
        let thread = try serve(maximumClients: 1, greetingTimeout: .milliseconds(100))
        let silent = try RawConnection(thread.address)
        do {
            let served = SocketBearer(address: thread.address)
            _ = try served.opened()
            let surplus = SocketBearer(address: thread.address)
            let error = #expect(throws: BearerError.self) { try surplus.connect(to: .anyProxy) }
            #expect(error?.message.hasSuffix(" refuses the connection: another client is already connected") == true)
        }
        #expect(try silent.frames() == [.end(BearerError("the other side did not say hello in time"))])
        _ = thread.events(2)
        _ = try SocketBearer(address: thread.address).opened()
    }

    @Test("a client with too many links gets them closed, with the reason")
    func tooManyLinks() throws {
        let thread = try serve(maximumLinks: 1)
        let raw = try RawConnection(thread.address)
        for content in [
            ClientFrame.hello(silence: 5_000), .connect(link, .anyProxy),
            .connect(LinkIdentifier(rawValue: 7), .anyProxy), .scan(true), .scan(true),
        ] { raw.send(try Frame.encode(content.encoded)) }
        #expect(thread.events(2) == [.connect(clientLink, .anyProxy), .scan(client, true)])
        thread.order { $0.drop(client, BearerError("enough")) }
        let frames = try raw.frames()
        #expect(
            Set(frames.dropFirst()) == [
                .opened(link, maximumPacketSize: 66),
                .closed(LinkIdentifier(rawValue: 7), BearerError("all 1 links of the client are in use")),
                .end(BearerError("enough")),
            ]
        )
        #expect(
            Array(thread.events(5).dropFirst(2)) == [
                .closed(clientLink), .scan(client, false), .left(client, reason: "enough"),
            ]
        )
    }

    @Test("a client that does not read is dropped when its buffer is full")
    func slowClient() throws {
        let thread = try serve()
        let bearer = SocketBearer(address: thread.address)
        _ = try bearer.opened()
        thread.order { server in
            for _ in 0..<8_000 { server.send([UInt8](repeating: 5, count: 512), on: clientLink) }
        }
        #expect(
            thread.events(3) == [
                .connect(clientLink, .anyProxy), .closed(clientLink),
                .left(client, reason: "the other side reads too slowly"),
            ]
        )
    }

    @Test("an impossible packet is an error of the caller and leaves the link open")
    func impossiblePacket() throws {
        let thread = try serve()
        let bearer = SocketBearer(address: thread.address)
        let link = try bearer.opened()
        #expect(throws: BearerError.self) { try bearer.send([], on: link) }
        #expect(throws: BearerError.self) { try bearer.send([UInt8](repeating: 0, count: 600), on: link) }
        try bearer.send([1], on: link)
        #expect(thread.events(2).last == .received(clientLink, [1]))
    }

    @Test(
        "a gateway of another version, or something else that listens, is told apart with what to do",
        arguments: [
            (
                try? Frame.encode(ServerFrame.refused(version: 3).encoded),
                "speaks version 3 of the frames; this meshplan speaks version 2", "newer meshplan"
            ),
            (try? Frame.encode(ServerFrame.refused(version: 0).encoded), "speaks version 0", "newer gateway"),
            (
                try? Frame.encode(ServerFrame.otherVersion(4).encoded),
                "speaks version 4", "newer meshplan"
            ),
            (try? Frame.encode(ServerFrame.end(BearerError("full up", hint: "Wait.")).encoded), "full up", "Wait."),
            (
                [0, 1, 0], "sent a frame of the unknown type 0x0",
                "Is the program that listens there a meshplan gateway"
            ),
            (
                Array("SSH-2.0-OpenSSH".utf8), "lost: the other side sent a frame of 21331 octets",
                "Is the program that listens there"
            ),
            ([], "does not answer: it accepts the connection, but does not say hello within 50 ms", "may be stopped"),
        ]
    )
    func otherServers(octets: [UInt8]?, message: String, hint: String) throws {
        let listener = try RawListener()
        let octets = try #require(octets)
        let bearer = SocketBearer(address: listener.address, connectTimeout: .milliseconds(octets.isEmpty ? 50 : 5_000))
        listener.acceptInThread(sending: octets)
        let error = #expect(throws: BearerError.self) { try bearer.connect(to: .anyProxy) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        #expect(hint.isEmpty || error?.hint?.contains(hint) == true, "\(error?.hint ?? "")")
    }

    @Test(
        "a gateway that breaks a rule later loses the connection with the reason",
        arguments: [
            ([ServerFrame.packet(link, [1])], "a packet on a link that is not open"),
            (
                [ServerFrame.opened(link, maximumPacketSize: 66), .opened(link, maximumPacketSize: 66)],
                "opened a link twice"
            ),
            ([ServerFrame.refused(version: 1)], "said hello twice"),
            ([ServerFrame.end(BearerError("gone for lunch"))], "gone for lunch"),
        ]
    )
    func hostileServer(frames: [ServerFrame], reason: String) throws {
        let listener = try RawListener()
        let hello = ServerFrame.hello(silence: 5_000, maximumLinks: 4, canScan: true)
        listener.acceptInThread(
            sending: try Frame.encode(hello.encoded),
            then: try frames.flatMap { try Frame.encode($0.encoded) }
        )
        let bearer = SocketBearer(address: listener.address)
        let connecting = try bearer.connect(to: .anyProxy)
        var last: BearerEvent?
        while let event = try bearer.event() {
            last = event
            if case .closed = event { break }
        }
        guard case .closed(connecting, let error)? = last else {
            Issue.record("\(String(describing: last))")
            return
        }
        #expect(error.message.contains(reason))
        let isGoodbye = reason == "gone for lunch"
        #expect(isGoodbye || error.hint?.contains("of the frame protocol") == true, "\(error.hint ?? "")")
    }
}
