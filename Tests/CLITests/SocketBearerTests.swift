import Bearers
import Foundation
import MeshCore
import Testing

/// A Unix socket path of its own for each test, short enough for every system.
private func socketAddress() -> SocketAddress {
    .unix(path: "/tmp/meshplan-\(UInt32.random(in: 0...UInt32.max)).sock")
}

/// Runs the server until it has reported as many events, for at most ten seconds.
private func events(_ server: FrameServer, _ count: Int) throws -> [FrameServer.Event] {
    var events: [FrameServer.Event] = []
    let deadline = ContinuousClock.now.advanced(by: .seconds(10))
    while events.count < count, ContinuousClock.now < deadline {
        events += try server.wait(atMost: .milliseconds(200))
    }
    return events
}

extension Bearer {
    /// A link that is open.
    fileprivate func opened() throws -> LinkIdentifier {
        let link = try connect(to: .anyProxy)
        guard case .opened(link, _)? = try event() else { throw BearerError("the link did not open") }
        return link
    }

    /// The next event within ten seconds.
    fileprivate func event() throws -> BearerEvent? {
        let deadline = now.advanced(by: .seconds(10))
        while now < deadline {
            if let event = try next(until: deadline) { return event }
        }
        return nil
    }
}

@Suite("Socket bearer and frame server")
struct SocketBearerTests {
    private let link = LinkIdentifier(rawValue: 0)

    @Test(
        "packets go both ways over a Unix socket and over TCP",
        arguments: [nil, SocketAddress.tcp(host: "127.0.0.1", port: 0)]
    )
    func bothWays(address: SocketAddress?) throws {
        let server = try FrameServer(listeningAt: address ?? socketAddress())
        let bearer = SocketBearer(address: server.address)
        #expect(try bearer.connect(to: .anyProxy) == link)
        #expect(try bearer.event() == .opened(link, maximumPacketSize: 66))
        try bearer.send([1, 2, 3], on: link)
        try bearer.send([4], on: link)
        #expect(try events(server, 3) == [.opened(link), .received(link, [1, 2, 3]), .received(link, [4])])
        for count in 1...512 { server.send([UInt8](repeating: UInt8(count % 256), count: count), to: link) }
        for count in 1...512 {
            #expect(try bearer.event() == .received(link, [UInt8](repeating: UInt8(count % 256), count: count)))
            // What does not fit into the system's buffer at once follows as soon as there is room.
            _ = try server.wait(atMost: .zero)
        }
    }

    @Test("several links of one bearer are told apart, and closing one leaves the others")
    func severalLinks() throws {
        let server = try FrameServer(listeningAt: socketAddress())
        let bearer = SocketBearer(address: server.address)
        let first = try bearer.opened()
        let second = try bearer.opened()
        #expect(first != second)
        _ = try events(server, 2)
        bearer.close(first)
        bearer.close(first)
        #expect(try events(server, 1) == [.closed(first, reason: "the other side closed the connection")])
        server.send([9], to: second)
        server.send([8], to: first)
        #expect(try bearer.event() == .received(second, [9]))
        try bearer.send([1], on: first)
    }

    @Test("the end of the server closes links with a reason, once")
    func serverEnds() throws {
        let address = socketAddress()
        let server = try FrameServer(listeningAt: address)
        let bearer = SocketBearer(address: address)
        _ = try bearer.opened()
        _ = try events(server, 1)
        server.send([7], to: link)
        server.close()
        #expect(try bearer.event() == .received(link, [7]))
        #expect(try bearer.event() == .closed(link, BearerError("the other side closed the connection")))
        #expect(try bearer.next(until: bearer.now.advanced(by: .milliseconds(5))) == nil)
        #expect(throws: BearerError.self) { try bearer.connect(to: .anyProxy) }
    }

    @Test("a refused connection names the address and how to start a simulator")
    func refused() {
        let bearer = SocketBearer(address: .unix(path: "/tmp/meshplan-nobody.sock"))
        let error = #expect(throws: BearerError.self) { try bearer.connect(to: .anyProxy) }
        #expect(error?.message == "cannot connect to unix:/tmp/meshplan-nobody.sock: No such file or directory")
        #expect(error?.hint?.contains("meshplan sim --listen unix:/tmp/meshplan-nobody.sock") == true)
    }

    @Test("a path that is too long for a socket is refused by its length")
    func longPath() {
        let bearer = SocketBearer(address: .unix(path: "/tmp/" + String(repeating: "x", count: 200)))
        let error = #expect(throws: BearerError.self) { try bearer.connect(to: .anyProxy) }
        #expect(error?.message.contains("205 octets") == true)
    }

    @Test("a second server does not take the address, a stale socket file does not hinder")
    func inUse() throws {
        let address = socketAddress()
        guard case .unix(let path) = address else { return }
        do {
            let server = try FrameServer(listeningAt: address)
            let error = #expect(throws: BearerError.self) { try FrameServer(listeningAt: address) }
            #expect(error?.message.contains("somebody listens there already") == true)
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

    @Test("waiting ends at the deadline, and early when the pipe wakes it")
    func wakeUp() throws {
        let server = try FrameServer(listeningAt: socketAddress())
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let bearer = SocketBearer(address: server.address, wakeUp: ends[0])
        _ = try bearer.opened()
        let deadline = bearer.now.advanced(by: .milliseconds(3))
        while bearer.now < deadline { #expect(try bearer.next(until: deadline) == nil) }
        _ = write(ends[1], "x", 1)
        #expect(try bearer.next(until: bearer.now.advanced(by: .seconds(60))) == nil)
        // The octet is used up.
        #expect(try bearer.next(until: bearer.now.advanced(by: .milliseconds(3))) == nil)
    }

    @Test("a client that sends what is no frame is dropped and the other one is served on")
    func hostileClient() throws {
        let server = try FrameServer(listeningAt: socketAddress())
        let good = SocketBearer(address: server.address)
        _ = try good.opened()
        _ = try events(server, 1)
        guard case .unix(let path) = server.address else { return }
        let handle = try rawConnection(path)
        defer { close(handle) }
        _ = write(handle, [0x00, 0x01, 0x55, 0xFF, 0xFF, 0x00] as [UInt8], 6)
        let hostile = LinkIdentifier(rawValue: 1)
        #expect(
            try events(server, 3) == [
                .opened(hostile), .received(hostile, [0x55]),
                .closed(hostile, reason: "the other side sent a frame of 65535 octets, 512 are the most"),
            ]
        )
        try good.send([1], on: link)
        #expect(try events(server, 1) == [.received(link, [1])])
    }

    @Test("a client that does not read is dropped when its buffer is full")
    func slowClient() throws {
        let server = try FrameServer(listeningAt: socketAddress())
        let bearer = SocketBearer(address: server.address)
        _ = try bearer.opened()
        _ = try events(server, 1)
        let packet = [UInt8](repeating: 5, count: 512)
        for _ in 0..<4_000 { server.send(packet, to: link) }
        #expect(try events(server, 1) == [.closed(link, reason: "the other side reads too slowly")])
    }

    @Test("an impossible packet is an error of the caller and leaves the link open")
    func impossiblePacket() throws {
        let server = try FrameServer(listeningAt: socketAddress())
        let bearer = SocketBearer(address: server.address)
        _ = try bearer.opened()
        #expect(throws: BearerError.self) { try bearer.send([], on: link) }
        #expect(throws: BearerError.self) { try bearer.send([UInt8](repeating: 0, count: 600), on: link) }
        try bearer.send([1], on: link)
        #expect(try events(server, 2).last == .received(link, [1]))
    }

    private func rawConnection(_ path: String) throws -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        #if canImport(Darwin)
        let number = socket(AF_UNIX, SOCK_STREAM, 0)
        #else
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0)
        return number
    }
}
