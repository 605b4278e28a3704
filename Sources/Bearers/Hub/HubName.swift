package import MeshCore

/// The name of a gateway at a hub: letters and digits, with single dots, hyphens and underscores between them, at most
/// 48. It is the name in the certificate that the gateway shows.
package struct HubName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The name as people write it.
    package let text: String

    package static let maximumSize = 48

    package init?(_ text: String) {
        let octets = Array(text.utf8)
        guard (1...Self.maximumSize).contains(octets.count), let first = octets.first, let last = octets.last,
            Self.isLetterOrDigit(first), Self.isLetterOrDigit(last),
            octets.allSatisfy({ Self.isLetterOrDigit($0) || [0x2D, 0x2E, 0x5F].contains($0) }),
            !zip(octets, octets.dropFirst()).contains(where: {
                !Self.isLetterOrDigit($0) && !Self.isLetterOrDigit($1)
            })
        else { return nil }
        self.text = text
    }

    package var description: String { text }

    /// In the order of their texts.
    package static func < (left: HubName, right: HubName) -> Bool { left.text < right.text }

    private static func isLetterOrDigit(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}

/// What a gateway tells its hub about its use.
package struct HubLoad: Hashable, Sendable {
    /// The clients of the gateway, through the hub and directly.
    package var clients: UInt16 = 0
    /// The links that are open or being made.
    package var links: UInt16 = 0
    /// The most links at once.
    package var maximumLinks: UInt16 = 0
}

/// Identifies a request of a hub that a gateway connect for a client. A hub uses no number twice.
package struct HubCall: RawRepresentable, Hashable, Sendable {
    /// Counts up from 0.
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// A gateway that is connected to a hub.
package struct HubEntry: Hashable, Sendable {
    package var name: HubName
    /// Its address, as the hub sees it.
    package var peer: String
    /// Since when it is connected, by the hub's clock.
    package var since: Timestamp
    /// The version of its program.
    package var program: String
    /// The clients that it has through the hub.
    package var throughHub: UInt16
    /// What it tells about its use.
    package var load: HubLoad
}
