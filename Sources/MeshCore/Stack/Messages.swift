/// The destination of a message.
package enum Destination: Hashable, Sendable {
    case unicast(UnicastAddress)
    /// A group, fixed groups included.
    case group(GroupAddress)
    case virtual(LabelUUID)

    package var address: Address {
        switch self {
        case .unicast(let unicast): unicast.address
        case .group(let group): group.address
        case .virtual(let label): label.virtualAddress
        }
    }

    /// The label of a virtual address; nil for other destinations.
    package var label: LabelUUID? {
        guard case .virtual(let label) = self else { return nil }
        return label
    }
}

/// An access message to send.
package struct OutgoingMessage: Hashable, Sendable {
    /// The sending element, one of the stack's.
    package var source: UnicastAddress
    package var destination: Destination
    /// The access PDU, opcode and parameters: 1 to 380 octets, 376 with a long TransMIC.
    package var payload: [UInt8]
    /// The key that encrypts it.
    package var security: MessageSecurity
    /// The subnet for sending; an application key must be bound to it.
    package var netKeyIndex: NetKeyIndex
    /// Whether to secure it with the old NetKey in every phase of a key refresh, because the receiver has missed the
    /// new one.
    package var usesOldNetKey = false
    /// The TTL: 0 for neighbours only, 2 to 127 to be relayed.
    package var ttl: UInt8
    /// Whether to segment it, so that the lower transport layer acknowledges it, even if it fits into one PDU.
    package var forcesSegmentation: Bool
    /// The size of the TransMIC. A message with 64 bits is always segmented (SZMIC, Mesh Protocol 3.5.2.2).
    package var transportMIC: MICSize

    package init(
        source: UnicastAddress,
        destination: Destination,
        payload: [UInt8],
        security: MessageSecurity,
        netKeyIndex: NetKeyIndex = .primary,
        ttl: UInt8,
        forcesSegmentation: Bool = false,
        transportMIC: MICSize = .bits32
    ) {
        self.source = source
        self.destination = destination
        self.payload = payload
        self.security = security
        self.netKeyIndex = netKeyIndex
        self.ttl = ttl
        self.forcesSegmentation = forcesSegmentation
        self.transportMIC = transportMIC
    }

    /// The number of network PDUs that carry an access payload of that size once.
    package static func pduCount(
        payloadSize: Int,
        forcesSegmentation: Bool = false,
        transportMIC: MICSize = .bits32
    ) -> Int {
        let upper = payloadSize + transportMIC.rawValue
        let fits = upper <= LowerTransportPDU.maximumAccessSize && transportMIC == .bits32 && !forcesSegmentation
        return fits ? 1 : (upper + 11) / 12
    }
}

/// A control message to send. The stack itself sends segment acknowledgments.
package struct OutgoingControlMessage: Hashable, Sendable {
    /// The sending element.
    package var source: UnicastAddress
    /// A unicast or group address.
    package var destination: Address
    /// The opcode, 0x01 to 0x7F.
    package var opcode: UInt8
    /// 0 to 256 octets; more than 11 are segmented.
    package var parameters: [UInt8]
    /// The subnet for sending.
    package var netKeyIndex: NetKeyIndex
    /// The TTL, 0 to 127.
    package var ttl: UInt8

    package init(
        source: UnicastAddress,
        destination: Address,
        opcode: UInt8,
        parameters: [UInt8],
        netKeyIndex: NetKeyIndex = .primary,
        ttl: UInt8
    ) {
        self.source = source
        self.destination = destination
        self.opcode = opcode
        self.parameters = parameters
        self.netKeyIndex = netKeyIndex
        self.ttl = ttl
    }
}

/// An access message that has arrived, is authentic and is no replay.
package struct IncomingMessage: Hashable, Sendable {
    /// The sending element.
    package var source: UnicastAddress
    /// The destination: one of the stack's elements, a group, or a virtual address.
    package var destination: Address
    /// The label of a virtual address.
    package var label: LabelUUID?
    /// The access PDU, opcode and parameters, at least one octet.
    package var payload: [UInt8]
    /// The key that decrypted it.
    package var security: MessageSecurity
    /// The subnet in which it arrived.
    package var netKeyIndex: NetKeyIndex
    /// The TTL of the last PDU on arrival.
    package var ttl: UInt8
    package var ivIndex: UInt32
    /// The sequence number of the first PDU.
    package var sequence: UInt32
    package var isSegmented: Bool
}

/// A control message that has arrived, other than an acknowledgment.
package struct IncomingControlMessage: Hashable, Sendable {
    /// The sending element.
    package var source: UnicastAddress
    package var destination: Address
    /// The opcode, 0x01 to 0x7F.
    package var opcode: UInt8
    package var parameters: [UInt8]
    /// The subnet in which it arrived.
    package var netKeyIndex: NetKeyIndex
    package var ttl: UInt8
}

/// Identifies a sent message within one stack.
package struct TransmissionIdentifier: RawRepresentable, Hashable, Comparable, Sendable {
    /// A number that counts up from 0.
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// In the order of sending.
    package static func < (left: TransmissionIdentifier, right: TransmissionIdentifier) -> Bool {
        left.rawValue < right.rawValue
    }
}
