import Bearers
import MeshCore
import Testing

/// A client and a server that talk over a link where every PDU takes 10 ms.
struct Conversation {
    var client: GATTClient
    var server: ATTServer
    private(set) var now = Instant(microseconds: 1_000_000)
    /// What the client has had to tell its owner.
    private(set) var outputs: [GATTClient.Output] = []
    /// What the client has sent.
    private(set) var sent: [[UInt8]] = []

    init(_ service: MeshService = .proxy, _ server: ATTServer, timing: GATTTiming = GATTTiming()) {
        client = GATTClient(service: service, timing: timing)
        self.server = server
    }

    /// A server with the generic services and a mesh service.
    init(_ service: MeshService = .proxy, mtu: UInt16 = 517) {
        var server = ATTServer(ServicePlan.generic + [.mesh(service)])
        server.mtu = mtu
        self.init(service, server)
    }

    /// Connects and lets both sides talk until nobody has anything to say.
    mutating func open() { carry(client.connected(at: now)) }

    /// Lets time pass without telling the client.
    mutating func wait(_ duration: Duration) { now = now.advanced(by: duration) }

    /// Hands the server what the client has sent last, and the client the server's response; what the client sends then
    /// is only noted.
    mutating func answer() {
        guard let request = sent.last(where: { ATTPDU.kind(ofOpcode: $0.first ?? 0) == .request }),
            let response = server.receive(request)
        else { return }
        note(client.receive(response, at: now))
    }

    /// Hands the client a PDU, and only notes what it sends then.
    mutating func deliver(_ pdu: [UInt8]) { note(client.receive(pdu, at: now)) }

    mutating func deliver(_ pdu: ATTPDU) { deliver(pdu.encoded) }

    mutating func advance(by duration: Duration) {
        wait(duration)
        note(client.advance(to: now))
    }

    /// Notes what the client has sent without handing it to the server.
    mutating func begin() { note(client.connected(at: now)) }

    private mutating func note(_ produced: [GATTClient.Output]) {
        for output in produced {
            if case .send(let pdu) = output { sent.append(pdu) } else { outputs.append(output) }
        }
    }

    private mutating func carry(_ produced: [GATTClient.Output]) {
        var queue = produced
        while !queue.isEmpty {
            let output = queue.removeFirst()
            note([output])
            guard case .send(let pdu) = output else { continue }
            now = now.advanced(by: .milliseconds(10))
            guard let response = server.receive(pdu) else { continue }
            now = now.advanced(by: .milliseconds(10))
            queue += client.receive(response, at: now)
        }
    }

    /// Why the client has given up, nil if it has not.
    var failure: GATTFailure? {
        for case .failed(let failure) in outputs { return failure }
        return nil
    }

    /// The largest packet, nil unless the link is open.
    var packetSize: Int? {
        for case .opened(let size) in outputs { return size }
        return nil
    }

    /// The packets that were received.
    var received: [[UInt8]] {
        outputs.compactMap { output in
            if case .received(let packet) = output { packet } else { nil }
        }
    }
}
