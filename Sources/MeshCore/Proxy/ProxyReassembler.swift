/// A mistake of the peer on a proxy link. The link should be closed (Mesh Protocol 6.3.2.2).
package enum ProxyProtocolError: Error, Hashable, Sendable {
    /// The packet is empty or has no payload.
    case malformed(DecodeError)
    /// A continuation or last segment came without a first one.
    case unexpectedSegment
    /// A first segment or complete message came before the last segment of the one before.
    case interrupted
    /// A segment has another message type than the first one.
    case typeChanged
    /// The message has more octets than any valid one.
    case tooLong
    /// The last segment did not arrive in time.
    case timedOut
}

/// Reassembles proxy PDUs from packets (Mesh Protocol 6.3.2).
///
/// A value machine for one direction of one link. After an error it is ready for the next message. Messages of reserved
/// types are reassembled by the same rules and then ignored.
package struct ProxyReassembler: Sendable {
    private struct Partial {
        let type: UInt8
        var payload: [UInt8]

        var pdu: ProxyPDU? { ProxyPDU.MessageType(rawValue: type).map { ProxyPDU(type: $0, payload: payload) } }
    }

    private var partial: Partial?
    private var startedAt = Instant.zero

    /// How long a message may take from its first to its last segment (6.3.2.2).
    package static let timeout = Duration.seconds(20)

    /// A reassembler that waits for a first packet.
    package init() {}

    /// When ``advance(to:)`` must be called; nil between messages.
    package var nextDeadline: Instant? {
        partial == nil ? nil : startedAt.advanced(by: ProxyReassembler.timeout)
    }

    /// Gives up a message that has taken too long.
    ///
    /// - Throws: ``ProxyProtocolError/timedOut`` if there was one.
    package mutating func advance(to now: Instant) throws(ProxyProtocolError) {
        guard let deadline = nextDeadline, deadline <= now else { return }
        partial = nil
        throw .timedOut
    }

    /// Receives one packet.
    ///
    /// - Returns: the PDU that it completes; nil if it completes none of a known type.
    /// - Throws: ``ProxyProtocolError`` if the peer made a mistake, or an earlier message has timed out.
    package mutating func receive(_ packet: [UInt8], at now: Instant) throws(ProxyProtocolError) -> ProxyPDU? {
        try advance(to: now)
        guard let header = packet.first else { throw fail(.malformed(.truncated(offset: 0, needed: 1))) }
        guard packet.count > 1 else { throw fail(.malformed(.truncated(offset: 1, needed: 1))) }
        let type = header & 0x3F
        guard let segmentation = ProxySegmentation(rawValue: header >> 6) else {
            throw fail(.malformed(.prohibited(field: "SAR", value: UInt64(header >> 6))))
        }
        let payload = packet.dropFirst()
        switch segmentation {
        case .complete, .first:
            guard partial == nil else { throw fail(.interrupted) }
            guard payload.count <= ProxyPDU.maximumSize else { throw fail(.tooLong) }
            let whole = Partial(type: type, payload: Array(payload))
            guard segmentation == .first else { return whole.pdu }
            partial = whole
            startedAt = now
            return nil
        case .continuation, .last:
            guard let started = partial else { throw fail(.unexpectedSegment) }
            guard started.type == type else { throw fail(.typeChanged) }
            guard started.payload.count + payload.count <= ProxyPDU.maximumSize else { throw fail(.tooLong) }
            partial?.payload.append(contentsOf: payload)
            guard segmentation == .last else { return nil }
            defer { partial = nil }
            return partial?.pdu
        }
    }

    private mutating func fail(_ error: ProxyProtocolError) -> ProxyProtocolError {
        partial = nil
        return error
    }
}
