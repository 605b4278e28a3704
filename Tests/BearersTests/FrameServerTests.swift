import Foundation
import MeshCore
import TestSupport
import Testing

@testable import Bearers

@Suite("Frame server at its limits")
struct FrameServerTests {
    private static func server() throws -> FrameServer {
        try FrameServer(listeningAt: .unix(path: "/tmp/meshplan-\(UInt32.random(in: 0...UInt32.max)).sock"))
    }

    @Test("whoever connects again and again does not keep the others from their turn")
    func flood() throws {
        let server = try Self.server()
        defer { server.close() }
        var accepted = 0
        var others: [Descriptor] = []
        server.acceptNext = { _ throws(SystemError) in
            accepted += 1
            guard accepted <= 1_000 else { return nil }
            var numbers: [Int32] = [0, 0]
            guard socketpair(AF_UNIX, streamType, 0, &numbers) == 0 else { throw .last }
            if others.count >= 256 { others.removeFirst() }
            others.append(Descriptor(adopting: numbers[1]))
            return Descriptor(adopting: numbers[0])
        }
        var polled = server.watched
        polled[polled.count - 1].isReadable = true
        for turn in 1...3 {
            _ = server.advance(polled[...])
            #expect(accepted == turn * FrameServer.acceptLimit)
        }
        #expect(server.watched.count <= FrameServer.maximumStrangers + 1, "they make room for one another")
    }

    @Test("a server that can take nobody waits, and takes those who wait later")
    func exhausted() throws {
        let server = try Self.server()
        defer { server.close() }
        server.acceptPause = .milliseconds(1)
        var attempts = 0
        server.acceptNext = { listener throws(SystemError) in
            attempts += 1
            if attempts <= 2 { throw SystemError(number: EMFILE) }
            return try acceptStream(from: listener)
        }
        let raw = try RawConnection(server.address)
        raw.send(try Frame.encode(ClientFrame.hello(silence: 5_000).encoded))
        var polled = server.watched
        polled[polled.count - 1].isReadable = true
        _ = server.advance(polled[...])
        #expect(attempts == 1 && server.watched.last?.reads == false, "to wait for it would end every wait at once")
        #expect(server.nextDeadline != nil)
        let deadline = ContinuousClock.now.advanced(by: .seconds(10))
        var events: [FrameServer.Event] = []
        while events.isEmpty, ContinuousClock.now < deadline { events = try server.wait(atMost: .seconds(1)) }
        #expect(events == [.came(FrameServer.Client(rawValue: 0), peer: "a local process", fingerprint: nil)])
        #expect(attempts > 2)
    }
}
