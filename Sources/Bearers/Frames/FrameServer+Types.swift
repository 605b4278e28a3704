package import MeshCore

/// The clients of a server, their requests and their limits.
extension FrameServer {
    /// Identifies a client; never reused during a server's life.
    package struct Client: RawRepresentable, Hashable, Comparable, Sendable {
        /// Counts up from 0.
        package let rawValue: UInt32

        package init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// Clients in the order in which they connected.
        package static func < (left: Client, right: Client) -> Bool { left.rawValue < right.rawValue }
    }

    /// A link of a client, by the client's own number.
    package struct ClientLink: Hashable, Sendable {
        /// The client that the link belongs to.
        package let client: Client
        /// The client's number for the link.
        package let link: LinkIdentifier

        package init(client: Client, link: LinkIdentifier) {
            self.client = client
            self.link = link
        }
    }

    /// What clients ask for, and how they come and go.
    package enum Event: Hashable, Sendable {
        /// A client has said hello. `peer` is its name for people; the fingerprint is its certificate's, if it has one.
        case came(Client, peer: String, fingerprint: [UInt8]?)
        /// Begin to connect. The owner answers with ``opened(_:maximumPacketSize:_:)`` or ``close(_:_:)``.
        case connect(ClientLink, LinkTarget)
        /// Write a packet to Data In. It may arrive before the link is open.
        case received(ClientLink, [UInt8])
        /// Close a link, or stop connecting. It is also sent for each link of a client that is gone.
        case closed(ClientLink)
        /// Begin to report what advertises, or stop. A client that is gone has stopped.
        case scan(Client, Bool)
        /// A client is gone or was dropped; follows the events of its links.
        case left(Client, reason: String)
        /// A connection did not become a client.
        case turnedAway(peer: String, reason: String)
    }

    /// The limits of clients.
    package struct Settings: Sendable {
        /// The most clients at once; further ones are told so and dropped.
        package var maximumClients = 16
        /// The most links of a client at once, 1...255. Connections with the same certificate count as one client.
        package var maximumLinks = 4
        /// Whether clients may scan.
        package var canScan = true
        /// How long a client may take to say hello.
        package var greetingTimeout = Duration.seconds(10)
        /// The longest time without a frame to a client, up to 65 s.
        package var silence = Duration.seconds(5)
        /// How often to check whether a connected client has been denied.
        package var reviewInterval = Duration.seconds(5)

        /// The default limits.
        package init() {}
    }
}
