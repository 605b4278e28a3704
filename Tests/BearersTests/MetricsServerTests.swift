import MeshCore
import Testing

@testable import Bearers

@Suite("Metrics over HTTP")
struct MetricsServerTests {
    private let server: MetricsServer

    init() throws {
        let path = "/tmp/meshplan-\(UInt32.random(in: 0...UInt32.max)).sock"
        server = try MetricsServer(listeningAt: .unix(path: path), clock: BearerClock()) {
            "meshplan_links 3\n" + String(repeating: "# filler\n", count: 20_000)
        }
    }

    private func turn() throws {
        var watched = server.watched
        _ = try waitForAny(of: &watched, milliseconds: 5)
        server.advance(watched[...])
    }

    /// What a client gets until its connection is closed.
    private func answer(to client: RawConnection) throws -> String {
        var octets: [UInt8] = []
        for _ in 0..<2_000 {
            try turn()
            guard let more = client.available else { return String(decoding: octets, as: UTF8.self) }
            octets += more
        }
        Issue.record("the connection stays open: \(octets.count) octets")
        return ""
    }

    private func answer(to request: String) throws -> String {
        let client = try RawConnection(server.address)
        client.send(Array(request.utf8))
        return try answer(to: client)
    }

    @Test("answers a GET with all of the text, however long, and closes the connection")
    func get() throws {
        let answer = try answer(to: "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4"))
        #expect(answer.contains("Content-Length: 180017\r\n") && answer.contains("\r\n\r\nmeshplan_links 3\n"))
        #expect(answer.hasSuffix("# filler\n") && answer.utf8.count > 180_017)
    }

    @Test(
        "says what it does not do",
        arguments: [
            ("GET /other HTTP/1.1\r\n\r\n", "404"), ("POST /metrics HTTP/1.1\r\n\r\n", "405"),
            ("nonsense\r\n\r\n", "400"), ("\r\n\r\n", "400"), ("GET /metrics HTTP/9\r\n\r\n", "400"),
            ("GET /metrics HTTP/1.1\r\nX: " + String(repeating: "x", count: 9_000), "431"),
        ]
    )
    func refusals(request: String, status: String) throws {
        let answer = try answer(to: request)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer.prefix(60))")
    }

    @Test("a slow client has a time limit, many are dropped, and others are served all the same")
    func hostile() throws {
        let idle = try (0..<MetricsServer.maximumClients - 1).map { _ in try RawConnection(server.address) }
        for client in idle { client.send(Array("GET ".utf8)) }
        for _ in 0..<20 { try turn() }
        let limit = try #require(server.nextDeadline)
        #expect(try answer(to: "GET / HTTP/1.0\r\n\r\n").hasPrefix("HTTP/1.1 200"))
        #expect(server.nextDeadline == limit, "what a client sends does not move its limit")
        let more = try (0..<12).map { _ in try RawConnection(server.address) }
        for _ in 0..<50 { try turn() }
        #expect((idle + more).count { $0.available == nil } == 11, "over the limit")
        #expect(server.watched.count == MetricsServer.maximumClients + 1)
        #expect(try answer(to: "GET / HTTP/1.0\r\n\r\n").hasPrefix("HTTP/1.1 200"), "slow ones keep nobody waiting")
        server.close()
        #expect(server.watched.isEmpty)
    }
}
