package import MeshCore

/// Answers `GET /metrics` over HTTP with a text, for collectors like Prometheus. It runs in the wait of a
/// ``GatewayRelay`` or a ``HubServer``.
///
/// Clients can be hostile: there are only so many at once, a request has a greatest size, and all of it has a time
/// limit. What they send is never shown.
package final class MetricsServer {
    /// The most clients at once; one more makes the server drop one of them (``StrangerBudget``).
    package static let maximumClients = 16
    /// The most octets of a request, its header lines included.
    package static let maximumRequest = 8 * 1_024
    /// How long a client may take from connecting to the end of the answer.
    package static let patience = Duration.seconds(5)

    private struct Client {
        let descriptor: Descriptor
        /// Counts up.
        let number: Int
        let deadline: Instant
        var request: [UInt8] = []
        /// What is left to write; nil before the request is complete.
        var answer: ArraySlice<UInt8>?
    }

    /// Where it listens; has the port that the system chose if the request was for port 0.
    package let address: SocketAddress
    private let clock: BearerClock
    private let text: () -> String
    private var listener: Descriptor?
    private var clients: [Client] = []
    private var strangers = StrangerBudget<Int>(most: MetricsServer.maximumClients)
    private var nextNumber = 0
    private var buffer = [UInt8](repeating: 0, count: 2 * 1_024)

    /// Starts to listen.
    ///
    /// - Parameter text: makes the text of an answer.
    /// - Throws: ``BearerError`` if the address is in use or may not be used.
    package init(
        listeningAt address: SocketAddress,
        clock: BearerClock,
        text: @escaping () -> String
    ) throws(BearerError) {
        let (listener, bound) = try listenStream(at: address, backlog: 128)
        self.listener = listener
        self.address = bound
        self.clock = clock
        self.text = text
    }

    deinit {
        close()
    }

    /// Stops listening and drops all clients. A second call does nothing.
    package func close() {
        guard listener != nil else { return }
        listener = nil
        clients = []
        if case .unix(let path) = address { removeSocketFile(at: path) }
    }

    /// The descriptors that the next wait is for.
    package var watched: [Watched] {
        guard let listener else { return [] }
        return clients.map { Watched(number: $0.descriptor.number, reads: $0.answer == nil, writes: $0.answer != nil) }
            + [Watched(number: listener.number, writes: false)]
    }

    /// When to call ``advance(_:)`` even if nothing is ready.
    package var nextDeadline: Instant? { clients.map(\.deadline).min() }

    /// Reads and writes as much as possible, without waiting.
    ///
    /// - Parameter ready: ``watched`` with the result of the wait.
    package func advance(_ ready: ArraySlice<Watched>) {
        guard let listener else { return }
        let states = Dictionary(ready.lazy.filter(\.isReady).map { ($0.number, $0) }) { first, _ in first }
        let now = clock.now
        var kept: [Client] = []
        for var client in clients {
            let state = states[client.descriptor.number]
            if client.deadline > now, state.map({ serve(&client, $0) }) ?? true {
                kept.append(client)
            } else {
                strangers.remove(client.number)
            }
        }
        clients = kept
        if states[listener.number] != nil { accept(from: listener, at: now) }
    }

    private func accept(from listener: Descriptor, at now: Instant) {
        for _ in 0..<Self.maximumClients {
            guard let descriptor = (try? acceptStream(from: listener)) ?? nil else { return }
            // Whoever reads slowly keeps nobody else waiting.
            if let displaced = strangers.admit(nextNumber, from: Origin(of: descriptor)) {
                clients.removeAll { $0.number == displaced }
            }
            clients.append(
                Client(descriptor: descriptor, number: nextNumber, deadline: now.advanced(by: Self.patience))
            )
            nextNumber += 1
        }
    }

    /// Goes on with a client; false if it is over.
    private func serve(_ client: inout Client, _ state: Watched) -> Bool {
        if client.answer == nil, state.isReadable {
            guard let read = try? client.descriptor.read(into: &buffer) else { return false }
            switch read {
            case .end: return false
            case .nothingYet: return true
            case .bytes(let bytes):
                strangers.hasSpoken(client.number)
                client.request += bytes
                client.answer = answer(to: client.request).map { $0[...] }
            }
        }
        guard var answer = client.answer else { return true }
        guard let count = try? client.descriptor.write(answer) else { return false }
        answer = answer.dropFirst(count)
        client.answer = answer
        if answer.isEmpty { client.descriptor.endWriting() }
        return !answer.isEmpty
    }

    /// The answer to a request; nil while it is incomplete.
    private func answer(to request: [UInt8]) -> [UInt8]? {
        guard request.count <= Self.maximumRequest else {
            return Self.response("431 Request Header Fields Too Large", "")
        }
        // The first line decides; a request without any header lines is one, too.
        let text = String(decoding: request, as: UTF8.self)
        guard text.contains("\r\n\r\n") || text.contains("\n\n") else { return nil }
        let words = text.prefix { $0 != "\r\n" && $0 != "\n" && $0 != "\r" }.split(separator: " ")
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return Self.response("400 Bad Request", "") }
        let path = words[1].prefix { $0 != "?" }
        guard path == "/metrics" || path == "/" else { return Self.response("404 Not Found", "") }
        switch words[0] {
        case "GET": return Self.response("200 OK", self.text())
        case "HEAD": return Self.response("200 OK", "")
        default: return Self.response("405 Method Not Allowed", "")
        }
    }

    private static func response(_ status: String, _ body: String) -> [UInt8] {
        let octets = Array(body.utf8)
        let head = """
            HTTP/1.1 \(status)\r
            Content-Type: text/plain; version=0.0.4; charset=utf-8\r
            Content-Length: \(octets.count)\r
            Connection: close\r
            \r

            """
        return Array(head.utf8) + octets
    }
}
