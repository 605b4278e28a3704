package import MeshCore

/// Who a server deals with, what they want and what they may do.
extension FrameServer {
    /// Names a client; never reused within a server's life.
    package struct Client: RawRepresentable, Hashable, Comparable, Sendable {
        /// Counts up from 0.
        package let rawValue: UInt32

        /// The client with that number.
        package init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// The order of their coming.
        package static func < (left: Client, right: Client) -> Bool { left.rawValue < right.rawValue }
    }

    /// A link of a client, by the client's own number.
    package struct ClientLink: Hashable, Sendable {
        /// Whose it is.
        package let client: Client
        /// Which of the client's.
        package let link: LinkIdentifier

        /// That link of that client.
        package init(client: Client, link: LinkIdentifier) {
            self.client = client
            self.link = link
        }
    }

    /// What clients want.
    package enum Event: Hashable, Sendable {
        /// A client has said hello; who it is, for people, and the fingerprint of its certificate if it has one.
        case came(Client, peer: String, fingerprint: [UInt8]?)
        /// Begin to connect; ``opened(_:maximumPacketSize:_:)`` or ``close(_:_:)`` is to follow.
        case connect(ClientLink, LinkTarget)
        /// Write a packet to Data In; comes too for a link that is not open yet.
        case received(ClientLink, [UInt8])
        /// Close a link, or stop connecting; each link of a client that is gone is told of so too.
        case closed(ClientLink)
        /// Report what advertises, or cease to; a client that is gone has ceased.
        case scan(Client, Bool)
        /// A client is gone or was dropped, after the events of its links.
        case left(Client, reason: String)
        /// Somebody who connected did not become a client.
        case turnedAway(peer: String, reason: String)
    }

    /// What clients may do, and how long they may take.
    package struct Settings: Sendable {
        /// Clients at once; further ones are told so and dropped.
        package var maximumClients = 16
        /// Links of each client at once, 1...255; connections with the same certificate are one client.
        package var maximumLinks = 4
        /// Whether clients may scan.
        package var canScan = true
        /// How long a client may take to say hello.
        package var greetingTimeout = Duration.seconds(10)
        /// The longest time for which a client is told nothing, up to 65 s.
        package var silence = Duration.seconds(5)
        /// How often it is looked whether somebody who was let in is denied meanwhile.
        package var reviewInterval = Duration.seconds(5)

        /// The settings described at each property.
        package init() {}
    }
}
