import MeshCore

/// A connection of a ``HubServer``, from being accepted to its end.
final class HubPeer {
    /// What a connection is at present.
    enum State {
        /// It has not said yet what it is.
        case stranger
        case gateway(HubPresence)
        /// A client whose gateway was called.
        case waiting(HubCall, HubPresence, until: Instant)
        /// A client and a connection of its gateway, whose octets are passed on to the other.
        case joined(HubPeer, HubPassage)
        /// It is over, but must still get its last octets. Closing a socket with unread data would throw them away.
        case leaving(until: Instant)
        /// It is over and closed.
        case gone
    }

    /// The socket, and TLS on connections of gateways.
    var stream: ByteStream
    /// What has arrived and belongs to no frame yet, or to the other side.
    var decoder = FrameDecoder()
    var state = State.stranger
    /// Whether it came to the gateways' address. Such connections are secured.
    let isGateway: Bool
    /// Whether TLS has begun; it begins with the first octet, so that silence costs next to nothing.
    var isSecuring: Bool
    /// The other side's address.
    let name: String
    let since: Instant

    /// A connection that was just accepted.
    init(_ descriptor: Descriptor, isGateway: Bool, name: String, at now: Instant) {
        stream = ByteStream(descriptor)
        self.isGateway = isGateway
        isSecuring = !isGateway
        self.name = name
        since = now
    }

    /// What the next wait is for.
    var watched: Watched {
        let reads: Bool
        switch state {
        case .stranger, .gateway, .leaving: reads = true
        case .waiting: reads = decoder.pending < HubServer.passageLimit
        case .joined(let other, _): reads = other.stream.waiting < HubServer.passageLimit
        case .gone: reads = false
        }
        return Watched(number: stream.descriptor.number, reads: reads, writes: stream.isWriting)
    }

    var isStranger: Bool { if case .stranger = state { true } else { false } }

    var isGone: Bool { if case .gone = state { true } else { false } }
}

/// A gateway that is connected to a hub.
final class HubPresence {
    let name: HubName
    /// The version of its program.
    let program: String
    let since: Timestamp
    /// Notices that it is gone although nothing says so.
    var keepalive: Keepalive
    /// What it tells about its use.
    var load = HubLoad()
    /// The clients that wait for it or are joined with it.
    var clients = 0

    /// A gateway that has just announced itself.
    init(name: HubName, program: String, since: Timestamp, keepalive: Keepalive) {
        self.name = name
        self.program = program
        self.since = since
        self.keepalive = keepalive
    }
}

/// What passes between a client and its gateway.
final class HubPassage {
    let call: HubCall
    let gateway: HubPresence
    /// The address of the client.
    let client: String
    /// The octets from the client.
    var sent = 0
    /// The octets to the client.
    var received = 0

    /// Nothing has passed yet.
    init(_ call: HubCall, _ gateway: HubPresence, client: String) {
        self.call = call
        self.gateway = gateway
        self.client = client
    }
}
