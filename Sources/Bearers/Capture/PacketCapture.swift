package import MeshCore

/// Turns the packets of links into a pcapng file that Wireshark decodes. It knows no key: network PDUs are written as
/// they were on the air, encrypted and obfuscated.
///
/// Interface 0 has network PDUs (link type 252, exported PDUs for the dissector `btmesh.msg`), interface 1 beacons and
/// provisioning PDUs (link type 251, as if they had been advertised).
package struct PacketCapture {
    /// What is known of one link.
    private struct Link {
        var received = ProxyReassembler()
        var sent = ProxyReassembler()
        /// Provisioning PDUs so far, in each direction.
        var provisioning: (sent: UInt8, received: UInt8)?
    }

    /// The calendar time at the start of the bearer's clock, in microseconds since 1970.
    private let start: UInt64
    private var links: [LinkIdentifier: Link] = [:]

    /// A capture that begins now.
    ///
    /// - Parameters:
    ///   - now: the calendar time, microseconds since 1970.
    ///   - instant: the bearer's clock at that time.
    package init(now: UInt64, at instant: Instant) {
        start = now &- UInt64(clamping: instant.microseconds)
    }

    /// The octets that pcapng files begin with.
    package static let signature = PcapngBlock.signature

    /// The octets that the file begins with.
    ///
    /// - Parameter application: the name and version of this program.
    package static func header(application: String) -> [UInt8] {
        PcapngBlock.sectionHeader(application: application)
            + PcapngBlock.interface(linkType: 252, name: "network PDUs")
            + PcapngBlock.interface(linkType: 251, name: "beacons and provisioning, as if advertised")
    }

    /// What the file gets for a packet that is written to a link; empty while a segmented PDU is incomplete.
    package mutating func sent(_ packet: [UInt8], on link: LinkIdentifier, at now: Instant) -> [UInt8] {
        var state = links[link] ?? Link()
        defer { links[link] = state }
        guard let pdu = (try? state.sent.receive(packet, at: now)) ?? nil else { return [] }
        return blocks(pdu, .outbound, link, &state, at: now)
    }

    /// What the file gets for a packet that arrived on a link; empty while a segmented PDU is incomplete, and for
    /// packets that are none.
    package mutating func received(_ packet: [UInt8], on link: LinkIdentifier, at now: Instant) -> [UInt8] {
        var state = links[link] ?? Link()
        defer { links[link] = state }
        guard let pdu = (try? state.received.receive(packet, at: now)) ?? nil else { return [] }
        return blocks(pdu, .inbound, link, &state, at: now)
    }

    package mutating func closed(_ link: LinkIdentifier) {
        links[link] = nil
    }

    private func blocks(
        _ pdu: ProxyPDU,
        _ direction: PcapngBlock.Direction,
        _ link: LinkIdentifier,
        _ state: inout Link,
        at now: Instant
    ) -> [UInt8] {
        let time = start &+ UInt64(clamping: now.microseconds)
        func block(_ octets: [UInt8], interface: UInt32, comment: String? = nil) -> [UInt8] {
            PcapngBlock.packet(octets, interface: interface, time: time, direction: direction, comment: comment)
        }
        let number = link.rawValue
        switch pdu.type {
        case .network:
            return block(exported("btmesh.msg", pdu.payload), interface: 0)
        case .configuration:
            // No dissector decrypts these: the nonce is that of proxies.
            let comment = "Proxy configuration message on link \(number), encrypted with the proxy nonce"
            return block(exported("data", pdu.payload), interface: 0, comment: comment)
        case .beacon:
            guard let frame = AdvertisedFrame.beacon(pdu.payload, link: number) else { return [] }
            return block(frame, interface: 1, comment: "Beacon on link \(number)")
        case .provisioning:
            var octets: [UInt8] = []
            if state.provisioning == nil {
                state.provisioning = (0, 0x80)
                octets += AdvertisedFrame.linkOpen(link: number).map { block($0, interface: 1) } ?? []
            }
            let transaction: UInt8
            if direction == .outbound {
                transaction = state.provisioning?.sent ?? 0
                state.provisioning?.sent = (transaction &+ 1) & 0x7F
            } else {
                transaction = state.provisioning?.received ?? 0x80
                state.provisioning?.received = (transaction &+ 1) | 0x80
            }
            for frame in AdvertisedFrame.provisioning(pdu.payload, link: number, transaction: transaction) {
                octets += block(frame, interface: 1, comment: "PB-GATT on link \(number)")
            }
            return octets
        }
    }

    /// A PDU with the tags of link type 252 (big-endian): the name of its dissector, and the end of tags.
    private func exported(_ dissector: String, _ pdu: [UInt8]) -> [UInt8] {
        var name = Array(dissector.utf8)
        name += Array(repeating: 0, count: (4 - name.count % 4) % 4)
        return [0, 12, 0, UInt8(name.count)] + name + [0, 0, 0, 0] + pdu
    }
}
